//! Claiming, releasing and passing.

use super::action::Action;
use super::scene::{Scene, actor, agent, handoff};
use crate::{
    code::ErrorCode,
    ids::Seq,
    lease::Fence,
    room::{ClaimReason, Event, Prospect, Refusal, RoomState, Shown},
};

#[test]
fn happy_path_join_claim_release_claim() {
    let mut scene = Scene::with(&["codex", "claude"]);
    assert_eq!(scene.state(), RoomState::Idle);
    let turn = scene.claim("codex").unwrap();
    assert_eq!((turn.turn, scene.state()), (Fence(1), RoomState::Owned));
    scene.release("codex", &turn).unwrap();
    assert_eq!((scene.reserved_for(), scene.state()), (Some("claude"), RoomState::Reserved));
    assert_eq!(scene.room.turn, Fence(1), "a release grants nothing");
    let Ok(Some(Event::Claimed(claimed))) = scene.act("claude", claim("lease_b")) else { panic!() };
    assert_eq!(claimed.grant.turn_id, Fence(2));
    assert_eq!(claimed.reason, ClaimReason::Sequence);
    assert_eq!(claimed.from_agent_id, Some(agent("codex")));
    assert_eq!(claimed.handoff_seq, Some(Seq(5)), "the release is the fifth event");
}

#[test]
fn release_sequence_goes_round_by_rank() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    for (holder, next) in [("codex", "claude"), ("claude", "gemini"), ("gemini", "codex"), ("codex", "claude")] {
        let turn = scene.claim(holder).unwrap();
        scene.release(holder, &turn).unwrap();
        assert_eq!(scene.reserved_for(), Some(next));
    }
    assert_eq!(scene.room.sequence_index, 1);
}

#[test]
fn explicit_pass_skips_and_the_sequence_resumes_from_the_recipient() {
    let mut scene = Scene::with(&["codex", "claude", "gemini"]);
    let turn = scene.claim("codex").unwrap();
    scene.pass("codex", &turn, "gemini").unwrap();
    assert_eq!(scene.reserved_for(), Some("gemini"));
    assert!(matches!(scene.prospect("gemini"), Prospect::Claimable { reason: ClaimReason::DirectPass, .. }));
    let turn = scene.claim("gemini").unwrap();
    scene.release("gemini", &turn).unwrap();
    assert_eq!(scene.reserved_for(), Some("codex"));
}

#[test]
fn pass_to_an_unknown_member_is_refused_with_who_could_be_meant() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    let refusal = scene.pass("codex", &turn, "gemini").unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::UnknownMember);
    insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"to_agent_id":"gemini","active_members":["claude"]}"#);
}

#[test]
fn pass_to_an_inactive_member_is_refused() {
    let mut scene = Scene::with(&["codex", "claude"]);
    scene.later(4 * 60);
    let turn = scene.claim("codex").unwrap();
    insta::assert_snapshot!(
        scene.pass("codex", &turn, "claude").unwrap_err(),
        @"pass_stick target must be an active room member; claude has not been seen lately."
    );
}

#[test]
fn pass_to_a_member_whose_process_is_gone_is_refused() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    scene.kill("claude");
    let refusal = scene.pass("codex", &turn, "claude").unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::UnknownMember);
}

#[test]
fn pass_to_oneself_is_refused() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    assert_eq!(scene.pass("codex", &turn, "codex").unwrap_err().code(), ErrorCode::InvalidTarget);
}

#[test]
fn a_release_passes_over_members_who_are_away_or_gone() {
    let mut scene = Scene::with(&["codex", "claude", "gemini", "opencode"]);
    scene.later(4 * 60);
    scene.seen("gemini");
    scene.seen("opencode");
    scene.kill("gemini");
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    assert_eq!(scene.reserved_for(), Some("opencode"), "claude is away and gemini is gone");
}

