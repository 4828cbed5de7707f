//! Starts of runners that failed: noted beside the store, so that everybody can be told and nobody tries again at once.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    io::Write,
    os::unix::fs::{DirBuilderExt, OpenOptionsExt},
    path::PathBuf,
    time::Duration,
};

use baton_core::{
    ids::RoomId,
    redact::redact,
    time::{Timestamp, Ttl},
};
use serde::{Deserialize, Serialize};

use crate::{App, Failure};

/// The directory of locks, logs and failures of runners that were started for somebody, below the data directory.
const DIRECTORY: &str = "runner";
/// Most characters of a runner's last words that are kept.
const CHARS_MAX: usize = 2_000;
/// Most characters of them that a row shows.
const WORDS_MAX: usize = 300;
/// Shortest and longest time until a start that failed is tried again. It doubles with each failure.
const BACK_OFF: (Ttl, Ttl) = (Ttl::from_secs(5), Ttl::from_minutes(5));

/// A runner that could not be started for a room.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunnerStartFailure {
    /// When the last start failed.
    pub at: Timestamp,
    /// How many have, since a runner last came up in the room.
    pub times: u32,
    /// Its last words.
    pub message: String,
}

impl RunnerStartFailure {
    /// Its last words in a line, cut to what a row can show.
    pub(crate) fn words(&self) -> String {
        let words = redact(&self.message).split_whitespace().collect::<Vec<_>>().join(" ");
        let skipped = words.chars().count().saturating_sub(WORDS_MAX);
        let cut = if skipped > 0 { "…" } else { "" };
        format!("{cut}{}", words.chars().skip(skipped).collect::<String>())
    }

    /// Whether another start is worth trying.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.wait(now).is_zero()
    }

    /// The time until another start is worth trying.
    pub fn wait(&self, now: Timestamp) -> Duration {
        let (least, most) = BACK_OFF;
        let factor = 1_u64 << self.times.saturating_sub(1).min(16);
        let next = self.at.plus(Ttl::from_millis(least.as_millis() * factor).min(most));
        Duration::from_millis(next.since(now).as_millis())
    }
}

impl App {
    /// Where locks, logs and failures of runners are that were started for somebody.
    pub fn runner_directory(&self) -> Result<PathBuf, Failure> {
        let data = self.directory.clone().map_or_else(|| self.environment.data_dir(), Ok)?;
        Ok(data.join(DIRECTORY))
    }

    /// The last start of a runner for `room`, if it failed and no runner came up since.
    pub fn runner_start_failure(&self, room: &RoomId) -> Option<RunnerStartFailure> {
        serde_json::from_slice(&fs::read(self.failure_file(room)?).ok()?).ok()
    }

    /// Notes that a runner could not be started for `room`. Nothing fails over that.
    pub fn note_runner_start_failure(&self, room: &RoomId, message: &str) {
        let (Some(file), Ok(now)) = (self.failure_file(room), self.now()) else { return };
        let times = self.runner_start_failure(room).map_or(0, |failure| failure.times).saturating_add(1);
        let skipped = message.chars().count().saturating_sub(CHARS_MAX);
        let message = message.chars().skip(skipped).collect();
        let Ok(text) = serde_json::to_vec(&RunnerStartFailure { at: now, times, message }) else { return };
        // Written beside it first: who reads it sees all of it or the last one.
        let partial = file.with_extension(format!("{}.partial", std::process::id()));
        let write = || {
            DirBuilder::new().recursive(true).mode(0o700).create(file.parent().unwrap_or(&file))?;
            OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).open(&partial)?.write_all(&text)?;
            fs::rename(&partial, &file)
        };
        if write().is_err() {
            let _ = fs::remove_file(&partial);
        }
    }

    /// Forgets it: a runner is there.
    pub(crate) fn forget_runner_start_failure(&self, room: &RoomId) {
        if let Some(file) = self.failure_file(room) {
            // As a rule there is none.
            let _ = fs::remove_file(file);
        }
    }

    fn failure_file(&self, room: &RoomId) -> Option<PathBuf> {
        Some(self.runner_directory().ok()?.join(format!("{room}.failed.json")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_start_that_failed_is_tried_again_later_each_time_and_not_never() {
        let failed = |times| RunnerStartFailure { at: Timestamp::from_millis(0), times, message: String::new() };
        let waits =
            |times| (0..).map(|secs| secs * 5).find(|secs| failed(times).is_over(Timestamp::from_millis(secs * 1_000)));
        assert_eq!([1, 2, 3, 7, 40, u32::MAX].map(waits), [5, 10, 20, 300, 300, 300].map(Some));
    }
}
