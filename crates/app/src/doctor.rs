//! Proving that a store is what it should be: sound pages, gapless logs, and rooms that are the fold of their log.

use baton_core::{
    ids::{RoomId, Seq},
    room::{Recorded, Room, Stick},
};
use baton_store::{Check, StoreInfo, log, rooms};

use crate::{App, Failure};

/// Events read at a time.
const PAGE: u32 = 1_000;

/// What a look at the store came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// About the store itself.
    pub info: StoreInfo,
    /// Everything that was checked, with what is wrong with it.
    pub checks: Vec<Check>,
}

impl Report {
    /// Whether nothing is wrong.
    pub fn is_clean(&self) -> bool {
        self.checks.iter().all(|check| check.problem.is_none())
    }
}

/// Checks the store, and every room against its log.
pub fn examine(app: &App) -> Result<Report, Failure> {
    let mut checks = app.store.check()?;
    let ids = app.store.read(rooms::all)?;
    let mut events = 0;
    let mut problems = Vec::new();
    for id in &ids {
        match examine_room(app, id) {
            Ok(count) => events += count,
            Err(failure) => problems.push(Check { what: format!("room {id}"), problem: Some(failure.message) }),
        }
    }
    let what = format!("rooms as the fold of their logs ({} rooms, {events} events)", ids.len());
    let problem = (!problems.is_empty()).then(|| format!("{} are not", problems.len()));
    checks.push(Check { what, problem });
    checks.extend(problems);
    Ok(Report { info: app.store.info()?, checks })
}

/// Folds a room's log and compares it with what is stored; tells how many events there were.
fn examine_room(app: &App, id: &RoomId) -> Result<u64, Failure> {
    // One view of both, so that a transition that happens meanwhile is seen in both or in neither.
    app.store.read(|tx| {
        let stored = app.room(tx, id)?;
        let mut folded: Option<Room> = None;
        let mut last = Seq(0);
        loop {
            let page = log::after(tx, id, last, PAGE)?;
            if page.is_empty() {
                break;
            }
            for recorded in &page {
                fold(&mut folded, recorded, last.next())?;
                last = recorded.seq;
            }
        }
        compare(folded, stored, last)?;
        Ok::<_, Failure>(last.0)
    })
}

fn fold(folded: &mut Option<Room>, recorded: &Recorded, expected: Seq) -> Result<(), Failure> {
    if recorded.seq != expected {
        return Err(wrong(format!("event {expected} is missing: the log goes on with {}", recorded.seq)));
    }
    match folded {
        Some(room) => room.apply(recorded),
        None => {
            let room =
                Room::open(recorded).ok_or_else(|| wrong("the log does not begin with its creation".to_owned()))?;
            *folded = Some(room);
        }
    }
    Ok(())
}

fn compare(folded: Option<Room>, mut stored: Room, last: Seq) -> Result<(), Failure> {
    let mut folded = folded.ok_or_else(|| wrong("it has no log".to_owned()))?;
    if stored.last_seq != last {
        return Err(wrong(format!("it is stored at event {} and its log ends at {last}", stored.last_seq)));
    }
    // Presence and lease expiry move without events.
    for room in [&mut folded, &mut stored] {
        room.updated_at = room.created_at;
        for member in &mut room.members {
            member.last_seen_at = member.joined_at;
        }
        if let Stick::Owned(ownership) = &mut room.stick {
            ownership.lease.expires_at = ownership.since;
        }
    }
    if folded == stored {
        return Ok(());
    }
    Err(wrong(format!("it is not the fold of its log: stored {:?}, folded {:?}", stored.stick, folded.stick)))
}

fn wrong(message: String) -> Failure {
    Failure::new(baton_core::code::ErrorCode::StoreCorrupt, message)
}
