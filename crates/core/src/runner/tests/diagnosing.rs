//! What does not fit between what runners say and what jobs are.

use super::{agent, at, runner};
use crate::{
    event::Recorded,
    ids::Seq,
    job::{Choice, Claiming, Draft, Event, Force, Isolation, Job, JobId, Priority, Routing},
    lease::Fence,
    part::Rows,
    process::{Liveness, ProcessIdentity},
    runner::{Phase, Runner, diagnose},
    time::Ttl,
};

/// A job that is queued or, by `runner`, claimed for so many milliseconds.
pub(super) fn job(number: u32, claimed: Option<(&str, u64)>) -> Job {
    let routing = Routing {
        executor: Choice::Codex,
        executor_profile: None,
        executor_model: None,
        policy: None,
        expected_artifacts: Vec::new(),
        isolation: Isolation::Workspace,
    };
    let draft = Draft {
        title: "Investigate cache".to_owned(),
        prompt: "Find out why it is slow.".to_owned(),
        kind: "research".to_owned(),
        priority: Priority::Medium,
        task: None,
        anchor: None,
        routing,
        meta: serde_json::Map::new(),
        lineage: crate::job::Lineage::default(),
    };
    let mut jobs = Rows::<Job>::of_new_room();
    let mut record = |event: Event| {
        let (room_id, actor) = ("room_test".parse().unwrap(), agent("boss"));
        jobs.apply(&Recorded {
            overridden: false,
            room_id,
            seq: Seq(1),
            at: at(0),
            actor,
            turn: Fence(0),
            event: event.into(),
        });
        jobs.get(&JobId(number)).unwrap().clone()
    };
    let queued = record(draft.create(JobId(number)).unwrap());
    let Some((name, millis)) = claimed else { return queued };
    let ttl = Ttl::from_millis(millis);
    let claiming = Claiming {
        runner: agent(name),
        ttl,
        executor: None,
        allow_stale: false,
        force: Force::No,
        backing: Default::default(),
        capability_sha256: None,
    };
    record(queued.claim(at(0), &claiming, &|_: &ProcessIdentity| Liveness::Unknown).unwrap())
}

fn live(name: &str, active: &[u32]) -> Runner {
    runner(name, Phase::Live, active)
}

/// What is said at a millisecond. Runners' leases run out at 20,000.
fn said(millis: i64, runners: &[Runner], jobs: &[Job]) -> String {
    let lines: Vec<_> = diagnose(at(millis), runners, jobs).iter().map(|diagnosis| diagnosis.line()).collect();
    let mut turned = runners.to_vec();
    turned.reverse();
    let again: Vec<_> = diagnose(at(millis), &turned, jobs).iter().map(|diagnosis| diagnosis.line()).collect();
    assert_eq!(lines, again, "in any order");
    lines.join("\n")
}

const LONG: u64 = 300_000;

#[test]
fn nothing_is_said_of_runners_that_do_what_they_say() {
    let runners = [live("r1", &[1]), live("r2", &[2, 3]), runner("r3", Phase::Idle, &[])];
    let jobs = [job(1, Some(("r1", LONG))), job(2, Some(("r2", LONG))), job(3, Some(("r2", LONG))), job(4, None)];
    assert_eq!(said(0, &runners, &jobs), "");
}

#[test]
fn live_without_a_job() {
    insta::assert_snapshot!(said(0, &[live("r1", &[])], &[]), @"! diag live_missing_active_job runner=r1 | open id=runner:r1");
}

#[test]
fn idle_with_a_job() {
    let jobs = [job(1, Some(("r1", LONG)))];
    insta::assert_snapshot!(said(0, &[runner("r1", Phase::Idle, &[1])], &jobs), @"! diag idle_has_active_job runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001");
}

#[test]
fn at_a_job_that_does_not_exist() {
    insta::assert_snapshot!(said(0, &[live("r1", &[7])], &[]), @"! diag active_job_unknown runner=r1 job=JOB-007 | open id=runner:r1 | open id=JOB-007");
}

#[test]
fn at_a_job_that_nobody_claimed() {
    insta::assert_snapshot!(said(0, &[live("r1", &[1])], &[job(1, None)]), @"! diag active_job_not_running runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001");
}

#[test]
fn at_a_job_of_another_runner() {
    insta::assert_snapshot!(said(0, &[live("r1", &[1]), live("r2", &[2])], &[job(1, Some(("r2", LONG))), job(2, Some(("r2", LONG)))]), @"! diag job_runner_mismatch runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001");
}

#[test]
fn at_a_job_whose_claim_ran_out_in_this_millisecond() {
    let jobs = [job(1, Some(("r1", 5000)))];
    assert_eq!(said(4999, &[live("r1", &[1])], &jobs), "");
    insta::assert_snapshot!(said(5000, &[live("r1", &[1])], &jobs), @"~ diag job_claim_expired runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001");
}

#[test]
fn two_at_the_same_job() {
    let jobs = [job(1, Some(("r1", LONG)))];
    insta::assert_snapshot!(said(0, &[live("r1", &[1]), live("r2", &[1])], &jobs), @r"
    ! diag duplicate_active_job runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001
    ! diag duplicate_active_job runner=r2 job=JOB-001 | open id=runner:r2 | open id=JOB-001
    ");
}

#[test]
fn a_claim_in_force_of_a_runner_that_is_gone() {
    let jobs = [job(1, Some(("r1", LONG)))];
    insta::assert_snapshot!(said(20_000, &[live("r1", &[1])], &jobs), @"! diag job_runner_offline runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001");
    let late = LONG as i64;
    assert_eq!(said(late, &[live("r1", &[1])], &jobs), "", "then the job is stale, and its row says so");
}

#[test]
fn a_runner_that_is_gone_is_judged_by_its_claims_and_not_by_what_it_last_said() {
    let jobs = [job(2, Some(("r1", LONG))), job(1, Some(("r1", LONG))), job(3, Some(("r2", LONG))), job(4, None)];
    let fell_silent_after_claiming = [runner("r1", Phase::Idle, &[])];
    insta::assert_snapshot!(said(20_000, &fell_silent_after_claiming, &jobs), @r"
    ! diag job_runner_offline runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001
    ! diag job_runner_offline runner=r1 job=JOB-002 | open id=runner:r1 | open id=JOB-002
    ");
    let was_at_others = [live("r1", &[3, 4, 9])];
    assert_eq!(said(20_000, &was_at_others, &jobs), said(20_000, &fell_silent_after_claiming, &jobs));
}

#[test]
fn who_is_gone_is_no_second_runner_at_a_job() {
    let mut gone = live("r1", &[1]);
    gone.lease_expires_at = at(10);
    assert_eq!(said(10, &[gone, live("r2", &[1])], &[job(1, Some(("r2", LONG)))]), "");
}

#[test]
fn several_things_are_said_in_the_order_of_runners() {
    let runners = [live("r3", &[]), runner("r2", Phase::Idle, &[1]), live("r1", &[9, 1])];
    insta::assert_snapshot!(said(0, &runners, &[job(1, Some(("r1", LONG)))]), @r"
    ! diag active_job_unknown runner=r1 job=JOB-009 | open id=runner:r1 | open id=JOB-009
    ! diag duplicate_active_job runner=r1 job=JOB-001 | open id=runner:r1 | open id=JOB-001
    ! diag idle_has_active_job runner=r2 job=JOB-001 | open id=runner:r2 | open id=JOB-001
    ! diag duplicate_active_job runner=r2 job=JOB-001 | open id=runner:r2 | open id=JOB-001
    ! diag live_missing_active_job runner=r3 | open id=runner:r3
    ");
}
