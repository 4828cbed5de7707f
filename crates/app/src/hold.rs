//! Keeping the stick for a person who has no process of their own in the room.
//!
//! A person's commands come and go; the guardian stays. It renews the lease, and it ends by itself when the turn
//! ends. If it is killed, the stick is visibly without an owner, which is the truth. A store in trouble does not end
//! it: the turn is still the person's when the disk has room again.

use std::os::fd::AsFd;

use baton_core::{
    code::{ErrorCode, Kind},
    ids::{LeaseId, RoomId},
    lease::Fence,
    time::Ttl,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    commands::stick::{Heartbeat, HeartbeatInput, HeartbeatResult},
    table::UseCase,
};

/// How soon a heartbeat that the store failed is tried again, at the latest.
const TRY_AGAIN: Ttl = Ttl::from_secs(1);

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
    let mut interval = TRY_AGAIN;
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
        );
        wait_for_ring(bell.fd(), until_next(beat, &mut interval)?)?;
        bell.clear(&caller.actor().agent_id);
        // Where the store does not tell, the next heartbeat will.
        if let Ok(false) = still_held(app, hold) {
            return Ok(());
        }
    }
}

/// How long to wait for the next heartbeat. A refusal is final; a store that failed may recover, unless its file is
/// gone, and with it the room.
fn until_next(beat: Result<HeartbeatResult, Failure>, interval: &mut Ttl) -> Result<Ttl, Failure> {
    match beat {
        Ok(beat) => {
            *interval = beat.heartbeat_interval_ms;
            Ok(*interval)
        }
        Err(failure) if failure.code.kind() == Kind::Failed && failure.code != ErrorCode::StoreReplaced => {
            Ok(TRY_AGAIN.min(*interval))
        }
        Err(failure) => Err(failure),
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
    app.change(caller, &request, room_id, |change| change.join(None, None).map(|_| ()))
}

#[cfg(test)]
mod tests {
    use baton_core::time::Timestamp;

    use super::*;

    fn until(beat: Result<Ttl, ErrorCode>, interval: &mut Ttl) -> Result<Ttl, ErrorCode> {
        let beat = beat.map(|heartbeat_interval_ms| HeartbeatResult {
            room_id: "room_test".parse().unwrap(),
            turn_id: Fence(1),
            lease_expires_at: Timestamp::from_millis(0),
            heartbeat_interval_ms,
        });
        until_next(beat.map_err(|code| Failure::new(code, "so it is")), interval).map_err(|failure| failure.code)
    }

    #[test]
    fn a_store_in_trouble_is_tried_again_soon_and_a_refusal_ends_the_keeping() {
        let (long, short) = (Ttl::from_minutes(5), Ttl::from_millis(200));
        let mut interval = TRY_AGAIN;
        assert_eq!(until(Err(ErrorCode::StoreBusy), &mut interval), Ok(TRY_AGAIN));
        assert_eq!(until(Ok(long), &mut interval), Ok(long));
        for code in [ErrorCode::StoreBusy, ErrorCode::StoreFull, ErrorCode::StoreReadOnly] {
            assert_eq!(until(Err(code), &mut interval), Ok(TRY_AGAIN), "{code}");
        }
        assert_eq!(until(Ok(short), &mut interval), Ok(short));
        assert_eq!(until(Err(ErrorCode::StoreFull), &mut interval), Ok(short));
        for code in [
            ErrorCode::StaleLease,
            ErrorCode::TurnMismatch,
            ErrorCode::RoomClosed,
            ErrorCode::UnknownRoom,
            ErrorCode::StoreReplaced,
        ] {
            assert_eq!(until(Err(code), &mut interval), Err(code), "nothing is left to keep");
        }
    }
}
