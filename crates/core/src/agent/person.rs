//! Whether a person stands behind an id, and which one.
//!
//! The kind of session that is on record decides. How an id begins proves nothing: an id that was given by hand or chosen
//! may begin in any way.

use crate::{
    ids::AgentId,
    process::SessionKind,
    room::{Actor, Member},
};

impl Actor {
    /// The kind of session behind whatever the caller sends, as it is kept with that. Of an id that was given by hand
    /// nothing is known, so it is never a person's.
    pub fn sender_kind(&self) -> Option<SessionKind> {
        (!self.is_overridden()).then_some(self.session_kind)
    }

    /// Whether a person calls.
    pub fn is_person(&self) -> bool {
        self.sender_kind().is_some_and(SessionKind::is_person)
    }
}

impl Member {
    /// The kind of session behind them, as far as it is known: see [`Actor::sender_kind`].
    pub fn sender_kind(&self) -> Option<SessionKind> {
        (!self.overridden).then_some(self.session_kind)
    }
}

/// The user of a person's id, `human:<user>:<terminal>`: a person has one for each terminal, and one for pages. `kind` is
/// the kind of session that is on record for it.
pub fn user_of(id: &AgentId, kind: Option<SessionKind>) -> Option<&str> {
    let rest = kind.filter(|kind| kind.is_person()).and_then(|_| id.as_str().strip_prefix("human:"))?;
    rest.split_once(':').map(|(user, _)| user)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user(id: &str, kind: Option<SessionKind>) -> Option<String> {
        user_of(&id.parse().unwrap(), kind).map(str::to_owned)
    }

    #[test]
    fn only_the_kind_on_record_makes_an_id_a_persons() {
        let person = Some(SessionKind::Human);
        assert_eq!(user("human:ana:pts1", person).as_deref(), Some("ana"));
        assert_eq!(user("human:ana:http", Some(SessionKind::HumanGuardian)).as_deref(), Some("ana"));
        assert_eq!(user("human:ana:pts1", Some(SessionKind::McpHarness)), None);
        assert_eq!(user("human:ana:pts1", None), None);
        assert_eq!([user("ana", person), user("human:ana", person)], [None, None]);
    }

    #[test]
    fn an_id_that_was_given_by_hand_is_never_a_persons() {
        let id: AgentId = "human:root:pts0".parse().unwrap();
        let found = Actor::found(id.clone(), None, SessionKind::Human);
        assert_eq!((found.is_person(), found.sender_kind()), (true, Some(SessionKind::Human)));
        let given = found.clone().overridden(id.clone());
        assert_eq!((given.is_person(), given.sender_kind()), (false, None));
        let chosen = found.choosing(id);
        assert_eq!((chosen.is_person(), chosen.sender_kind()), (false, Some(SessionKind::McpHarness)));
    }
}
