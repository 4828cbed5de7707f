//! A room that is looked at for what waits there, and whose it is.

use baton_core::{
    ids::AgentId,
    process::SessionKind,
    room::{Actor, Room},
    time::Timestamp,
};

use super::{Need, NeedKind, Whom};
use crate::{commands::envelope::called, liveness::Eyes};

/// Longest text of somebody's that is told with a need.
const WORDS_CHARS: usize = 900;

/// A room, and who looks at it.
pub(super) struct Scene<'a> {
    pub(super) room: &'a Room,
    pub(super) eyes: &'a Eyes<'a>,
    pub(super) now: Timestamp,
    pub(super) you: &'a Actor,
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
            evidence: None,
            command: String::new(),
        }
    }

    /// An agent, as it is called here.
    pub(super) fn whom(&self, agent: &AgentId) -> Whom {
        Whom { agent_id: agent.clone(), name: called(self.room, agent) }
    }

    /// A command about something of this room, wherever it is typed.
    pub(super) fn command(&self, words: &str) -> String {
        format!("baton {words} --room {}", self.room.id)
    }
}

/// The first and the last id that mean the same somebody: a person has one for each terminal, and one for pages.
pub(super) fn own_ids(you: &Actor) -> (String, String) {
    let id = you.agent_id.as_str();
    let user = match you.session_kind {
        SessionKind::Human | SessionKind::HumanGuardian => {
            id.strip_prefix("human:").and_then(|rest| rest.split_once(':')).map(|(user, _)| user)
        }
        SessionKind::McpHarness | SessionKind::Shell => None,
    };
    match user {
        // No id has a character beyond this one.
        Some(user) => (format!("human:{user}:"), format!("human:{user}:~")),
        None => (id.to_owned(), id.to_owned()),
    }
}

/// A text, or as much of it as a card has room for.
pub(super) fn cut(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(WORDS_CHARS) {
        Some((end, _)) => format!("{}…", text[..end].trim_end()),
        None => text.to_owned(),
    }
}
