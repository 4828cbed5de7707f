//! Notes, leaving, closing, reordering and the policy.

use super::action::Action;
use super::scene::{Scene, incarnation};
use crate::{
    code::ErrorCode,
    lease::Fence,
    policy::PolicyChange,
    process::SessionKind,
    room::{Actor, Authority, ClaimReason, Event, Prospect, Refusal, RoomState},
    time::Ttl,
};

fn close(turn: u64) -> Action {
    Action::Close { expected_turn: Fence(turn), lease_id: None, reason: None, authority: Authority::Member }
}

fn note(text: &str) -> Action {
    Action::Note { text: text.to_owned(), authority: Authority::Member }
}

#[test]
fn a_note_changes_no_ownership() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    let before = scene.room.stick.clone();
    scene.act("claude", note("the tests are flaky")).unwrap();
    assert_eq!(scene.room.stick, before);
    assert!(scene.release("codex", &turn).is_ok());
}

#[test]
fn notes_are_for_members_and_say_something() {
    let mut scene = Scene::with(&["codex"]);
    let code = |result: Result<_, Refusal>| result.map(|_: Option<_>| ()).unwrap_err().code();
    assert_eq!(code(scene.act("stranger", note("hi"))), ErrorCode::UnknownMember);
    assert_eq!(code(scene.act("codex", note("\n"))), ErrorCode::InvalidNote);
    assert_eq!(code(scene.act("codex", note(&"x".repeat(16 * 1024 + 1)))), ErrorCode::InvalidNote);
}

#[test]
fn a_holder_cannot_leave_with_the_stick() {
    let mut scene = Scene::with(&["codex", "claude"]);
    scene.claim("codex").unwrap();
    assert_eq!(scene.act("codex", Action::Leave).unwrap_err().code(), ErrorCode::HoldsStick);
}

#[test]
fn when_the_recipient_leaves_the_reservation_moves_on() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.act("claude", Action::Leave).unwrap();
    assert_eq!(scene.reserved_for(), Some("gemini"));
    scene.act("gemini", Action::Leave).unwrap();
    assert_eq!(scene.reserved_for(), Some("codex"), "going round to the one who released");
    scene.act("codex", Action::Leave).unwrap();
    assert_eq!(scene.room.reservation(), None);
    assert!(scene.room.pending().is_some(), "the handoff waits for whoever comes");
}

#[test]
fn a_reservation_that_moved_on_is_claimed_in_sequence_however_it_was_left() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "claude").unwrap();
    scene.act("claude", Action::Leave).unwrap();
    assert_eq!(scene.reserved_for(), Some("gemini"));
    let Prospect::Claimable { reason, .. } = scene.prospect("gemini") else { panic!() };
    assert_eq!(reason, ClaimReason::Sequence, "codex chose claude, not gemini");
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn order_holds_after_someone_left() {
    let mut scene = Scene::with(&["codex", "claude", "gemini", "opencode"]);
    scene.act("claude", Action::Leave).unwrap();
    for (holder, next) in [("codex", "gemini"), ("gemini", "opencode"), ("opencode", "codex")] {
        let turn = scene.claim(holder).unwrap();
        scene.release(holder, &turn).unwrap();
        assert_eq!(scene.reserved_for(), Some(next));
    }
}

#[test]
fn only_the_owner_closes_a_held_room() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    assert_eq!(scene.act("claude", close(1)).unwrap_err().code(), ErrorCode::StaleLease);
    assert_eq!(scene.act("codex", close(1)).unwrap_err().code(), ErrorCode::StaleLease, "the owner shows its lease");
    let by_owner = Action::Close {
        expected_turn: turn.turn,
        lease_id: Some(turn.lease_id),
        reason: None,
        authority: Authority::Member,
    };
    scene.act("codex", by_owner).unwrap();
    assert_eq!(scene.state(), RoomState::Closed);
}

#[test]
fn any_member_closes_a_room_that_nobody_holds_or_answers_for() {
    let mut idle = Scene::with(&["codex"]);
    assert_eq!(idle.act("stranger", close(0)).unwrap_err().code(), ErrorCode::UnknownMember);
    assert_eq!(idle.act("codex", close(7)).unwrap_err().code(), ErrorCode::TurnMismatch);
    assert!(idle.act("codex", close(0)).is_ok());

    let mut stale = Scene::with(&["codex", "claude"]);
    stale.claim("codex").unwrap();
    stale.later(45);
    assert!(stale.act("claude", close(1)).is_ok());
}

#[test]
fn a_closed_room_takes_nothing_more() {
    let mut scene = Scene::with(&["codex"]);
    scene.act("codex", close(0)).unwrap();
    assert_eq!(scene.act("codex", Action::join()).unwrap_err(), Refusal::Closed);
    assert_eq!(scene.claim("codex").unwrap_err(), Refusal::Closed);
}

