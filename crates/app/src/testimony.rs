//! Telling other machines what can only be seen on this one: which processes are gone, and that it booted again.
//!
//! On one machine everybody can look, so nothing is written. Nothing fails over it either: without the word of its
//! machine a process is unknown elsewhere, and timeouts decide.

use baton_core::{
    event::Concern,
    process::{Liveness, ProcessIdentity, Proof, Witness},
    time::Timestamp,
};
use baton_store::{Store, StoreError, engine::Tx, hosts, rooms};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    App,
    app::Sight,
    liveness::is_here,
    presence::{self, Effort},
};

/// Says which processes behind a room have ended, if they ended here and somebody elsewhere might want to know.
pub(crate) fn give(app: &App, sight: &Sight<'_>, effort: Effort) {
    let room = &sight.room;
    if room.processes().all(is_here) {
        return;
    }
    let mut news = Vec::new();
    for process in room.processes().filter(|process| is_here(process)) {
        if let Liveness::Gone(proof) = app.probe.liveness(process)
            && sight.eyes.was_told(process).is_none()
            && !news.iter().any(|(known, _): &(&ProcessIdentity, _)| known.same_process(process))
        {
            news.push((process, proof));
        }
    }
    if news.is_empty() {
        return;
    }
    let _: Result<(), StoreError> = presence::write(&app.store, effort, |tx| {
        for (process, proof) in &news {
            hosts::departed(tx, process, *proof, sight.now)?;
        }
        tx.ring(&room.id, Concern::Everyone);
        Ok(())
    });
}

/// Has this machine say which boot it is in, unless that is known.
pub(crate) fn arrive(tx: &mut dyn Tx, process: Option<&ProcessIdentity>, now: Timestamp) -> Result<(), StoreError> {
    let Some(process) = process.filter(|process| is_here(process)) else { return Ok(()) };
    if hosts::boot(tx, &process.host_id)?.as_deref() == Some(&*process.boot_id) {
        return Ok(());
    }
    hosts::booted(tx, &process.host_id, &process.boot_id, now)
}

/// How long a harness that hung up is given to end, so that its end can be told. One that was killed has ended.
const LAST_MOMENTS: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };

impl App {
    /// Says that the process behind a connection has ended, in every room that it is a member of. Where everybody can
    /// look for themselves, nothing is said.
    pub fn hung_up(&self, process: &ProcessIdentity) {
        if !self.is_remote() {
            return;
        }
        if let Some(end) = self.probe.watch(process) {
            // Whatever this comes to, the look that follows tells.
            let _ = poll(&mut [PollFd::new(&end, PollFlags::IN)], Some(&LAST_MOMENTS));
        }
        if let Liveness::Gone(proof) = self.probe.liveness(process) {
            let _ = depart(&self.store, process, proof);
        }
    }
}

fn depart(store: &Store, process: &ProcessIdentity, proof: Proof) -> Result<(), StoreError> {
    store.write(|tx| {
        let behind = rooms::of_process(tx, process)?;
        if behind.is_empty() {
            return Ok(());
        }
        let now = tx.now()?;
        hosts::departed(tx, process, proof, now)?;
        behind.iter().for_each(|(room, _)| tx.ring(room, Concern::Everyone));
        Ok(())
    })
}
