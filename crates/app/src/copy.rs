//! Copying a store into another one, of whatever kind, and proving that the copy is the same.
//!
//! What is copied is what one transaction sees of the source: rooms with their members, their logs, first answers to
//! keyed requests, and what machines said about themselves. It goes into the target in one transaction, so that the
//! target has all of it or nothing. Then both stores are read again, room by room. The content of files that rooms keep is
//! copied before, as far as this machine has it, so that nothing is on record that could have been there and is not.
//!
//! What must stay true: a target that had rooms is never written to, a room that is not the fold of its log is never
//! copied, and memory is bounded by a page of a log, not by its length.

use std::collections::HashSet;

use baton_core::{
    code::ErrorCode,
    event::{Concern, Recorded},
    ids::RoomId,
};
use baton_store::{
    engine::Tx,
    hosts, idempotency, incursions, log,
    rooms::{self, Tally},
};

use crate::{
    App, Failure,
    artifacts::{self, Carried},
    unit::{Fold, Whole},
};

/// Events, or first answers, that are read at a time. A server ends a transaction that rests for long, so the other
/// side must be done with a page of the largest handoffs well before that.
const PAGE: u32 = 200;

/// Keeps two copies out of one target at a time.
const ONE_COPY: &str = "store copy";

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Rooms, closed ones too.
    pub rooms: u64,
    /// Events in their logs.
    pub events: u64,
    /// First answers to keyed requests.
    pub first_answers: u64,
    /// Machines that said something about themselves.
    pub machines: u64,
    /// Files that rooms keep.
    pub files: Carried,
}

/// What is being done, for those who watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stage {
    /// The target is being written.
    Copying,
    /// Both are being read and compared.
    Comparing,
}

/// How far it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// With what.
    pub stage: Stage,
    /// Rooms that are done.
    pub rooms: u64,
    /// Of how many.
    pub rooms_total: u64,
    /// Events that are done.
    pub events: u64,
    /// Of how many.
    pub events_total: u64,
}

impl Progress {
    fn new(stage: Stage, total: Tally) -> Self {
        Self { stage, rooms: 0, rooms_total: total.rooms, events: 0, events_total: total.events }
    }
}

/// Takes word of how far it is.
pub type Watcher<'a> = &'a mut dyn FnMut(Progress);

/// Copies all of `from` into `to`, which must have no rooms, and compares the two.
pub fn copy(from: &App, to: &App, watcher: Watcher<'_>) -> Result<Report, Failure> {
    require_known(from)?;
    to.store.read(require_empty)?;
    let files = artifacts::carry(from, to, &from.store.read::<_, Failure>(|tx| Ok(rooms::all(tx)?))?)?;
    let (report, copied) = carry(from, to, watcher)?;
    compare(from, to, &copied, Progress::new(Stage::Comparing, report.tally()), watcher)?;
    Ok(Report { files, ..report })
}

impl Report {
    fn tally(&self) -> Tally {
        Tally { rooms: self.rooms, events: self.events }
    }
}

/// Makes sure that this Baton knows all that the source may hold, or the copy would be less than it.
fn require_known(from: &App) -> Result<(), Failure> {
    let info = from.store.info()?;
    if !info.read_only {
        return Ok(());
    }
    let message = format!(
        "{} has schema {}, which this Baton does not know: it might leave something out.",
        info.place, info.schema
    );
    Err(Failure::new(ErrorCode::StoreNewer, message))
}

/// Writes all that one view of the source shows into the target, and tells which rooms that were.
fn carry(from: &App, to: &App, watcher: Watcher<'_>) -> Result<(Report, Vec<RoomId>), Failure> {
    from.store.read(|source| {
        to.store.write(|target| {
            target.alone(ONE_COPY)?;
            require_empty(target)?;
            let mut progress = Progress::new(Stage::Copying, rooms::tally(source)?);
            watcher(progress);
            let ids = rooms::all(source)?;
            for id in &ids {
                carry_room(id, source, target, &mut |events| {
                    progress.events += events;
                    watcher(progress);
                })
                .map_err(|failure| in_room(id, failure))?;
                progress.rooms += 1;
            }
            watcher(progress);
            let first_answers = carry_first_answers(source, target)?;
            let told = hosts::everything(source)?;
            hosts::restore(target, &told)?;
            if let Some(id) = ids.last() {
                // Nobody waits here yet. But a commit that rings is signed, so that it can be found out what became
                // of it if the connection breaks.
                target.ring(id, Concern::Nobody);
            }
            let machines = told.machines() as u64;
            let files = Carried::default();
            Ok((Report { rooms: progress.rooms, events: progress.events, first_answers, machines, files }, ids))
        })
    })
}

