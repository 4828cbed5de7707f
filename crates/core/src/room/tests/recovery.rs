//! Timeouts, deaths and takeovers.

use super::action::Action;
use super::scene::{Scene, agent, incarnation, process};
use crate::{
    code::ErrorCode,
    lease::Fence,
    process::{Liveness, Proof, SessionKind},
    room::{Actor, Event, Prospect, Refusal, RoomState, TakeoverReason},
};

/// codex held the stick and released it; it is reserved for claude, and the claim has run out.
fn missed_recipient(names: &[&str]) -> Scene {
    let mut scene = Scene::with(names);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.later(20);
    scene
}

#[test]
fn claim_timeout_and_takeover() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    assert_eq!(scene.state(), RoomState::Reserved, "a missed claim is still a reservation");
    assert_eq!(scene.takeover_open_to("gemini"), Some(TakeoverReason::ClaimTimeout));
    let turn = scene.take("gemini").unwrap();
    assert_eq!(turn.turn, Fence(2));
    assert_eq!(scene.claim("claude").unwrap_err().code(), ErrorCode::StaleLease, "too late");
}

#[test]
fn a_claim_does_not_time_out_early() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.later(19);
    let refusal = scene.take("gemini").unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::TakeoverUnavailable);
    assert!(matches!(
        refusal,
        Refusal::TakeoverUnavailable { reserved_for: Some(recipient), available_at: Some(_), .. } if recipient == agent("claude")
    ));
}

#[test]
fn prior_owner_rejected_on_claim_timeout_takeover_when_another_active_candidate_exists() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    assert_eq!(scene.prospect("codex"), Prospect::PriorOwner { candidates: vec![agent("gemini")] });
    assert_eq!(scene.take("codex").unwrap_err(), Refusal::PriorOwner { candidates: vec![agent("gemini")] });
}

#[test]
fn prior_owner_is_a_process_whichever_id_it_takes() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    let other_id = Actor { agent_id: agent("codex-2"), ..incarnation("codex", 0) };
    scene.act_as(&other_id, Action::join()).unwrap();
    let candidates = vec![agent("gemini")];
    assert_eq!(scene.take_as(&other_id).unwrap_err(), Refusal::PriorOwner { candidates: candidates.clone() });
    assert_eq!(
        scene.take("codex").unwrap_err(),
        Refusal::PriorOwner { candidates },
        "its own other id is no candidate"
    );
    assert!(scene.take("gemini").is_ok());
}

#[test]
fn prior_owner_allowed_on_claim_timeout_takeover_when_no_other_active_candidate_exists() {
    let mut alone = missed_recipient(&["codex", "claude"]);
    assert!(alone.take("codex").is_ok());
    let mut away = missed_recipient(&["codex", "claude", "gemini"]);
    away.later(4 * 60);
    assert!(away.take("codex").is_ok(), "gemini has not been seen for hours");
    let mut gone = missed_recipient(&["codex", "claude", "gemini"]);
    gone.kill("gemini");
    assert!(gone.take("codex").is_ok(), "gemini has exited");
}

#[test]
fn owner_timeout_and_takeover() {
    let mut scene = Scene::with(&["claude", "codex"]);
    let old = scene.claim("claude").unwrap();
    scene.later_ms(45 * 60 * 1000 - 1);
    assert_eq!((scene.state(), scene.takeover_open_to("codex")), (RoomState::Owned, None));
    scene.later_ms(1);
    assert_eq!(scene.state(), RoomState::StaleOwner);
    assert_eq!(scene.takeover_open_to("codex"), Some(TakeoverReason::OwnerTimeout));
    scene.take("codex").unwrap();
    assert_eq!(
        scene.release("claude", &old).unwrap_err().code(),
        ErrorCode::TurnMismatch,
        "the stale owner is fenced off"
    );
}

#[test]
fn owner_process_gone_yields_immediate_owner_gone_takeover_availability() {
    let mut scene = Scene::with(&["claude", "codex"]);
    scene.claim("claude").unwrap();
    scene.kill("claude");
    assert_eq!(scene.state(), RoomState::OwnerGone);
    assert_eq!(scene.takeover_open_to("codex"), Some(TakeoverReason::OwnerGone));
    scene.take("codex").unwrap();
    let Some(Event::TakenOver(taken)) = scene.log.last().and_then(|recorded| recorded.event.room()) else { panic!() };
    assert_eq!(taken.revoked_agent_id, agent("claude"));
    assert_eq!(taken.liveness, Liveness::Gone(Proof::Exited), "the proof is stored with the decision");
}

#[test]
fn reserved_recipient_process_gone_yields_immediate_recipient_gone_takeover_availability() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.kill("claude");
    assert_eq!(scene.state(), RoomState::RecipientGone);
    assert_eq!(scene.takeover_open_to("gemini"), Some(TakeoverReason::RecipientGone));
    assert_eq!(scene.takeover_open_to("codex"), Some(TakeoverReason::RecipientGone), "the guard is for timeouts only");
    assert!(scene.take("codex").is_ok());
}

#[test]
fn original_reserved_recipient_claims_after_claim_timeout_but_before_takeover() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    assert_eq!(scene.claim("claude").unwrap().turn, Fence(2));
}

#[test]
fn expired_owner_heartbeats_after_lease_timeout_but_before_takeover() {
    let mut scene = Scene::with(&["claude", "codex"]);
    let turn = scene.claim("claude").unwrap();
    scene.later(50);
    assert_eq!(scene.state(), RoomState::StaleOwner);
    scene.heartbeat("claude", &turn).unwrap();
    assert_eq!(scene.state(), RoomState::Owned);
    scene.later(50);
    assert!(scene.release("claude", &turn).is_ok(), "and may still release");
}

