//! A job's row, and what becomes of it.

use baton_core::{
    claimant::Claimant,
    ids::Seq,
    job::{Claim, Executor, Job, JobId, Kind, Last, Priority, Progress, Status},
    lease::{Fence, Lease},
    part::Rows,
    task::TaskId,
    time::Ttl,
};
use baton_store::{StoreError, engine::Changes, jobs, table};
use serde_json::Map;

use super::{
    events::{every_reference, notes, routing},
    support::{
        agent, all, anchor, at, backing, claimed, digest, find, job, lineage, odd, on_two_rooms, put, read, save,
    },
};

/// A job with all that it can have.
fn full(id: u32) -> Job {
    let lease = Lease { holder: agent("bm_runner:42"), fence: Fence(i64::MAX as u64), expires_at: at(-5) };
    Job {
        id: JobId(id),
        title: odd(),
        kind: odd(),
        priority: Priority::High,
        status: Status::Running,
        task: Some(TaskId(999_999_999)),
        anchor: Some(anchor("a:core/http-api_2.x")),
        routing: routing(),
        revision: lease.fence,
        claim: Some(Claim {
            lease,
            claimant: Claimant { agent: agent("codex:9b22"), backing: backing() },
            capability: Some(digest()),
            executor: Some(Executor::ClaudeCode),
        }),
        earlier_claim_ends_at: Some(at(-9)),
        losses: u32::MAX,
        last_question: Seq(i64::MAX as u64),
        last_manager: Seq(4),
        open_gate: Some(Seq(i64::MAX as u64)),
        open_error: Some(Seq(1)),
        summary: Some(odd()),
        refs: every_reference(),
        meta: notes(),
        lineage: lineage(),
        last: Last { seq: Seq(i64::MAX as u64), kind: Kind::ProofGate, preview: odd() },
        progress: Progress { slice: Some(u32::MAX), percent: Some(100), line: Some(odd()), tokens: Some(u64::MAX) },
        created_seq: Seq(7),
        created_by: agent("codex:9b22"),
        created_at: at(-7),
        active_at: at(253_402_300_799_999),
    }
}

#[test]
fn a_job_is_read_back_with_everything_and_with_as_little_as_it_may() {
    on_two_rooms(|store, one, two| {
        assert_eq!(read(store, |tx| jobs::next_id(tx, one)), JobId(1));
        let known = [job(1), full(2), full(999_999_999)];
        put(store, one, &Rows::from_iter(known.clone()));
        assert_eq!(all(store, one), Rows::from_iter(known.clone()));
        for known in &known {
            assert_eq!(find(store, one, &known.id).as_ref(), Some(known));
        }
        assert_eq!(find::<Job>(store, one, &JobId(3)), None);
        assert_eq!(find::<Job>(store, two, &JobId(1)), None);
        let asked = [JobId(999_999_999), JobId(3), JobId(1)];
        assert_eq!(
            read(store, |tx| jobs::find_all(tx, one, &asked)),
            [known[2].clone(), known[0].clone()],
            "in the order in which they were asked for"
        );
        assert_eq!(read(store, |tx| jobs::find_all(tx, one, &[])), []);
        assert_eq!(read(store, |tx| jobs::next_id(tx, one)), JobId(1_000_000_000));
        assert_eq!(read(store, |tx| jobs::next_id(tx, two)), JobId(1));
        assert_eq!(all::<Job>(store, two), Rows::default());
    });
}

#[test]
fn every_status_priority_executor_and_kind_of_event_has_its_word() {
    on_two_rooms(|store, one, _| {
        let mut known = Vec::new();
        for (number, kind) in Kind::ALL.iter().enumerate() {
            let mut job = job(number as u32 + 1);
            job.last.kind = *kind;
            job.status = Status::ALL[number % Status::ALL.len()];
            job.priority = Priority::ALL[number % Priority::ALL.len()];
            if job.status == Status::Running {
                job = claimed(job, "r1", 9);
                job.claim.as_mut().unwrap().executor = Executor::ALL.get(number % 4).copied();
            }
            known.push(job);
        }
        let known = Rows::from_iter(known);
        put(store, one, &known);
        assert_eq!(all(store, one), known);
    });
}

#[test]
fn what_may_change_of_a_job_is_stored_and_the_other_jobs_stay_as_they_are() {
    on_two_rooms(|store, one, two| {
        let before = Rows::from_iter([job(1), full(2), job(3)]);
        for room in [one, two] {
            put(store, room, &before);
        }
        // What is fixed when a job is created stays: full(2) becomes as bare as it can, and job(1) as full.
        let richer = Job {
            id: JobId(1),
            title: job(1).title,
            kind: job(1).kind,
            priority: job(1).priority,
            task: None,
            anchor: None,
            routing: job(1).routing,
            lineage: job(1).lineage,
            created_seq: job(1).created_seq,
            created_by: job(1).created_by,
            created_at: job(1).created_at,
            ..full(1)
        };
        let barer = Job {
            id: JobId(2),
            title: odd(),
            kind: odd(),
            priority: Priority::High,
            task: full(2).task,
            anchor: full(2).anchor,
            routing: routing(),
            lineage: lineage(),
            created_seq: full(2).created_seq,
            created_by: full(2).created_by,
            created_at: full(2).created_at,
            ..job(2)
        };
        let mut after = before.clone();
        [richer, barer, job(4)].into_iter().for_each(|job| after.put(job));
        save(store, one, &after).unwrap();
        assert_eq!(all(store, one), after);
        assert_eq!(all(store, two), before);
    });
}

