//! Who may change files of the workspace.

use super::scene::{Scene, agent};
use crate::{
    code::ErrorCode,
    process::{Liveness, ProcessIdentity, SessionKind},
    room::{self, Actor, Call},
    scope::{EditRight, Refusal, ScopePath},
};

impl Scene {
    pub(super) fn actor(&self, name: &str) -> Actor {
        let process = self.room.member(&agent(name)).and_then(|member| member.process.clone());
        Actor::found(agent(name), process, SessionKind::McpHarness)
    }

    pub(super) fn takes_stick(&mut self, name: &str) {
        let (by, lease_id) = (self.actor(name), format!("lease_{name}").parse().unwrap());
        let call = Call { now: self.now, by: &by, witness: &|_: &ProcessIdentity| Liveness::Alive };
        let claimed = self.room.claim(call, &lease_id).unwrap();
        self.tell(name, room::Event::Claimed(claimed));
    }

    fn edits(&self, name: &str, files: &[&str]) -> Result<EditRight, Refusal> {
        let root = ScopePath::root("/repo", crate::scope::Conventions::UNIX).unwrap();
        let files: Vec<_> = files.iter().map(|text| ScopePath::file(text, &root).unwrap()).collect();
        self.see(|found, view| found.may_edit(view, &self.actor(name), &files))
    }
}

#[test]
fn the_workspace_is_changed_by_the_holder_of_the_stick() {
    let mut scene = Scene::with(&["ana", "ben"]);
    let refused = scene.edits("ana", &["src/a", "b"]).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::StickNeeded);
    assert_eq!(
        refused.to_string(),
        "The workspace is changed by the holder of the stick or under your own scopes. The stick is free; 2 of the paths are \
         not reserved by you."
    );
    scene.takes_stick("ana");
    assert_eq!(scene.edits("ana", &["src/a", "b"]).unwrap(), EditRight::Stick);
    let refused = scene.edits("ben", &["b"]).unwrap_err();
    assert!(refused.to_string().contains("ana holds the stick until 1970-01-01T00:"), "{refused}");
    scene.later(24 * 60);
    let refused = scene.edits("ana", &["b"]).unwrap_err();
    assert!(refused.to_string().contains("Your turn is not in force"), "{refused}");
}

#[test]
fn scopes_over_every_path_are_enough_and_over_some_are_not() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ben");
    scene.reserve("ana", &["src"]).unwrap();
    assert_eq!(scene.edits("ana", &["src/a", "src/deep/b"]).unwrap(), EditRight::Scopes);
    let Err(Refusal::StickNeeded { paths, not_reserved, .. }) = scene.edits("ana", &["src/a", "docs/b"]) else {
        panic!("a path that is not reserved takes the stick")
    };
    assert_eq!((paths, not_reserved), (vec!["docs/b".to_owned()], 1));
    scene.later(121);
    assert_eq!(scene.edits("ana", &["src/a"]).unwrap_err().code(), ErrorCode::StickNeeded, "it ran out");
}

#[test]
fn a_live_scope_of_somebody_else_refuses_even_the_holder_of_the_stick() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ana");
    scene.reserve("ben", &["src"]).unwrap();
    assert_eq!(scene.edits("ana", &["README", "src/a"]).unwrap_err().code(), ErrorCode::ReservationConflict);
    assert_eq!(scene.edits("ana", &["README"]).unwrap(), EditRight::Stick);
}
