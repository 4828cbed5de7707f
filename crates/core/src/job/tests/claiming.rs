//! Who may be at a job, and who may not any more.

use serde_json::json;

use super::{
    acts::{
        Act, cancel, checkpoint, claim, claim_by_force, claim_stale, done, failed, heartbeat, progress, question,
        report, requeue, say, shown,
    },
    scene::{JOB, Scene, agent, secs},
};
use crate::{
    claimant::{Backing, Claimant},
    code::ErrorCode,
    job::{Claiming, Event, Executor, Force, ReportKind, Status, clamp},
    lease::Fence,
    limits,
    process::ProcessIdentity,
    time::{Timestamp, Ttl},
};

#[test]
fn a_queued_job_is_claimed_and_each_claim_has_the_next_revision() {
    let told = Scene::with_job().play(&[
        (0, claim("r1")),
        (5, requeue("Again")),
        (6, claim("r2")),
        (7, requeue("And again")),
        (8, claim("r1")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t0: claimed by r1 -> RUNNING #1 by r1 until t180
    t5: requeued "Again" -> QUEUED #1
    t6: claimed by r2 -> RUNNING #2 by r2 until t186
    t7: requeued "And again" -> QUEUED #2
    t8: claimed by r1 -> RUNNING #3 by r1 until t188
    "#);
}

#[test]
fn a_job_is_given_back_under_the_claim_in_force_only() {
    let mut scene = Scene::running();
    let given = scene.job().give_back(&shown("r1", 1), "r1 ends").unwrap();
    assert!(matches!(given, Some(Event::Requeued(_))), "{given:?}");
    // Past its time it is still its runner's, until somebody takes over; then it is not, and never after its end.
    assert!(scene.at(500).job().give_back(&shown("r1", 1), "r1 ends").is_ok());
    scene.act(JOB, &claim_stale("r2")).unwrap();
    let refusal = scene.job().give_back(&shown("r1", 1), "r1 ends").unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::Conflict);
    scene.act(JOB, &done("r2", 2)).unwrap();
    for (runner, revision) in [("r1", 1), ("r2", 2)] {
        let refusal = scene.job().give_back(&shown(runner, revision), "It ends").unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::Conflict);
    }
    assert_eq!(scene.job().status, Status::Done);
}

#[test]
fn a_claim_is_a_token_of_runner_and_revision_and_says_with_what() {
    let mut scene = Scene::with_job();
    let Act::Claim(claiming) = claim("r1") else { unreachable!() };
    let with = Claiming { executor: Some(Executor::ClaudeCode), ..claiming };
    let claimed = scene.at(3).act(JOB, &Act::Claim(with)).unwrap().unwrap();
    insta::assert_snapshot!(claimed.payload().unwrap(), @r#"{"job":"JOB-001","runner_id":"r1","revision":1,"expires_at":"1970-01-01T00:03:03.000Z","executor":"claude_code","capability_sha256":"49e21a2b1d7fe502579dfed8301994b2da146e6b359cf19ace2957157eaa86b1"}"#);
    let held = scene.job().claim.clone().unwrap();
    assert_eq!((held.lease.holder, held.lease.fence), (agent("r1"), Fence(1)));
    assert_eq!((held.claimant, held.executor), (agent("r1").into(), Some(Executor::ClaudeCode)));
}

#[test]
fn a_held_claim_is_refused_naming_who_has_it_and_until_when() {
    let mut scene = Scene::running();
    let refusal = scene.at(179).act(JOB, &claim_stale("r2")).unwrap_err();
    insta::assert_snapshot!(refusal, @"JOB-001 is claimed by r1 (revision 1) until 1970-01-01T00:03:00.000Z.");
    assert_eq!(refusal.code(), ErrorCode::Conflict);
    insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"job":"JOB-001","runner_id":"r1","revision":1,"claim_expires_at":"1970-01-01T00:03:00.000Z"}"#);
    insta::assert_snapshot!(refusal.next().unwrap(), @"Leave JOB-001 to its runner, or claim another job.");
    assert!(scene.act(JOB, &claim("r1")).is_err(), "not even its own runner gets it twice");
}

#[test]
fn an_expired_claim_is_taken_only_by_whoever_says_that_stale_ones_are_welcome() {
    let mut scene = Scene::running();
    assert!(scene.at_ms(179_999).act(JOB, &claim_stale("r2")).is_err(), "a millisecond before it runs out");
    let refusal = scene.at_ms(180_000).act(JOB, &claim("r2")).unwrap_err();
    insta::assert_snapshot!(refusal, @"JOB-001 is RUNNING, and the claim of r1 ran out at 1970-01-01T00:03:00.000Z.");
    insta::assert_snapshot!(refusal.next().unwrap(), @"Claim JOB-001 again with allow_stale: true.");
    assert_eq!(refusal.code(), ErrorCode::Conflict);
    assert!(scene.act(JOB, &claim_stale("r2")).is_ok(), "in the millisecond in which it runs out");
}

#[test]
fn a_reclaim_says_from_whom_and_why_as_the_contract_writes_it() {
    let reclaimed = |at: i64, act: Act| match Scene::running().at(at).act(JOB, &act).unwrap().unwrap() {
        Event::Reclaimed(reclaimed) => serde_json::to_value(reclaimed).unwrap(),
        event => panic!("{event:?}"),
    };
    let event = reclaimed(180, claim_stale("r2"));
    assert_eq!(event["meta"], json!({ "previous_runner_id": "r1", "reason": "ttl_expired" }));
    insta::assert_snapshot!(event, @r#"{"job":"JOB-001","runner_id":"r2","revision":2,"expires_at":"1970-01-01T00:06:00.000Z","capability_sha256":"a930e81da7b01f0569342db93600c9bfb91f04f174b1cbd8405dffb9f36cd3ab","meta":{"previous_runner_id":"r1","reason":"ttl_expired"}}"#);
    let manual = reclaimed(10, claim_by_force("r2", Force::Manual));
    assert_eq!(manual["meta"], json!({ "previous_runner_id": "r1", "reason": "manual" }));
    let conflict = reclaimed(10, claim_by_force("r2", Force::Conflict));
    assert_eq!(conflict["meta"], json!({ "previous_runner_id": "r1", "reason": "conflict_resolved" }));
    let late = reclaimed(200, claim_by_force("r2", Force::Manual));
    assert_eq!(late["meta"]["reason"], "manual", "nobody said that stale ones are welcome: it was decided");
    let Act::Claim(claiming) = claim_by_force("r2", Force::Manual) else { unreachable!() };
    let both = reclaimed(200, Act::Claim(Claiming { allow_stale: true, ..claiming }));
    assert_eq!(both["meta"]["reason"], "ttl_expired", "what the lease allows needs no force");
}

#[test]
fn an_expired_claim_can_still_be_renewed_until_somebody_took_it_over() {
    let told = Scene::running().play(&[
        (500, heartbeat("r1", 1)),
        (1000, progress("r1", 1, "Still here")),
        (1179, claim_stale("r2")),
        (1180, claim_stale("r2")),
        (1181, heartbeat("r1", 1)),
    ]);
    insta::assert_snapshot!(told, @r#"
    t500: no event -> RUNNING #1 by r1 until t680
    t1000: progress "Still here" -> RUNNING #1 by r1 until t1180
    t1179: CONFLICT: JOB-001 is claimed by r1 (revision 1) until 1970-01-01T00:19:40.000Z.
    t1180: reclaimed by r2 from r1, ttl_expired -> RUNNING #2 by r2 until t1360
    t1181: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is RUNNING under (r2, 2).
    "#);
}

#[test]
fn an_expired_claim_can_still_complete_until_somebody_took_it_over() {
    insta::assert_snapshot!(Scene::running().play(&[(9999, done("r1", 1))]), @r#"t9999: completed "It was the cache." -> DONE #1"#);
}

#[test]
fn a_zombie_writes_nothing_after_its_job_was_reclaimed() {
    let mut scene = Scene::running();
    scene.at(180).act(JOB, &claim_stale("r2")).unwrap();
    let events = scene.log.len();
    for kind in ReportKind::ALL {
        let refusal = scene.act(JOB, &report(*kind, "r1", 1, "I am back")).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::Conflict, "{kind}");
    }
    assert_eq!(scene.act(JOB, &done("r1", 1)).unwrap_err().code(), ErrorCode::Conflict);
    // An artifact, a card or anything else that is kept under a claim asks this.
    let refusal = scene.job().require_claim(&shown("r1", 1)).unwrap_err();
    insta::assert_snapshot!(refusal, @"The claim (r1, 1) on JOB-001 is over: it is RUNNING under (r2, 2).");
    insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"job":"JOB-001","shown_runner_id":"r1","shown_revision":1,"status":"RUNNING","runner_id":"r2","revision":2}"#);
    insta::assert_snapshot!(refusal.next().unwrap(), @"Stop working on JOB-001: whatever you still report is refused. Claim it anew if it is free.");
    assert_eq!(scene.log.len(), events);
    assert!(scene.job().require_claim(&shown("r2", 2)).is_ok());
}

#[test]
fn a_zombie_of_the_same_name_is_told_by_its_revision() {
    let told = Scene::running().play(&[
        (180, claim_stale("r1")),
        (181, progress("r1", 1, "From the one that hung")),
        (182, progress("r1", 2, "From the one that was started anew")),
        (183, progress("r1", 3, "From nobody")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t180: reclaimed by r1 from r1, ttl_expired -> RUNNING #2 by r1 until t360
    t181: CONFLICT: The claim (r1, 1) on JOB-001 is over: it is RUNNING under (r1, 2).
    t182: progress "From the one that was started anew" -> RUNNING #2 by r1 until t362
    t183: CONFLICT: The claim (r1, 3) on JOB-001 is over: it is RUNNING under (r1, 2).
    "#);
}

#[test]
fn a_claim_is_shown_only_by_whoever_made_it_or_by_the_jobs_own_agent() {
    let told = Scene::running().play(&[
        (1, progress("r1", 1, "Not mine").shown_by(agent("codex:9b22"), None)),
        (2, done("r1", 1).shown_by(agent("codex:9b22"), None)),
        (3, question("r1", 1, "Which one?").shown_by(agent("codex:9b22"), Some("r1"))),
        (4, done("r1", 1).shown_by(agent("codex:9b22"), Some("r1"))),
        (5, progress("r1", 0, "An older slice").shown_by(agent("codex:9b22"), Some("r1"))),
        (6, progress("r1", 1, "A guess").shown_by(agent("codex:9b22"), Some("r2"))),
    ]);
    insta::assert_snapshot!(told, @r#"
    t1: PRECONDITION_FAILED: The claim on JOB-001 was made by r1, and only they may show it.
    t2: PRECONDITION_FAILED: The claim on JOB-001 was made by r1, and only they may show it.
    t3: question "Which one?" -> RUNNING #1 by r1 until t183 ?
    t4: PRECONDITION_FAILED: JOB-001 is the caller's own job: its runner ends it, once the answer has come.
    t5: CONFLICT: The claim (r1, 0) on JOB-001 is over: it is RUNNING under (r1, 1).
    t6: FORBIDDEN: The capability that was shown for JOB-001 is not the one of its claim 1.
    "#);
}

#[test]
fn a_capability_dies_with_its_claim() {
    let spoken = |revision| progress("r1", revision, "I am back").shown_by(agent("codex:9b22"), Some("r1"));
    for end in
        [claim_by_force("r2", Force::Manual), requeue("Again"), cancel("Not wanted"), done("r1", 1), failed("r1", 1)]
    {
        let mut scene = Scene::running();
        scene.at(1).act(JOB, &spoken(1)).unwrap();
        scene.act(JOB, &end).unwrap();
        assert_eq!(scene.act(JOB, &spoken(1)).unwrap_err().code(), ErrorCode::Conflict, "{end:?}");
    }
    let mut scene = Scene::running();
    scene.at(999).act(JOB, &spoken(1)).expect("a claim that only ran out is in force until somebody takes over");
    scene.at(9999).act(JOB, &claim_stale("r2")).unwrap();
    assert_eq!(scene.act(JOB, &spoken(1)).unwrap_err().code(), ErrorCode::Conflict);
    let new = |secret_of| progress("r2", 2, "As the next agent").shown_by(agent("codex:9b22"), Some(secret_of));
    assert_eq!(scene.act(JOB, &new("r1")).unwrap_err().code(), ErrorCode::Forbidden, "the secret of the claim before");
    scene.act(JOB, &new("r2")).unwrap();
}

#[test]
fn a_claim_of_an_earlier_version_has_no_capability_and_nobody_is_its_agent() {
    let mut scene = Scene::with_job();
    let stored = r#"{"job":"JOB-001","runner_id":"r1","revision":1,"expires_at":"1970-01-01T00:03:00.000Z"}"#;
    let crate::event::Event::Job(event) = crate::event::Event::read("job.claimed", stored).unwrap() else { panic!() };
    scene.record(agent("r1"), event);
    let refusal = scene.act(JOB, &progress("r1", 1, "Hello").shown_by(agent("x"), Some("r1"))).unwrap_err();
    assert_eq!(refusal.code(), ErrorCode::Forbidden);
    scene.act(JOB, &progress("r1", 1, "From its claimant")).unwrap();
}

#[test]
fn another_process_of_the_claimant_is_refused_with_the_process_that_made_the_claim() {
    let process = |pid| ProcessIdentity {
        host_id: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid,
        start_ticks: 7,
        pidfd_inode: None,
        process_started_at: Timestamp::default(),
        keeps: None,
    };
    let by =
        |pid| Claimant { agent: agent("r1"), backing: Backing { process: Some(Box::new(process(pid))), via: None } };
    let mut scene = Scene::with_job();
    let Act::Claim(claiming) = claim("r1") else { unreachable!() };
    let claimed = scene.act(JOB, &Act::Claim(Claiming { backing: by(4711).backing, ..claiming })).unwrap().unwrap();
    insta::assert_snapshot!(claimed.payload().unwrap(), @r#"{"job":"JOB-001","runner_id":"r1","revision":1,"expires_at":"1970-01-01T00:03:00.000Z","process":{"host_id":"host","boot_id":"boot","pid_namespace":1,"pid":4711,"start_ticks":7,"process_started_at":"1970-01-01T00:00:00.000Z"},"capability_sha256":"49e21a2b1d7fe502579dfed8301994b2da146e6b359cf19ace2957157eaa86b1"}"#);
    scene.act(JOB, &progress("r1", 1, "Mine").shown_by(by(4711), None)).unwrap();
    for act in [progress("r1", 1, "Not mine"), heartbeat("r1", 1), done("r1", 1)] {
        let refusal = scene.act(JOB, &act.clone().shown_by(by(4712), None)).unwrap_err();
        insta::allow_duplicates! {
            insta::assert_snapshot!(refusal, @"The claim on JOB-001 was made by r1 (process 4711), and only they may show it.");
            insta::assert_snapshot!(serde_json::to_string(&refusal).unwrap(), @r#"{"job":"JOB-001","claimant":"r1","pid":4711}"#);
            insta::assert_snapshot!(refusal.next().unwrap(), @"Leave JOB-001 to them, or claim it yourself once it is free.");
        }
        assert!(scene.act(JOB, &act.shown_by(agent("r1"), None)).is_err(), "nothing is known of the caller");
    }
    assert_eq!(scene.log.len(), 3);
}

#[test]
fn a_job_that_is_over_cannot_be_claimed_not_even_by_force() {
    for end in [done("r1", 1), failed("r1", 1), cancel("Not wanted")] {
        let mut scene = Scene::running();
        scene.act(JOB, &end).unwrap();
        for claim in [claim("r2"), claim_stale("r2"), claim_by_force("r2", Force::Manual)] {
            let refusal = scene.at(9999).act(JOB, &claim).unwrap_err();
            assert_eq!(refusal.code(), ErrorCode::PreconditionFailed);
            let status = scene.job().status;
            let expected = format!("JOB-001 is {status}: it is over; requeue it to have it done again.");
            assert_eq!(refusal.to_string(), expected);
        }
    }
}

#[test]
fn a_lease_is_brought_within_one_and_three_hundred_seconds() {
    assert_eq!((limits::CLAIM_TTL, limits::RUNNER_TTL), (secs(180), secs(20)), "unless asked otherwise");
    assert_eq!(clamp(None, limits::CLAIM_TTL), secs(180));
    assert_eq!(clamp(None, limits::RUNNER_TTL), secs(20));
    for (asked_ms, given_ms) in [
        (0, 1000),
        (999, 1000),
        (1000, 1000),
        (1001, 1001),
        (300_000, 300_000),
        (300_001, 300_000),
        (u64::MAX, 300_000),
    ] {
        assert_eq!(clamp(Some(asked_ms), limits::CLAIM_TTL), Ttl::from_millis(given_ms), "{asked_ms}");
    }
}

/// Reclaims the job so many times, each time from a runner whose claim ran out.
fn lose(scene: &mut Scene, times: u64) {
    for _ in 0..times {
        let later = scene.now.plus(limits::CLAIM_TTL);
        scene.now = later;
        scene.act(JOB, &claim_stale("r2")).unwrap();
    }
}

#[test]
fn a_job_that_loses_its_runner_nine_times_in_a_row_has_failed() {
    let mut scene = Scene::running();
    lose(&mut scene, 8);
    assert_eq!((scene.job().status, scene.job().revision), (Status::Running, Fence(9)));
    lose(&mut scene, 1);
    let job = scene.job();
    assert_eq!((job.status, job.revision, &job.claim), (Status::Failed, Fence(9), &None), "nobody got it");
    insta::assert_snapshot!(job.summary.as_ref().unwrap(), @"Lost its runner 9 times in a row, last r2. Requeue it to try again.");
    scene.act(JOB, &requeue("The machine was mended")).unwrap();
    scene.act(JOB, &claim("r1")).unwrap();
    lose(&mut scene, 8);
    assert_eq!(scene.job().status, Status::Running, "it is counted anew");
}

#[test]
fn what_was_reached_in_between_means_that_losses_are_not_in_a_row() {
    let mut scene = Scene::running();
    lose(&mut scene, 8);
    scene.act(JOB, &progress("r2", 9, "Still at it")).unwrap();
    assert_eq!(scene.job().losses, 8, "anybody can say that");
    scene.act(JOB, &checkpoint("r2", 9, "Half of it works")).unwrap();
    lose(&mut scene, 8);
    assert_eq!((scene.job().status, scene.job().revision), (Status::Running, Fence(17)));
}

#[test]
fn a_job_that_is_taken_from_its_runner_on_purpose_was_not_lost() {
    let mut scene = Scene::running();
    for force in [Force::Manual, Force::Conflict].repeat(5) {
        scene.act(JOB, &claim_by_force("r2", force)).unwrap();
    }
    assert_eq!((scene.job().losses, scene.job().revision), (0, Fence(11)));
    lose(&mut scene, 3);
    scene.act(JOB, &claim_by_force("r3", Force::Manual)).unwrap();
    assert_eq!(scene.job().losses, 3, "nor does that make up for losses");
}

#[test]
fn a_claim_leaves_what_was_asked_and_what_went_wrong_as_it_was() {
    let told = Scene::running().play(&[
        (1, question("r1", 1, "Which one?")),
        (200, claim_stale("r2")),
        (201, say("The first")),
    ]);
    insta::assert_snapshot!(told, @r#"
    t1: question "Which one?" -> RUNNING #1 by r1 until t181 ?
    t200: reclaimed by r2 from r1, ttl_expired -> RUNNING #2 by r2 until t380 ?
    t201: manager "The first" -> RUNNING #2 by r2 until t380
    "#);
}

/// A claim that is made by a process.
fn claim_from(runner: &str, pid: u32) -> Act {
    let Act::Claim(claiming) = claim_stale(runner) else { unreachable!() };
    let process = ProcessIdentity {
        host_id: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid,
        start_ticks: 7,
        pidfd_inode: None,
        process_started_at: Timestamp::default(),
        keeps: None,
    };
    Act::Claim(Claiming { backing: Backing { process: Some(Box::new(process)), via: None }, ..claiming })
}

#[test]
fn a_claim_whose_process_is_proven_gone_is_taken_at_once_with_the_proof_and_counts_as_a_loss() {
    let mut scene = Scene::with_job();
    scene.act(JOB, &claim_from("r1", 1)).unwrap();
    assert!(scene.at(1).act(JOB, &claim_from("r2", 2)).is_err(), "its process is seen to live");
    scene.gone = vec![1];
    let refusal = scene.act(JOB, &claim("r2")).unwrap_err();
    assert_eq!(refusal.next().unwrap(), "Claim JOB-001 again with allow_stale: true.");
    let Some(Event::Reclaimed(reclaimed)) = scene.act(JOB, &claim_from("r2", 2)).unwrap() else { unreachable!() };
    let meta = json!({ "previous_runner_id": "r1", "reason": "runner_gone", "proof": "exited" });
    assert_eq!(serde_json::to_value(&reclaimed).unwrap()["meta"], meta);
    assert_eq!((scene.job().losses, scene.job().revision), (1, Fence(2)));
    // Its minder ends its program with it: nobody waits for the end that the claim would have had.
    assert_eq!(scene.job().start_after(scene.now), Some(limits::PROGRAM_GRACE));
    for pid in 2..=9 {
        scene.gone.push(pid);
        scene.act(JOB, &claim_from("r1", pid + 1)).unwrap();
    }
    assert_eq!(scene.job().status, Status::Failed, "losses of this kind are counted, too");
}

#[test]
fn no_program_starts_before_the_end_of_a_claim_that_was_taken_away_and_its_grace() {
    let grace = limits::PROGRAM_GRACE.as_millis();
    let after = |acts: &[(i64, Act)]| {
        let mut scene = Scene::running();
        for (secs, act) in acts {
            scene.at(*secs).act(JOB, act).unwrap();
        }
        scene.job().start_after(scene.now).map(Ttl::as_millis)
    };
    assert_eq!(after(&[(180, claim_stale("r2"))]), Some(grace), "it ran out a moment ago");
    assert_eq!(after(&[(183, claim_stale("r2"))]), Some(grace - 3_000));
    assert_eq!(after(&[(185, claim_stale("r2"))]), None, "it ran out long enough ago");
    let until_end = Some(170_000 + grace);
    assert_eq!(after(&[(10, claim_by_force("r2", Force::Manual))]), until_end, "its runner may not have heard of it");
    assert_eq!(after(&[(5, requeue("Again")), (10, claim("r2"))]), until_end);
    assert_eq!(after(&[(5, cancel("No")), (6, requeue("Yes")), (10, claim("r2"))]), until_end);
    // A runner that ends its job has ended its program before.
    assert_eq!(after(&[(5, done("r1", 1)), (6, requeue("Better")), (10, claim("r2"))]), None);
    // The next claimant may never have begun: the first claim counts on.
    let force = claim_by_force("r2", Force::Manual);
    assert_eq!(after(&[(2, force), (3, done("r2", 2)), (4, requeue("Again")), (10, claim("r3"))]), until_end);
}

#[test]
fn a_report_never_moves_the_end_of_a_claim_forward() {
    let mut scene = Scene::running();
    let mut ends = |ttl| {
        scene.jobs.change(&JOB, |job| job.renew(Timestamp::from_millis(10_000), ttl));
        scene.job().claim.as_ref().unwrap().lease.expires_at
    };
    assert_eq!(ends(secs(1)), Timestamp::from_millis(180_000));
    assert_eq!(ends(secs(180)), Timestamp::from_millis(190_000));
}
