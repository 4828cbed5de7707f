//! Every field of a submission, wrong in turn: nothing is taken, and the refusal says which.

use super::scene::{Scene, control, group, id, in_context, reply, told, user};
use crate::{
    bus::{ActionDraft, Draft, Plan, Refusal, WhatDraft},
    limits,
};

fn plan(steps: &[&str], note: Option<&str>) -> Option<Plan> {
    Some(Plan { steps: steps.iter().map(|step| (*step).to_owned()).collect(), note: note.map(str::to_owned) })
}

fn text(text: impl Into<String>) -> Option<String> {
    Some(text.into())
}

/// The second of two actions, changed.
fn second(base: ActionDraft, change: impl FnOnce(&mut ActionDraft)) -> Draft {
    let mut draft = group(vec![user("bo", "a1"), base]);
    change(&mut draft.actions[1]);
    draft
}

fn in_message(change: impl FnOnce(&mut WhatDraft)) -> Draft {
    second(user("cy", "a2"), |action| change(&mut action.what))
}

fn in_control(command: &str, change: impl FnOnce(&mut WhatDraft)) -> Draft {
    second(control("cy", "a2", command), |action| change(&mut action.what))
}

fn refusals(cases: Vec<(&str, Draft)>) -> String {
    let lines = cases.into_iter().map(|(case, draft)| {
        let mut scene = Scene::new();
        let (before, decided) = (scene.log.clone(), scene.submit("ana", draft));
        assert_eq!(scene.log, before, "{case}: all of a submission is taken, or none");
        format!("{case} -> {}", told(&decided))
    });
    lines.collect::<Vec<_>>().join("\n")
}

