//! What becomes of an action: who says it, what, and that it ends once.

use super::scene::{Scene, agent, begun, control, group, id, status, told, user};
use crate::{
    bus::{Control, Data, Report, Status},
    code::ErrorCode,
    ids::Seq,
    inbox::Stage,
    limits,
};

fn asked() -> Scene {
    let mut scene = Scene::new();
    scene.submits("ana", group(vec![user("bo", "a1"), control("bo", "n", "new"), user("cy", "a2")]));
    scene
}

#[test]
fn completed_rejected_and_error_are_terminal_and_nothing_comes_after_them() {
    let told: Vec<String> = Status::ALL
        .into_iter()
        .map(|first| {
            let mut scene = asked();
            scene.report("bo", "a1", &status(first)).unwrap();
            let ended = scene.action("a1").ended_at.is_some();
            assert_eq!(ended, first.is_terminal());
            let next = scene.report("bo", "a1", &status(Status::Completed));
            format!("{}, then completed -> {}", first.as_str(), told(&next))
        })
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    accepted, then completed -> taken
    completed, then completed -> ALREADY_ENDED: The action a1 ended before, as completed.
    blocked, then completed -> taken
    queued, then completed -> taken
    rejected, then completed -> ALREADY_ENDED: The action a1 ended before, as rejected.
    error, then completed -> ALREADY_ENDED: The action a1 ended before, as error.
    ");
}

#[test]
fn only_its_target_reports_on_an_action() {
    let mut scene = asked();
    for by in ["ana", "cy", "stranger"] {
        assert_eq!(scene.report(by, "a1", &status(Status::Accepted)).unwrap_err().code(), ErrorCode::Forbidden);
    }
    insta::assert_snapshot!(told(&scene.report("ana", "a1", &status(Status::Completed))), @r"FORBIDDEN: The action a1 is for bo; only its target reports on it and replies to it.");
    assert_eq!(scene.action("a1").status, None);
}

#[test]
fn data_goes_with_a_new_that_is_completed_and_with_nothing_else() {
    let data = Data { new_context_id: Some(id("d")), new_task_id: Some(id("t")) };
    for status in Status::ALL {
        for command in Control::ALL.into_iter().map(Some).chain([None]) {
            let mut scene = Scene::new();
            scene.submits(
                "ana",
                group(vec![match command {
                    Some(command) => control("bo", "a1", command.as_str()),
                    None => user("bo", "a1"),
                }]),
            );
            let report = Report { status, detail: None, data: Some(data.clone()) };
            let decided = scene.report("bo", "a1", &report);
            if status == Status::Completed && command == Some(Control::New) {
                assert!(decided.is_ok());
                let action = scene.action("a1");
                assert_eq!((&action.new_context_id, &action.new_task_id), (&data.new_context_id, &data.new_task_id));
                let conversation = scene.conversation("d").unwrap();
                assert_eq!((&conversation.owner, &conversation.task_id), (&agent("ana"), &data.new_task_id));
            } else {
                assert_eq!(told(&decided), "INVALID_INPUT: data: goes with a `new` that is completed.");
            }
        }
    }
}

#[test]
fn a_new_need_not_say_what_it_began() {
    let mut scene = asked();
    let nothing = Report { status: Status::Completed, detail: None, data: Some(Data::default()) };
    scene.report("bo", "n", &nothing).unwrap();
    assert_eq!((&scene.action("n").status, &scene.action("n").new_context_id), (&Some(Status::Completed), &None));
}

#[test]
fn a_detail_says_something_and_not_too_much() {
    let mut scene = asked();
    let told: Vec<String> =
        [" ".to_owned(), "x".repeat(limits::RESULT_DETAIL_BYTES + 1), "a\0".to_owned(), "busy".to_owned()]
            .into_iter()
            .map(|detail| told(&scene.report("bo", "a1", &Report { detail: Some(detail), ..status(Status::Blocked) })))
            .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    INVALID_INPUT: detail: must say something.
    INVALID_INPUT: detail: must have at most 2048 bytes, not 2049.
    INVALID_INPUT: detail: must not have a zero character.
    taken
    ");
    assert_eq!(scene.action("a1").detail.as_deref(), Some("busy"));
}

#[test]
fn whoever_says_how_far_it_is_has_accepted_what_lies_in_its_inbox() {
    let mut scene = asked();
    let stage = |scene: &Scene, action: &str| {
        let seq = scene.action(action).seq;
        scene.inbox.iter().find(|item| item.message == seq).unwrap().stage()
    };
    assert_eq!(stage(&scene, "a1"), Stage::Queued);
    scene.report("bo", "a1", &status(Status::Queued)).unwrap();
    assert_eq!(
        (stage(&scene, "a1"), stage(&scene, "n"), stage(&scene, "a2")),
        (Stage::Accepted, Stage::Queued, Stage::Queued)
    );
    scene.fails("n").unwrap();
    assert_eq!(stage(&scene, "n"), Stage::Accepted, "what was ended in its target's place is off the list");
}

#[test]
fn what_ends_in_its_targets_place_ends_once_too() {
    let mut scene = asked();
    scene.fails("a1").unwrap();
    let action = scene.action("a1");
    assert_eq!((action.status, action.detail.as_deref()), (Some(Status::Error), Some("it is gone")));
    assert_eq!(scene.fails("a1"), None);
    assert_eq!(scene.report("bo", "a1", &status(Status::Completed)).unwrap_err().code(), ErrorCode::AlreadyEnded);
    scene.report("bo", "n", &begun("d")).unwrap();
    assert_eq!(scene.fails("n"), None);
}

#[test]
fn an_action_that_goes_on_with_another_inbox_is_that_agents_to_report_on() {
    let mut scene = asked();
    let place = scene.action("a1").seq;
    scene.forward("bo", "cy", &[place, Seq(99)]);
    assert_eq!(scene.action("a1").target, agent("cy"));
    assert_eq!(scene.action("n").target, agent("bo"), "only what was handed on");
    assert_eq!(scene.report("bo", "a1", &status(Status::Completed)).unwrap_err().code(), ErrorCode::Forbidden);
    scene.report("cy", "a1", &status(Status::Completed)).unwrap();
    scene.forward("cy", "bo", &[scene.action("n").seq]);
    assert_eq!(scene.action("n").target, agent("bo"), "it was not cy's to hand on");
}
