//! Finding the jobs of an overview: along an index as far as one fits, and by looking through a bounded number of them.

use std::cmp::Reverse;

use baton_core::{
    ids::{RoomId, Seq},
    job::{Choice, Job, JobId, Marker},
    limits,
    time::Timestamp,
};
use baton_store::{engine::Tx, jobs};

use super::{Order, OverviewInput};
use crate::Failure;

/// Jobs that are looked through for one page of a room.
const LOOKED_THROUGH: usize = 2_000;
/// The same of each room, where several are looked at.
const LOOKED_THROUGH_EACH: usize = 200;
/// How far one can go on where what is pressing comes first, or over several rooms.
const PLACES: u64 = 500;

/// A page of jobs, with one more than is shown where there are more.
pub(super) struct Page {
    pub(super) jobs: Vec<(RoomId, Job)>,
    going_on: GoingOn,
    /// Whether there is more to look through behind all of them, and from where.
    unread: Option<u64>,
}

/// How the next page is found.
#[derive(Clone, Copy)]
enum GoingOn {
    /// By how many came before.
    Place(u64),
    /// By the number of the last job.
    Number,
    /// By the last event of the last job.
    Event,
}

impl Page {
    /// The jobs that are meant, of these rooms.
    pub(super) fn find(
        tx: &mut dyn Tx,
        rooms: &[RoomId],
        now: Timestamp,
        input: &OverviewInput,
        limit: u32,
    ) -> Result<Self, Failure> {
        match (rooms, input.order) {
            ([room], Order::Newest | Order::Oldest) => walk(tx, room, now, input, limit),
            (_, _) => gather(tx, rooms, now, input, limit),
        }
    }

    /// Whether there are more than `shown`, and where those start.
    pub(super) fn next(&self, shown: usize) -> (bool, Option<u64>) {
        if shown == self.jobs.len() {
            return (self.unread.is_some(), self.unread);
        }
        let last = shown.checked_sub(1).map(|last| &self.jobs[last].1);
        let cursor = match self.going_on {
            GoingOn::Place(before) => Some(before + shown as u64).filter(|place| *place < PLACES),
            GoingOn::Number => last.map(|job| u64::from(job.id.0)),
            GoingOn::Event => last.map(|job| job.last.seq.0),
        };
        (true, cursor)
    }
}

/// What is meant of several rooms, or the most pressing of one.
fn gather(
    tx: &mut dyn Tx,
    rooms: &[RoomId],
    now: Timestamp,
    input: &OverviewInput,
    limit: u32,
) -> Result<Page, Failure> {
    let before = input.cursor.unwrap_or(0).min(PLACES);
    let wanted = before as usize + limit as usize + 1;
    let mut found: Vec<(RoomId, Job)> = Vec::new();
    for room in rooms {
        let mut here = match input.order {
            Order::Pressing => pressing(tx, room, now, input, wanted)?,
            Order::Newest | Order::Oldest => {
                let walked = Walk { now, input, cursor: None, wanted, most: LOOKED_THROUGH_EACH };
                walked.along(tx, room)?.0
            }
        };
        here.truncate(wanted);
        found.extend(here.into_iter().map(|job| (room.clone(), job)));
    }
    if rooms.len() > 1 {
        // Places in the logs of different rooms say nothing about each other.
        match input.order {
            Order::Pressing => found.sort_by_key(|(_, job)| {
                let rank = job.marker(now).map_or(u8::MAX, Marker::rank);
                (rank, !job.status.is_active(), job.claim.is_none(), Reverse(job.created_at))
            }),
            Order::Newest => found.sort_by_key(|(_, job)| Reverse(job.created_at)),
            Order::Oldest => found.sort_by_key(|(_, job)| job.created_at),
        }
    }
    let jobs = found.into_iter().skip(before as usize).take(limit as usize + 1).collect();
    Ok(Page { jobs, going_on: GoingOn::Place(before), unread: None })
}

/// The first of a room, what wants somebody before all else.
fn pressing(
    tx: &mut dyn Tx,
    room: &RoomId,
    now: Timestamp,
    input: &OverviewInput,
    wanted: usize,
) -> Result<Vec<Job>, Failure> {
    let most = if input.is_plain() { wanted as u32 } else { PLACES as u32 + 1 };
    let mut found = match (input.marker, input.task, &input.anchor, input.status) {
        (_, Some(task), ..) => jobs::of_task(tx, room, task, None, limits::JOBS_OF_ONE)?,
        (_, None, Some(anchor), _) => jobs::of_anchor(tx, room, anchor, None, limits::JOBS_OF_ONE)?,
        (Some(marker), ..) => jobs::wanting(tx, room, now, marker, most)?,
        (None, None, None, Some(status)) if status.is_active() => jobs::radar_in(tx, room, now, status, most)?,
        (None, None, None, Some(status)) => jobs::in_status(tx, room, status, None, most)?,
        (None, None, None, None) => jobs::radar(tx, room, now, most)?,
    };
    found.retain(|job| input.means(job, now) && (input.status.is_some() || job.status.is_active()));
    if input.task.is_some() || input.anchor.is_some() {
        found.sort_by_key(|job| job.radar_order(now));
    }
    Ok(found)
}

