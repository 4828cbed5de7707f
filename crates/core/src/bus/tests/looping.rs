//! The loop guard: no answer is answered, and what follows from what follows ends.

use super::scene::{Scene, after, group, in_context, message, reply, told, user};
use crate::{code::ErrorCode, limits};

/// ana asked bo for a1 in `c`, and bo replied with b1.
fn answered() -> Scene {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    scene.submits("bo", in_context("c", vec![reply("ana", "b1", "a1")]));
    scene
}

#[test]
fn a_reply_is_not_replied_to_and_goes_to_whom_it_answers() {
    let mut scene = answered();
    scene.submits("cy", in_context("d", vec![user("bo", "c1")]));
    let cases = [
        ("a reply to a reply", "ana", "c", reply("bo", "x1", "b1")),
        ("a reply of the owner to nothing", "ana", "c", message("bo", "x2", "reply")),
        ("a reply to somebody else", "bo", "c", reply("cy", "x3", "a1")),
        ("a reply to another member by the conversation", "bo", "c", message("cy", "x4", "reply")),
        ("a reply to what another was asked", "cy", "c", reply("ana", "x5", "a1")),
        ("a reply to no action", "bo", "c", reply("ana", "x6", "a9")),
        ("a reply carried into another conversation", "bo", "d", reply("ana", "x7", "a1")),
        ("a reply that begins one", "bo", "e", reply("ana", "x8", "a1")),
        ("a second reply to the same", "bo", "c", reply("ana", "x9", "a1")),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|(case, by, context, action)| {
            format!("{case} -> {}", told(&scene.submit(by, in_context(context, vec![action]))))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    a reply to a reply -> LOOP_DETECTED: actions[0].reply_to_action_id: a reply is not replied to.
    a reply of the owner to nothing -> LOOP_DETECTED: actions[0].kind: an owner goes on with kind user; a reply of its own needs reply_to_action_id.
    a reply to somebody else -> LOOP_DETECTED: actions[0].dst: a reply goes to whom it answers.
    a reply to another member by the conversation -> LOOP_DETECTED: actions[0].dst: a reply goes to whom it answers: the conversation's owner.
    a reply to what another was asked -> FORBIDDEN: The action a1 is for bo; only its target reports on it and replies to it.
    a reply to no action -> UNKNOWN_ID: actions[0].reply_to_action_id: there is no action a9 in this session.
    a reply carried into another conversation -> LOOP_DETECTED: actions[0].reply_to_action_id: a reply stays in the conversation of what it answers.
    a reply that begins one -> LOOP_DETECTED: actions[0].reply_to_action_id: a reply stays in the conversation of what it answers.
    a second reply to the same -> taken
    ");
}

#[test]
fn a_reply_is_not_relayed_into_another_conversation_and_a_user_message_is() {
    let mut scene = answered();
    let [asked, replied] = ["a1", "b1"].map(|action| scene.message_id(scene.action(action).seq));
    insta::assert_snapshot!(told(&scene.submit("ana", after(&replied, group(vec![user("cy", "x1")])))), @r"LOOP_DETECTED: context.parent_message_id: a reply is not relayed into another conversation.");
    scene.submits("bo", after(&asked, in_context("d", vec![user("cy", "x2")])));
    assert_eq!(scene.action("x2").depth, 1);
    scene.submits("ana", after(&replied, in_context("c", vec![user("bo", "x3")])));
    assert_eq!(scene.action("x3").depth, 1, "in its own conversation the owner goes on from it");
}

#[test]
fn agents_that_hand_a_message_on_to_each_other_are_stopped() {
    let mut scene = Scene::new();
    let mut last = scene.submits("ana", group(vec![user("bo", "m0")]))[0];
    let pair = [("bo", "ana"), ("ana", "bo")];
    for number in 1..=limits::RELAY_DEPTH {
        let (by, to) = pair[number as usize % 2];
        let draft = after(&scene.message_id(last), group(vec![user(to, &format!("m{number}"))]));
        last = scene.submits(by, draft)[0];
        assert_eq!(scene.action(&format!("m{number}")).depth, number);
    }
    let refusal = scene.submit("cy", after(&scene.message_id(last), group(vec![user("ana", "over")]))).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::LoopDetected);
    insta::assert_snapshot!(refusal.to_string(), @r"context.parent_message_id: it would be message 17 in a row that follows from the one before.");
}

#[test]
fn a_parent_is_a_message_of_this_session() {
    let mut scene = answered();
    let joined = scene.message_id(crate::ids::Seq(2));
    let result = scene.report("bo", "a1", &super::scene::status(crate::bus::Status::Completed)).unwrap();
    let result = scene.message_id(result);
    let long = "x".repeat(10_000);
    for said in ["", "a1", "evt_other_5", "evt_room_1_x", "evt_room_1_99", &joined, &result, &long] {
        let refusal = scene.submit("ana", after(said, in_context("c", vec![user("bo", "x")]))).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::InvalidInput, "{said}");
        let sentence = refusal.to_string();
        assert!(
            sentence.starts_with("context.parent_message_id: there is no message") && sentence.len() < 300,
            "{sentence}"
        );
    }
}
