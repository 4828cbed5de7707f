//! Keeping the stick for a person who has no process of their own in the room.
//!
//! A person's commands come and go; the guardian stays. It renews the lease, and it ends by itself when the turn
//! ends. If it is killed, the stick is visibly without an owner, which is the truth.

use std::os::fd::AsFd;

use baton_core::{
    ids::{LeaseId, RoomId},
    lease::Fence,
    room::Action,
    time::Ttl,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    commands::stick::{Heartbeat, HeartbeatInput},
    table::UseCase,
};

/// A turn that is being kept.
#[derive(Clone, Debug)]
pub struct Hold {
    /// Where.
    pub room_id: RoomId,
    /// Which turn.
    pub turn_id: Fence,
    /// Under which lease.
    pub lease_id: LeaseId,
}

/// Renews the lease until the turn is over: released, passed, taken over or closed.
pub fn keep(app: &App, caller: &Caller, hold: &Hold) -> Result<(), Failure> {
    let mut bell = app.store.listen(&hold.room_id)?;
    loop {
        let beat = Heartbeat::run(
            app,
            caller,
            HeartbeatInput {
                room_id: hold.room_id.clone(),
                lease_id: hold.lease_id.clone(),
                expected_turn_id: hold.turn_id,
                idempotency_key: None,
            },
        )?;
        wait_for_ring(bell.fd(), beat.heartbeat_interval_ms)?;
        bell.clear();
        if !still_held(app, hold)? {
            return Ok(());
        }
    }
}

fn still_held(app: &App, hold: &Hold) -> Result<bool, Failure> {
    let room = app.store.read(|tx| app.room(tx, &hold.room_id))?;
    Ok(room.ownership().is_some_and(|ownership| ownership.lease_id == hold.lease_id))
}

fn wait_for_ring(bell: impl AsFd, at_most: Ttl) -> Result<(), Failure> {
    let millis = at_most.as_millis();
    let timeout = Timespec { tv_sec: (millis / 1000) as i64, tv_nsec: (millis % 1000) as i64 * 1_000_000 };
    match poll(&mut [PollFd::new(&bell, PollFlags::IN)], Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(()),
        Err(error) => Err(internal(error)),
    }
}

/// Puts the calling process behind its member: the guardian takes the place of the person's shell.
pub fn stand_in(app: &App, caller: &Caller, room_id: &RoomId) -> Result<(), Failure> {
    let request = Request { command: "hold", input: room_id, key: None };
    app.change(caller, &request, room_id, |change| change.decide(Action::Join).map(|_| ()))
}