#[test]
fn dead_owner_cannot_reclaim_after_exact_process_gone_detection() {
    let mut scene = Scene::with(&["claude", "codex"]);
    let turn = scene.claim("claude").unwrap();
    scene.kill("claude");
    assert_eq!(scene.heartbeat("claude", &turn).unwrap_err().code(), ErrorCode::StaleLease);
    assert_eq!(scene.release("claude", &turn).unwrap_err().code(), ErrorCode::StaleLease);
    assert_eq!(scene.pass("claude", &turn, "codex").unwrap_err().code(), ErrorCode::StaleLease);
    assert_eq!(scene.take("claude").unwrap_err().code(), ErrorCode::TakeoverUnavailable);
    assert_eq!(scene.claim("claude").unwrap_err().code(), ErrorCode::StaleLease);
}

#[test]
fn dead_reserved_recipient_cannot_reclaim_after_exact_process_gone_detection() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.kill("claude");
    assert_eq!(scene.prospect("claude"), Prospect::NotYet);
    assert_eq!(scene.claim("claude").unwrap_err().code(), ErrorCode::StaleLease);
}

#[test]
fn a_later_process_of_the_same_agent_takes_over_and_does_not_inherit() {
    let mut scene = Scene::with(&["claude"]);
    let old = scene.claim("claude").unwrap();
    scene.kill("claude");
    let successor = incarnation("claude", 1);
    scene.act_as(&successor, Action::join()).unwrap();
    let inherit = Action::Release { shown: old, handoff: super::scene::handoff("done"), tree: None };
    insta::assert_snapshot!(
        scene.act_as(&successor, inherit).unwrap_err(),
        @"The process that held this lease is gone; take the stick over to go on."
    );
    assert_eq!(scene.take_as(&successor).unwrap().turn, Fence(2), "so a room of one is never stuck");
}

#[test]
fn a_takeover_needs_a_reason_and_the_current_turn() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    let take = |turn, reason: &str| Action::Takeover {
        expected_turn: Fence(turn),
        reason: reason.to_owned(),
        lease_id: "lease_x".parse().unwrap(),
    };
    assert_eq!(scene.act("gemini", take(0, "late")).unwrap_err().code(), ErrorCode::TurnMismatch);
    assert_eq!(scene.act("gemini", take(1, "  ")).unwrap_err().code(), ErrorCode::InvalidReason);
    assert_eq!(scene.act("stranger", take(1, "late")).unwrap_err().code(), ErrorCode::UnknownMember);
}

#[test]
fn an_idle_room_is_claimed_not_taken_over() {
    let mut scene = Scene::with(&["codex"]);
    insta::assert_snapshot!(
        scene.take("codex").unwrap_err(),
        @"The stick cannot be taken over: it is yours to claim with wait_for_turn."
    );
}

#[test]
fn the_takeover_call_itself_shows_that_the_caller_is_there() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    scene.room.members.iter_mut().for_each(|member| member.process = None);
    scene.later(10 * 60);
    assert_eq!(scene.state(), RoomState::Dormant);
    assert!(scene.take("gemini").is_ok());
    assert_eq!(scene.state(), RoomState::Owned);
}

#[test]
fn event_log_reconstruction_after_takeover() {
    let mut scene = missed_recipient(&["codex", "claude", "gemini"]);
    scene.take("gemini").unwrap();
    let handoffs: Vec<_> = scene.log.iter().filter_map(|recorded| recorded.event.handoff()).collect();
    assert_eq!(handoffs.len(), 1, "the new owner finds what codex left for claude");
    let ownership = scene.room.ownership().unwrap();
    let received = ownership.received.as_ref().map(|received| received.from.as_str());
    assert_eq!(
        (received, ownership.taken_from.as_ref()),
        (Some("codex"), Some(&agent("claude"))),
        "and whose turn it was"
    );
}

#[test]
fn a_member_who_calls_from_a_new_process_is_no_longer_gone() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let successor = incarnation("claude", 1);
    assert_eq!(scene.room.comeback(&successor, &scene), None, "the first process still runs");
    scene.kill("claude");
    let Some(event @ Event::Joined(_)) = scene.room.comeback(&successor, &scene) else { panic!() };
    let recorded = scene.room.record(scene.now(), agent("claude"), event);
    scene.room.apply(&recorded);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    assert_eq!(scene.reserved_for(), Some("claude"), "so the sequence does not pass it over");
}

#[test]
fn a_person_whose_guardian_has_ended_is_back_in_the_shell_of_their_terminal() {
    let mut scene = Scene::with(&[]);
    let guardian = Actor { session_kind: SessionKind::HumanGuardian, ..incarnation("human", 0) };
    scene.act_as(&guardian, Action::join()).unwrap();
    let person = Actor { session_kind: SessionKind::Human, ..incarnation("human", 1) };
    assert_eq!(scene.act_as(&person, Action::join()).unwrap(), None, "the guardian still runs");
    assert_eq!(scene.room.member(&agent("human")).unwrap().process, Some(process("human", 0)));
    scene.kill("human");
    assert!(scene.room.comeback(&person, &scene).is_some());
    scene.act_as(&person, Action::join()).unwrap();
    assert_eq!(scene.room.member(&agent("human")).unwrap().process, Some(process("human", 1)));

    let agents = Scene::with(&["codex"]);
    agents.kill("codex");
    let sandboxed = Actor { process: None, ..incarnation("codex", 0) };
    assert_eq!(agents.room.comeback(&sandboxed, &agents), None, "what is left of a harness does not bring it back");
}
