//! Tasks of conversations.

use super::scene::{Scene, agent, id, in_context, task, told, user};
use crate::{
    bus::{TaskReport, TaskStatus},
    limits,
};

#[test]
fn a_task_goes_on_as_its_agents_say_and_what_is_done_stays_done() {
    let mut scene = Scene::new();
    let said = [
        ("bo", TaskStatus::Running),
        ("bo", TaskStatus::Blocked),
        ("ana", TaskStatus::Ready),
        ("bo", TaskStatus::Running),
        ("bo", TaskStatus::Done),
        ("ana", TaskStatus::Running),
        ("ana", TaskStatus::Done),
        ("stranger", TaskStatus::Running),
    ];
    let told: Vec<String> = said
        .into_iter()
        .map(|(by, status)| format!("{by} {} -> {}", status.as_str(), told(&scene.task(by, &task("t", status)))))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    bo running -> taken
    bo blocked -> taken
    ana ready -> taken
    bo running -> taken
    bo done -> taken
    ana running -> ALREADY_ENDED: The task t is done; a task ends once.
    ana done -> ALREADY_ENDED: The task t is done; a task ends once.
    stranger running -> UNKNOWN_SENDER: stranger is not an agent of this session, so it cannot send here.
    ");
    let kept = &scene.bus.tasks[0];
    assert_eq!((kept.status, &kept.reported_by, scene.bus.tasks.len()), (TaskStatus::Done, &agent("bo"), 1));
}

#[test]
fn a_task_is_of_a_conversation_that_there_is_and_its_summary_is_bounded() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    let of = |context: &str| TaskReport { context_id: Some(id(context)), ..task("t", TaskStatus::Running) };
    let summed = |summary: &str| TaskReport { summary: Some(summary.to_owned()), ..task("t", TaskStatus::Done) };
    let told = [of("d"), of("c"), summed(" "), summed(&"x".repeat(limits::MESSAGE_BYTES + 1)), summed("well")]
        .map(|report| told(&scene.task("bo", &report)));
    insta::assert_snapshot!(told.join("\n"), @r"
    INVALID_INPUT: context_id: there is no conversation d in this session.
    taken
    INVALID_INPUT: summary: must say something.
    INVALID_INPUT: summary: must have at most 16384 bytes, not 16385.
    taken
    ");
    assert_eq!(scene.bus.tasks[0].status, TaskStatus::Done);
}
