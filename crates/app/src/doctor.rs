//! Looking at a store from outside: what it is, and the proof that it is what it should be: sound pages, gapless logs,
//! and rooms that are the fold of their log.

use baton_core::ids::RoomId;
use baton_store::{
    Location, Store, log,
    rooms::{self, Tally},
};

use crate::{
    App, Failure,
    unit::{Fold, Whole},
};

pub use baton_store::{Check, ServerInfo, StoreInfo};

/// Events read at a time.
const PAGE: u32 = 1_000;

/// What can be told about a store without checking it.
#[derive(Clone, Debug)]
pub struct Survey {
    /// About the store itself.
    pub info: StoreInfo,
    /// Rooms in it, closed ones too.
    pub rooms: u64,
    /// Events in their logs.
    pub events: u64,
}

/// Tells what a store is and how much is in it.
pub fn survey(app: &App) -> Result<Survey, Failure> {
    let info = app.store.info()?;
    let Tally { rooms, events } = app.store.read(rooms::tally)?;
    Ok(Survey { info, rooms, events })
}

/// The schema of a store that this process has not opened, or nothing where there is none. Nothing is made or changed.
pub fn schema_at(location: &Location) -> Result<Option<i64>, Failure> {
    Ok(Store::schema_at(location)?)
}

/// What a check of the store came to.
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
        let stored = Whole::load(tx, id)?;
        let mut fold = Fold::default();
        loop {
            let page = log::after(tx, id, fold.last(), PAGE)?;
            if page.is_empty() {
                break;
            }
            page.iter().try_for_each(|recorded| fold.add(recorded))?;
        }
        let events = fold.last().0;
        fold.require(&stored)?;
        Ok::<_, Failure>(events)
    })
}
