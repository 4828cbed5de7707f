//! Names of rooms, and what concerns others: having somebody leave, and closing as who steers.

use super::action::Action;
use super::scene::{Scene, agent};
use crate::{
    code::ErrorCode,
    ids::AgentName,
    limits,
    policy::{Edges, Guard, PolicyChange, Resume, Spawning, Wake},
    room::{Authority, Event, NewIdentity, Refusal, RoomState, Shown},
    time::Ttl,
};

fn rename(name: &str) -> Action {
    Action::Rename { name: name.to_owned() }
}

fn remove(name: &str) -> Action {
    Action::Remove { agent: agent(name) }
}

fn close(scene: &Scene, authority: Authority) -> Action {
    Action::Close { expected_turn: scene.room.turn, lease_id: None, reason: None, authority }
}

#[test]
fn a_room_takes_another_name_and_the_same_name_is_no_news() {
    let mut scene = Scene::with(&["codex"]);
    assert_eq!(scene.room.name, None);
    assert!(scene.act("codex", rename("Review 2")).unwrap().is_some());
    assert_eq!(scene.act("codex", rename("Review 2")).unwrap(), None);
    assert_eq!((scene.room.name.as_deref(), &scene.folded()), (Some("Review 2"), &scene.room));
    for name in ["", " \t", "a\nb", &"x".repeat(limits::SESSION_NAME_CHARS + 1)] {
        assert_eq!(scene.act("codex", rename(name)).unwrap_err().code(), ErrorCode::InvalidInput, "{name:?}");
    }
    scene.act("codex", rename(&"é".repeat(limits::SESSION_NAME_CHARS))).unwrap();
}

#[test]
fn who_is_removed_leaves_as_if_by_itself() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    assert!(scene.act("claude", remove("codex")).is_err(), "not with the stick");
    scene.pass("codex", &turn, "claude").unwrap();
    let Some(Event::Left(left)) = scene.act("codex", remove("claude")).unwrap() else { panic!("it left") };
    assert_eq!((left.agent_id, left.reserved_for), (agent("claude"), Some(agent("gemini"))));
    assert_eq!(scene.log.last().unwrap().actor, agent("codex"), "whoever acted is the actor");
    assert!(scene.act("codex", remove("claude")).is_err(), "once");
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn an_operator_closes_a_room_that_it_did_not_join_but_not_over_the_holder() {
    let mut scene = Scene::with(&["codex"]);
    assert!(scene.act("stranger", close(&scene, Authority::Member)).is_err());
    scene.claim("codex").unwrap();
    assert_eq!(scene.act("operator", close(&scene, Authority::Operator)).unwrap_err().code(), ErrorCode::StaleLease);
    scene.later(45);
    scene.act("operator", close(&scene, Authority::Operator)).unwrap();
    assert_eq!(scene.state(), RoomState::Closed);
    assert_eq!(scene.act("codex", rename("late")).unwrap_err().code(), ErrorCode::RoomClosed);
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn an_operator_notes_reorders_and_sets_timings_in_a_room_that_it_did_not_join() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let order = vec!["claude".to_owned(), "codex".to_owned()];
    let change = PolicyChange { claim_ttl_ms: Some(Ttl::from_minutes(7)), ..PolicyChange::default() };
    for authority in [Authority::Member, Authority::Operator] {
        for action in [
            Action::Note { text: "look here".to_owned(), authority },
            Action::Reorder { order: order.clone(), authority },
            Action::SetPolicy { change: change.clone(), expected_turn: None, lease_id: None, authority },
        ] {
            let done = scene.act("stranger", action);
            assert_eq!(done.is_ok(), authority == Authority::Operator, "{done:?}");
        }
    }
    assert_eq!(
        (scene.room.members[0].agent_id.clone(), scene.room.policy.claim_ttl_ms),
        (agent("claude"), Ttl::from_minutes(7))
    );
    assert_eq!((scene.room.members.len(), scene.folded()), (2, scene.room.clone()));
}

