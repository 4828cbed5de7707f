//! Stores that are full of jobs, made once for a run.

use std::{
    cell::RefCell,
    fs,
    path::{Path, PathBuf},
    rc::Rc,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use super::fill::fill;
use crate::{raw, trouble::Outcome};

/// Who delegated the jobs of a filled store.
const MANAGER: &str = "bench:manager";

/// Filled stores, by how many jobs they have. They are gone when the run is.
#[derive(Default)]
pub(crate) struct Stores {
    made: RefCell<Vec<Rc<Filled>>>,
}

/// A store with many jobs in one room.
pub(crate) struct Filled {
    place: TempDir,
    pub(crate) jobs: u32,
    pub(crate) room_id: String,
    /// How many events the room's log has.
    pub(crate) events: u64,
    /// How long it took to make.
    pub(crate) took: Duration,
}

impl Stores {
    /// The store with this many jobs. Rows may work on what waits there, as long as enough is left.
    pub(crate) fn with(&self, jobs: u32) -> Outcome<Rc<Filled>> {
        if let Some(known) = self.made.borrow().iter().find(|known| known.jobs == jobs) {
            return Ok(Rc::clone(known));
        }
        let made = Rc::new(Filled::make(jobs)?);
        self.made.borrow_mut().push(Rc::clone(&made));
        Ok(made)
    }
}

impl Filled {
    fn make(jobs: u32) -> Outcome<Self> {
        let (place, started) = (tempfile::tempdir()?, Instant::now());
        let (room_id, events) = fill(&data(place.path()), &workspace(place.path()), MANAGER, jobs)?;
        raw::settle(&data(place.path()))?;
        Ok(Self { place, jobs, room_id, events, took: started.elapsed() })
    }

    /// The store's directory.
    pub(crate) fn data(&self) -> PathBuf {
        data(self.place.path())
    }

    /// Where its room is.
    pub(crate) fn workspace(&self) -> PathBuf {
        workspace(self.place.path())
    }

    /// A copy of the store in `to`, with the same room. Nobody may be writing.
    pub(crate) fn copy(&self, to: &Path) -> Outcome<PathBuf> {
        fs::create_dir_all(to)?;
        raw::settle(&self.data())?;
        fs::copy(self.data().join(baton_store::DATABASE_FILE), to.join(baton_store::DATABASE_FILE))?;
        Ok(to.to_owned())
    }
}

fn data(place: &Path) -> PathBuf {
    place.join("data")
}

fn workspace(place: &Path) -> PathBuf {
    place.join("workspace")
}
