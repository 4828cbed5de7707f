//! The eight states and their precedence.

use super::action::Action;
use super::scene::Scene;
use crate::room::{Authority, RoomState};

#[test]
fn dormant_rooms_remain_readable_and_resumable() {
    let mut scene = Scene::with(&["codex"]);
    scene.kill("codex");
    assert_eq!(scene.state(), RoomState::Idle, "recently present");
    scene.later(4 * 60);
    assert_eq!(scene.state(), RoomState::Dormant);
    scene.act("claude", Action::join()).unwrap();
    assert_eq!(scene.state(), RoomState::Idle);
    assert!(scene.claim("claude").is_ok());
}

#[test]
fn a_live_process_keeps_a_silent_room_from_being_dormant() {
    let mut scene = Scene::with(&["codex"]);
    scene.later(24 * 60);
    assert_eq!(scene.state(), RoomState::Idle);
}

#[test]
fn states_someone_can_act_on_come_before_dormant() {
    let mut owner = Scene::with(&["codex", "claude"]);
    owner.claim("codex").unwrap();
    owner.later(24 * 60);
    assert_eq!(owner.state(), RoomState::StaleOwner);
    owner.kill("codex");
    owner.kill("claude");
    assert_eq!(owner.state(), RoomState::OwnerGone, "proof beats the clock");

    let mut recipient = Scene::with(&["codex", "claude"]);
    let turn = recipient.claim("codex").unwrap();
    recipient.release("codex", &turn).unwrap();
    recipient.kill("codex");
    recipient.kill("claude");
    recipient.later(24 * 60);
    assert_eq!(recipient.state(), RoomState::RecipientGone);
}

#[test]
fn a_reservation_nobody_is_there_for_is_dormant() {
    let mut scene = Scene::with(&["codex", "claude"]);
    let turn = scene.claim("codex").unwrap();
    scene.release("codex", &turn).unwrap();
    scene.room.members.iter_mut().for_each(|member| member.process = None);
    scene.later(24 * 60);
    assert_eq!(scene.state(), RoomState::Dormant);
    assert!(scene.claim("claude").is_ok(), "and the recipient may still come back for it");
}

#[test]
fn closed_is_final() {
    let mut scene = Scene::with(&["codex"]);
    let close =
        Action::Close { expected_turn: scene.room.turn, lease_id: None, reason: None, authority: Authority::Member };
    scene.act("codex", close).unwrap();
    assert_eq!(scene.state(), RoomState::Closed);
    scene.later(24 * 60);
    assert_eq!(scene.state(), RoomState::Closed);
}