#[test]
fn a_release_with_nobody_else_leaves_the_room_idle_and_keeps_the_handoff() {
    let mut scene = Scene::with(&["codex"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    assert_eq!(scene.state(), RoomState::Idle);
    assert_eq!(scene.room.pending().map(|pending| pending.seq), Some(scene.room.last_seq));
    scene.act("claude", Action::join()).unwrap();
    let Ok(Some(Event::Claimed(claimed))) = scene.act("claude", claim("lease_b")) else { panic!() };
    assert_eq!((claimed.reason, claimed.from_agent_id), (ClaimReason::OpenClaim, Some(agent("codex"))));
}

#[test]
fn simultaneous_claims_within_one_process_grant_one() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let both_saw_idle = (scene.prospect("codex"), scene.prospect("claude"));
    assert!(matches!(both_saw_idle, (Prospect::Claimable { .. }, Prospect::Claimable { .. })));
    scene.claim("codex").unwrap();
    let refusal = scene.claim("claude").unwrap_err();
    assert!(matches!(refusal, Refusal::NotYourTurn { current_owner: Some(owner), .. } if owner == agent("codex")));
}

#[test]
fn stale_leases_are_refused_with_the_current_owner_and_turn() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let old = scene.claim("codex").unwrap();
    let forged = Shown { turn: old.turn, lease_id: "lease_forged".parse().unwrap() };
    let refusal = scene.release("codex", &forged).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::StaleLease);
    insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"current_owner":"codex","current_turn_id":1,"room_state":"owned"}"#);
    let thief =
        scene.act("claude", Action::Release { shown: old, handoff: handoff("stolen"), tree: None }).unwrap_err();
    assert_eq!(thief.code(), ErrorCode::StaleLease, "possession of a lease id is not identity");
}

#[test]
fn turn_mismatch_comes_before_stale_lease() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let old = scene.claim("codex").unwrap();
    scene.release("codex", &old).unwrap();
    assert_eq!(scene.release("codex", &old).unwrap_err().code(), ErrorCode::StaleLease, "the turn is still current");
    scene.claim("claude").unwrap();
    let wrong_in_every_way = Shown { turn: old.turn, lease_id: "lease_forged".parse().unwrap() };
    let refusal = scene.heartbeat("gemini", &wrong_in_every_way).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::TurnMismatch);
    insta::assert_snapshot!(refusal, @"Turn 1 is not current: the room is at turn 2.");
}

#[test]
fn handoff_validation_comes_after_the_fence_and_changes_nothing() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    let before = scene.room.clone();
    let empty = handoff("");
    let stale = Shown { lease_id: "lease_other".parse().unwrap(), ..turn.clone() };
    let code = |result: Result<_, Refusal>| result.map(|_: Option<Event>| ()).unwrap_err().code();
    let release = |shown: &Shown| Action::Release { shown: shown.clone(), handoff: empty.clone(), tree: None };
    assert_eq!(code(scene.act("codex", release(&stale))), ErrorCode::StaleLease);
    assert_eq!(code(scene.act("codex", release(&turn))), ErrorCode::InvalidHandoff);
    assert_eq!(scene.room, before);
}

#[test]
fn a_member_who_left_is_not_granted_the_stick() {
    let mut scene = Scene::with(&["codex", "claude"]);
    scene.act("claude", Action::Leave).unwrap();
    assert_eq!(scene.claim("claude").unwrap_err().code(), ErrorCode::UnknownMember);
}

#[test]
fn an_owner_who_asks_again_still_holds_the_same_turn() {
    let mut scene = Scene::with(&["codex"]);
    scene.claim("codex").unwrap();
    assert_eq!(scene.prospect("codex"), Prospect::Holding);
    assert_eq!(scene.claim("codex").unwrap_err().code(), ErrorCode::StaleLease);
    assert_eq!(scene.room.turn, Fence(1));
}

#[test]
fn rejoining_changes_nothing_unless_the_process_did() {
    let mut scene = Scene::with(&["codex"]);
    assert_eq!(scene.act("codex", Action::join()).unwrap(), None);
    let again = super::scene::incarnation("codex", 1);
    let Ok(Some(Event::Joined(joined))) = scene.act_as(&again, Action::join()) else { panic!() };
    assert!(joined.rejoin);
    assert_eq!(scene.room.members.len(), 1);
}

#[test]
fn an_overridden_identity_is_flagged_in_the_log() {
    let mut scene = Scene::with(&[]);
    let codex = actor("codex");
    let by = codex.clone().overridden(codex.agent_id);
    let Ok(Some(Event::Joined(joined))) = scene.act_as(&by, Action::join()) else { panic!() };
    assert!(joined.agent_id_override);
}

fn claim(lease: &str) -> Action {
    Action::Claim { lease_id: lease.parse().unwrap() }
}