fn require_empty(target: &mut dyn Tx) -> Result<(), Failure> {
    let Tally { rooms, .. } = rooms::tally(target)?;
    if rooms == 0 {
        return Ok(());
    }
    let message = format!("The store to copy into has rooms already: {rooms} of them.");
    Err(Failure::new(ErrorCode::StoreNotEmpty, message))
}

fn carry_room(
    id: &RoomId,
    source: &mut dyn Tx,
    target: &mut dyn Tx,
    page_done: &mut dyn FnMut(u64),
) -> Result<(), Failure> {
    let room = Whole::load(source, id)?;
    room.insert(target)?;
    let mut fold = Fold::default();
    loop {
        let page = log::after(source, id, fold.last(), PAGE)?;
        if page.is_empty() {
            return fold.require(&room);
        }
        for recorded in &page {
            fold.add(recorded)?;
            log::restore(target, recorded)?;
        }
        if let (Some(first), Some(last)) = (page.first(), page.last()) {
            let met = incursions::told(source, id, first.seq..=last.seq)?;
            met.values().try_for_each(|met| incursions::put(target, id, met))?;
        }
        page_done(page.len() as u64);
    }
}

fn carry_first_answers(source: &mut dyn Tx, target: &mut dyn Tx) -> Result<u64, Failure> {
    let mut count = 0;
    let mut last = None;
    loop {
        let page = idempotency::after(source, last.as_ref(), PAGE)?;
        for kept in &page {
            idempotency::restore(target, kept)?;
        }
        count += page.len() as u64;
        last = page.into_iter().next_back();
        if last.is_none() {
            return Ok(count);
        }
    }
}

/// Reads both stores again, and makes sure that they are sound and the same.
fn compare(
    from: &App,
    to: &App,
    copied: &[RoomId],
    mut progress: Progress,
    watcher: Watcher<'_>,
) -> Result<(), Failure> {
    let mut moved = opened_since(from, copied)?;
    for id in copied {
        let pair = compare_room(from, to, id).map_err(|failure| in_room(id, failure))?;
        progress.rooms += 1;
        progress.events += pair.events;
        watcher(progress);
        if !pair.same {
            moved.push(id.clone());
        }
    }
    if moved.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = moved.iter().map(RoomId::as_str).collect();
    let message =
        format!("{} changed while the store was being copied: {}.", count_rooms(names.len()), names.join(", "));
    Err(Failure::new(ErrorCode::StoreMoved, message).with("rooms", names))
}

/// The rooms that the source got after it was looked at.
fn opened_since(from: &App, copied: &[RoomId]) -> Result<Vec<RoomId>, Failure> {
    let known: HashSet<_> = copied.iter().collect();
    let now: Vec<RoomId> = from.store.read(rooms::all)?;
    Ok(now.into_iter().filter(|id| !known.contains(id)).collect())
}

/// What came of comparing a room with its copy.
struct Pair {
    events: u64,
    same: bool,
}

/// Folds both logs of a room and compares them event by event. One that merely goes on is no fault of the copy.
fn compare_room(from: &App, to: &App, id: &RoomId) -> Result<Pair, Failure> {
    from.store.read(|source| {
        to.store.read(|target| {
            let [mine, theirs] = [Whole::load(source, id)?, Whole::load(target, id)?];
            let (mut my_fold, mut their_fold) = (Fold::default(), Fold::default());
            loop {
                let my_page = log::after(source, id, my_fold.last(), PAGE)?;
                let their_page = log::after(target, id, their_fold.last(), PAGE)?;
                if my_page.is_empty() && their_page.is_empty() {
                    break;
                }
                require_equal(&my_page, &their_page)?;
                my_page.iter().try_for_each(|recorded| my_fold.add(recorded))?;
                their_page.iter().try_for_each(|recorded| their_fold.add(recorded))?;
            }
            let events = my_fold.last().0;
            my_fold.require(&mine)?;
            their_fold.require(&theirs)?;
            Ok(Pair { events, same: mine.without_presence() == theirs.without_presence() })
        })
    })
}

/// Compares the events that both pages have. The pages begin at the same place, unless one log has ended.
fn require_equal(mine: &[Recorded], theirs: &[Recorded]) -> Result<(), Failure> {
    match mine.iter().zip(theirs).find(|(mine, theirs)| mine != theirs) {
        None => Ok(()),
        Some((mine, _)) => {
            let message = format!("event {} is not the same in the copy", mine.seq);
            Err(Failure::new(ErrorCode::StoreCorrupt, message))
        }
    }
}

fn count_rooms(count: usize) -> String {
    if count == 1 { "One room".to_owned() } else { format!("{count} rooms") }
}

/// Says in which room something is wrong.
fn in_room(id: &RoomId, failure: Failure) -> Failure {
    let message = format!("Room {id}: {}.", failure.message.trim_end_matches('.'));
    Failure { message, ..failure }.with("room_id", id.as_str())
}
