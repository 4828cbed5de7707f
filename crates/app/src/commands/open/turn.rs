//! A turn: what it consumed, what its agent was told and used, and how it ended.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    inbox::Category,
    limits,
    reference::Reference,
    room::Room,
    time::Timestamp,
    turn::{self, PromptMode, ToolUse, Turn, TurnId},
};
use baton_store::{engine::Tx, inbox, library, log, table, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    Failure,
    bounds::Page,
    commands::{
        bus::Delivery,
        library::ArtifactView,
        turn::{Taken, TurnView},
    },
};

/// Times that a turn's agent was told something, of which a page tells.
const PROMPTS: u32 = 10;
/// Events about tools that are read for one page.
const TOOL_EVENTS: u32 = 100;
/// How much of an input is shown.
const PREVIEW_CHARS: usize = 160;

/// A turn, and all that is on record about it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedTurn {
    pub turn: TurnView,
    /// The messages that it consumed.
    pub consumed: Vec<Seq>,
    /// What they are, as many as fit.
    pub inputs: Vec<Input>,
    /// What its agent was told.
    pub prompts: Vec<Told>,
    /// What it used, in order: from the beginning, or after `offset`.
    pub tools: Vec<ToolUse>,
    /// Diffs and other files that it left.
    pub artifacts: Vec<ArtifactView>,
    /// What its end points to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    /// It used more: open it again with this `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<Seq>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

/// Something that a turn consumed, by its beginning.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[schemars(rename = "TurnInput")]
pub struct Input {
    pub message: Seq,
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    pub from: AgentId,
    pub from_name: String,
    pub category: Category,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub interrupts: bool,
    pub text: String,
}

/// What an agent was told, and where it is kept.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Told {
    pub mode: PromptMode,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub role: Option<String>,
    pub tokens: u32,
    pub sent_tokens: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub context_ref: Option<Reference>,
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    pub at: Timestamp,
}

impl OpenedTurn {
    /// Reads it. `offset` is the place of the last event about tools that was shown.
    pub(super) fn read(tx: &mut dyn Tx, room: &Room, id: TurnId, offset: Option<i64>) -> Result<Option<Self>, Failure> {
        let Some(turn) = table::find::<Turn>(tx, &room.id, &id)? else { return Ok(None) };
        let end = end_of(tx, room, &turn)?;
        let until = end.as_ref().map_or(room.last_seq, |end| end.seq);
        let consumed = consumed_by(tx, room, &turn, end.as_ref())?;
        let told = turns::events(tx, &room.id, &turn, "turn.prompt", (Seq(0), until), PROMPTS)?;
        let after = Seq(offset.unwrap_or(0).max(0).unsigned_abs());
        let used = turns::events(tx, &room.id, &turn, "turn.tools", (after, until), TOOL_EVENTS + 1)?;
        let kept = library::artifacts_of_turn(tx, &room.id, id)?;

        let (mut page, mut more) = (Page::default(), Vec::new());
        let view = TurnView::of(&turn, room);
        page.takes(&view);
        page.takes(&consumed);
        let prompts = page.fill(&told, PROMPTS, Told::of).into_iter().flatten().collect();
        let artifacts = page.fill(&kept, limits::CARDS_DEFAULT, ArtifactView::from);
        if artifacts.len() < kept.len() {
            more.push(format!("more files: tasks artifact.list turn={id}"));
        }
        let inputs = inputs(tx, room, &turn, &consumed, &mut page)?;
        if inputs.len() < consumed.len() {
            let left = consumed.len() - inputs.len();
            more.push(format!("{left} more inputs are in the log, at the places in `consumed`"));
        }
        let (tools, next_offset) = tools(&used, &mut page);
        let refs = match end.map(|end| end.event) {
            Some(Event::Turn(turn::Event::Ended(ended))) => ended.refs,
            Some(_) | None => Vec::new(),
        };
        if let Some(next) = next_offset {
            more.push(format!("more tools: open id={id} offset={next}"));
        }
        Ok(Some(Self { turn: view, consumed, inputs, prompts, tools, artifacts, refs, next_offset, more }))
    }
}

