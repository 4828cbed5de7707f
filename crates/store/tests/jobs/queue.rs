//! Jobs that wait, jobs that run, and jobs whose claim ran out.

use baton_core::{
    ids::{RoomId, Seq},
    job::{Choice, Job, JobId, Priority, Status},
    time::Timestamp,
};
use baton_store::{Store, jobs};

use super::support::{agent, at, claimed, in_order, job, numbers, on_two_rooms, put, read, save};

fn waiting(id: u32, executor: Choice, priority: Priority) -> Job {
    let mut job = job(id);
    (job.routing.executor, job.priority) = (executor, priority);
    job
}

fn queued(store: &Store, room: &RoomId, choices: &[Choice], behind: Option<(Priority, u32)>, limit: u32) -> Vec<u32> {
    let behind = behind.map(|(priority, job)| (priority, JobId(job)));
    numbers(&read(store, |tx| jobs::queued_for(tx, room, choices, behind, limit)))
}

/// Three queues, with every priority in each, and with jobs that do not wait any more.
fn three_queues() -> Vec<Job> {
    use Choice::{Auto, Codex, Command};
    use Priority::{High, Low, Medium};
    vec![
        waiting(1, Codex, Low),
        waiting(2, Auto, Medium),
        waiting(3, Codex, High),
        waiting(4, Command, High),
        waiting(5, Auto, High),
        waiting(6, Codex, Medium),
        waiting(7, Codex, High),
        waiting(8, Auto, Low),
        waiting(9, Codex, Medium),
        claimed(waiting(10, Codex, High), "r1", 9),
        Job { status: Status::Canceled, ..waiting(11, Codex, High) },
    ]
}

#[test]
fn the_most_urgent_waits_first_in_each_queue_and_of_those_the_oldest() {
    use Priority::{High, Low, Medium};
    on_two_rooms(|store, one, two| {
        put(store, one, &in_order(three_queues()));
        let codex = [Choice::Codex];
        assert_eq!(queued(store, one, &codex, None, 99), [3, 7, 6, 9, 1]);
        assert_eq!(queued(store, one, &codex, None, 2), [3, 7]);
        assert_eq!(queued(store, one, &codex, Some((High, 3)), 2), [7, 6]);
        assert_eq!(queued(store, one, &codex, Some((High, 7)), 2), [6, 9]);
        assert_eq!(queued(store, one, &codex, Some((Medium, 8)), 2), [9, 1], "behind a place where nobody is");
        assert_eq!(queued(store, one, &codex, Some((Low, 1)), 2), [0; 0]);
        assert_eq!(queued(store, one, &codex, Some((High, u32::MAX)), 1), [6]);
        assert_eq!(queued(store, one, &codex, None, 0), [0; 0]);
        assert_eq!(queued(store, one, &[Choice::ClaudeCode], None, 9), [0; 0]);
        assert_eq!(queued(store, one, &[], None, 9), [0; 0]);
        assert_eq!(queued(store, two, Choice::ALL, None, 9), [0; 0]);
    });
}

#[test]
fn several_queues_are_one_line_and_each_gives_as_many_as_the_page_has() {
    use Priority::{High, Medium};
    on_two_rooms(|store, one, _| {
        put(store, one, &in_order(three_queues()));
        assert_eq!(queued(store, one, Choice::ALL, None, 99), [3, 4, 5, 7, 2, 6, 9, 1, 8]);
        let both = [Choice::Auto, Choice::Codex];
        assert_eq!(queued(store, one, &both, None, 1), [3, 5]);
        assert_eq!(queued(store, one, &both, None, 2), [3, 5, 7, 2]);
        assert_eq!(queued(store, one, &both, Some((High, 5)), 2), [7, 2, 6, 8]);
        assert_eq!(queued(store, one, &both, Some((Medium, 2)), 1), [6, 8]);
    });
}

#[test]
fn whether_anything_waits_is_told_for_each_room() {
    on_two_rooms(|store, one, two| {
        let any = |room| read(store, |tx| jobs::any_queued(tx, room));
        assert!(!any(one));
        put(store, one, &in_order(vec![claimed(job(1), "r1", 9), Job { status: Status::Done, ..job(2) }]));
        assert!(!any(one));
        put(store, one, &in_order(vec![job(3)]));
        assert_eq!((any(one), any(two)), (true, false));
    });
}

/// Claims that end at the same time, one that ends later, and what a claim's end means nothing to.
fn claims() -> Vec<Job> {
    vec![
        claimed(job(1), "r1", 70),
        claimed(job(2), "r2", 50),
        claimed(job(3), "r1", 50),
        claimed(job(4), "r1", -5),
        claimed(job(5), "Rz", 50),
        claimed(job(6), "r2", 71),
        job(7),
        Job { status: Status::Done, ..job(8) },
    ]
}

#[test]
fn claims_that_ran_out_are_paged_through_even_where_many_end_at_the_same_time() {
    on_two_rooms(|store, one, two| {
        put(store, one, &in_order(claims()));
        let overdue = |room: &RoomId, now, behind: Option<(i64, u32)>, limit| {
            let behind = behind.map(|(end, job)| (at(end), JobId(job)));
            numbers(&read(store, |tx| jobs::overdue(tx, room, at(now), behind, limit)))
        };
        assert_eq!(overdue(one, 70, None, 9), [4, 2, 3, 5, 1], "the last moment is already over");
        assert_eq!(overdue(one, 69, None, 9), [4, 2, 3, 5]);
        assert_eq!(overdue(one, -6, None, 9), [0; 0]);
        assert_eq!(overdue(one, i64::MAX, None, 9), [4, 2, 3, 5, 1, 6]);
        assert_eq!(overdue(one, 70, None, 2), [4, 2]);
        assert_eq!(overdue(one, 70, Some((50, 2)), 2), [3, 5]);
        assert_eq!(overdue(one, 70, Some((50, 5)), 2), [1]);
        assert_eq!(overdue(one, 70, Some((-5, 4)), 1), [2]);
        assert_eq!(overdue(one, 70, Some((70, 1)), 9), [0; 0]);
        assert_eq!(overdue(one, 49, Some((50, 2)), 9), [0; 0]);
        assert_eq!(overdue(two, 70, None, 9), [0; 0]);
    });
}

#[test]
fn the_next_claim_to_run_out_is_one_that_is_in_force() {
    on_two_rooms(|store, one, two| {
        put(store, one, &in_order(claims()));
        let next =
            |room: &RoomId, now| read(store, |tx| jobs::next_expiry(tx, room, at(now))).map(Timestamp::as_millis);
        let found = [-6, -5, 49, 50, 70, 71].map(|now| next(one, now));
        assert_eq!(found, [Some(-5), Some(50), Some(50), Some(70), Some(71), None]);
        assert_eq!(next(two, 0), None);
    });
}

#[test]
fn a_runners_load_is_what_it_has_claimed_overdue_or_not() {
    on_two_rooms(|store, one, two| {
        put(store, one, &in_order(claims()));
        let loads = [(agent("Rz"), 1), (agent("r1"), 3), (agent("r2"), 2)];
        assert_eq!(read(store, |tx| jobs::loads(tx, one)), loads);
        assert_eq!(read(store, |tx| jobs::loads(tx, two)), []);
        // A job that ended counts no more.
        let mut after = in_order(claims());
        after.change(&JobId(2), |job| (job.status, job.claim, job.last.seq) = (Status::Done, None, Seq(99)));
        save(store, one, &after).unwrap();
        assert_eq!(read(store, |tx| jobs::loads(tx, one))[2], (agent("r2"), 1));
    });
}
