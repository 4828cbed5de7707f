//! Jobs by how far they are, by number, by task and by part of the map, page by page.

use baton_core::{
    ids::{AnchorId, RoomId, Seq},
    job::{Job, JobId, Status},
    task::TaskId,
};
use baton_store::jobs;

use super::support::{anchor, claimed, in_order, job, numbers, on_two_rooms, put, read};

fn told(id: u32, status: Status, last: u64) -> Job {
    let mut job = Job { status, ..job(id) };
    job.last.seq = Seq(last);
    if status == Status::Running { claimed(job, "r1", 9) } else { job }
}

#[test]
fn jobs_of_one_status_are_listed_by_what_happened_last() {
    on_two_rooms(|store, one, two| {
        put(
            store,
            one,
            &in_order(vec![
                told(1, Status::Done, 90),
                told(2, Status::Done, 20),
                told(3, Status::Failed, 30),
                told(4, Status::Done, 40),
                told(5, Status::Running, 50),
                told(6, Status::Done, i64::MAX as u64 - 1),
            ]),
        );
        let page = |room: &RoomId, status, before: Option<u64>, limit| {
            numbers(&read(store, |tx| jobs::in_status(tx, room, status, before.map(Seq), limit)))
        };
        assert_eq!(page(one, Status::Done, None, 9), [6, 1, 4, 2]);
        assert_eq!(page(one, Status::Done, None, 2), [6, 1]);
        assert_eq!(page(one, Status::Done, Some(90), 2), [4, 2]);
        assert_eq!(page(one, Status::Done, Some(91), 1), [1]);
        assert_eq!(page(one, Status::Done, Some(20), 2), [0; 0]);
        assert_eq!(page(one, Status::Running, None, 9), [5]);
        assert_eq!(page(one, Status::Failed, None, 9), [3]);
        assert_eq!(page(one, Status::Canceled, None, 9), [0; 0]);
        assert_eq!(page(one, Status::Done, None, 0), [0; 0]);
        assert_eq!(page(two, Status::Done, None, 9), [0; 0]);
    });
}

#[test]
fn the_newest_jobs_come_first_whatever_became_of_them() {
    on_two_rooms(|store, one, two| {
        put(store, one, &in_order(vec![told(1, Status::Done, 90), job(2), told(10, Status::Running, 5), job(999)]));
        let page = |room: &RoomId, before: Option<u32>, limit| {
            numbers(&read(store, |tx| jobs::newest(tx, room, before.map(JobId), limit)))
        };
        assert_eq!(page(one, None, 9), [999, 10, 2, 1]);
        assert_eq!(page(one, None, 2), [999, 10]);
        assert_eq!(page(one, Some(10), 2), [2, 1]);
        assert_eq!(page(one, Some(u32::MAX), 1), [999]);
        assert_eq!(page(one, Some(1), 9), [0; 0]);
        assert_eq!(page(two, None, 9), [0; 0]);
    });
}

#[test]
fn jobs_are_listed_by_the_task_and_by_the_part_of_the_map_they_are_for() {
    let about =
        |id, task: Option<u32>, part: Option<&str>| Job { task: task.map(TaskId), anchor: part.map(anchor), ..job(id) };
    on_two_rooms(|store, one, two| {
        put(
            store,
            one,
            &in_order(vec![
                about(1, Some(7), Some("a:core")),
                about(2, None, None),
                about(3, Some(7), Some("a:core/deep")),
                about(4, Some(8), Some("a:core")),
                about(5, Some(7), Some("a:Core")),
                about(6, None, Some("a:core")),
            ]),
        );
        let of_task = |room: &RoomId, task, before: Option<u32>, limit| {
            numbers(&read(store, |tx| jobs::of_task(tx, room, TaskId(task), before.map(JobId), limit)))
        };
        assert_eq!(of_task(one, 7, None, 9), [5, 3, 1]);
        assert_eq!(of_task(one, 7, None, 2), [5, 3]);
        assert_eq!(of_task(one, 7, Some(3), 2), [1]);
        assert_eq!(of_task(one, 8, None, 9), [4]);
        assert_eq!(of_task(one, 9, None, 9), [0; 0]);
        assert_eq!(of_task(two, 7, None, 9), [0; 0]);
        let core: AnchorId = anchor("a:core");
        let of_anchor = |room: &RoomId, part: &AnchorId, before: Option<u32>, limit| {
            numbers(&read(store, |tx| jobs::of_anchor(tx, room, part, before.map(JobId), limit)))
        };
        assert_eq!(of_anchor(one, &core, None, 9), [6, 4, 1], "exactly that part, not what lies below it");
        assert_eq!(of_anchor(one, &core, None, 2), [6, 4]);
        assert_eq!(of_anchor(one, &core, Some(4), 2), [1]);
        assert_eq!(of_anchor(one, &anchor("a:Core"), None, 2), [5]);
        assert_eq!(of_anchor(two, &core, None, 9), [0; 0]);
    });
}
