//! The pulse of a store: one ear for all rooms, for whoever shows all of them.
//!
//! A feed tells what was written in one room; the pulse only says that something was written somewhere, which is enough for
//! a page that is read again as a whole. Its thread begins with the first who wants to feel it and ends with the server.

use std::{
    sync::{Arc, Mutex, PoisonError},
    thread,
    time::Duration,
};

use baton_app::{
    App, Cancel, Failure,
    watch::{Watch, Woken},
};
use baton_core::code::ErrorCode;
use tokio::sync::watch;

use crate::{blocking, feed::listener};

/// How often the thread looks up without having been rung for.
const SAFETY: Duration = Duration::from_secs(5);

/// Tells when something happens in a store.
pub(crate) struct Pulse {
    app: Arc<App>,
    beating: Mutex<Option<Beating>>,
}

/// The thread, from outside.
struct Beating {
    count: watch::Receiver<u64>,
    cancel: Cancel,
}

impl Pulse {
    pub(crate) fn new(app: Arc<App>) -> Self {
        Self { app, beating: Mutex::default() }
    }

    /// A number that grows whenever something happens.
    pub(crate) fn feel(&self) -> Result<watch::Receiver<u64>, Failure> {
        let mut beating = self.beating.lock().unwrap_or_else(PoisonError::into_inner);
        // A thread that had to give up, because the store did, has let go of its end.
        if let Some(known) = beating.as_ref().filter(|known| known.count.has_changed().is_ok()) {
            return Ok(known.count.clone());
        }
        let begun = begin(&self.app)?;
        let count = begun.count.clone();
        *beating = Some(begun);
        Ok(count)
    }

    /// Ends the thread.
    pub(crate) fn end(&self) {
        if let Some(beating) = self.beating.lock().unwrap_or_else(PoisonError::into_inner).take() {
            beating.cancel.ring();
        }
    }
}

fn begin(app: &Arc<App>) -> Result<Beating, Failure> {
    let failed =
        |error: std::io::Error| Failure::new(ErrorCode::Internal, format!("The store cannot be watched: {error}."));
    let cancel = Cancel::new().map_err(failed)?;
    let ear = app.watch_everywhere(&listener()?)?;
    let (sender, count) = watch::channel(0);
    let ended = cancel.clone();
    let run = move || drop(blocking::inline(|| beat(ear, &ended, &sender)));
    thread::Builder::new().name("baton-pulse".to_owned()).spawn(run).map_err(failed)?;
    Ok(Beating { count, cancel })
}

fn beat(mut ear: Watch, cancel: &Cancel, count: &watch::Sender<u64>) -> Result<(), Failure> {
    loop {
        match ear.wait(SAFETY, cancel)? {
            Woken::Rung => count.send_modify(|count| *count = count.wrapping_add(1)),
            Woken::Elapsed => {}
            Woken::Withdrawn => return Ok(()),
        }
    }
}