#[test]
fn a_field_that_is_missing_empty_too_long_or_wrong_is_named_with_its_place() {
    let long = |most: usize| "x".repeat(most + 1);
    let steps = vec!["x".to_owned(); limits::PLAN_STEPS + 1];
    let too_many = (0..=limits::BUS_ACTIONS).map(|number| user("bo", &format!("a{number}"))).collect();
    insta::assert_snapshot!(refusals(vec![
        ("no actions", group(Vec::new())),
        ("too many actions", group(too_many)),
        ("dst empty", second(user("cy", "a2"), |action| action.dst = " ".to_owned())),
        ("action_id twice", second(user("cy", "a2"), |action| action.action_id = id("a1"))),
        ("action_index again", second(user("cy", "a2"), |action| action.action_index = 0)),
        ("type unknown", in_message(|what| what.sort = "shout".to_owned())),
        ("kind missing", in_message(|what| what.kind = None)),
        ("kind control", in_message(|what| what.kind = text("control"))),
        ("text missing", in_message(|what| what.text = None)),
        ("text blank", in_message(|what| what.text = text(" \n"))),
        ("text too long", in_message(|what| what.text = text(long(limits::MESSAGE_BYTES)))),
        ("text with a zero", in_message(|what| what.text = text("a\0b"))),
        ("a follow-up to no action", in_message(|what| what.reply_to_action_id = Some(id("a9")))),
        ("plan without steps", in_message(|what| what.plan = plan(&[], None))),
        ("plan of too many", in_message(|what| what.plan = Some(Plan { steps, note: None }))),
        ("a blank step", in_message(|what| what.plan = plan(&["do", ""], None))),
        ("a long step", in_message(|what| what.plan = plan(&[&long(limits::PLAN_STEP_BYTES)], None))),
        ("a blank note", in_message(|what| what.plan = plan(&["do"], Some(" ")))),
        ("command in a message", in_message(|what| what.command = text("new"))),
        ("args in a message", in_message(|what| what.args = text("x"))),
        ("command missing", in_control("new", |what| what.command = None)),
        ("command unknown", in_control("new", |what| what.command = text("stop"))),
        ("args of another command", in_control("compact", |what| what.args = text("x"))),
        ("args blank", in_control("review", |what| what.args = text(""))),
        ("args too long", in_control("review", |what| what.args = text(long(limits::CONTROL_ARGS_BYTES)))),
        ("kind in a control", in_control("new", |what| what.kind = text("user"))),
        ("text in a control", in_control("new", |what| what.text = text("x"))),
        ("reply_to in a control", in_control("new", |what| what.reply_to_action_id = Some(id("a1")))),
        ("plan in a control", in_control("new", |what| what.plan = plan(&["do"], None))),
    ]), @r"
    no actions -> INVALID_INPUT: actions: must have 1 to 256 actions, not 0.
    too many actions -> INVALID_INPUT: actions: must have 1 to 256 actions, not 257.
    dst empty -> INVALID_INPUT: actions[1].dst: must name an agent of the session.
    action_id twice -> DUPLICATE_ACTION: actions[1].action_id: there is an action a1 in this session already.
    action_index again -> INVALID_INPUT: actions[1].action_index: must be larger than that of the action before it: it is the order.
    type unknown -> INVALID_INPUT: actions[1].type: must be message or control.
    kind missing -> INVALID_INPUT: actions[1].kind: is required: user or reply.
    kind control -> INVALID_INPUT: actions[1].kind: must be user or reply.
    text missing -> INVALID_INPUT: actions[1].text: must say something.
    text blank -> INVALID_INPUT: actions[1].text: must say something.
    text too long -> INVALID_INPUT: actions[1].text: must have at most 16384 bytes, not 16385.
    text with a zero -> INVALID_INPUT: actions[1].text: must not have a zero character.
    a follow-up to no action -> UNKNOWN_ID: actions[1].reply_to_action_id: there is no action a9 in this session.
    plan without steps -> INVALID_INPUT: actions[1].plan.steps: must have 1 to 64 steps.
    plan of too many -> INVALID_INPUT: actions[1].plan.steps: must have 1 to 64 steps.
    a blank step -> INVALID_INPUT: actions[1].plan.steps[1]: must say something.
    a long step -> INVALID_INPUT: actions[1].plan.steps[0]: must have at most 2048 bytes, not 2049.
    a blank note -> INVALID_INPUT: actions[1].plan.note: must say something.
    command in a message -> INVALID_INPUT: actions[1].command: belongs to a control.
    args in a message -> INVALID_INPUT: actions[1].args: belongs to a control.
    command missing -> INVALID_INPUT: actions[1].command: must be new, compact, interrupt or review.
    command unknown -> INVALID_INPUT: actions[1].command: must be new, compact, interrupt or review.
    args of another command -> INVALID_INPUT: actions[1].args: goes with the command review only.
    args blank -> INVALID_INPUT: actions[1].args: must say something.
    args too long -> INVALID_INPUT: actions[1].args: must have at most 4096 bytes, not 4097.
    kind in a control -> INVALID_INPUT: actions[1].kind: belongs to a message.
    text in a control -> INVALID_INPUT: actions[1].text: belongs to a message.
    reply_to in a control -> INVALID_INPUT: actions[1].reply_to_action_id: belongs to a message.
    plan in a control -> INVALID_INPUT: actions[1].plan: belongs to a message.
    ");
}

#[test]
fn the_name_of_an_action_is_used_once_in_a_session() {
    let mut scene = Scene::new();
    scene.submits("ana", group(vec![user("bo", "a1")]));
    let again = scene.submit("cy", group(vec![user("bo", "a0"), user("bo", "a1")])).unwrap_err();
    assert_eq!(again, Refusal::DuplicateAction { field: "actions[1].action_id".to_owned(), action_id: id("a1") });
}

#[test]
fn every_action_keeps_its_group_name_and_place_whoever_it_is_for() {
    let mut scene = Scene::new();
    let mut draft = group(vec![user("bo", "a1"), control("cy", "a2", "new"), user("cy", "a3")]);
    draft.actions[1].action_index = 7;
    draft.actions[2].action_index = 9;
    scene.submits("ana", draft);
    let told: Vec<String> = scene
        .bus
        .actions
        .iter()
        .map(|action| {
            format!(
                "{} {}/{}#{} -> {}",
                action.seq, action.group_id, action.action_id, action.action_index, action.target
            )
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    5 g.ana/a1#0 -> bo
    6 g.ana/a2#7 -> cy
    7 g.ana/a3#9 -> cy
    ");
    let waiting: Vec<_> = scene.inbox.iter().map(|item| (item.message, item.recipient.as_str())).collect();
    let submitted: Vec<_> = scene.bus.actions.iter().map(|action| (action.seq, action.target.as_str())).collect();
    assert_eq!(waiting, submitted, "each lies in its target's inbox");
}

#[test]
fn as_much_as_is_allowed_is_taken() {
    let mut scene = Scene::new();
    let most = |bytes: usize| "x".repeat(bytes);
    let mut message = user("bo", &most(limits::BUS_ID_BYTES));
    message.what.text = text(most(limits::MESSAGE_BYTES));
    let step = most(limits::PLAN_STEP_BYTES);
    message.what.plan = Some(Plan { steps: vec![step.clone(); limits::PLAN_STEPS], note: Some(step) });
    let mut review = control("cy", "a2", "review");
    review.what.args = text(most(limits::CONTROL_ARGS_BYTES));
    scene.submits("ana", group(vec![message, review]));
    let many = (0..limits::BUS_ACTIONS).map(|number| user("bo", &format!("m{number}"))).collect();
    assert_eq!(scene.submits("ana", group(many)).len(), limits::BUS_ACTIONS);
}

#[test]
fn a_group_is_of_whoever_began_it_and_others_only_answer_in_it() {
    let mut scene = Scene::new();
    let of = |draft: Draft| Draft { group_id: id("run"), ..draft };
    scene.submits("ana", of(in_context("c", vec![user("bo", "a1"), user("cy", "a2")])));
    scene.submits("cy", Draft { group_id: id("other"), ..in_context("d", vec![user("bo", "c1")]) });
    let told = [
        told(&scene.submit("cy", of(group(vec![user("bo", "x1")])))),
        told(&scene.submit("bo", of(group(vec![control("cy", "x2", "new")])))),
        told(&scene.submit("bo", of(group(vec![reply("ana", "x3", "a2")])))),
        told(&scene.submit("bo", of(group(vec![reply("cy", "x4", "c1")])))),
        told(&scene.submit("bo", of(group(vec![reply("ana", "x5", "a1"), user("cy", "x6")])))),
        told(&scene.submit("bo", of(group(vec![reply("ana", "x7", "a1")])))),
        told(&scene.submit("ana", of(in_context("c", vec![user("bo", "a3")])))),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    NOT_OWNER: ana began the group run; others only reply in it to what they were asked there.
    NOT_OWNER: ana began the group run; others only reply in it to what they were asked there.
    NOT_OWNER: ana began the group run; others only reply in it to what they were asked there.
    NOT_OWNER: ana began the group run; others only reply in it to what they were asked there.
    NOT_OWNER: ana began the group run; others only reply in it to what they were asked there.
    taken
    taken
    ");
}