/// The next of a room, in the order of their age.
fn walk(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, input: &OverviewInput, limit: u32) -> Result<Page, Failure> {
    let wanted = limit as usize + 1;
    let walk = Walk { now, input, cursor: input.cursor, wanted, most: LOOKED_THROUGH };
    let (found, unread) = walk.along(tx, room)?;
    let jobs = found.into_iter().map(|job| (room.clone(), job)).collect();
    Ok(Page { jobs, going_on: if input.is_by_status() { GoingOn::Event } else { GoingOn::Number }, unread })
}

/// Going through the jobs of a room in the order of their age.
struct Walk<'a> {
    now: Timestamp,
    input: &'a OverviewInput,
    cursor: Option<u64>,
    /// How many are wanted.
    wanted: usize,
    /// How many are looked through at the most.
    most: usize,
}

impl Walk<'_> {
    /// The jobs that are meant, and from where there are more that were not looked at.
    fn along(&self, tx: &mut dyn Tx, room: &RoomId) -> Result<(Vec<Job>, Option<u64>), Failure> {
        let (mut found, mut cursor, mut looked) = (Vec::new(), self.cursor, 0);
        let step = if self.input.is_plain() { self.wanted as u32 } else { limits::JOBS_MAX };
        loop {
            let page = self.read(tx, room, cursor, step)?;
            let is_last = page.len() < step as usize;
            looked += page.len();
            cursor = page.last().map_or(cursor, |job| Some(self.place(job)));
            found.extend(page.into_iter().filter(|job| self.input.means(job, self.now)));
            if found.len() >= self.wanted || is_last {
                found.truncate(self.wanted);
                return Ok((found, None));
            }
            if looked >= self.most {
                return Ok((found, cursor));
            }
        }
    }

    fn read(&self, tx: &mut dyn Tx, room: &RoomId, cursor: Option<u64>, step: u32) -> Result<Vec<Job>, Failure> {
        let OverviewInput { order, status, task, anchor, .. } = self.input;
        let (number, seq) = (cursor.map(number), cursor.map(Seq));
        let is_oldest = *order == Order::Oldest;
        let of_one = match (task, anchor) {
            (Some(task), _) => Some(jobs::of_task(tx, room, *task, number.filter(|_| !is_oldest), self.depth(step))?),
            (None, Some(anchor)) => {
                Some(jobs::of_anchor(tx, room, anchor, number.filter(|_| !is_oldest), self.depth(step))?)
            }
            (None, None) => None,
        };
        Ok(match (of_one, status, is_oldest) {
            // Those of one task or anchor are few: all are read, and turned round.
            (Some(found), _, true) => {
                let after = number.unwrap_or(JobId(0));
                found.into_iter().rev().filter(|job| job.id > after).take(step as usize).collect()
            }
            (Some(found), _, false) => found,
            (None, Some(status), true) => jobs::oldest_in_status(tx, room, *status, seq, step)?,
            (None, Some(status), false) => jobs::in_status(tx, room, *status, seq, step)?,
            (None, None, true) => jobs::oldest(tx, room, number, step)?,
            (None, None, false) => jobs::newest(tx, room, number, step)?,
        })
    }

    /// How many of one task or anchor are read.
    fn depth(&self, step: u32) -> u32 {
        if self.input.order == Order::Oldest { limits::JOBS_OF_ONE } else { step }
    }

    fn place(&self, job: &Job) -> u64 {
        if self.input.is_by_status() { job.last.seq.0 } else { u64::from(job.id.0) }
    }
}

fn number(cursor: u64) -> JobId {
    JobId(u32::try_from(cursor).unwrap_or(u32::MAX))
}

impl OverviewInput {
    /// Whether the store gives just what is meant.
    fn is_plain(&self) -> bool {
        self.executor.is_none() && self.runner.is_none() && self.text.is_none() && self.is_indexed()
    }

    /// Whether what else is asked for is one thing, which an index has.
    fn is_indexed(&self) -> bool {
        let said = [self.status.is_some(), self.marker.is_some(), self.task.is_some(), self.anchor.is_some()];
        let is_listed = self.order == Order::Pressing || self.marker.is_none();
        is_listed && said.iter().filter(|said| **said).count() <= 1
    }

    /// Whether a listing goes by when jobs last changed.
    fn is_by_status(&self) -> bool {
        self.status.is_some() && self.task.is_none() && self.anchor.is_none()
    }

    /// Whether a job is meant.
    fn means(&self, job: &Job, now: Timestamp) -> bool {
        let claim = job.claim.as_ref();
        let executor = |wanted: Choice| {
            let at_it = claim.and_then(|claim| claim.executor).map(Choice::from);
            job.routing.executor == wanted || at_it == Some(wanted)
        };
        self.status.is_none_or(|status| job.status == status)
            && self.marker.is_none_or(|marker| job.wants(marker, now))
            && self.task.is_none_or(|task| job.task == Some(task))
            && (self.anchor.is_none() || job.anchor == self.anchor)
            && self.executor.is_none_or(executor)
            && self.runner.as_ref().is_none_or(|runner| claim.is_some_and(|claim| claim.lease.holder == *runner))
            && self.text.as_ref().is_none_or(|text| says(job, text))
    }
}

/// Whether a job's number, title, summary or last word has a text in it, in any case.
fn says(job: &Job, text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let number = job.id.to_string();
    let said = [Some(number.as_str()), Some(&job.title), Some(&job.last.preview), job.summary.as_deref()];
    said.into_iter().flatten().any(|said| said.to_lowercase().contains(&text))
}
