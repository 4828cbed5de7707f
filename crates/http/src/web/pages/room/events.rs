//! The events that the page shows: a slice of the log, newest first, of those that the address asks for.

use baton_app::{
    Failure,
    commands::room::{self, EventsInput},
    view::RoomEvent,
};
use baton_core::ids::Seq;

use super::sight::Sight;
use crate::web::look::Look;

/// Events on one page.
const SHOWN: usize = 60;
/// Events that are asked for at once: about what one answer holds.
const STEP: u32 = 40;
/// How often is asked for more, before the page makes do with what was found.
const ASKED: usize = 10;

/// Which events are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Show {
    All,
    Talk,
    Stick,
    Jobs,
    Notes,
}

impl Show {
    pub(super) const EACH: [Self; 5] = [Self::All, Self::Talk, Self::Stick, Self::Jobs, Self::Notes];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Talk => "talk",
            Self::Stick => "stick",
            Self::Jobs => "jobs",
            Self::Notes => "notes",
        }
    }

    pub(super) const fn label(self) -> &'static str {
        match self {
            Self::All => "All",
            Self::Talk => "Talk",
            Self::Stick => "Stick",
            Self::Jobs => "Jobs and tasks",
            Self::Notes => "Notes",
        }
    }

    fn named(word: &str) -> Self {
        Self::EACH.into_iter().find(|show| show.as_str() == word).unwrap_or(Self::All)
    }

    fn takes(self, event: &RoomEvent) -> bool {
        let kind = event.event_type.as_str();
        let family = kind.split_once('.').map_or(kind, |(family, _)| family);
        match self {
            Self::All => true,
            Self::Notes => kind == "note",
            Self::Stick => matches!(
                kind,
                "create"
                    | "join"
                    | "leave"
                    | "reorder"
                    | "register"
                    | "claim"
                    | "release"
                    | "pass"
                    | "takeover"
                    | "policy"
                    | "rename"
                    | "close"
                    | "RESUME"
            ),
            Self::Jobs => matches!(
                family,
                "job" | "runner" | "task" | "turn" | "spawn" | "card" | "plan" | "anchor" | "artifact" | "conversation"
            ),
            Self::Talk => {
                event.protocol.is_some()
                    || matches!(
                        family,
                        "envelope" | "message" | "action" | "tell" | "note" | "deliver" | "see" | "accept" | "forward"
                    )
                    || matches!(kind, "job.question" | "job.manager")
            }
        }
    }
}

/// A slice of the log.
pub(super) struct Events {
    pub(super) show: Show,
    /// Those that are shown, newest first.
    pub(super) shown: Vec<RoomEvent>,
    /// All that were looked at to find them, which say whose turns they were in.
    pub(super) seen: Vec<RoomEvent>,
    /// The newest of the log, wherever the page is.
    pub(super) newest: Vec<RoomEvent>,
    /// There is more before this one.
    pub(super) older: Option<Seq>,
    /// There is more after this one.
    pub(super) newer: Option<Seq>,
}

impl Events {
    pub(super) fn of(look: &Look<'_>, sight: &Sight) -> Result<Self, Failure> {
        let show = Show::named(look.at.query("show").unwrap_or_default());
        let place = |name: &str| look.at.parsed::<u64>(name).map(Seq);
        let newest = ask(look, sight, None, None)?.events;
        match (place("before"), place("after")) {
            (None, None) => Self::back(look, sight, show, None, newest),
            (_, Some(after)) => Self::forth(look, sight, show, after, newest),
            (before, None) => Self::back(look, sight, show, before, newest),
        }
    }

    /// Backwards from a place, or from the end.
    fn back(
        look: &Look<'_>,
        sight: &Sight,
        show: Show,
        from: Option<Seq>,
        newest: Vec<RoomEvent>,
    ) -> Result<Self, Failure> {
        let (mut seen, mut before, mut more) = (Vec::new(), from, true);
        for _ in 0..ASKED {
            let found = ask(look, sight, before, None)?;
            seen.extend(found.events);
            (before, more) = (found.cursor, found.has_more);
            if !more || seen.iter().filter(|event| show.takes(event)).count() >= SHOWN {
                break;
            }
        }
        let mut shown: Vec<RoomEvent> = seen.iter().filter(|event| show.takes(event)).cloned().collect();
        let cut = shown.len() > SHOWN;
        shown.truncate(SHOWN);
        let older = if cut { shown.last().map(|event| event.event_seq) } else { before.filter(|_| more) };
        // From the end, what is newest is shown already; from a place, what is newer begins with that place.
        let newer = from.and_then(|from| from.0.checked_sub(1)).map(Seq);
        Ok(Self { show, shown, seen, newest, older, newer })
    }

    /// Forwards from a place.
    fn forth(look: &Look<'_>, sight: &Sight, show: Show, from: Seq, newest: Vec<RoomEvent>) -> Result<Self, Failure> {
        let (mut seen, mut after, mut more) = (Vec::<RoomEvent>::new(), from, true);
        for _ in 0..ASKED {
            let found = ask(look, sight, None, Some(after))?;
            after = found.events.last().map_or(after, |event| event.event_seq);
            more = found.has_more;
            seen.extend(found.events);
            if !more || seen.iter().filter(|event| show.takes(event)).count() >= SHOWN {
                break;
            }
        }
        let mut shown: Vec<RoomEvent> = seen.iter().filter(|event| show.takes(event)).cloned().collect();
        let cut = shown.len() > SHOWN;
        shown.truncate(SHOWN);
        let newer = if cut { shown.last().map(|event| event.event_seq) } else { Some(after).filter(|_| more) };
        shown.reverse();
        seen.reverse();
        Ok(Self { show, shown, seen, newest, older: Some(Seq(from.0 + 1)).filter(|_| from.0 > 0), newer })
    }
}

fn ask(
    look: &Look<'_>,
    sight: &Sight,
    before: Option<Seq>,
    after: Option<Seq>,
) -> Result<room::GetRoomEventsResult, Failure> {
    look.ask::<room::Events>(EventsInput { before, after, limit: Some(STEP), ..EventsInput::in_room(sight.id()) })
}
