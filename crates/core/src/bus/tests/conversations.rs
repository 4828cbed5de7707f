//! Who leads a conversation, and what others may do in it.

use super::scene::{Scene, agent, begun, control, group, id, in_context, message, reply, status, told, user};
use crate::bus::{ContextDraft, Draft, Status};

/// ana leads `c`, in which she asked bo for a1.
fn led() -> Scene {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    scene
}

#[test]
fn a_conversation_belongs_to_who_began_it_and_only_its_owner_goes_on_with_it() {
    let mut scene = led();
    assert_eq!(scene.conversation("c").unwrap().owner, agent("ana"));
    let cases = [
        ("the owner follows up", "ana", user("bo", "b1")),
        ("the owner asks another", "ana", user("cy", "b2")),
        ("the owner controls", "ana", control("bo", "b3", "interrupt")),
        ("another follows up", "bo", user("cy", "b4")),
        ("another asks the owner", "bo", user("ana", "b5")),
        ("another controls", "bo", control("cy", "b6", "new")),
        ("another controls the owner", "bo", control("ana", "b7", "interrupt")),
        ("who was asked replies", "bo", reply("ana", "b8", "a1")),
        ("who was asked replies by the conversation", "bo", message("ana", "b9", "reply")),
    ];
    let told: Vec<String> = cases
        .into_iter()
        .map(|(case, by, action)| format!("{case} -> {}", told(&scene.submit(by, in_context("c", vec![action])))))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    the owner follows up -> taken
    the owner asks another -> taken
    the owner controls -> taken
    another follows up -> NOT_OWNER: ana leads the conversation c; only its owner issues follow-ups.
    another asks the owner -> NOT_OWNER: ana leads the conversation c; only its owner issues follow-ups.
    another controls -> NOT_OWNER: ana leads the conversation c; only its owner controls its targets.
    another controls the owner -> NOT_OWNER: ana leads the conversation c; only its owner controls its targets.
    who was asked replies -> taken
    who was asked replies by the conversation -> taken
    ");
}

#[test]
fn whoever_says_who_leads_must_be_right() {
    let owned = |owner: &str, context: Option<&str>, action: &str| {
        let (context_id, owner_id) = (context.map(id), Some(owner.to_owned()));
        let context = Some(ContextDraft { context_id, owner_id, parent_message_id: None });
        Draft { context, ..group(vec![user("bo", action)]) }
    };
    let mut scene = led();
    let cases = [("ana", Some("c")), ("bo", Some("c")), ("ana", Some("d")), ("ana", None), ("cy", None)];
    let told: Vec<String> = (1..)
        .zip(cases)
        .map(|(number, (owner, context))| {
            let decided = scene.submit("ana", owned(owner, context, &format!("b{number}")));
            format!("{owner} leads {} -> {}", context.unwrap_or("a new one"), told(&decided))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    ana leads c -> taken
    bo leads c -> INVALID_INPUT: context.owner_id: ana leads this conversation, not bo.
    ana leads d -> taken
    ana leads a new one -> taken
    cy leads a new one -> INVALID_INPUT: context.owner_id: ana leads this conversation, not cy.
    ");
}

#[test]
fn a_submission_that_names_no_conversation_begins_one_with_a_name_that_no_client_can_choose() {
    let mut scene = Scene::new();
    let first = scene.submits("ana", group(vec![user("bo", "a1"), user("cy", "a2")]))[0];
    let name = format!("ctx_{first}");
    assert_eq!(scene.action("a1").context_id.as_str(), name);
    assert_eq!(scene.action("a2").context_id.as_str(), name, "one for all of its actions");
    scene.submits("ana", in_context(&name, vec![user("cy", "a3")]));
    let ahead = in_context("ctx_999", vec![user("ana", "b1")]);
    insta::assert_snapshot!(told(&scene.submit("bo", ahead)), @r"INVALID_INPUT: context.context_id: ctx_999 is how conversations are called that nobody named; choose another name.");
    scene.submits("bo", in_context("ctx_mine", vec![user("ana", "b2")]));
}

#[test]
fn a_reply_that_names_no_conversation_is_in_that_of_what_it_answers() {
    let mut scene = led();
    scene.submits("bo", group(vec![reply("ana", "b1", "a1")]));
    let replied = scene.action("b1");
    assert_eq!((replied.context_id.as_str(), &replied.owner), ("c", &agent("ana")));
    assert_eq!(scene.bus.conversations.iter().count(), 1);
}

#[test]
fn what_a_new_began_has_the_same_owner_and_what_came_with_it_is_answered_there() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![control("bo", "n", "new"), user("bo", "a1")]));
    scene.report("bo", "n", &begun("d")).unwrap();
    assert_eq!(scene.conversation("d").unwrap().owner, agent("ana"));
    scene.submits("bo", in_context("d", vec![reply("ana", "b1", "a1")]));
    scene.submits("ana", in_context("d", vec![user("bo", "a2")]));
    assert_eq!(told(&scene.submit("bo", in_context("d", vec![user("cy", "b2")]))).split(':').next(), Some("NOT_OWNER"));
}

#[test]
fn a_conversation_does_not_change_hands_by_being_begun_again() {
    let mut scene = led();
    scene.submits("cy", group(vec![control("bo", "n1", "new"), control("bo", "n2", "new")]));
    let told = ["c", "ctx_999"].map(|name| told(&scene.report("bo", "n1", &begun(name))));
    insta::assert_snapshot!(told.join("\n"), @r"
    INVALID_INPUT: data.new_context_id: c is a conversation that ana leads.
    INVALID_INPUT: data.new_context_id: ctx_999 is how conversations are called that nobody named; choose another name.
    ");
    scene.report("bo", "n1", &begun("mine")).unwrap();
    let since = scene.conversation("mine").unwrap().since;
    scene.report("bo", "n2", &begun("mine")).unwrap();
    assert_eq!(scene.conversation("mine").unwrap().since, since, "the same owner's goes on");
    assert_eq!(scene.conversation("c").unwrap().owner, agent("ana"));
}

#[test]
fn a_follow_up_of_the_owner_may_say_what_it_follows() {
    let mut scene = led();
    scene.submits("bo", group(vec![reply("ana", "b1", "a1")]));
    let mut follows = user("bo", "a2");
    follows.what.reply_to_action_id = Some(id("b1"));
    scene.submits("ana", group(vec![follows]));
    assert_eq!(scene.action("a2").context_id.as_str(), "c", "and then need not name the conversation");
}

#[test]
fn a_conversation_keeps_its_task_unless_another_is_named() {
    let mut scene = Scene::new();
    scene.submits("ana", Draft { task_id: Some(id("t1")), ..in_context("c", vec![user("bo", "a1")]) });
    assert_eq!(scene.conversation("c").unwrap().task_id, Some(id("t1")));
    for (action, named) in [("a2", None), ("a3", Some(id("t2")))] {
        scene.submits("ana", Draft { task_id: named, ..in_context("c", vec![user("bo", action)]) });
    }
    let tasks: Vec<String> = scene
        .log
        .iter()
        .filter_map(|recorded| match &recorded.event {
            crate::event::Event::Bus(crate::bus::Event::Submitted(submitted)) => Some(submitted.task_id.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(tasks, ["t1", "t1", "t2"]);
    assert_eq!(scene.conversation("c").unwrap().task_id, Some(id("t1")), "what it is about stays");
    scene.report("bo", "a1", &status(Status::Completed)).unwrap();
}
