//! The loop guard: no answer is answered, and what follows from what follows ends.

use super::scene::{Scene, after, group, id, in_context, message, reply, told, user, word};
use crate::{
    bus::{ContextDraft, Kind, Word},
    code::ErrorCode,
    ids::Seq,
    limits,
};

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
    insta::assert_snapshot!(told.join("\n"), @"
    a reply to a reply -> LOOP_DETECTED: actions[0].reply_to_action_id: a reply is not replied to.
    a reply of the owner to nothing -> LOOP_DETECTED: actions[0].kind: an owner goes on with kind user; a reply of its own says what it answers.
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
    assert_eq!(scene.action("x3").depth, 2, "in its own conversation the owner goes on from it");
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
fn a_chain_is_counted_by_whatever_field_says_what_is_answered() {
    // Each hands the message on in a conversation of its own, and says otherwise what it follows from.
    let hand_on = |scene: &mut Scene, by: &str, to: &str, number: u32, last: (Seq, Option<String>)| {
        let (place, action) = last;
        let name = format!("m{number}");
        let mut asked = user(to, &name);
        match number % 3 {
            0 => {
                scene.submit(by, after(&scene.message_id(place), group(vec![asked]))).map(|seqs| (seqs[0], Some(name)))
            }
            1 => {
                let sent = Word { reply_to: Some(scene.message_id(place)), ..word(Some(to), Kind::User) };
                scene.send(by, &sent).map(|seq| (seq, None))
            }
            _ if action.is_some() => {
                asked.what.reply_to_action_id = action.map(|action| id(&action));
                scene.submit(by, in_context(&format!("own{number}"), vec![asked])).map(|seqs| (seqs[0], Some(name)))
            }
            _ => {
                scene.submit(by, after(&scene.message_id(place), group(vec![asked]))).map(|seqs| (seqs[0], Some(name)))
            }
        }
    };
    let mut scene = Scene::new();
    let mut last = (scene.submits("ana", group(vec![user("bo", "m0")]))[0], Some("m0".to_owned()));
    let pair = [("bo", "ana"), ("ana", "bo")];
    let mut refused = None;
    for number in 1..=2 * limits::RELAY_DEPTH {
        let (by, to) = pair[number as usize % 2];
        match hand_on(&mut scene, by, to, number, last.clone()) {
            Ok(next) => last = next,
            Err(refusal) => {
                refused = Some((number, refusal.code()));
                break;
            }
        }
    }
    assert_eq!(refused, Some((limits::RELAY_DEPTH + 1, ErrorCode::LoopDetected)));
}

#[test]
fn questions_and_replies_in_one_conversation_are_a_chain_too() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "m0")]));
    for number in 1..=limits::RELAY_DEPTH {
        let (name, last) = (format!("m{number}"), format!("m{}", number - 1));
        let (by, mut action) = match number % 2 {
            0 => ("ana", user("bo", &name)),
            _ => ("bo", reply("ana", &name, &last)),
        };
        action.what.reply_to_action_id = Some(id(&last));
        scene.submits(by, in_context("c", vec![action]));
        assert_eq!(scene.action(&name).depth, number);
    }
    let over = reply("ana", "over", &format!("m{}", limits::RELAY_DEPTH));
    assert_eq!(scene.submit("bo", in_context("c", vec![over])).unwrap_err().code(), ErrorCode::LoopDetected);
    scene.submits("ana", in_context("c", vec![user("bo", "afresh")]));
}

#[test]
fn a_reply_is_carried_nowhere_by_any_field() {
    let mut scene = answered();
    let replied = scene.message_id(scene.action("b1").seq);
    let mut by_action = user("cy", "x1");
    by_action.what.reply_to_action_id = Some(id("b1"));
    let by_word = Word { reply_to: Some(replied.clone()), ..word(Some("cy"), Kind::User) };
    let fresh = ContextDraft { context_id: Some(id("fresh")), ..ContextDraft::default() };
    let told = [
        told(&scene.submit("ana", after(&replied, group(vec![user("cy", "x0")])))),
        told(&scene.submit("ana", in_context("fresh", vec![by_action]))),
        told(&scene.send("bo", &by_word)),
        told(&scene.send("ana", &Word { context: Some(fresh), ..by_word })),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    LOOP_DETECTED: context.parent_message_id: a reply is not relayed into another conversation.
    LOOP_DETECTED: actions[0].reply_to_action_id: a reply is not relayed into another conversation.
    LOOP_DETECTED: reply_to: a reply is not relayed into another conversation.
    LOOP_DETECTED: reply_to: a reply is not relayed into another conversation.
    ");
}

#[test]
fn a_parent_is_a_message_of_this_session() {
    let mut scene = answered();
    let joined = scene.message_id(Seq(2));
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
