//! Sessions that ended and may be resumed.

use super::action::Action;
use super::scene::{Scene, agent, incarnation};
use crate::{
    code::ErrorCode,
    limits,
    policy::{PolicyChange, Resume},
    process::Proof,
    room::{Event, Prospect, Rested, RoomState, TakeoverReason},
    time::Ttl,
};

fn set(scene: &mut Scene, resume: Resume) {
    let change = PolicyChange { resume: Some(resume), ..PolicyChange::default() };
    scene.set_policy("operator", change).unwrap();
}

fn resumable(names: &[&str]) -> Scene {
    let mut scene = Scene::with(names);
    set(&mut scene, Resume::On);
    scene
}

fn rest(name: &str) -> Action {
    Action::Rest { agent: agent(name) }
}

fn rests(scene: &Scene, name: &str) -> bool {
    scene.room.is_resting(scene.now(), scene.room.member(&agent(name)).unwrap())
}

fn rested(event: Option<Event>) -> Rested {
    match event {
        Some(Event::Rested(rested)) => rested,
        other => panic!("{other:?}"),
    }
}

#[test]
fn nobody_rests_unless_the_policy_says_so() {
    let mut scene = Scene::with(&["codex", "claude"]);
    assert_eq!(scene.act("codex", rest("codex")).unwrap(), None);
    set(&mut scene, Resume::On);
    let event = rested(scene.act("codex", rest("codex")).unwrap());
    assert_eq!((event.until, event.proof), (scene.now().plus(limits::REST_TTL), None));
    assert_eq!(scene.act("codex", rest("codex")).unwrap(), None, "it rests already");
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn another_is_put_to_rest_only_by_proof() {
    let mut scene = resumable(&["codex", "claude"]);
    assert_eq!(scene.act("claude", rest("codex")).unwrap(), None, "it is there");
    scene.kill("codex");
    assert_eq!(rested(scene.act("claude", rest("codex")).unwrap()).proof, Some(Proof::Exited));
    assert_eq!(scene.act("claude", rest("nobody")).unwrap_err().code(), ErrorCode::UnknownMember);
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn a_member_at_rest_gets_no_turn_in_sequence_and_hands_on_what_was_kept_for_it() {
    let mut scene = resumable(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "claude").unwrap();
    let event = rested(scene.act("claude", rest("claude")).unwrap());
    assert_eq!((event.reserved_for, scene.reserved_for()), (Some(agent("gemini")), Some("gemini")));
    let turn = scene.claim("gemini").unwrap();
    scene.release("gemini", &turn).unwrap();
    assert_eq!(scene.reserved_for(), Some("codex"), "claude is passed over, though its process still ends");
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn a_stick_that_is_passed_to_a_member_at_rest_is_kept_for_it_until_its_time_is_up() {
    let mut scene = resumable(&["codex", "claude", "gemini"]);
    scene.act("claude", rest("claude")).unwrap();
    scene.kill("claude");
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "claude").unwrap();
    assert_eq!((scene.state(), scene.prospect("gemini")), (RoomState::Reserved, Prospect::NotYet));
    assert_eq!(scene.room.awaited_process(), None, "no process ends any more");
    let next = incarnation("claude", 1);
    scene.act_as(&next, Action::join()).unwrap();
    assert!(!rests(&scene, "claude"), "its next process goes on");
    let lease_id = scene.fresh_lease();
    scene.act_as(&next, Action::Claim { lease_id }).unwrap();
    assert_eq!(scene.room.owner(), Some(&agent("claude")));
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn a_stick_that_nobody_comes_back_for_opens_by_time() {
    let mut scene = resumable(&["codex", "claude", "gemini"]);
    scene.act("claude", rest("claude")).unwrap();
    scene.kill("claude");
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "claude").unwrap();
    scene.later_ms(scene.room.policy.claim_ttl_ms.as_millis());
    assert_eq!(scene.takeover_open_to("gemini"), Some(TakeoverReason::ClaimTimeout));
}

#[test]
fn a_stick_that_was_kept_for_a_process_before_it_died_opens_at_once() {
    let mut scene = resumable(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "claude").unwrap();
    scene.kill("claude");
    scene.act("gemini", rest("claude")).unwrap();
    assert_eq!(scene.reserved_for(), Some("claude"), "its next process may still be first");
    assert_eq!(scene.takeover_open_to("gemini"), Some(TakeoverReason::RecipientGone));
}

#[test]
fn rest_ends_with_its_time_and_with_the_policy() {
    for end in [Some(limits::REST_TTL), None] {
        let mut scene = resumable(&["codex", "claude"]);
        scene.act("codex", rest("codex")).unwrap();
        scene.kill("codex");
        let retire = Action::Retire { agent: agent("codex") };
        assert_eq!(scene.act("claude", retire.clone()).unwrap(), None, "it may be resumed");
        match end {
            Some(time) => scene.later_ms(time.as_millis()),
            None => set(&mut scene, Resume::Off),
        }
        let turn = scene.claim("claude").unwrap();
        assert_eq!(scene.pass("claude", &turn, "codex").unwrap_err().code(), ErrorCode::UnknownMember);
        let Some(Event::Left(left)) = scene.act("claude", retire).unwrap() else { panic!("it is retired") };
        assert_eq!(left.retired, Some(Proof::Exited));
        assert_eq!(scene.folded(), scene.room);
    }
}

#[test]
fn a_member_whose_rest_is_over_leaves_also_where_nobody_can_look_at_its_process() {
    let mut scene = resumable(&["codex", "claude"]);
    scene.act("codex", rest("codex")).unwrap();
    scene.later_ms(limits::REST_TTL.as_millis());
    let retire = Action::Retire { agent: agent("codex") };
    assert_eq!(scene.act("claude", retire.clone()).unwrap(), None, "its process lives on");
    scene.hide("codex");
    let Some(Event::Left(left)) = scene.act("claude", retire).unwrap() else { panic!("it is retired") };
    assert_eq!(left.retired, None, "it said itself that it ended");
}

#[test]
fn only_so_many_rest_at_a_time() {
    let names: Vec<String> = (0..=limits::RESTING_SESSIONS).map(|number| format!("agent-{number}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let mut scene = resumable(&names);
    for name in &names[..limits::RESTING_SESSIONS] {
        rested(scene.act(name, rest(name)).unwrap());
    }
    let last = names[limits::RESTING_SESSIONS];
    assert_eq!(scene.act(last, rest(last)).unwrap(), None);
    let longest = scene.room.resting(scene.now())[0].agent_id.clone();
    assert_eq!(longest, agent(names[0]));
    scene.act(names[0], Action::join()).unwrap();
    rested(scene.act(last, rest(last)).unwrap());
    scene.later_ms(Ttl::from_minutes(1).as_millis());
    assert_eq!(scene.folded(), scene.room);
}
