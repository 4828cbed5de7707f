//! Edits that the guard stops.

use super::scene::Scene;
use crate::{
    code::ErrorCode,
    policy::Guard,
    scope::{Conventions, Intent, ScopePath, Taking, Verdict, Watch},
};

impl Scene {
    /// The guard's answer to edits of `names`: the agent, and after it the one it works for.
    fn guards(&self, names: &[&str], files: &[&str]) -> Verdict {
        let root = ScopePath::root("/repo", Conventions::UNIX).unwrap();
        let files: Vec<_> = files.iter().map(|text| ScopePath::file(text, &root).unwrap()).collect();
        let by: Vec<_> = names.iter().map(|name| self.actor(name)).collect();
        self.see(|found, view| found.guard(view, &by, Intent::Edit(&files)))
    }

    fn guards_unread(&self, name: &str) -> Verdict {
        self.see(|found, view| found.guard(view, &[self.actor(name)], Intent::Unread))
    }
}

fn code(verdict: &Verdict) -> Option<ErrorCode> {
    match verdict {
        Verdict::Refused(refusal) => Some(refusal.code()),
        Verdict::Free | Verdict::Take(_) | Verdict::Watch(_) => None,
    }
}

#[test]
fn an_edit_without_the_stick_is_refused_while_somebody_else_is_there() {
    let mut scene = Scene::with(&["ana", "ben"]);
    assert_eq!(code(&scene.guards(&["ana"], &["a"])), Some(ErrorCode::StickNeeded), "the stick lies free");
    scene.takes_stick("ben");
    assert_eq!(code(&scene.guards(&["ana"], &["a"])), Some(ErrorCode::StickNeeded));
    assert_eq!(scene.guards(&["ben"], &["a"]), Verdict::Free);
    assert_eq!(scene.guards(&["ana"], &[]), Verdict::Free, "nothing in the room is edited");
}

#[test]
fn an_own_scope_is_free_and_a_foreign_one_stops_also_the_holder() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ben");
    scene.reserve("ana", &["src"]).unwrap();
    assert_eq!(scene.guards(&["ana"], &["src/a"]), Verdict::Free);
    assert_eq!(code(&scene.guards(&["ana"], &["docs/a"])), Some(ErrorCode::StickNeeded));
    assert_eq!(code(&scene.guards(&["ben"], &["src/a"])), Some(ErrorCode::ReservationConflict));
}

#[test]
fn alone_an_agent_is_never_stopped_and_takes_the_stick_with_its_first_edit() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.reserve("ben", &["src"]).unwrap();
    scene.kill("ben");
    assert_eq!(scene.guards(&["ana"], &["src/a"]), Verdict::Take(Taking::Claim));
    scene.takes_stick("ana");
    assert_eq!(scene.guards(&["ana"], &["src/a"]), Verdict::Free, "the scope of somebody who is gone");

    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ben");
    scene.kill("ben");
    assert_eq!(scene.guards(&["ana"], &["a"]), Verdict::Take(Taking::Takeover));
}

#[test]
fn a_sub_agent_edits_under_the_turn_of_the_agent_it_works_for() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ana");
    assert_eq!(scene.guards(&["sub", "ana"], &["a"]), Verdict::Free);
    assert_eq!(code(&scene.guards(&["sub", "ben"], &["a"])), Some(ErrorCode::StickNeeded));
    scene.reserve("ben", &["docs"]).unwrap();
    assert_eq!(scene.guards(&["sub", "ben"], &["docs/a"]), Verdict::Free);
}

#[test]
fn a_command_that_cannot_be_read_is_watched_without_the_stick() {
    let mut scene = Scene::with(&["ana", "ben"]);
    assert_eq!(scene.guards_unread("ana"), Verdict::Watch(Watch::Room));
    scene.takes_stick("ana");
    assert_eq!(scene.guards_unread("ana"), Verdict::Free);
    assert_eq!(scene.guards_unread("ben"), Verdict::Watch(Watch::Room));
    scene.reserve("ben", &["src"]).unwrap();
    assert_eq!(scene.guards_unread("ana"), Verdict::Watch(Watch::ForeignScopes));
    scene.kill("ana");
    assert_eq!(scene.guards_unread("ben"), Verdict::Free, "nobody else is there");
}

#[test]
fn a_commit_belongs_to_the_holder_whatever_others_reserved() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.takes_stick("ana");
    scene.reserve("ben", &["src"]).unwrap();
    let commits = |name: &str| scene.see(|found, view| found.guard(view, &[scene.actor(name)], Intent::Index));
    assert_eq!(commits("ana"), Verdict::Free);
    assert_eq!(code(&commits("ben")), Some(ErrorCode::StickNeeded));
}

#[test]
fn a_room_without_a_guard_stops_nothing() {
    let mut scene = Scene::with(&["ana", "ben"]);
    scene.room.policy.guard = Guard::Off;
    assert_eq!((scene.guards(&["ana"], &["a"]), scene.guards_unread("ana")), (Verdict::Free, Verdict::Free));
}