fn lease_of(minutes: u64) -> PolicyChange {
    PolicyChange {
        owner_lease_ttl_ms: Some(Ttl::from_minutes(minutes)),
        heartbeat_interval_ms: Some(Ttl::from_secs(10)),
        ..PolicyChange::default()
    }
}

#[test]
fn only_the_holder_or_an_operator_changes_timings() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let refused = scene.set_policy_as("codex", lease_of(1), None, Authority::Member).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Forbidden, "an idle room has no owner: {refused:?}");
    let turn = scene.claim("codex").unwrap();
    let before = (scene.room.clone(), scene.log.len());
    for shown in [None, Some(&turn)] {
        let refused = scene.set_policy_as("claude", lease_of(1), shown, Authority::Member).unwrap_err();
        assert!(matches!(&refused, Refusal::OwnerOnly { current_owner: Some(owner), .. } if *owner == agent("codex")));
        assert_eq!(refused.code(), ErrorCode::Forbidden, "possession of a lease id is not identity");
    }
    assert_eq!((scene.room.clone(), scene.log.len()), before, "nothing changed");
    scene.set_policy_as("codex", lease_of(20), None, Authority::Member).unwrap();
    scene.set_policy_as("codex", lease_of(30), Some(&turn), Authority::Member).unwrap();
    scene.set_policy_as("stranger", lease_of(40), None, Authority::Operator).unwrap();
    assert_eq!((scene.room.policy.owner_lease_ttl_ms, scene.folded()), (Ttl::from_minutes(40), scene.room.clone()));
}

#[test]
fn a_fence_that_is_shown_with_timings_must_be_current() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let old = scene.claim("codex").unwrap();
    scene.pass("codex", &old, "claude").unwrap();
    scene.claim("claude").unwrap();
    for authority in [Authority::Member, Authority::Operator] {
        let refused = scene.set_policy_as("codex", lease_of(1), Some(&old), authority).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::TurnMismatch, "the turn comes first");
        let other = Shown { turn: scene.room.turn, lease_id: old.lease_id.clone() };
        let refused = scene.set_policy_as("claude", lease_of(1), Some(&other), authority).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::StaleLease);
    }
    scene.kill("claude");
    let refused = scene.set_policy_as("claude", lease_of(1), None, Authority::Member).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::StaleLease, "a process that is gone holds nothing");
}

#[test]
fn steering_fields_are_an_operators_to_change_even_for_the_holder() {
    let mut scene = Scene::with(&["codex"]);
    let turn = scene.claim("codex").unwrap();
    for (field, change) in [
        ("spawn", PolicyChange { spawn: Some(Spawning::Auto), ..PolicyChange::default() }),
        ("guard", PolicyChange { guard: Some(Guard::Off), ..PolicyChange::default() }),
        ("wake", PolicyChange { wake: Some(Wake::Off), ..PolicyChange::default() }),
        ("resume", PolicyChange { resume: Some(Resume::On), ..PolicyChange::default() }),
        ("edges", PolicyChange { edges: Some(Edges::Explicit), ..lease_of(20) }),
    ] {
        let refused = scene.set_policy_as("codex", change.clone(), Some(&turn), Authority::Member).unwrap_err();
        assert_eq!(refused, Refusal::OperatorOnly { field, needs: "operator" });
        assert_eq!(refused.code(), ErrorCode::Forbidden);
        assert!(scene.set_policy_as("operator", change, None, Authority::Operator).unwrap().is_some());
    }
}

#[test]
fn an_id_that_is_the_name_of_another_is_not_taken_on() {
    let mut scene = Scene::with(&["codex"]);
    let named =
        |name: &str| NewIdentity { name: Some(AgentName::display(name).unwrap()), role: None, former: Vec::new() };
    scene.act("codex", Action::Register { identity: named("Worker") }).unwrap();
    let refusal = scene.act("Worker", Action::Join { identity: named("Somebody") }).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::DuplicateAgentId);
    scene.act("worker", Action::Join { identity: named("Somebody") }).unwrap();
    scene.act("codex", Action::join()).unwrap();
}
