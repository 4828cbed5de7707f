//! A job's own events in the log of its room.

use baton_core::{
    event::{Event, Recorded},
    ids::{RoomId, Seq},
    job::{self, JobId, Requeued},
    library::{self, CardId, CardPinned},
    room::Noted,
};
use baton_store::{Store, log};
use baton_testkit::{Scribe, on_every_place};

use super::{
    events::requeued,
    support::{agent, at, read, write},
};

/// Writes what happened to these jobs (or, for 0, to none) to a room's log, behind its first two events.
fn happened(store: &Store, id: &str, path: &str, jobs: &[u32]) -> RoomId {
    let room = Scribe::new("ana").opens(store, id, path);
    for (place, job) in jobs.iter().enumerate() {
        let event: Event = match (*job, place % 2) {
            (0, 0) => baton_core::room::Event::Noted(Noted { text: "JOB-001".to_owned() }).into(),
            (0, _) => library::Event::CardPinned(CardPinned { card: CardId(1), pinned: true }).into(),
            (job, _) => {
                let again = Requeued { job: JobId(job), ..requeued(false) };
                job::Event::Requeued(again).into()
            }
        };
        let seq = Seq(room.last_seq.0 + 1 + place as u64);
        let recorded = Recorded { seq, ..room.record(at(1), agent("ana"), event) };
        write(store, |tx| log::append(tx, &recorded));
    }
    room.id
}

fn places(found: Vec<Recorded>) -> Vec<u64> {
    found.iter().map(|recorded| recorded.seq.0).collect()
}

#[test]
fn a_jobs_thread_is_read_from_either_end_page_by_page_and_has_nothing_of_others() {
    on_every_place(|place| {
        let store = place.open();
        //                                                       3  4  5  6  7  8  9 10 11 12
        let one = happened(&store, "room_1", "/one", &[1, 2, 1, 0, 2, 1, 0, 3, 1, 2]);
        let two = happened(&store, "room_2", "/two", &[2, 1]);
        let before = |room: &RoomId, job, before: Option<u64>, limit| {
            places(read(&store, |tx| log::of_job_before(tx, room, JobId(job), before.map(Seq), limit)))
        };
        let after = |room: &RoomId, job, after, limit| {
            places(read(&store, |tx| log::of_job_after(tx, room, JobId(job), Seq(after), limit)))
        };
        assert_eq!(before(&one, 1, None, 99), [11, 8, 5, 3]);
        assert_eq!(before(&one, 2, None, 99), [12, 7, 4]);
        assert_eq!(before(&one, 3, None, 99), [10]);
        assert_eq!(before(&one, 1, None, 2), [11, 8]);
        assert_eq!(before(&one, 1, Some(8), 2), [5, 3]);
        assert_eq!(before(&one, 1, Some(9), 1), [8], "from a place that is another's");
        assert_eq!(before(&one, 1, Some(3), 9), [0; 0]);
        assert_eq!(before(&one, 1, Some(u64::MAX), 1), [11]);
        assert_eq!(before(&one, 1, None, 0), [0; 0]);
        assert_eq!(after(&one, 1, 0, 99), [3, 5, 8, 11]);
        assert_eq!(after(&one, 1, 3, 2), [5, 8]);
        assert_eq!(after(&one, 1, 8, 2), [11]);
        assert_eq!(after(&one, 2, 4, 9), [7, 12]);
        assert_eq!(after(&one, 3, 10, 9), [0; 0]);
        assert_eq!(after(&one, 1, u64::MAX, 9), [0; 0]);
        for nobody in [4, u32::MAX] {
            assert_eq!(before(&one, nobody, None, 9), [0; 0]);
            assert_eq!(after(&one, nobody, 0, 9), [0; 0]);
        }
        assert_eq!((before(&two, 1, None, 9), after(&two, 1, 0, 9)), (vec![4], vec![4]));
    });
}
