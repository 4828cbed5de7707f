//! Messages that are no actions: nobody owes a result.

use super::scene::{Scene, agent, id, in_context, told, user, word};
use crate::{
    bus::{ContextDraft, Draft, Event, Kind, Word},
    event::Recorded,
    limits,
};

fn recipients(scene: &Scene) -> Vec<(String, bool)> {
    match &scene.log.last().unwrap().event {
        crate::event::Event::Bus(Event::Messaged(messaged)) => {
            messaged.recipients.iter().map(|to| (to.agent_id.to_string(), to.wakes)).collect()
        }
        other => panic!("{other:?}"),
    }
}

fn within(context: &str, word: Word) -> Word {
    Word { context: Some(ContextDraft { context_id: Some(id(context)), ..ContextDraft::default() }), ..word }
}

#[test]
fn a_message_is_for_one_or_for_everybody_and_a_broadcast_wakes_nobody() {
    let mut scene = Scene::new();
    scene.send("ana", &word(Some("Birch"), Kind::User)).unwrap();
    assert_eq!(recipients(&scene), [("bo".to_owned(), true)]);
    for dst in [None, Some("broadcast")] {
        scene.send("ana", &word(dst, Kind::User)).unwrap();
        assert_eq!(recipients(&scene), [("bo".to_owned(), false), ("cy".to_owned(), false)]);
    }
    assert_eq!(scene.inbox.iter().count(), 5);
    assert!(scene.inbox.iter().all(|item| !item.requires_ack), "nobody owes anything");
    assert_eq!(scene.bus.actions.to_vec(), []);
    assert_eq!(scene.bus.conversations.iter().count(), 3, "each begins one, because it names none");
}

#[test]
fn messages_keep_to_the_rules_of_conversations() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    let long = "x".repeat(limits::MESSAGE_BYTES + 1);
    let reply_to = |said: &str| Word { reply_to: Some(said.to_owned()), ..word(Some("ana"), Kind::User) };
    let asked = scene.message_id(scene.action("a1").seq);
    let cases = [
        ("blank", "bo", Word { text: " ".to_owned(), ..word(None, Kind::User) }),
        ("too long", "bo", Word { text: long, ..word(None, Kind::User) }),
        ("of the system", "bo", word(None, Kind::System)),
        ("a control", "bo", word(None, Kind::Control)),
        ("to oneself", "bo", word(Some("bo"), Kind::User)),
        ("to nobody", "bo", word(Some("dot"), Kind::User)),
        ("of a stranger", "dot", word(None, Kind::User)),
        ("another follows up", "bo", within("c", word(Some("ana"), Kind::User))),
        ("another speaks to all", "bo", within("c", word(None, Kind::User))),
        ("another replies to the owner", "bo", within("c", word(Some("ana"), Kind::Reply))),
        ("another replies to a third", "bo", within("c", word(Some("cy"), Kind::Reply))),
        ("the owner replies", "ana", within("c", word(Some("bo"), Kind::Reply))),
        ("the owner speaks to all", "ana", within("c", word(None, Kind::User))),
        ("a reply to everybody", "bo", word(None, Kind::Reply)),
        ("a reply in no conversation", "bo", word(Some("ana"), Kind::Reply)),
        ("an answer to a message", "bo", reply_to(&asked)),
        ("an answer to none", "bo", reply_to("evt_room_1_99")),
    ];
    let told: Vec<String> =
        cases.into_iter().map(|(case, by, word)| format!("{case} -> {}", told(&scene.send(by, &word)))).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    blank -> INVALID_INPUT: text: must say something.
    too long -> INVALID_INPUT: text: must have at most 16384 bytes, not 16385.
    of the system -> INVALID_INPUT: kind: must be user or reply.
    a control -> INVALID_INPUT: kind: must be user or reply.
    to oneself -> UNKNOWN_RECIPIENT: dst: bo: that is you; an agent does not act on itself.
    to nobody -> UNKNOWN_RECIPIENT: dst: dot: no agent of this session has that id or name.
    of a stranger -> UNKNOWN_SENDER: dot is not an agent of this session, so it cannot send here.
    another follows up -> NOT_OWNER: ana leads the conversation c; only its owner issues follow-ups.
    another speaks to all -> NOT_OWNER: ana leads the conversation c; only its owner speaks to everybody in it.
    another replies to the owner -> taken
    another replies to a third -> LOOP_DETECTED: dst: a reply goes to whom it answers: the conversation's owner.
    the owner replies -> LOOP_DETECTED: kind: an owner goes on with kind user; a reply of its own says what it answers.
    the owner speaks to all -> taken
    a reply to everybody -> LOOP_DETECTED: dst: a reply goes to whom it answers, not to everybody.
    a reply in no conversation -> LOOP_DETECTED: kind: an owner goes on with kind user; a reply of its own says what it answers.
    an answer to a message -> taken
    an answer to none -> INVALID_INPUT: reply_to: there is no message "evt_room_1_99" in this session.
    "#);
    assert_eq!(scene.conversation("c").unwrap().owner, agent("ana"));
}

