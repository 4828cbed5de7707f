//! The calls that are under way, so that a server that ends can wait for them.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use tokio::sync::Notify;

/// A count of calls, and a bell for when it is down to none.
#[derive(Debug, Default)]
pub(crate) struct Running {
    count: AtomicUsize,
    none: Notify,
}

/// A call that is under way until this is dropped, on whatever thread.
#[derive(Debug)]
pub(crate) struct UnderWay(Arc<Running>);

impl Running {
    /// Counts a call.
    pub(crate) fn enter(self: &Arc<Self>) -> UnderWay {
        self.count.fetch_add(1, Ordering::SeqCst);
        UnderWay(Arc::clone(self))
    }

    /// Waits until no call is under way.
    pub(crate) async fn none(&self) {
        loop {
            let none = self.none.notified();
            if self.count.load(Ordering::SeqCst) == 0 {
                return;
            }
            none.await;
        }
    }
}

impl Drop for UnderWay {
    fn drop(&mut self) {
        if self.0.count.fetch_sub(1, Ordering::SeqCst) == 1 {
            self.0.none.notify_waiters();
        }
    }
}
