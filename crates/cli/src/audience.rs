//! Whoever reads what is printed here. What goes on until somebody stops it must end with its reader.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::Duration,
};

use baton_app::{Cancel, Failure};
use baton_core::code::ErrorCode;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
};

/// The reader of standard output.
pub(crate) struct Audience {
    cancel: Cancel,
    left: Arc<AtomicBool>,
}

impl Audience {
    /// Begins to look out for its leaving.
    pub(crate) fn new() -> Result<Self, Failure> {
        let cancel = Cancel::new().map_err(|error| Failure::new(ErrorCode::Internal, format!("{error}.")))?;
        let left = Arc::new(AtomicBool::new(false));
        let (leaves, rings) = (Arc::clone(&left), cancel.clone());
        thread::spawn(move || {
            while listen(None) == Err(Errno::INTR) {}
            leaves.store(true, Ordering::Release);
            rings.ring();
        });
        Ok(Self { cancel, left })
    }

    /// Withdraws a wait when it leaves.
    pub(crate) fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// Whether nobody reads any more.
    pub(crate) fn has_left(&self) -> bool {
        self.left.load(Ordering::Acquire)
    }

    /// What a wait for it came to; nothing, if it was withdrawn because nobody reads any more.
    pub(crate) fn unless_left<T>(&self, waited: Result<T, Failure>) -> Result<Option<T>, Failure> {
        match waited {
            Err(failure) if failure.code == ErrorCode::Canceled && self.has_left() => Ok(None),
            waited => waited.map(Some),
        }
    }

    /// Lets it read for a moment, unless it leaves before.
    pub(crate) fn linger(&self, most: Duration) {
        let timeout = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
        // A signal may make the moment shorter, which is as good.
        let _ = listen(Some(&timeout));
    }
}

/// Waits until nobody reads any more. Asking for nothing is asking for errors: that the other end was closed.
fn listen(timeout: Option<&Timespec>) -> Result<usize, Errno> {
    poll(&mut [PollFd::new(&rustix::stdio::stdout(), PollFlags::empty())], timeout)
}
