//! Tasks of conversations.

use super::scene::{Scene, agent, control, group, id, in_context, reply, status, task, told, user, word};
use crate::{
    bus::{Data, Draft, Kind, Report, Status, TaskReport, TaskStatus, Word},
    code::ErrorCode,
    limits,
    room::Authority,
};

#[test]
fn a_task_goes_on_as_its_owner_says_and_what_is_done_stays_done() {
    let mut scene = Scene::new();
    let said = [
        ("bo", TaskStatus::Running),
        ("ana", TaskStatus::Ready),
        ("bo", TaskStatus::Blocked),
        ("bo", TaskStatus::Done),
        ("ana", TaskStatus::Running),
        ("bo", TaskStatus::Done),
        ("stranger", TaskStatus::Running),
    ];
    let told: Vec<String> = said
        .into_iter()
        .map(|(by, status)| format!("{by} {} -> {}", status.as_str(), told(&scene.task(by, &task("t", status)))))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    bo running -> taken
    ana ready -> NOT_OWNER: The task t is bo's; only they and an operator say how far it is, or relay it.
    bo blocked -> taken
    bo done -> taken
    ana running -> NOT_OWNER: The task t is bo's; only they and an operator say how far it is, or relay it.
    bo done -> ALREADY_ENDED: The task t is done; a task ends once.
    stranger running -> UNKNOWN_SENDER: stranger is not an agent of this session, so it cannot send here.
    ");
    let kept = scene.bus.tasks.nth(0);
    assert_eq!((kept.status, &kept.reported_by, scene.bus.tasks.iter().count()), (TaskStatus::Done, &agent("bo"), 1));
}

/// How a task is named first.
type Beginning = (&'static str, fn(&mut Scene));

#[test]
fn a_task_is_its_conversations_however_it_was_named_there() {
    let begins: [Beginning; 6] = [
        ("after its owner spoke of it in none", |scene| {
            scene.task("ana", &task("t", TaskStatus::Running)).unwrap();
            scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
            scene.submits("ana", Draft { task_id: Some(id("t")), ..in_context("c", vec![user("bo", "a2")]) });
        }),
        ("by who replies in it", |scene| {
            scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
            scene.submits("bo", Draft { task_id: Some(id("t")), ..group(vec![reply("ana", "b1", "a1")]) });
        }),
        ("with the conversation", |scene| {
            scene.submits("ana", Draft { task_id: Some(id("t")), ..in_context("c", vec![user("bo", "a1")]) });
        }),
        ("later in it", |scene| {
            scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
            scene.submits("ana", Draft { task_id: Some(id("t")), ..in_context("c", vec![user("bo", "a2")]) });
        }),
        ("in a word", |scene| {
            let sent = Word { task_id: Some(id("t")), ..word(Some("bo"), Kind::User) };
            scene.send("ana", &sent).unwrap();
        }),
        ("by a new", |scene| {
            scene.submits("ana", in_context("c", vec![control("bo", "n", "new")]));
            let data = Data { new_context_id: None, new_task_id: Some(id("t")) };
            scene.report("bo", "n", &Report { data: Some(data), ..status(Status::Completed) }).unwrap();
        }),
    ];
    for (case, begin) in begins {
        let mut scene = Scene::new();
        begin(&mut scene);
        // Whoever carries a task on into a conversation of their own does not own it there.
        scene.submits("cy", Draft { task_id: Some(id("t")), ..in_context("d", vec![user("bo", "c1")]) });
        let in_d = TaskReport { context_id: Some(id("d")), ..task("t", TaskStatus::Done) };
        for (by, said) in [("bo", task("t", TaskStatus::Running)), ("cy", task("t", TaskStatus::Done)), ("cy", in_d)] {
            assert_eq!(scene.task(by, &said).unwrap_err().code(), ErrorCode::NotOwner, "{case}: {by}");
        }
        scene.task_as("olga", Authority::Operator, &task("t", TaskStatus::Blocked)).unwrap();
        scene.task("ana", &task("t", TaskStatus::Running)).unwrap();
        scene.task_as("olga", Authority::Operator, &task("t", TaskStatus::Done)).unwrap();
        assert_eq!(scene.task("ana", &task("t", TaskStatus::Done)).unwrap_err().code(), ErrorCode::AlreadyEnded);
    }
}

#[test]
fn no_conversation_is_put_under_somebody_elses_task() {
    let mut scene = Scene::new();
    scene.task("cy", &task("cys", TaskStatus::Running)).unwrap();
    scene.submits("ana", in_context("c", vec![control("bo", "n", "new")]));
    let carried = Draft { task_id: Some(id("cys")), ..in_context("c", vec![user("bo", "a1")]) };
    assert_eq!(scene.submit("ana", carried).unwrap_err().code(), ErrorCode::NotOwner);
    let data = Data { new_context_id: None, new_task_id: Some(id("cys")) };
    let refusal = scene.report("bo", "n", &Report { data: Some(data), ..status(Status::Completed) }).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::NotOwner);
}

