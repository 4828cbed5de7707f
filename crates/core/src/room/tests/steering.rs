//! Names of rooms, and what concerns others: having somebody leave, and closing as who steers.

use super::scene::{Scene, agent};
use crate::{
    code::ErrorCode,
    ids::AgentName,
    limits,
    policy::PolicyChange,
    room::{Action, Authority, Event, NewIdentity, RoomState},
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
    let order = vec![agent("claude"), agent("codex")];
    let change = PolicyChange { claim_ttl_ms: Some(Ttl::from_minutes(7)), ..PolicyChange::default() };
    for authority in [Authority::Member, Authority::Operator] {
        for action in [
            Action::Note { text: "look here".to_owned(), authority },
            Action::Reorder { order: order.clone(), authority },
            Action::SetPolicy { change: change.clone(), authority },
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