/// The event that ended a turn.
pub(crate) fn end_of(tx: &mut dyn Tx, room: &Room, turn: &Turn) -> Result<Option<Recorded>, Failure> {
    if turn.is_open() {
        return Ok(None);
    }
    Ok(turns::events(tx, &room.id, turn, "turn.end", (Seq(0), room.last_seq), 1)?.into_iter().next())
}

/// The messages that a turn consumed: as it began, and then what was read in it.
pub(crate) fn consumed_by(
    tx: &mut dyn Tx,
    room: &Room,
    turn: &Turn,
    end: Option<&Recorded>,
) -> Result<Vec<Seq>, Failure> {
    let begun = match log::find(tx, &room.id, turn.seq)?.map(|recorded| recorded.event) {
        Some(Event::Turn(turn::Event::Begun(begun))) => begun.items,
        Some(_) | None => Vec::new(),
    };
    let later = match end.map(|end| &end.event) {
        Some(Event::Turn(turn::Event::Ended(ended))) => ended.items.clone(),
        Some(_) | None => inbox::of_turn(tx, &room.id, turn.id)?.iter().map(|item| item.message).collect(),
    };
    let read: Vec<Seq> = later.into_iter().filter(|message| !begun.contains(message)).collect();
    Ok(begun.into_iter().chain(read).collect())
}

/// What messages are, as many as fit.
fn inputs(tx: &mut dyn Tx, room: &Room, turn: &Turn, messages: &[Seq], page: &mut Page) -> Result<Vec<Input>, Failure> {
    let events = log::find_all(tx, &room.id, messages)?;
    let mut shown = Vec::new();
    for message in messages {
        let items = inbox::of_message(tx, &room.id, *message)?;
        // What went back may be somebody else's by now.
        let own = items.iter().find(|item| item.recipient == turn.agent_id).or(items.first());
        let recorded = events.iter().find(|recorded| recorded.seq == *message);
        let (Some(item), Some(recorded)) = (own, recorded) else { continue };
        let Some(taken) = Taken::of(item, recorded, Delivery::of(recorded, None), room) else { continue };
        let input = Input::of(taken);
        if !page.takes(&input) {
            break;
        }
        shown.push(input);
    }
    Ok(shown)
}

/// What was used, as much as fits by whole events, and where it goes on.
fn tools(used: &[Recorded], page: &mut Page) -> (Vec<ToolUse>, Option<Seq>) {
    let (mut tools, mut last) = (Vec::new(), None);
    for recorded in used {
        let Event::Turn(turn::Event::ToolsUsed(event)) = &recorded.event else { continue };
        if last.is_some() && !page.takes(&event.uses) {
            return (tools, last);
        }
        if last.is_none() {
            page.takes(&event.uses);
        }
        tools.extend(event.uses.iter().cloned());
        last = Some(recorded.seq);
    }
    let is_more = used.len() > TOOL_EVENTS as usize;
    (tools, last.filter(|_| is_more))
}

impl Input {
    fn of(taken: Taken) -> Self {
        let line = taken.text.split_whitespace().collect::<Vec<_>>().join(" ");
        let cut = line.chars().count() > PREVIEW_CHARS;
        let beginning: String = line.chars().take(PREVIEW_CHARS).collect();
        Self {
            message: taken.message,
            reference: taken.reference,
            from: taken.from,
            from_name: taken.from_name,
            category: taken.category,
            interrupts: taken.interrupts,
            text: if cut { format!("{beginning}…") } else { beginning },
        }
    }
}

impl Told {
    pub(crate) fn of(recorded: &Recorded) -> Option<Self> {
        let Event::Turn(turn::Event::Prompted(prompted)) = &recorded.event else { return None };
        Some(Self {
            mode: prompted.mode,
            role: prompted.role.clone(),
            tokens: prompted.tokens,
            sent_tokens: prompted.sent_tokens,
            context_ref: prompted.context_ref.clone(),
            refs: prompted.refs.clone(),
            at: recorded.at,
        })
    }
}
