//! Keeping the stick for a person who has no process of their own in the room.
//!
//! A person's commands come and go; the guardian stays for as long as their terminal's session. It renews the lease, and
//! it ends by itself when the turn ends. If it is killed, or the person has gone, the stick is visibly without an owner,
//! which is the truth. A store in trouble does not end it: the turn is still the person's when the disk has room again.

use std::os::fd::{AsFd, OwnedFd};

use baton_core::{
    code::{ErrorCode, Kind},
    ids::{LeaseId, RoomId},
    lease::Fence,
    process::Witness,
    time::Ttl,
};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{Mode, OFlags, open},
    io::Errno,
};

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

/// The session of the terminal that a person works at.
#[derive(Debug)]
pub struct TerminalSession {
    terminal: OwnedFd,
    /// The process that leads it, where the kernel has handles.
    leader: Option<OwnedFd>,
}

impl TerminalSession {
    /// The session that a guardian keeps the stick for. It must still be in it: from outside nobody can take hold of
    /// somebody's terminal.
    pub fn of_guardian(app: &App, guardian: &Caller) -> Result<Self, Failure> {
        let leader = guardian.actor().process.and_then(|process| process.leader());
        let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let terminal = open("/dev/tty", flags, Mode::empty()).map_err(|_| no_terminal())?;
        let is_gone = leader.as_ref().is_some_and(|leader| app.probe.liveness(leader).is_gone());
        let session = Self { terminal, leader: leader.and_then(|leader| app.probe.watch(&leader)) };
        if is_gone { Err(no_terminal()) } else { Ok(session) }
    }

    /// Whether the person is gone from there: the terminal was closed, or the shell that leads the session has ended.
    fn is_over(&self) -> Result<bool, Failure> {
        let now = Timespec { tv_sec: 0, tv_nsec: 0 };
        let mut fds: Vec<PollFd<'_>> = self.fds().collect();
        loop {
            match poll(&mut fds, Some(&now)) {
                Err(Errno::INTR) => {}
                answer => return answer.map(|ended| ended > 0).map_err(internal),
            }
        }
    }

    /// Waits until it is over, or cannot be watched.
    pub fn wait_for_end(&self) {
        let mut fds: Vec<PollFd<'_>> = self.fds().collect();
        while poll(&mut fds, None) == Err(Errno::INTR) {}
    }

    /// Descriptors that become ready when it ends. What is typed at the terminal is no concern; a hang-up always is.
    fn fds(&self) -> impl Iterator<Item = PollFd<'_>> {
        let leader = self.leader.iter().map(|leader| PollFd::new(leader, PollFlags::IN));
        std::iter::once(PollFd::new(&self.terminal, PollFlags::empty())).chain(leader)
    }
}

/// The refusal of somebody who is at no terminal, and has nothing that a guardian could outlive.
fn no_terminal() -> Failure {
    let message = "There is no terminal here whose session a guardian could keep the stick for.";
    Failure::new(ErrorCode::InvalidInput, message).advising("Use `baton wait`.")
}

/// Renews the lease until the turn is over (released, passed, taken over or closed) or the session is.
pub fn keep(app: &App, caller: &Caller, hold: &Hold, session: &TerminalSession) -> Result<(), Failure> {
    let mut bell = app.store.listen(&hold.room_id)?;
    let mut interval = TRY_AGAIN;
    while !session.is_over()? {
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
        wait(bell.fd(), session, until_next(beat, &mut interval)?)?;
        bell.clear(&caller.actor().agent_id);
        // Where the store does not tell, the next heartbeat will.
        if let Ok(false) = still_held(app, hold) {
            break;
        }
    }
    Ok(())
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

/// Waits for a ring or the end of the session.
fn wait(bell: impl AsFd, session: &TerminalSession, at_most: Ttl) -> Result<(), Failure> {
    let millis = at_most.as_millis();
    let timeout = Timespec { tv_sec: (millis / 1000) as i64, tv_nsec: (millis % 1000) as i64 * 1_000_000 };
    let mut fds: Vec<PollFd<'_>> = session.fds().chain([PollFd::new(&bell, PollFlags::IN)]).collect();
    match poll(&mut fds, Some(&timeout)) {
        Ok(_) | Err(Errno::INTR) => Ok(()),
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
