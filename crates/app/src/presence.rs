//! Presence: the calls of a member show that it is there, and few of them write it.
#![expect(clippy::disallowed_methods, reason = "a wait measures when it has to be seen again")]

use std::time::{Duration, Instant};

use baton_core::{
    ids::RoomId,
    policy::Policy,
    room::{Room, Stick},
    time::Timestamp,
};
use baton_store::{Store, StoreError, engine::Tx, former, hosts::Testimony};

use crate::{App, Caller, Failure, app::Sweep, identity::require_own_id, liveness::Eyes};

/// Whether a call can afford to wait for another writer to record that its caller is there.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Effort {
    /// A wait: it has the time, and being seen is half of what it is for.
    Wait,
    /// A read: it must not wait. While the store cannot be written, the presence is only a little older.
    Try,
}

/// Marks the caller as seen, unless that was stored moments ago, and records its return if it comes back as
/// another process. No call fails over that; one whose caller has somebody else's id, or cannot prove its job, is refused.
pub(crate) fn refresh(
    app: &App,
    caller: &Caller,
    room: &mut Room,
    now: Timestamp,
    effort: Effort,
) -> Result<(), Failure> {
    let actor = caller.actor();
    app.require_employment(caller, &actor)?;
    if app.is_sweep_due(room, now, Sweep::Telling) {
        // What it comes to, the next look tells.
        let _ = app.sweep_gone(&room.id);
    }
    if app.is_due(&room.id, now, Sweep::Jobs) {
        app.see_to_jobs(&room.id);
    }
    if room.member(&actor.agent_id).is_none() {
        app.restore(caller, room, effort);
    }
    let Some(member) = room.member(&actor.agent_id) else { return Ok(()) };
    let eyes = Eyes::new(&app.probe, Testimony::default());
    require_own_id(room, now, &actor, &eyes)?;
    let stored = member.last_seen_at;
    if now.since(stored) >= room.policy.presence_grain() || room.comeback(&actor, &eyes).is_some() {
        // Changing nothing is enough: every change begins with the caller's return.
        let seen: Result<Room, Failure> = write(&app.store, effort, |tx| {
            app.change_in(tx, caller, &actor, &room.id, &mut |change| Ok(change.room.clone()))
        });
        if let Ok(seen) = seen {
            *room = seen;
        }
    }
    // What the caller is told counts it as present, because it is.
    room.touch(&actor.agent_id, now);
    Ok(())
}

impl App {
    /// Makes a caller who was retired a member again, and reads the room anew. No read fails over that.
    fn restore(&self, caller: &Caller, room: &mut Room, effort: Effort) {
        let actor = caller.actor();
        // Only processes are retired.
        if actor.process.is_none() || room.stick == Stick::Closed {
            return;
        }
        let is_retired = self.store.read(|tx| former::is_retired(tx, &room.id, &actor.agent_id));
        if is_retired.is_ok_and(|retired| retired) {
            let back = write(&self.store, effort, |tx| {
                self.change_in(tx, caller, &actor, &room.id, &mut |change| {
                    change.readmit()?;
                    Ok(change.room.clone())
                })
            });
            if let Ok::<Room, Failure>(back) = back {
                *room = back;
            }
        }
    }

    /// Makes a caller who was retired a member again, and refuses one who is none.
    pub(crate) fn readmit(&self, caller: &Caller, room: &Room) -> Result<(), Failure> {
        let actor = caller.actor();
        if room.member(&actor.agent_id).is_some() {
            return Ok(());
        }
        self.store.write(|tx| {
            self.change_in(tx, caller, &actor, &room.id, &mut |change| {
                change.readmit()?;
                Ok(change.room.require_member(&actor.agent_id)?)
            })
        })
    }
}

/// Reads from a room in one transaction, then shows the caller's presence there, in the room that is returned too.
pub(crate) fn read<T>(
    app: &App,
    caller: &Caller,
    room: &RoomId,
    mut look: impl FnMut(&mut dyn Tx, &Room, Timestamp) -> Result<T, Failure>,
) -> Result<(Room, T), Failure> {
    let (mut room, found, now) = app.store.read(|tx| {
        let (room, now) = (app.room(tx, room)?, tx.now()?);
        let found = look(tx, &room, now)?;
        Ok::<_, Failure>((room, found, now))
    })?;
    refresh(app, caller, &mut room, now, Effort::Try)?;
    Ok((room, found))
}

/// Shows the caller's presence in a room that was not read yet, and returns the room. A wait does so once, when it begins.
pub(crate) fn show(app: &App, caller: &Caller, room: &RoomId) -> Result<Room, Failure> {
    let (room, ()) = read(app, caller, room, |_, _, _| Ok(()))?;
    Ok(room)
}

/// Keeps a caller present while its call waits, however soon the room's policy would count it as absent.
pub(crate) struct PresenceKeeper {
    due: Instant,
}

impl PresenceKeeper {
    /// Begins with a caller that was just seen.
    pub(crate) fn begin(policy: &Policy) -> Self {
        let every = Duration::from_millis(policy.presence_ttl_ms.as_millis() / 3);
        Self { due: Instant::now() + every }
    }

    /// How long the caller may sleep before it has to be seen again.
    pub(crate) fn left(&self) -> Duration {
        self.due.saturating_duration_since(Instant::now())
    }

    /// Shows the caller's presence if that is due.
    pub(crate) fn keep(&mut self, app: &App, caller: &Caller, room: &RoomId) -> Result<(), Failure> {
        if self.left().is_zero() {
            let (mut room, now) = app.store.read::<_, Failure>(|tx| Ok((app.room(tx, room)?, tx.now()?)))?;
            refresh(app, caller, &mut room, now, Effort::Wait)?;
            *self = Self::begin(&room.policy);
        }
        Ok(())
    }
}

/// Writes something that no call fails over.
pub(crate) fn write<T, E: From<StoreError>>(
    store: &Store,
    effort: Effort,
    work: impl FnMut(&mut dyn Tx) -> Result<T, E>,
) -> Result<T, E> {
    match effort {
        Effort::Wait => store.write(work),
        Effort::Try => store.write_if_free(work),
    }
}
