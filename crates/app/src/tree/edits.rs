//! Edits without a turn, on record once.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Component, Path},
};

use baton_core::{
    agent::Presence,
    event::Event,
    ids::{AgentId, RoomId, Seq},
    lease::Standing,
    room::{Room, Stick},
    scope::{self, Edited, Reservation, ScopePath, View},
    tree::{FileState, Files, fitting},
};
use baton_store::{
    StoreError, agent_sessions,
    engine::Tx,
    incursions::{self, Met},
};

use super::look::WorkingTree;
use crate::{App, Caller, Failure, app::Request, scoping, unit::Change};

/// Edits since one handoff that are looked at. Beyond it older ones are recorded again, which costs a row.
const EARLIER: u32 = 50;

/// The author of changes.
#[derive(Clone, PartialEq, Eq)]
pub(super) enum Author {
    /// The caller, by its own word: its files changed while it ran something without the stick.
    Caller {
        /// The files that its command names.
        named: BTreeSet<String>,
    },
    /// Nobody knows.
    Unknown,
}

/// Changes that somebody noticed.
#[derive(Clone)]
pub(super) struct Noticed {
    pub(super) author: Author,
    pub(super) files: BTreeMap<String, FileState>,
    pub(super) more: u64,
    pub(super) head: Option<(Option<String>, Option<String>)>,
}

impl App {
    /// Records edits that `caller` made without a turn: paths, from the room's root, that differ between two looks at the
    /// tree, before and after it ran `command`. Paths in its own scopes are its to change, and while it holds the stick all but
    /// those in scopes of others. While another holder is at work, only a file that the command names counts as the caller's.
    /// An edit that is on record is not recorded again.
    pub fn record_outside_edits(
        &self,
        caller: &Caller,
        room: &RoomId,
        paths: &[String],
        command: &str,
    ) -> Result<(), Failure> {
        let path = self.room_path(room)?;
        let Some(working_tree) = path.as_deref().and_then(WorkingTree::at) else { return Ok(()) };
        let (kept, more) = fitting(paths.iter().filter(|path| is_below(path)).cloned().collect());
        if kept.is_empty() {
            return Ok(());
        }
        let files: BTreeMap<String, FileState> =
            kept.into_iter().map(|path| (path.clone(), working_tree.state(&path))).collect();
        let named = named_by(&files, command);
        self.record_noticed(caller, room, &Noticed { author: Author::Caller { named }, files, more, head: None })
    }

    /// Puts changes on record that are not yet.
    pub(super) fn record_noticed(&self, caller: &Caller, room: &RoomId, noticed: &Noticed) -> Result<(), Failure> {
        let stale_after = self.stale_after_or_default();
        let request = Request { command: "scope.edit", input: &(), key: None };
        self.change(caller, &request, room, |change| {
            if change.room.stick == Stick::Closed {
                return Ok(());
            }
            let by = change.actor.agent_id.clone();
            let (mut files, mut more) = (noticed.files.clone(), noticed.more);
            if let Author::Caller { named } = &noticed.author {
                let held = change.room.ownership().filter(|held| held.belongs_to(change.actor));
                let holds = held.is_some_and(|held| held.standing(change.now, change.witness) == Standing::Held);
                if !holds && change.is_somebody_else_at_work()? {
                    files.retain(|path, _| named.contains(path));
                    more = 0;
                }
                let root = scoping::root(&change.room)?;
                let now = change.now;
                let live = change.scopes()?.iter().filter(|scope| scope.is_live(now));
                let (own, foreign): (Vec<&Reservation>, Vec<&Reservation>) =
                    live.partition(|scope| scope.lease.holder == by);
                let is_in = |scopes: &[&Reservation], path: &str| {
                    let file = ScopePath::file(path, &root);
                    file.is_ok_and(|file| scopes.iter().any(|scope| scope.path(&root).contains(&file)))
                };
                files.retain(|path, _| if holds { is_in(&foreign, path) } else { !is_in(&own, path) });
            }
            let since = baseline(&change.room);
            let earlier = edits_since(change.store.tx()?, &change.room.id, since)?;
            let author = matches!(noticed.author, Author::Caller { .. }).then_some(&by);
            files.retain(|path, state| !earlier.iter().any(|edit| edit.tells(path, state, author)));
            let is_new = |head: &&(Option<String>, Option<String>)| {
                !earlier.iter().any(|edit| edit.0.head_now == head.1 && edit.0.head_before == head.0)
            };
            let head = noticed.head.as_ref().filter(is_new);
            if files.is_empty() && head.is_none() {
                return Ok(());
            }
            let owner = owner(&change.room).cloned();
            let root = scoping::root(&change.room)?;
            let view = View { room: &change.room, root: &root, now: change.now, stale_after, witness: change.witness };
            let edited = Edited {
                by: author.cloned(),
                by_agent: author.map(|author| view.name(author)),
                files: Files(files),
                more,
                head_before: head.and_then(|(before, _)| before.clone()),
                head_now: head.and_then(|(_, now)| now.clone()),
                since: (since != Seq(1)).then_some(since),
                owner_agent: owner.as_ref().map(|owner| view.name(owner)),
                owner_liveness: owner.as_ref().map_or(Presence::Evicted, |owner| view.presence(owner).0),
                owner,
            };
            change.record_edit(since, edited)
        })
    }
}

