//! A room that is looked at for what waits there, and whose it is.

use baton_core::{
    agent::{StaleAfter, user_of},
    ids::AgentId,
    room::{Actor, Member, Room},
    time::Timestamp,
};

use super::{Need, NeedKind, Whom};
use crate::{App, commands::envelope::called, connection::Vantage, liveness::Eyes};

/// Longest text of somebody's that is told with a need.
const WORDS_CHARS: usize = 900;

/// A room, and who looks at it.
pub(super) struct Scene<'a> {
    pub(super) app: &'a App,
    pub(super) room: &'a Room,
    pub(super) eyes: &'a Eyes<'a>,
    pub(super) now: Timestamp,
    pub(super) you: &'a Actor,
    pub(super) stale_after: StaleAfter,
}

impl Scene<'_> {
    /// A need of this room. What only some sorts have is left out.
    pub(super) fn need(&self, kind: NeedKind, since: Timestamp, reference: impl ToString, who: Whom) -> Need {
        Need {
            kind,
            room_id: self.room.id.clone(),
            room_name: self.room.name.clone(),
            canonical_path: self.room.canonical_path.clone(),
            since,
            reference: reference.to_string(),
            title: String::new(),
            words: String::new(),
            who,
            other: None,
            to: None,
            status: None,
            envelope: None,
            digest: None,
            count: None,
            evidence: None,
            command: String::new(),
        }
    }

    /// The place from which agents are looked at.
    pub(super) fn vantage(&self) -> Vantage<'_> {
        Vantage::new(self.room, self.now, self.stale_after, self.eyes)
    }

    /// Whether an id is one of the caller's own: the one they have, or another that the room has on record as the same
    /// person's.
    pub(super) fn is_own(&self, agent: &AgentId) -> bool {
        let kind = self.room.member(agent).and_then(Member::sender_kind);
        let user = own_user(self.you);
        *agent == self.you.agent_id || (user.is_some() && user_of(agent, kind) == user)
    }

    /// An agent, as it is called here.
    pub(super) fn whom(&self, agent: &AgentId) -> Whom {
        Whom { agent_id: agent.clone(), name: called(self.room, agent) }
    }

    /// A command about something of this room, wherever it is typed.
    pub(super) fn command(&self, words: &str) -> String {
        self.app.command_line(words, &self.room.id)
    }
}

/// The first and the last id that may be the caller's own: a person has one for each terminal, and one for pages.
/// [`Scene::is_own`] tells which of them are.
pub(super) fn own_ids(you: &Actor) -> (String, String) {
    let id = you.agent_id.as_str();
    match own_user(you) {
        // No id has a character beyond this one.
        Some(user) => (format!("human:{user}:"), format!("human:{user}:~")),
        None => (id.to_owned(), id.to_owned()),
    }
}

fn own_user(you: &Actor) -> Option<&str> {
    user_of(&you.agent_id, you.sender_kind())
}

/// A text, or as much of it as a card has room for.
pub(super) fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(WORDS_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
