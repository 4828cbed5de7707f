//! The radar: what the store reads in the order of its indexes is what the rules would put first.

use std::cmp::Reverse;

use baton_core::{
    ids::{RoomId, Seq},
    job::{Job, Last, Marker, Status},
    part::Rows,
    time::Timestamp,
};
use baton_store::{Store, jobs};
use baton_testkit::{Backend, Place, Scribe};
use proptest::{collection::vec, prelude::*, sample::select};

use super::support::{at, claimed, in_order, job, numbers, on_two_rooms, put, read, save};

/// What is told of a job: its status, when its claim ends, and what it wants.
type Told = (Status, i64, bool, bool, u64, u64);

fn told() -> impl Strategy<Value = Told> {
    (select(Status::ALL), 0..6_i64, any::<bool>(), prop::bool::weighted(0.3), 0..3_u64, 0..3_u64)
}

/// The jobs that were told of. Each has its last event at a place of its own, in another order than that of their numbers.
fn made(told: &[Told]) -> Rows<Job> {
    let count = told.len() as u64;
    let all = told.iter().enumerate().map(|(number, (status, end, is_broken, is_gated, asked, answered))| {
        let mut job = Job {
            status: *status,
            open_error: place(*is_broken),
            open_gate: place(*is_gated),
            ..job(number as u32 + 1)
        };
        job.last.seq = Seq(10 + (number as u64 * 7) % (count * 8));
        (job.last_question, job.last_manager) = (Seq(*asked), Seq(*answered));
        if *status == Status::Running { claimed(job, "r1", *end) } else { job }
    });
    in_order(all.collect())
}

fn place(is_open: bool) -> Option<Seq> {
    is_open.then_some(Seq(1))
}

/// The radar as the rules have it: whatever is active, in its order. What is stale stands by when its claim ended, since the
/// store finds it by that.
fn expected(all: &Rows<Job>, now: Timestamp) -> Vec<u32> {
    let mut active: Vec<&Job> = all.iter().filter(|job| job.status.is_active()).collect();
    let tier = |job: &Job| job.marker(now).map_or(u8::MAX, Marker::rank);
    let ended = |job: &Job| match job.marker(now) {
        Some(Marker::Stale) => job.claim.as_ref().map(|claim| (claim.lease.expires_at, job.id)),
        Some(Marker::Error | Marker::Question | Marker::Proof) | None => None,
    };
    active.sort_by_key(|job| (tier(job), Reverse(ended(job)), job.radar_order(now)));
    active.iter().map(|job| job.id.0).collect()
}

fn seen(store: &Store, room: &RoomId, now: Timestamp, limit: u32) -> Vec<u32> {
    numbers(&read(store, |tx| jobs::radar(tx, room, now, limit)))
}

/// Whatever becomes of jobs, the radar of each engine is the one that the rules give.
fn is_as_the_rules_say(backend: Backend, cases: u32) {
    let place = Place::new(backend);
    let store = place.open();
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let count = std::cell::Cell::new(0);
    let checked = runner.run(&(vec(told(), 1..24), vec(told(), 24)), |(first, then)| {
        count.set(count.get() + 1);
        let room = Scribe::new("ana").opens(&store, &format!("room_{}", count.get()), &format!("/{}", count.get())).id;
        let before = made(&first);
        put(&store, &room, &before);
        let mut after = before.clone();
        for job in made(&then[..first.len()]) {
            let last = Last { seq: Seq(before.get(&job.id).unwrap().last.seq.0 + 1000), ..job.last };
            after.put(Job { last, ..job });
        }
        for all in [&before, &after] {
            save(&store, &room, all).unwrap();
            for now in [-1, 0, 3, 6] {
                let whole = expected(all, at(now));
                prop_assert_eq!(&seen(&store, &room, at(now), 99), &whole, "at {}", now);
                for limit in [0, 1, whole.len() / 2] {
                    prop_assert_eq!(&seen(&store, &room, at(now), limit as u32), &whole[..limit.min(whole.len())]);
                }
            }
        }
        Ok(())
    });
    checked.unwrap();
}

#[test]
fn whatever_becomes_of_jobs_the_radar_of_the_embedded_store_is_what_the_rules_say() {
    is_as_the_rules_say(Backend::Sqlite, 64);
}

#[test]
fn whatever_becomes_of_jobs_the_radar_of_a_server_is_what_the_rules_say() {
    is_as_the_rules_say(Backend::Postgres, 24);
}

#[test]
fn a_claim_that_runs_out_is_on_the_radar_at_that_very_moment() {
    on_two_rooms(|store, one, two| {
        let asks = Job { last_question: Seq(3), ..job(4) };
        let all = vec![job(1), claimed(job(2), "r1", 50), claimed(job(3), "r1", 60), asks];
        put(store, one, &in_order(all));
        assert_eq!(seen(store, one, at(49), 9), [4, 3, 2, 1]);
        assert_eq!(seen(store, one, at(50), 9), [4, 2, 3, 1]);
        assert_eq!(seen(store, one, at(60), 9), [4, 3, 2, 1], "the latest first");
        assert_eq!(seen(store, two, at(60), 9), [0; 0]);
    });
}