impl Change<'_> {
    /// Whether another agent holds the stick and may be the one who edits: a holder whose session is idle is not.
    fn is_somebody_else_at_work(&mut self) -> Result<bool, Failure> {
        let held = self.room.ownership().filter(|held| held.lease.holder != self.actor.agent_id);
        let Some(held) = held.filter(|held| held.standing(self.now, self.witness) == Standing::Held) else {
            return Ok(false);
        };
        let session = agent_sessions::find(self.store.tx()?, &self.room.id, &held.lease.holder)?;
        Ok(session.is_none_or(|session| session.idle_since.is_none()))
    }

    fn record_edit(&mut self, since: Seq, edited: Edited) -> Result<(), Failure> {
        let collision = edited.identity();
        let seq = self.record(scope::Event::Edited(edited))?.seq;
        let met = Met { reservation: since, collision, seq, times: 1, last_at: self.now };
        Ok(incursions::put(self.store.tx()?, &self.room.id, &met)?)
    }
}

/// The handoff since which edits count: the one that the turn began with, or that waits for the next. The room's first
/// event where there is none.
pub(super) fn baseline(room: &Room) -> Seq {
    let received = room.ownership().and_then(|held| held.received.as_ref());
    received.or_else(|| room.pending()).map_or(Seq(1), |pending| pending.seq)
}

/// The agent that an edit without a turn disturbs.
fn owner(room: &Room) -> Option<&AgentId> {
    room.owner().or_else(|| room.reservation().map(|reservation| &reservation.recipient))
}

/// An edit that is on record.
pub(super) struct KnownEdit(pub(super) Edited);

impl KnownEdit {
    /// Whether it tells of this content: by that author, or for an unknown one by anybody.
    fn tells(&self, path: &str, state: &FileState, author: Option<&AgentId>) -> bool {
        self.has(path, state) && (author.is_none() || self.0.by.as_ref() == author)
    }

    pub(super) fn has(&self, path: &str, state: &FileState) -> bool {
        self.0.files.0.get(path) == Some(state)
    }
}

/// The edits on record since a handoff, those with an author first.
pub(super) fn edits_since(tx: &mut dyn Tx, room: &RoomId, since: Seq) -> Result<Vec<KnownEdit>, StoreError> {
    let found = incursions::at(tx, room, since, EARLIER)?;
    let mut edits: Vec<KnownEdit> = found
        .into_iter()
        .filter_map(|recorded| match recorded.event {
            Event::Scope(scope::Event::Edited(edited)) => Some(KnownEdit(edited)),
            _ => None,
        })
        .collect();
    edits.sort_by_key(|edit| edit.0.by.is_none());
    Ok(edits)
}

/// The files that a command names, by their path or by their name alone.
fn named_by(files: &BTreeMap<String, FileState>, command: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    let is_named = |path: &&String| {
        let name = path.rsplit('/').next().unwrap_or(path);
        command.match_indices(name).any(|(at, _)| {
            let (before, after) = (command[..at].chars().next_back(), command[at + name.len()..].chars().next());
            !before.is_some_and(is_part) && !after.is_some_and(is_part)
        })
    };
    files.keys().filter(is_named).cloned().collect()
}

/// Whether a path is one from the room's root, and stays below it.
fn is_below(path: &str) -> bool {
    !path.is_empty()
        && !path.contains('\0')
        && Path::new(path).components().all(|part| matches!(part, Component::Normal(_)))
}

/// Paths as one text, the first of them.
pub(super) fn listed<'a>(paths: impl IntoIterator<Item = &'a String>) -> String {
    const NAMED: usize = 10;
    let all: BTreeSet<&String> = paths.into_iter().collect();
    let named: Vec<&str> = all.iter().take(NAMED).map(|path| path.as_str()).collect();
    match all.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
