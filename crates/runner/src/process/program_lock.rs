//! One program of a job at a time, on this machine.
//!
//! Each job has a lock file. A minder locks it before it starts its program, notes in it whose lock it is, and keeps it
//! until nothing of the program is left; the kernel frees it however the minder ends. A runner that took a job over waits
//! for the lock, and ends the processes of an earlier claim that still has it when that claim and its grace are over. A
//! free lock whose last program ran under the claim before this one proves that nothing is left to wait for.
//!
//! Two rules: a program is started under the lock only, and nothing of a newer claim is ever ended.

use std::{
    fs::{self, DirBuilder, File, OpenOptions, TryLockError},
    io::{self, Read, Seek, Write},
    os::{
        fd::{AsFd, BorrowedFd},
        unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    },
    path::Path,
    time::Duration,
};

use rustix::process::{Pid, getpid};
use serde::{Deserialize, Serialize};

use super::{
    BootTime, ClaimBounds,
    sweep::{self, Mark},
    wire::RefusalKind,
};

/// The ending of a lock file's name.
const ENDING: &str = "lock";
/// Pause before another look at a lock whose holder cannot be watched.
const LOOK_AGAIN: Duration = Duration::from_millis(100);
/// Age at which a lock file proves nothing any more: every claim that it could be about has run out.
const OLD: Duration = Duration::from_secs(3_600);

/// The text of a lock file.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    /// The claim of the last program.
    revision: u64,
    /// The minder of that program, until nothing of the program is left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    minder: Option<String>,
    /// The program, and its start.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    program: Option<(i32, u64)>,
}

impl Record {
    fn read(mut file: &File) -> Option<Self> {
        let mut text = String::new();
        file.rewind().ok()?;
        file.read_to_string(&mut text).ok()?;
        serde_json::from_str(&text).ok()
    }

    fn write(&self, mut file: &File) -> io::Result<()> {
        file.set_len(0)?;
        file.rewind()?;
        file.write_all(&serde_json::to_vec(self)?)
    }

    fn mark(&self) -> Option<Mark> {
        Mark::parse(self.minder.as_deref()?.as_ref())
    }

    fn program(&self) -> Option<(Pid, u64)> {
        let (pid, start_ticks) = self.program?;
        Some((Pid::from_raw(pid)?, start_ticks))
    }

    /// Kills the minder and everything below it, and all that carries its mark.
    fn end(&self) {
        if let Some(mark) = self.mark() {
            sweep::end_minder(&mark, self.program());
        }
    }
}

/// The lock of a job, as its minder has it.
#[derive(Debug)]
pub(super) struct ProgramLock {
    file: File,
    revision: u64,
}

impl ProgramLock {
    /// Takes the lock of a job, unless another program or a newer claim has it. What a killed minder left is ended.
    pub(super) fn take(path: &Path, revision: u64) -> io::Result<Result<Self, RefusalKind>> {
        loop {
            let file = open(path)?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => return Ok(Err(RefusalKind::Locked)),
                Err(TryLockError::Error(error)) => return Err(error),
            }
            if !is_named(&file, path) {
                // It was removed between the two.
                continue;
            }
            if let Some(last) = Record::read(&file) {
                if last.revision > revision {
                    return Ok(Err(RefusalKind::ClaimOver));
                }
                last.end();
            }
            let mark = Mark::of(getpid()).ok_or_else(|| io::Error::other("there is no /proc"))?;
            Record { revision, minder: Some(mark.to_string()), program: None }.write(&file)?;
            return Ok(Ok(Self { file, revision }));
        }
    }

    /// Notes which process the program is.
    pub(super) fn started(&self, program: Pid, start_ticks: u64) -> io::Result<()> {
        let mark = Mark::of(getpid()).map(|mark| mark.to_string());
        let program = Some((program.as_raw_nonzero().get(), start_ticks));
        Record { revision: self.revision, minder: mark, program }.write(&self.file)
    }

    /// Notes that nothing of the program is left.
    pub(super) fn ended(&self) {
        // A record that stays as it was only has the next minder look for what is not there.
        let _ = Record { revision: self.revision, minder: None, program: None }.write(&self.file);
    }
}

/// The state of a job's lock.
enum Sight {
    /// Nobody has it. The last program on this machine ran under this claim, if one did.
    Free(Option<u64>),
    /// A minder has it, which may not have said yet who it is.
    Held(Option<Record>),
}

fn look(path: &Path) -> Sight {
    let Ok(file) = OpenOptions::new().read(true).open(path) else { return Sight::Free(None) };
    match file.try_lock_shared() {
        Err(TryLockError::WouldBlock) => Sight::Held(Record::read(&file)),
        Ok(()) | Err(TryLockError::Error(_)) => Sight::Free(Record::read(&file).map(|record| record.revision)),
    }
}

/// Waits until no program of an earlier claim runs: at once where the lock file proves it, and after `not_before`
/// otherwise. Processes that still have the lock then are killed.
///
/// `pause` waits for as long as it is told or until the process behind the handle has ended, and tells whether to go on.
/// The answer is whether the way is clear.
pub fn await_turn(
    bounds: &ClaimBounds,
    not_before: BootTime,
    mut pause: impl FnMut(Option<BorrowedFd<'_>>, Duration) -> bool,
) -> bool {
    loop {
        let go_on = match look(&bounds.lock) {
            Sight::Free(Some(last)) if last + 1 >= bounds.revision => return true,
            Sight::Free(_) if not_before.has_come() => return true,
            Sight::Free(_) => pause(None, not_before.left()),
            Sight::Held(Some(record)) => {
                if record.revision < bounds.revision && not_before.has_come() {
                    record.end();
                }
                let held = record.mark().and_then(|mark| mark.hold());
                match &held {
                    Some(minder) if !not_before.has_come() => pause(Some(minder.as_fd()), not_before.left()),
                    Some(minder) => pause(Some(minder.as_fd()), LOOK_AGAIN),
                    None => pause(None, LOOK_AGAIN),
                }
            }
            Sight::Held(None) => pause(None, LOOK_AGAIN),
        };
        if !go_on {
            return false;
        }
    }
}

/// Removes the lock file of a job that is over, unless somebody has it.
pub(crate) fn remove(path: &Path) {
    // A file that stays is removed by a runner that starts later.
    if let Ok(file) = OpenOptions::new().read(true).write(true).open(path)
        && file.try_lock().is_ok()
        && is_named(&file, path)
    {
        let _ = fs::remove_file(path);
    }
}

/// Removes the lock files below a directory that are of no use any more.
pub(crate) fn remove_old(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for entry in entries.flatten() {
        let changed = entry.metadata().and_then(|metadata| metadata.modified());
        let is_old = changed.is_ok_and(|changed| changed.elapsed().is_ok_and(|age| age >= OLD));
        if is_old && entry.path().extension() == Some(ENDING.as_ref()) {
            remove(&entry.path());
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    if let Some(directory) = path.parent() {
        DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    }
    OpenOptions::new().create(true).truncate(false).read(true).write(true).mode(0o600).open(path)
}

/// Whether the file still is the one of that name.
fn is_named(file: &File, path: &Path) -> bool {
    let same = || Some(file.metadata().ok()?.ino() == path.metadata().ok()?.ino());
    same() == Some(true)
}