#[test]
fn an_honest_reply_belongs_to_the_conversation_of_the_message_it_answers() {
    let mut scene = Scene::new();
    let begun = Draft { task_id: Some(id("t")), ..in_context("c", vec![user("bo", "a1")]) };
    scene.submits("ana", begun);
    scene.submits("ana", Draft { task_id: Some(id("u")), ..in_context("c", vec![user("bo", "a2")]) });
    let told_all = scene.send("ana", &Word { task_id: Some(id("v")), ..word(None, Kind::User) }).unwrap();
    let places = [scene.action("a1").seq, scene.action("a2").seq, told_all];
    for (place, (context, task)) in places.into_iter().zip([("c", "t"), ("c", "u"), ("ctx_7", "v")]) {
        for kind in [Some(Kind::Reply), None] {
            let reply_to = Some(scene.message_id(place));
            scene.send("bo", &Word { reply_to, kind, ..word(Some("ana"), Kind::Reply) }).unwrap();
            let Recorded { event: crate::event::Event::Bus(Event::Messaged(sent)), .. } = scene.log.last().unwrap()
            else {
                panic!("a message")
            };
            let told = (sent.kind, sent.context.context_id.as_str(), &sent.context.owner_id, sent.task_id.as_str());
            assert_eq!(told, (Kind::Reply, context, &agent("ana"), task));
            assert_eq!((sent.depth, sent.opens, sent.begins_task), (1, false, false));
        }
    }
}

#[test]
fn a_reply_by_a_messages_id_is_of_those_whom_it_was_for_and_goes_to_who_said_it() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    let asked = scene.message_id(scene.action("a1").seq);
    let to = |said: &str, dst: &str| Word { reply_to: Some(said.to_owned()), ..word(Some(dst), Kind::Reply) };
    let replied = scene.send("bo", &to(&asked, "ana")).unwrap();
    let replied = scene.message_id(replied);
    scene.submits("cy", in_context("d", vec![user("bo", "c1")]));
    let told = [
        told(&scene.send("cy", &to(&asked, "ana"))),
        told(&scene.send("ana", &to(&asked, "bo"))),
        told(&scene.send("bo", &to(&asked, "cy"))),
        told(&scene.send("ana", &to(&replied, "bo"))),
        told(&scene.send("bo", &within("d", to(&asked, "ana")))),
        told(&scene.send("bo", &within("new", to(&asked, "ana")))),
        told(&scene.send("ana", &Word { kind: None, ..to(&replied, "bo") })),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    FORBIDDEN: reply_to: that message of ana was not for you; those whom it was for reply to it.
    FORBIDDEN: reply_to: that message of ana was not for you; those whom it was for reply to it.
    LOOP_DETECTED: dst: a reply goes to whom it answers.
    LOOP_DETECTED: reply_to: a reply is not replied to.
    LOOP_DETECTED: reply_to: a reply stays in the conversation of what it answers.
    LOOP_DETECTED: reply_to: a reply stays in the conversation of what it answers.
    taken
    ");
}