#[test]
fn reordering_names_every_member_once() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let order = |names: &[&str]| {
        let order = names.iter().map(|name| (*name).to_owned()).collect();
        Action::Reorder { order, authority: Authority::Member }
    };
    let refusal = scene.act("codex", order(&["gemini", "gemini", "stranger"])).unwrap_err();
    insta::assert_snapshot!(
        serde_json::to_string(&refusal).unwrap(),
        @r#"{"missing":["codex","claude"],"unknown":["stranger"],"repeated":["gemini"]}"#
    );
    assert_eq!(scene.act("codex", order(&["codex", "claude", "gemini"])).unwrap(), None, "as it was");
    scene.act("codex", order(&["codex", "gemini", "claude"])).unwrap();
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    assert_eq!(scene.reserved_for(), Some("gemini"));
}

#[test]
fn a_new_policy_counts_from_the_next_lease() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    let change = PolicyChange {
        owner_lease_ttl_ms: Some(Ttl::from_minutes(10)),
        heartbeat_interval_ms: Some(Ttl::from_minutes(1)),
        ..PolicyChange::default()
    };
    scene.set_policy("claude", change.clone()).unwrap();
    assert_eq!(scene.set_policy("claude", change).unwrap(), None, "as it was");
    scene.later(20);
    assert_eq!(scene.state(), RoomState::Owned, "the running lease keeps its expiry");
    scene.heartbeat("codex", &turn).unwrap();
    scene.later(10);
    assert_eq!(scene.state(), RoomState::StaleOwner);
}

/// A person, by the number of the process behind them.
fn person(kind: SessionKind, number: u32) -> Actor {
    Actor { session_kind: kind, ..incarnation("human", number) }
}

#[test]
fn a_living_guardian_keeps_its_place() {
    let mut scene = Scene::with(&[]);
    scene.act_as(&person(SessionKind::HumanGuardian, 0), Action::join()).unwrap();
    let shell = person(SessionKind::Human, 1);
    assert_eq!(scene.act_as(&shell, Action::join()).unwrap(), None);
    scene.kill("human");
    assert!(scene.act_as(&shell, Action::join()).unwrap().is_some(), "a dead one is replaced");
}

#[test]
fn a_guardian_takes_the_place_of_the_shell_behind_the_turn_its_person_has() {
    for shell in [person(SessionKind::Human, 0), Actor { process: None, ..person(SessionKind::Human, 0) }] {
        let mut scene = Scene::with(&["codex"]);
        scene.act_as(&shell, Action::join()).unwrap();
        let lease_id = scene.fresh_lease();
        scene.act_as(&shell, Action::Claim { lease_id }).unwrap();
        let guardian = person(SessionKind::HumanGuardian, 1);
        let Ok(Some(Event::Joined(joined))) = scene.act_as(&guardian, Action::join()) else { panic!() };
        assert!(joined.keeps_turn);
        assert_eq!(scene.act_as(&guardian, Action::join()).unwrap(), None, "once is enough");
        scene.kill("human");
        assert_eq!(scene.state(), RoomState::Owned, "the shell may end");
        assert_eq!(scene.room.ownership().unwrap().process, guardian.process);
        assert_eq!(scene.folded(), scene.room);
    }
}

#[test]
fn a_guardian_that_waited_takes_its_place_behind_a_turn_that_its_person_got_meanwhile() {
    let mut scene = Scene::with(&["codex"]);
    let guardian = person(SessionKind::HumanGuardian, 1);
    scene.act_as(&guardian, Action::join()).unwrap();
    let lease_id = scene.fresh_lease();
    scene.act_as(&Actor { process: None, ..person(SessionKind::Human, 0) }, Action::Claim { lease_id }).unwrap();
    assert_eq!(scene.room.ownership().unwrap().process, None);
    scene.act_as(&guardian, Action::join()).unwrap();
    assert_eq!(scene.room.ownership().unwrap().process, guardian.process);
    assert_eq!(scene.folded(), scene.room);
}

#[test]
fn a_guardian_inherits_nothing_from_a_process_that_is_gone_nor_from_somebody_else() {
    let guardian = person(SessionKind::HumanGuardian, 1);
    let mut gone = Scene::with(&[]);
    gone.act_as(&person(SessionKind::Human, 0), Action::join()).unwrap();
    let lease_id = gone.fresh_lease();
    gone.act_as(&person(SessionKind::Human, 0), Action::Claim { lease_id }).unwrap();
    gone.kill("human");
    gone.act_as(&guardian, Action::join()).unwrap();
    assert_eq!(gone.state(), RoomState::OwnerGone);

    let mut other = Scene::with(&["codex"]);
    other.claim("codex").unwrap();
    other.act_as(&guardian, Action::join()).unwrap();
    assert_ne!(other.room.ownership().unwrap().process, guardian.process);
}
