//! Names: who is called what, and who may not be.

use std::collections::HashSet;

use super::action::Action;
use super::scene::{Scene, actor, agent};
use crate::{
    agent::Former,
    code::ErrorCode,
    ids::{AgentName, Role},
    part::{Part, Rows},
    room::{Event, NewIdentity, Refusal},
};

/// A room, and the names in it that are not in use.
struct Cast {
    scene: Scene,
    former: Rows<Former>,
}

/// What somebody wants to be called; an empty text is no wish.
fn wish(name: &str, role: &str) -> (Option<AgentName>, Option<Role>) {
    (name.parse().ok(), role.parse().ok())
}

impl Cast {
    fn new() -> Self {
        Self { scene: Scene::with(&[]), former: Rows::of_new_room() }
    }

    fn act(&mut self, who: &str, action: Action) -> Result<Option<Event>, Refusal> {
        let before = self.scene.room.clone();
        let event = self.scene.act(who, action)?;
        if event.is_some() {
            Former::apply(&mut self.former, self.scene.log.last().unwrap(), &before);
        }
        self.scene.later(1);
        Ok(event)
    }

    fn identity(&self, (name, role): (Option<AgentName>, Option<Role>)) -> NewIdentity {
        NewIdentity { name, role, former: self.former.to_vec() }
    }

    fn joins(&mut self, who: &str, name: &str, role: &str) -> Result<Option<Event>, Refusal> {
        let identity = self.identity(wish(name, role));
        self.act(who, Action::Join { identity })
    }

    fn registers(&mut self, who: &str, name: &str, role: &str) -> Result<Option<Event>, Refusal> {
        let identity = self.identity(wish(name, role));
        self.act(who, Action::Register { identity })
    }

    fn leaves(&mut self, who: &str) {
        self.act(who, Action::Leave).unwrap();
    }

    /// What a member is called and here for.
    fn called(&self, who: &str) -> (&str, Option<&str>) {
        let member = self.scene.room.member(&agent(who)).unwrap();
        (&member.display_name, member.role.as_ref().map(Role::as_str))
    }

    fn former_names(&self) -> Vec<(&str, &str)> {
        self.former.iter().map(|former| (former.name.as_str(), former.agent_id.as_str())).collect()
    }
}

fn taken_from(result: Result<Option<Event>, Refusal>) -> String {
    let refusal = result.unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::DuplicateAgentId);
    refusal.to_string()
}

#[test]
fn everybody_gets_an_adjective_and_a_noun_that_nobody_else_has() {
    let mut cast = Cast::new();
    let names: HashSet<String> = (0..200)
        .map(|number| {
            let who = format!("codex:{number}");
            cast.joins(&who, "", "").unwrap();
            cast.called(&who).0.to_owned()
        })
        .collect();
    assert_eq!(names.len(), 200);
    for name in names {
        assert!(name.parse::<AgentName>().is_ok() && name.split('-').count() == 2, "{name}");
    }
}

#[test]
fn a_member_takes_a_name_and_a_role_and_keeps_what_it_does_not_ask_to_change() {
    let mut cast = Cast::new();
    cast.joins("codex", "amber-otter", "").unwrap();
    cast.registers("codex", "", "reviewer").unwrap();
    assert_eq!(cast.called("codex"), ("amber-otter", Some("reviewer")));
    cast.registers("codex", "quiet-fox", "").unwrap();
    assert_eq!(cast.called("codex"), ("quiet-fox", Some("reviewer")));
    assert_eq!(cast.registers("codex", "quiet-fox", "reviewer").unwrap(), None, "it is called so already");
    assert_eq!(cast.scene.folded(), cast.scene.room);
}

#[test]
fn nobody_registers_a_name_that_another_has_or_had() {
    let mut cast = Cast::new();
    cast.joins("codex", "amber-otter", "").unwrap();
    cast.joins("claude", "quiet-fox", "").unwrap();
    let member = taken_from(cast.registers("claude", "amber-otter", ""));
    assert_eq!(member, "The name amber-otter belongs to another member.");
    assert_eq!(taken_from(cast.joins("gemini", "amber-otter", "")), member, "not by joining either");

    cast.registers("codex", "keen-crane", "").unwrap();
    let former = taken_from(cast.registers("claude", "amber-otter", ""));
    assert_eq!(former, "The name amber-otter belonged to another agent here; it goes on only by adoption.");
    cast.leaves("codex");
    assert_eq!(taken_from(cast.joins("gemini", "keen-crane", "")).replace("keen-crane", "amber-otter"), former);
    assert_eq!(cast.former_names(), [("amber-otter", "codex"), ("keen-crane", "codex")]);
}

#[test]
fn an_agent_takes_its_own_former_name_back() {
    let mut cast = Cast::new();
    cast.joins("codex", "amber-otter", "").unwrap();
    cast.registers("codex", "keen-crane", "").unwrap();
    cast.registers("codex", "amber-otter", "").unwrap();
    assert_eq!((cast.called("codex").0, cast.former_names()), ("amber-otter", vec![("keen-crane", "codex")]));
    cast.leaves("codex");
    cast.joins("codex", "keen-crane", "").unwrap();
    assert_eq!((cast.called("codex").0, cast.former_names()), ("keen-crane", vec![("amber-otter", "codex")]));
}

#[test]
fn whoever_comes_back_is_called_as_it_was_last() {
    let mut cast = Cast::new();
    cast.joins("codex", "amber-otter", "").unwrap();
    cast.registers("codex", "keen-crane", "reviewer").unwrap();
    cast.leaves("codex");
    cast.joins("codex", "", "").unwrap();
    assert_eq!(cast.called("codex"), ("keen-crane", Some("reviewer")));
}

#[test]
fn a_name_that_somebody_had_is_not_made_for_another() {
    let mut cast = Cast::new();
    cast.joins("codex", "", "").unwrap();
    let made = cast.called("codex").0.to_owned();
    cast.leaves("codex");
    let by = actor("codex");
    let stolen = Former { agent_id: agent("somebody"), ..cast.former.nth(0).clone() };
    cast.former = Rows::from_iter([stolen]);
    cast.joins(by.agent_id.as_str(), "", "").unwrap();
    assert_ne!(cast.called("codex").0, made, "the same id would be given it again, were it free");
}

#[test]
fn only_a_member_registers() {
    let mut cast = Cast::new();
    assert_eq!(cast.registers("codex", "amber-otter", "").unwrap_err().code(), ErrorCode::UnknownMember);
}

#[test]
fn nobody_is_called_what_somebody_else_is_addressed_by() {
    let mut cast = Cast::new();
    cast.joins("codex", "amber-otter", "").unwrap();
    cast.joins("claude", "", "").unwrap();
    insta::assert_snapshot!(taken_from(cast.registers("claude", "codex", "")), @"The name codex is the id of another member.");
    cast.registers("codex", "codex", "").unwrap();
    assert_eq!(cast.called("codex").0, "codex", "one's own id is nobody else's");
    assert!("broadcast".parse::<AgentName>().is_err(), "that is everybody");
}
