//! How a job is over, how it is done again, and how all of it is stored.

use serde_json::json;

use super::{
    acts::{
        Act, cancel, checkpoint, claim, claim_by_force, claim_stale, complete, done, error, failed, progress,
        proof_gate, question, requeue, say,
    },
    scene::{JOB, Scene, agent, draft, refs},
};
use crate::{
    code::ErrorCode,
    event::Event as Logged,
    job::{
        Choice, Event, ExpectedArtifact, Force, Isolation, Job, Kind, Outcome, Patch, Policy, Priority, Profile,
        Refusal, Status,
    },
    limits,
    part::Rows,
    task::TaskId,
};

#[test]
fn a_job_ends_once() {
    let told = Scene::running().play(&[
        (10, done("r1", 1).with(&["CARD-1"])),
        (11, done("r1", 1)),
        (12, failed("r1", 1)),
        (13, progress("r1", 1, "One more thing")),
        (14, say("Well done")),
        (15, cancel("Too late")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t10: completed "It was the cache." [CARD-1] -> DONE #1
    t11: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is DONE, at revision 1.
    t12: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is DONE, at revision 1.
    t13: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is DONE, at revision 1.
    t14: PRECONDITION_FAILED: JOB-001 is DONE: nobody would read it; requeue the job first.
    t15: PRECONDITION_FAILED: JOB-001 is DONE: it is over already.
    "#);
    insta::assert_snapshot!(Scene::running().play(&[(10, failed("r1", 1)), (11, done("r1", 1))]), @r#"
    t10: failed "It cannot be built." -> FAILED #1
    t11: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is FAILED, at revision 1.
    "#);
}

#[test]
fn an_end_says_what_came_of_it_and_where_that_is() {
    let mut scene = Scene::running();
    scene.act(JOB, &done("r1", 1).with(&["CARD-1", "CMD: cargo test"])).unwrap();
    let job = scene.job();
    assert_eq!(job.status, Status::Done);
    assert_eq!(job.summary.as_deref(), Some("It was the cache."));
    assert_eq!(job.refs, refs(&["CARD-1", "CMD: cargo test"]));
}

#[test]
fn a_row_has_the_beginning_of_a_long_summary_and_the_event_all_of_it() {
    let mut scene = Scene::running();
    let long = "ü".repeat(limits::JOB_SUMMARY_CHARS + 1);
    let ended = scene.act(JOB, &complete(Outcome::Done, "r1", 1, &long)).unwrap().unwrap();
    assert_eq!(ended.message(), long);
    let shown = scene.job().summary.clone().unwrap();
    assert_eq!(shown.chars().count(), limits::JOB_SUMMARY_CHARS);
    assert_eq!(shown.trim_start_matches('ü'), "… [cut: 801 characters]");
}

#[test]
fn a_summary_must_say_something_and_has_a_bound() {
    let refused = |summary: &str| {
        let refusal = Scene::running().act(JOB, &complete(Outcome::Failed, "r1", 1, summary)).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::InvalidInput);
        refusal.to_string()
    };
    insta::assert_snapshot!(refused(" "), @"summary must be non-empty.");
    insta::assert_snapshot!(refused(&"x".repeat(limits::JOB_SUMMARY_BYTES + 1)), @"summary is 16385 bytes long; at most 16384 are accepted.");
}

#[test]
fn a_manager_cancels_what_is_active_and_its_runner_is_refused_from_then_on() {
    let told = Scene::running().play(&[
        (10, cancel("Not wanted")),
        (11, cancel("Really not")),
        (12, progress("r1", 1, "Still at it")),
        (13, done("r1", 1)),
        (14, say("Stop")),
        (15, claim("r2")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t10: canceled "Not wanted" -> CANCELED #1
    t11: no event -> CANCELED #1
    t12: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is CANCELED, at revision 1.
    t13: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is CANCELED, at revision 1.
    t14: PRECONDITION_FAILED: JOB-001 is CANCELED: nobody would read it; requeue the job first.
    t15: PRECONDITION_FAILED: JOB-001 is CANCELED: it is over; requeue it to have it done again.
    "#);
    insta::assert_snapshot!(Scene::with_job().play(&[(0, cancel("Not wanted"))]), @r#"t0: canceled "Not wanted" -> CANCELED #0"#);
}

#[test]
fn a_manager_has_any_job_done_again_and_the_old_claim_is_over() {
    for end in [done("r1", 1), failed("r1", 1), cancel("Not wanted"), progress("r1", 1, "On")] {
        let mut scene = Scene::running();
        scene.act(JOB, &end).unwrap();
        scene.act(JOB, &requeue("Once more")).unwrap();
        assert_eq!(scene.standing(), "QUEUED #1");
        assert_eq!((&scene.job().summary, scene.job().refs.len()), (&None, 0));
        assert_eq!(scene.act(JOB, &requeue("And once more")), Ok(None), "it is queued already");
        let refusal = scene.act(JOB, &progress("r1", 1, "On")).unwrap_err();
        assert!(matches!(refusal, Refusal::ClaimOver { .. }));
        scene.act(JOB, &claim("r1")).unwrap();
        assert_eq!(scene.standing(), "RUNNING #2 by r1 until t180");
        assert!(scene.act(JOB, &done("r1", 1)).is_err(), "the same runner, under the old claim");
        assert!(scene.act(JOB, &done("r1", 2)).is_ok());
    }
}

#[test]
fn a_requeue_keeps_what_the_job_asks_and_what_was_noted() {
    let mut scene = Scene::empty();
    let mut asked = draft("Investigate cache");
    asked.routing.executor = Choice::Auto;
    asked.routing.executor_profile = Some(Profile::Deep);
    asked.routing.policy = Some(Policy { min_profile: Some(Profile::Audit), ..Policy::default() });
    asked.meta = json!({ "skill_profile": "research" }).as_object().unwrap().clone();
    (asked.priority, asked.task) = (Priority::High, Some(TaskId(3)));
    scene.create(&asked);
    scene.act(JOB, &claim("r1")).unwrap();
    scene.act(JOB, &failed("r1", 1).noting(json!({ "branch": "fix" }))).unwrap();
    scene.act(JOB, &requeue("Once more")).unwrap();
    let job = scene.job();
    assert_eq!((&job.routing, job.priority, job.task), (&asked.routing, Priority::High, Some(TaskId(3))));
    assert_eq!((job.title.as_str(), job.kind.as_str()), ("Investigate cache", "research"));
    assert_eq!(json!(job.meta), json!({ "skill_profile": "research", "branch": "fix" }));
}

#[test]
fn what_does_not_go_with_the_status_is_refused_with_its_code() {
    let refused = |end: Act, act: Act| {
        let mut scene = Scene::running();
        scene.act(JOB, &end).unwrap();
        let refusal = scene.act(JOB, &act).unwrap_err();
        format!("{}: {refusal} {}", refusal.code(), refusal.next().unwrap())
    };
    insta::assert_snapshot!(refused(done("r1", 1), cancel("Late")), @"PRECONDITION_FAILED: JOB-001 is DONE: it is over already. Look at it with `open` JOB-001.");
    insta::assert_snapshot!(refused(failed("r1", 1), cancel("Late")), @"PRECONDITION_FAILED: JOB-001 is FAILED: it is over already. Look at it with `open` JOB-001.");
    insta::assert_snapshot!(refused(cancel("Late"), say("Hello")), @"PRECONDITION_FAILED: JOB-001 is CANCELED: nobody would read it; requeue the job first. Look at it with `open` JOB-001.");
    insta::assert_snapshot!(refused(done("r1", 1), claim_by_force("r2", Force::Manual)), @"PRECONDITION_FAILED: JOB-001 is DONE: it is over; requeue it to have it done again. Look at it with `open` JOB-001.");
    insta::assert_snapshot!(refused(done("r1", 1), done("r1", 1)), @"CONFLICT: The claim (r1, 1) on JOB-001 is over: it is DONE, at revision 1. Stop working on JOB-001: whatever you still report is refused. Claim it anew if it is free.");
}

#[test]
fn a_reason_and_a_managers_message_must_say_something_and_have_bounds() {
    let refused = |act: Act| {
        let refusal = Scene::running().act(JOB, &act).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::InvalidInput);
        refusal.to_string()
    };
    insta::assert_snapshot!(refused(cancel(" ")), @"reason must be non-empty.");
    insta::assert_snapshot!(refused(requeue(&"x".repeat(limits::REASON_BYTES + 1))), @"reason is 2049 bytes long; at most 2048 are accepted.");
    insta::assert_snapshot!(refused(say("\n")), @"message must say something.");
    insta::assert_snapshot!(refused(say(&"ö".repeat(limits::JOB_MESSAGE_CHARS + 1))), @"message has 401 characters; at most 400 are accepted. Put the rest into a card and refer to that.");
    assert!(Scene::running().act(JOB, &say(&"ö".repeat(limits::JOB_MESSAGE_CHARS))).is_ok());
}

/// A scene in which everything that can happen to a job has happened.
fn everything() -> Scene {
    let mut scene = Scene::empty();
    let mut asked = draft("Investigate cache");
    asked.anchor = Some("a:core".parse().unwrap());
    asked.task = Some(TaskId(1));
    asked.routing.executor = Choice::Auto;
    asked.routing.executor_model = Some("opus".to_owned());
    asked.routing.policy = Some(Policy { min_profile: Some(Profile::Deep), ..Policy::default() });
    asked.routing.expected_artifacts = vec![ExpectedArtifact::DocsUpdate];
    asked.routing.isolation = Isolation::Worktree;
    asked.meta = json!({ "skill_max_chars": 0 }).as_object().unwrap().clone();
    scene.create(&asked);
    scene.play(&[
        (0, claim("r1")),
        (180, claim_stale("r2")),
        (181, progress("r2", 2, "Reading").at_percent(5).noting(json!({ "branch": "fix" }))),
        (182, checkpoint("r2", 2, "Found it").with(&["CARD-1"])),
        (183, question("r2", 2, "Which one?")),
        (184, proof_gate("r2", 2)),
        (185, error("r2", 2, "The build broke")),
        (186, say("The first").with(&["notes@4"])),
        (187, failed("r2", 2)),
        (188, requeue("Once more")),
        (189, cancel("Not wanted")),
        (190, requeue("After all")),
        (191, claim("r3")),
        (192, done("r3", 3).with(&["CARD-2", "CMD: cargo test"])),
    ]);
    let patch = Patch { patch: "artifact://diff/3".parse().unwrap(), base: "0ba5e".to_owned() };
    let used = [scene.job().applied(&patch, "4ead", 2), scene.job().branched(&patch, "baton/JOB-001", "c0ffee")];
    used.into_iter().for_each(|event| scene.record(agent("boss"), event));
    scene
}

#[test]
fn every_event_is_stored_in_a_form_that_never_changes_and_is_read_back() {
    let scene = everything();
    let mut seen: Vec<&Event> = Vec::new();
    for recorded in &scene.log {
        let Logged::Job(event) = &recorded.event else { panic!("{recorded:?}") };
        let read = Logged::read(event.kind(), &event.payload().unwrap()).unwrap();
        assert_eq!(&read, &recorded.event);
        assert_eq!(event.kind(), format!("job.{}", event.sort()));
        if !seen.iter().any(|other| other.sort() == event.sort()) {
            seen.push(event);
        }
    }
    let mut sorts: Vec<Kind> = seen.iter().map(|event| event.sort()).collect();
    sorts.sort();
    assert_eq!(sorts, Kind::ALL, "each kind at least once");
    let lines: Vec<_> = seen.iter().map(|event| format!("{} {}", event.kind(), event.payload().unwrap())).collect();
    insta::assert_snapshot!(lines.join("\n"), @r#"
    job.created {"job":"JOB-001","title":"Investigate cache","prompt":"Find out why it is slow.","kind":"research","priority":"MEDIUM","task":"TASK-001","anchor":"a:core","executor":"auto","executor_model":"opus","policy":{"min_profile":"deep"},"expected_artifacts":["docs_update"],"isolation":"worktree","meta":{"skill_max_chars":0}}
    job.claimed {"job":"JOB-001","runner_id":"r1","revision":1,"expires_at":"1970-01-01T00:03:00.000Z","capability_sha256":"49e21a2b1d7fe502579dfed8301994b2da146e6b359cf19ace2957157eaa86b1"}
    job.reclaimed {"job":"JOB-001","runner_id":"r2","revision":2,"expires_at":"1970-01-01T00:06:00.000Z","capability_sha256":"a930e81da7b01f0569342db93600c9bfb91f04f174b1cbd8405dffb9f36cd3ab","meta":{"previous_runner_id":"r1","reason":"ttl_expired"}}
    job.progress {"job":"JOB-001","revision":2,"message":"Reading","percent":5,"meta":{"branch":"fix"}}
    job.checkpoint {"job":"JOB-001","revision":2,"message":"Found it","refs":["CARD-1"],"proves":true}
    job.question {"job":"JOB-001","revision":2,"message":"Which one?"}
    job.proof_gate {"job":"JOB-001","revision":2,"message":"Nothing shows it"}
    job.error {"job":"JOB-001","revision":2,"message":"The build broke"}
    job.manager {"job":"JOB-001","message":"The first","refs":["notes@4"],"proves":true}
    job.failed {"job":"JOB-001","revision":2,"summary":"It cannot be built."}
    job.requeued {"job":"JOB-001","reason":"Once more"}
    job.canceled {"job":"JOB-001","reason":"Not wanted"}
    job.completed {"job":"JOB-001","revision":3,"summary":"It was the cache.","refs":["CARD-2","CMD: cargo test"]}
    job.applied {"job":"JOB-001","patch":"artifact://diff/3","base":"0ba5e","head":"4ead","files":2,"message":"artifact://diff/3 was applied to the workspace at 4ead: 2 files."}
    job.branched {"job":"JOB-001","patch":"artifact://diff/3","base":"0ba5e","branch":"baton/JOB-001","commit":"c0ffee","message":"The branch baton/JOB-001 has artifact://diff/3, as c0ffee."}
    "#);
}

#[test]
fn folding_the_log_twice_gives_the_same_and_other_parts_change_nothing() {
    let scene = everything();
    assert_eq!(scene.folded(), scene.folded());
    let unknown = scene.log[1..].iter().fold(Rows::<Job>::of_new_room(), |mut jobs, recorded| {
        jobs.apply(recorded);
        jobs
    });
    assert_eq!(unknown.to_vec(), [], "what happens to a job that was never created is nothing");
}

#[test]
fn an_event_tells_whom_it_concerns_and_what_it_points_to() {
    let scene = everything();
    let subjects: Vec<_> = scene.log.iter().filter_map(|recorded| recorded.event.subject().cloned()).collect();
    assert_eq!(subjects, ["r1", "r2", "r3"].map(agent), "the runners; nobody was at it when it was requeued");
    assert!(scene.log.iter().all(|recorded| recorded.event.job() == Some(JOB)));
    assert_eq!(scene.job().status, Status::Done);
}