#[test]
fn a_task_of_no_conversation_stays_its_own_when_an_operator_speaks_of_it() {
    let mut scene = Scene::new();
    scene.task("bo", &task("t", TaskStatus::Running)).unwrap();
    scene.task_as("olga", Authority::Operator, &task("t", TaskStatus::Blocked)).unwrap();
    scene.task_as("pia", Authority::Operator, &task("t", TaskStatus::Ready)).unwrap();
    assert_eq!(scene.task("ana", &task("t", TaskStatus::Done)).unwrap_err().code(), ErrorCode::NotOwner);
    scene.task("bo", &task("t", TaskStatus::Done)).unwrap();
}

#[test]
fn nobody_names_a_task_before_its_time() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    let of = |context: &str, name: &str| TaskReport { context_id: Some(id(context)), ..task(name, TaskStatus::Done) };
    let named = |task: &str| Draft { task_id: Some(id(task)), ..group(vec![user("ana", "b1")]) };
    let told = [
        told(&scene.task("bo", &task("task_99", TaskStatus::Running))),
        told(&scene.task("bo", &task("JOB-007", TaskStatus::Done))),
        told(&scene.task("bo", &of("c", "u"))),
        told(&scene.submit("bo", named("task_99"))),
        told(&scene.submit("bo", named("JOB-007"))),
    ];
    insta::assert_snapshot!(told.join("\n"), @"
    INVALID_INPUT: task_id: task_99 is how tasks are called that nobody named; choose another name.
    INVALID_INPUT: task_id: there is no job JOB-007, and nothing else is called so.
    NOT_OWNER: ana leads the conversation c; only its owner says how far its tasks are.
    INVALID_INPUT: task_id: task_99 is how tasks are called that nobody named; choose another name.
    INVALID_INPUT: task_id: there is no job JOB-007, and nothing else is called so.
    ");
}

#[test]
fn a_task_is_of_a_conversation_that_there_is_and_its_summary_is_bounded() {
    let mut scene = Scene::new();
    scene.submits("ana", in_context("c", vec![user("bo", "a1")]));
    let of = |context: &str| TaskReport { context_id: Some(id(context)), ..task("t", TaskStatus::Running) };
    let summed = |summary: &str| TaskReport { summary: Some(summary.to_owned()), ..task("t", TaskStatus::Done) };
    let told = [of("d"), of("c"), summed(" "), summed(&"x".repeat(limits::MESSAGE_BYTES + 1)), summed("well")]
        .map(|report| told(&scene.task("ana", &report)));
    insta::assert_snapshot!(told.join("\n"), @r"
    INVALID_INPUT: context_id: there is no conversation d in this session.
    taken
    INVALID_INPUT: summary: must say something.
    INVALID_INPUT: summary: must have at most 16384 bytes, not 16385.
    taken
    ");
    assert_eq!(scene.bus.tasks.nth(0).status, TaskStatus::Done);
}
