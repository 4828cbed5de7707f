//! Moving the write-ahead log into the database, away from the write path.
//!
//! SQLite would do it inside whichever commit crosses a threshold, and that commit pays milliseconds. Here the
//! hook only counts; after the commit, and after the bell, whoever gets the try-lock does the work while
//! others go on writing.

use std::{
    fs::File,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

use rusqlite::Connection;

use super::{
    failure,
    open::{self, Open},
};
use crate::StoreError;

/// Frames after which a commit is followed by a checkpoint that waits for nobody.
const PASSIVE_FRAMES: u32 = 1_000;

/// Frames after which it waits for readers, so that the log starts over instead of growing.
const RESTART_FRAMES: u32 = 4_000;

/// Frames between two passive attempts, while readers keep the log from starting over.
const STEP_FRAMES: u32 = 250;

/// How long a restart waits for readers before it leaves the rest to a later commit.
const RESTART_WAIT: Duration = Duration::from_millis(2);

/// Decides who checkpoints, among the threads and processes that share a store.
pub(super) struct Checkpoints {
    turn: Mutex<File>,
}

/// Counts the frames in the log, as of a connection's last commit.
#[derive(Clone, Default)]
pub(super) struct Frames {
    now: Arc<AtomicU32>,
    tried: Arc<AtomicU32>,
}

impl Frames {
    /// Starts counting. Replaces SQLite's own checkpoints, which are a hook too.
    pub(super) fn install(connection: &mut Connection) -> rusqlite::Result<Self> {
        let frames = Self::default();
        let now = frames.now.clone();
        connection.wal_hook(Some(move |_: &mut rusqlite::hooks::Wal, pages: i32| {
            now.store(pages.unsigned_abs(), Ordering::Relaxed);
            Ok(())
        }))?;
        Ok(frames)
    }
}

impl Checkpoints {
    pub(super) fn new(directory: &Path) -> Result<Self, StoreError> {
        let path = directory.join("checkpoint.lock");
        let file = open::lock_file(&path).map_err(|error| failure::from_io(&path, &error))?;
        Ok(Self { turn: Mutex::new(file) })
    }

    /// Checkpoints if the log is long enough and nobody else is at it. A checkpoint that fails is left to the
    /// next commit: nothing is lost, the log is only longer.
    pub(super) fn after_commit(&self, open: &Open) {
        let frames = &open.frames;
        let count = frames.now.load(Ordering::Relaxed);
        if count < PASSIVE_FRAMES {
            frames.tried.store(0, Ordering::Relaxed);
            return;
        }
        let tried = frames.tried.load(Ordering::Relaxed);
        if tried > 0 && count >= tried && count < tried + STEP_FRAMES {
            return;
        }
        let Ok(turn) = self.turn.try_lock() else { return };
        if turn.try_lock().is_err() {
            return;
        }
        frames.tried.store(count, Ordering::Relaxed);
        let sql =
            if count < RESTART_FRAMES { "PRAGMA wal_checkpoint(PASSIVE)" } else { "PRAGMA wal_checkpoint(RESTART)" };
        // A restart holds the write lock while it waits for readers, and waiting writers are readers again and
        // again: with patience it would starve the very ones it waits for.
        open.patience.set_limit(RESTART_WAIT);
        let _ = open.connection.query_row(sql, [], |_| Ok(()));
        let _ = turn.unlock();
    }
}
