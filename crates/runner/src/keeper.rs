//! Keeping a claim while its job is worked on, and noticing at once when it is over.
#![expect(clippy::disallowed_methods, reason = "a claim is renewed in good time, however much happens in the room")]

use std::{
    sync::Arc,
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use baton_app::{Cancel, Failure, watch::Woken};

use crate::{
    desk::{Claimed, Desk, is_over},
    lifeline::{Cut, Lifeline},
};

/// How long what happens in the room is gathered before it is looked at.
const GATHER: Duration = Duration::from_millis(50);

/// Renews a claim until it is dropped.
pub(crate) struct Keeper {
    done: Cancel,
    thread: Option<JoinHandle<()>>,
}

impl Keeper {
    /// Begins to keep a claim. When it is over, the lifeline is cut.
    pub(crate) fn of(desk: &Desk, claimed: &Claimed, lifeline: &Arc<Lifeline>) -> std::io::Result<Self> {
        let done = Cancel::new()?;
        let (desk, claimed, lifeline, withdrawn) = (desk.clone(), claimed.clone(), Arc::clone(lifeline), done.clone());
        let thread = thread::Builder::new()
            .name(format!("keeper {}", claimed.id()))
            .spawn(move || keep(&desk, &claimed, &lifeline, &withdrawn))?;
        Ok(Self { done, thread: Some(thread) })
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        self.done.ring();
        if let Some(thread) = self.thread.take() {
            // A keeper that panicked has cut nothing; the worker finds out with its next report.
            let _ = thread.join();
        }
    }
}

fn keep(desk: &Desk, claimed: &Claimed, lifeline: &Lifeline, done: &Cancel) {
    let third = Duration::from_millis(desk.claim_ttl.as_millis() / 3);
    let (mut watch, mut renewed) = (None, Instant::now());
    loop {
        if watch.is_none() {
            watch = desk.watch().ok();
            heed(desk, claimed, lifeline);
        }
        let left = third.saturating_sub(renewed.elapsed());
        let woken = match &mut watch {
            Some(ear) => ear.wait(left, done),
            None => Ok(if done.wait(left) { Woken::Withdrawn } else { Woken::Elapsed }),
        };
        let still = match woken {
            Ok(Woken::Withdrawn) => return,
            // A room in which something happens all the time must not keep a claim from being renewed.
            Ok(_) if renewed.elapsed() >= third => {
                renewed = Instant::now();
                desk.renew(claimed).map(|()| true)
            }
            Ok(Woken::Rung) if done.wait(GATHER) => return,
            Ok(Woken::Rung) => {
                heed(desk, claimed, lifeline);
                desk.holds(claimed)
            }
            Ok(Woken::Elapsed) => Ok(true),
            Err(_) => {
                watch = None;
                Ok(true)
            }
        };
        if is_lost(&still) {
            lifeline.sever(Cut::Lost);
            return;
        }
    }
}

/// Stops what runs, if somebody interrupted it. Who cannot be asked now is asked when the bell rings next.
fn heed(desk: &Desk, claimed: &Claimed, lifeline: &Lifeline) {
    if let Ok(Some(message)) = desk.interrupted(claimed) {
        lifeline.interrupt_for(message);
    }
}

/// A store that cannot be reached says nothing about the claim: it is asked again later.
fn is_lost(still: &Result<bool, Failure>) -> bool {
    match still {
        Ok(still) => !still,
        Err(failure) => is_over(failure),
    }
}