#[test]
fn renewing_a_claim_moves_its_end_and_touches_nothing_else() {
    on_two_rooms(|store, one, two| {
        let before = Rows::from_iter([full(1), full(2)]);
        for room in [one, two] {
            put(store, room, &before);
        }
        // It is a heartbeat: whatever else a caller has in hand is not the store's business.
        let in_hand = Rows::from_iter([Job { summary: None, meta: Map::new(), ..full(1) }]);
        let renewed = [before.clone(), in_hand].map(|mut rows| {
            rows.change(&JobId(1), |job| job.renew(at(100), Ttl::from_millis(5)));
            rows
        });
        let [after, in_hand] = renewed;
        save(store, one, &in_hand).unwrap();
        assert_eq!(all(store, one), after);
        let found = find::<Job>(store, one, &JobId(1)).unwrap();
        assert_eq!(found.claim.unwrap().lease.expires_at, at(105));
        assert_eq!(found.active_at, at(100));
        assert_eq!(all(store, two), before);
    });
}

#[test]
fn a_claim_is_not_renewed_under_an_old_revision() {
    on_two_rooms(|store, one, _| {
        let old = claimed(job(1), "r1", 50);
        let mut renewed = Rows::from_iter([old.clone()]);
        put(store, one, &renewed);
        let mut now = renewed.clone();
        now.put(Job { last: Last { seq: Seq(9), ..old.last.clone() }, ..claimed(old, "r2", 60) });
        save(store, one, &now).unwrap();
        renewed.change(&JobId(1), |job| job.renew(at(100), Ttl::from_millis(5)));
        let refused = save(store, one, &renewed).unwrap_err();
        assert!(matches!(refused, StoreError::BadRow { table: "jobs", .. }), "{refused}");
        assert_eq!(all(store, one), now);
    });
}

#[test]
fn a_job_that_is_not_there_is_not_changed_and_a_number_is_not_given_twice() {
    on_two_rooms(|store, one, two| {
        let before = Rows::from_iter([job(1)]);
        put(store, one, &before);
        let mut after = before.clone();
        after.change(&JobId(1), |job| job.last.seq = Seq(9));
        let lost = save(store, two, &after).unwrap_err();
        assert!(matches!(lost, StoreError::BadRow { table: "jobs", .. }), "{lost}");
        let mut again = Rows::default();
        after.into_iter().for_each(|job| again.put(job));
        assert!(save(store, one, &again).is_err());
        assert_eq!(all(store, one), before);
        assert_eq!(all::<Job>(store, two), Rows::default());
    });
}

#[test]
fn a_status_that_is_no_word_is_refused_by_the_database() {
    on_two_rooms(|store, one, _| {
        let known = Rows::from_iter([job(1)]);
        put(store, one, &known);
        let wrong = store.write::<_, StoreError>(|tx| tx.execute("UPDATE jobs SET status = 'LOST'", &[], Changes::Any));
        assert!(wrong.is_err());
        assert_eq!(all(store, one), known);
    });
}

#[test]
fn a_row_that_makes_no_sense_is_named() {
    on_two_rooms(|store, one, _| {
        for wrong in [
            "UPDATE jobs SET priority = 3",
            "UPDATE jobs SET last_kind = 'lost'",
            "UPDATE jobs SET routing = '{}'",
            "UPDATE jobs SET refs = 'x'",
            "UPDATE jobs SET number = 4294967296",
            "UPDATE jobs SET task = 4294967297",
            "UPDATE jobs SET task = -1",
            "UPDATE jobs SET anchor = 'core'",
            "UPDATE jobs SET claim_executor = 'vim'",
            "UPDATE jobs SET claim_process = '{}'",
            "UPDATE jobs SET claim_expires_at_ms = NULL",
        ] {
            let refused: Result<(), StoreError> = store.write(|tx| {
                table::insert(tx, one, [&full(1)])?;
                tx.execute(wrong, &[], Changes::Any)?;
                table::all::<Job>(tx, one).map(drop)
            });
            let refused = refused.expect_err(wrong);
            assert!(matches!(refused, StoreError::BadRow { table: "jobs", .. }), "{wrong}: {refused}");
        }
        assert_eq!(all::<Job>(store, one), Rows::default(), "none of it was kept");
    });
}
