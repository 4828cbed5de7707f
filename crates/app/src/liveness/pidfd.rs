//! Handles on processes that a reused pid cannot redirect.

use std::os::fd::{AsFd, OwnedFd};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{fstat, fstatfs},
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};

/// The filesystem on which newer kernels keep pidfds, each process with an inode that is never reused in a boot.
/// Older ones share a single inode among all.
const PIDFS_MAGIC: u64 = 0x5049_4446;

/// Opens a handle on the process that has `pid` now.
pub(super) fn open(pid: u32) -> Result<OwnedFd, Errno> {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).ok_or(Errno::SRCH)?;
    pidfd_open(pid, PidfdFlags::empty())
}

/// The number that is this process's alone, where the kernel gives one.
pub(super) fn inode(fd: impl AsFd) -> Option<u64> {
    let magic = u64::try_from(fstatfs(&fd).ok()?.f_type).ok()?;
    if magic != PIDFS_MAGIC {
        return None;
    }
    Some(fstat(&fd).ok()?.st_ino)
}

/// Whether the process has ended, all its threads included; reaped or not.
pub(super) fn has_ended(fd: impl AsFd) -> Result<bool, Errno> {
    let mut fds = [PollFd::new(&fd, PollFlags::IN)];
    loop {
        match poll(&mut fds, Some(&Timespec { tv_sec: 0, tv_nsec: 0 })) {
            Err(Errno::INTR) => {}
            answer => return answer.map(|ready| ready > 0),
        }
    }
}
