//! Waiting for the stick, and claiming it when it is the caller's.
//!
//! A wait reads; it writes the caller's presence now and then, and claims when the stick is the caller's. It is woken by the room's bell, by the
//! end of the process everybody waits for, and by the moment a lease or claim runs out, so nothing polls. What
//! woke it does not matter: it looks at the room again, and the claim itself is decided inside the
//! transaction, where a member that was removed meanwhile, or came second, gets nothing.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures its own budget")]

use std::{
    os::fd::{AsFd, OwnedFd},
    time::{Duration, Instant},
};

use baton_core::{
    code::{ErrorCode, Kind},
    event::Recorded,
    handoff::Handoff,
    ids::{AgentId, LeaseId, RoomId},
    lease::Fence,
    limits,
    process::{ProcessIdentity, Witness},
    room::{Actor, ClaimReason, Event, Ownership, Prospect, Room, RoomState, TakeoverReason},
    time::{Timestamp, Ttl},
};
use baton_store::{
    engine::{Bell, RungFor},
    inbox::{self, Waiting},
    log,
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::cursor::{Cursor, KnownTakeover};
use crate::{
    App, Caller, Failure,
    app::{Request, Sight},
    liveness::Probe,
    presence::{self, Effort, PresenceKeeper},
    table::{Effect, Place, Tier, UseCase},
    testimony,
    tree::{DriftReport, Received},
    view::Mail,
};

/// `stick.wait`
pub struct Wait;

/// What to wait for.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WaitInput {
    pub room_id: RoomId,
    /// From the last answer: wait for what is new
    pub cursor: Option<String>,
    /// Up to 50000; default 30000; 0 tries once
    pub max_wait_ms: Option<u64>,
    /// Only watch: never claim
    #[serde(default)]
    pub park: bool,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// Whether it is your turn.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum WaitForTurnResult {
    /// The stick is yours. Read the handoff first.
    YourTurn {
        room_id: RoomId,
        turn_id: Fence,
        lease_id: LeaseId,
        lease_expires_at: Timestamp,
        heartbeat_interval_ms: Ttl,
        handoff: Option<Handoff>,
        from_agent_id: Option<AgentId>,
        reason: ClaimReason,
        /// Changes in the workspace since the handoff that no turn explains.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        drift: Option<Box<DriftReport>>,
        /// What waits in your inbox.
        #[serde(default, skip_serializing_if = "Mail::is_empty")]
        inbox: Mail,
        /// Set when you held it already.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        resumed: bool,
    },
    /// Call again.
    NotYet {
        cursor: String,
        room_state: RoomState,
        turn_id: Fence,
        owner: Option<AgentId>,
        reserved_for: Option<AgentId>,
        lease_expires_at: Option<Timestamp>,
        claim_expires_at: Option<Timestamp>,
        /// Messages you have not seen, and those you have to accept: read them with `inbox`.
        #[serde(default, skip_serializing_if = "Mail::is_empty")]
        inbox: Mail,
        /// Set when a message you were not told of calls you.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        new_message: bool,
        next: String,
    },
    /// The one everybody waits for does not respond.
    TakeoverAvailable {
        room_id: RoomId,
        turn_id: Fence,
        room_state: RoomState,
        /// What opened it.
        #[serde(rename = "reason")]
        basis: TakeoverReason,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        current_owner: Option<AgentId>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        reserved_for: Option<AgentId>,
        /// Wait with it for something else to happen.
        cursor: String,
        /// What waits in your inbox.
        #[serde(default, skip_serializing_if = "Mail::is_empty")]
        inbox: Mail,
        /// Set when a message came that you were not told of yet.
        #[serde(default, skip_serializing_if = "std::ops::Not::not")]
        new_message: bool,
        next: String,
    },
    /// There are no more turns.
    Closed { room_id: RoomId },
}

impl UseCase for Wait {
    const NAME: &'static str = "stick.wait";
    const PLACE: Place = Place::Tool("wait_for_turn", Tier::Daily);
    const EFFECT: Effect = Effect::Wait;
    const ABOUT: &'static str = "Wait for the stick and claim it when it is yours. Work only after your_turn; on not_yet call again (if it counts messages, read your inbox first); on takeover_available decide about takeover_stick.";
    type Input = WaitInput;
    type Output = WaitForTurnResult;

    fn perform(app: &App, caller: &Caller, input: WaitInput) -> Result<WaitForTurnResult, Failure> {
        check_wait(&input)?;
        let waiter = Waiter {
            app,
            caller,
            actor: caller.actor(),
            cursor: input.cursor.as_deref().map(Cursor::parse).transpose()?,
            input: &input,
        };
        let started = Instant::now();
        if let Some(first) = app.replay(caller, &waiter.request())? {
            return Ok(first);
        }
        if input.max_wait_ms == Some(0) && !input.park {
            // One attempt, in one transaction. If it is refused, the look below tells how things stand: to members.
            match waiter.claim() {
                Err(failure) if failure.code.kind() == Kind::Refused && waiter.is_member()? => {}
                outcome => return outcome,
            }
        }
        let mut sight = waiter.load()?;
        presence::refresh(app, caller, &mut sight.room, sight.now, Effort::Wait)?;
        let asked = input.max_wait_ms.map_or(sight.room.policy.wait_for_turn_max_wait_ms, Ttl::from_millis);
        let budget = Duration::from_millis(asked.as_millis());
        match waiter.look(sight)? {
            Look::Answer(answer) => Ok(*answer),
            Look::NotYet(sight) if budget.is_zero() => waiter.as_it_stands(&sight),
            Look::NotYet(_) => waiter.listen(started + budget),
        }
    }
}

/// How long a waiter steps aside when the bell rang for somebody else. All it has to do then is to note whose turn it is
/// waiting out. With 2 ms, sixteen waiters on two cores spent half of all time on that.
const STEP_ASIDE: Duration = Duration::from_millis(20);

/// How often a waiter looks whether an owner whose lease ran out is there again.
const LOOK_AGAIN: Ttl = Ttl::from_secs(1);

/// One call's wait.
struct Waiter<'a> {
    app: &'a App,
    caller: &'a Caller,
    actor: Actor,
    cursor: Option<Cursor>,
    input: &'a WaitInput,
}

/// What a look at the room came to.
enum Look<'a> {
    Answer(Box<WaitForTurnResult>),
    NotYet(Box<Sight<'a>>),
}

impl Look<'_> {
    fn answer(answer: WaitForTurnResult) -> Self {
        Self::Answer(Box::new(answer))
    }
}

impl<'a> Waiter<'a> {
    fn request(&self) -> Request<'a, WaitInput> {
        Request { command: Wait::NAME, input: self.input, key: self.input.idempotency_key.as_deref() }
    }

    fn load(&self) -> Result<Sight<'a>, Failure> {
        self.app.see(&self.input.room_id)
    }

    fn is_member(&self) -> Result<bool, Failure> {
        Ok(self.load()?.room.member(&self.actor.agent_id).is_some())
    }

    /// Waits until something is to be said or the budget is spent.
    fn listen(&self, until: Instant) -> Result<WaitForTurnResult, Failure> {
        let store = &self.app.store;
        let Some(_seat) = store.listener_seat(&self.input.room_id, &self.actor.agent_id)? else {
            let message = format!("{} is already waiting on this room in another call.", self.actor.agent_id);
            return Err(Failure::new(ErrorCode::DuplicateListener, message));
        };
        let mut bell = store.listen(&self.input.room_id)?;
        let own = self.actor.process.as_ref().and_then(|process| self.app.probe.watch(process));
        let mut awaited = Awaited::default();
        let mut keeper = PresenceKeeper::begin(&self.load()?.room.policy);
        loop {
            keeper.keep(self.app, self.caller, &self.input.room_id)?;
            // The bell is up before the look, so what is committed after the look will ring it.
            let sight = match self.look(self.load()?)? {
                Look::Answer(answer) => return Ok(*answer),
                Look::NotYet(sight) => sight,
            };
            let left = until.saturating_duration_since(Instant::now());
            let is_news = || Ok::<_, Failure>(self.is_called(self.mail()?) || self.moved_since_cursor(&sight.room)?);
            if left.is_zero() || self.has_takeover_ended(&sight) || is_news()? {
                return self.as_it_stands(&sight);
            }
            if self.acts_for_nobody() {
                return Err(Failure::new(ErrorCode::Canceled, "The process this wait was for is gone."));
            }
            if awaited.follow(sight.room.awaited_process(), &self.app.probe) == Followed::Gone {
                // It ended after the look and before the watch: look again.
                continue;
            }
            let ends = [own.as_ref(), awaited.end.as_ref()];
            match self.sleep(&mut *bell, ends, left.min(self.until_deadline(&sight)).min(keeper.left()))? {
                Woken::Canceled => return Err(Failure::new(ErrorCode::Canceled, "The wait was withdrawn.")),
                // Called by name: the stick is likely to be there. If it is not, the next look tells why.
                Woken::Called if !self.input.park => match self.claim() {
                    Err(failure) if failure.code.kind() == Kind::Refused => {}
                    outcome => return outcome,
                },
                Woken::Called | Woken::Again | Woken::RungForOthers => {}
            }
        }
    }

    /// Looks at the room, and claims the stick if it is the caller's.
    fn look(&self, mut sight: Sight<'a>) -> Result<Look<'a>, Failure> {
        testimony::give(self.app, &sight, Effort::Wait);
        let now = sight.now;
        // Who waits is there, whatever was stored last.
        sight.room.touch(&self.actor.agent_id, now);
        let room = &sight.room;
        if room.stick == baton_core::room::Stick::Closed {
            return Ok(Look::answer(WaitForTurnResult::Closed { room_id: room.id.clone() }));
        }
        if room.member(&self.actor.agent_id).is_none() {
            self.app.readmit(self.caller, room)?;
            return self.look(self.load()?);
        }
        match room.prospect(now, &self.actor.agent_id, self.actor.process.as_ref(), &sight.eyes) {
            Prospect::Claimable { .. } if !self.input.park => match self.claim() {
                Ok(answer) => Ok(Look::answer(answer)),
                // Someone was faster. That is an answer for the next look, not for the caller.
                Err(failure) if failure.code == ErrorCode::StaleLease => Ok(Look::NotYet(Box::new(self.load()?))),
                Err(failure) => Err(failure),
            },
            // A parked listener is told that the stick waits for it, and decides itself.
            Prospect::Claimable { reason: ClaimReason::OpenClaim, .. } => Ok(Look::NotYet(Box::new(sight))),
            Prospect::Claimable { .. } => {
                let mail = self.mail()?;
                Ok(Look::answer(self.not_yet(&sight, mail)))
            }
            Prospect::Holding => match room.ownership() {
                Some(ownership) => self.resumed(room, ownership).map(Look::answer),
                None => Ok(Look::NotYet(Box::new(sight))),
            },
            Prospect::Takeover { reason } if self.knows_of(&KnownTakeover::of(room, reason)) => {
                Ok(Look::NotYet(Box::new(sight)))
            }
            Prospect::Takeover { reason } => {
                let mail = self.mail()?;
                Ok(Look::answer(self.takeover_available(&sight, reason, mail)))
            }
            Prospect::Closed => Ok(Look::answer(WaitForTurnResult::Closed { room_id: room.id.clone() })),
            Prospect::PriorOwner { .. } | Prospect::NotYet => Ok(Look::NotYet(Box::new(sight))),
        }
    }

    fn claim(&self) -> Result<WaitForTurnResult, Failure> {
        let mut received = None;
        let mut answer = self.app.change_on_arrival(self.caller, &self.request(), &self.input.room_id, |change| {
            change.come_in(self.caller)?;
            let lease_id = self.app.ids.lease_id()?;
            let (claimed, _) = change.decide(|room, call| room.claim(call, &lease_id))?;
            let recorded = change.handoff.take().filter(|recorded| Some(recorded.seq) == claimed.handoff_seq);
            let handoff = recorded.as_ref().and_then(|recorded| recorded.event.handoff().cloned());
            self.app.room_paths.remember(&change.room.id, change.room.canonical_path.as_deref());
            received = Received::of(&change.room, recorded, None);
            Ok(WaitForTurnResult::YourTurn {
                room_id: change.room.id.clone(),
                turn_id: claimed.grant.turn_id,
                lease_id: claimed.grant.lease_id.clone(),
                lease_expires_at: claimed.grant.lease_expires_at,
                heartbeat_interval_ms: change.room.policy.heartbeat_interval_ms,
                handoff,
                from_agent_id: claimed.from_agent_id.clone(),
                reason: claimed.reason,
                drift: None,
                inbox: change.waiting.into(),
                resumed: false,
            })
        })?;
        // The stick is the caller's by now: nobody waits for this look but the caller.
        if let (Some(received), WaitForTurnResult::YourTurn { drift, .. }) = (received, &mut answer) {
            *drift = self.app.drift_since(self.caller, &received).map(Box::new);
        }
        Ok(answer)
    }

    /// The owner asks again, having perhaps lost its lease id: it gets the same turn, not a new one.
    fn resumed(&self, room: &Room, ownership: &Ownership) -> Result<WaitForTurnResult, Failure> {
        let handoff: Option<Recorded> = match &ownership.received {
            Some(received) => self.app.store.read(|tx| log::find(tx, &room.id, received.seq))?,
            None => None,
        };
        Ok(WaitForTurnResult::YourTurn {
            room_id: room.id.clone(),
            turn_id: room.turn,
            lease_id: ownership.lease_id.clone(),
            lease_expires_at: ownership.lease.expires_at,
            heartbeat_interval_ms: room.policy.heartbeat_interval_ms,
            handoff: handoff.and_then(|recorded| recorded.event.handoff().cloned()),
            from_agent_id: ownership.received.as_ref().map(|received| received.from.clone()),
            reason: ownership.reason,
            drift: None,
            inbox: self.mail()?.into(),
            resumed: true,
        })
    }

    /// The answer of a wait that ends without a turn.
    fn as_it_stands(&self, sight: &Sight<'_>) -> Result<WaitForTurnResult, Failure> {
        let mail = self.mail()?;
        let prospect = sight.room.prospect(sight.now, &self.actor.agent_id, self.actor.process.as_ref(), &sight.eyes);
        Ok(match prospect {
            Prospect::Takeover { reason } => self.takeover_available(sight, reason, mail),
            _ => self.not_yet(sight, mail),
        })
    }

    /// Whether the caller was told of this takeover and waits for something else.
    fn knows_of(&self, takeover: &KnownTakeover) -> bool {
        self.cursor.is_some_and(|cursor| cursor.takeover == Some(*takeover))
    }

    /// True if a takeover that the caller knows of is not open any longer: its owner came back, which no event tells.
    fn has_takeover_ended(&self, sight: &Sight<'_>) -> bool {
        let prospect = sight.room.prospect(sight.now, &self.actor.agent_id, self.actor.process.as_ref(), &sight.eyes);
        let is_open = matches!(prospect, Prospect::Takeover { .. });
        !is_open && self.cursor.is_some_and(|cursor| cursor.takeover.is_some())
    }

    fn takeover_available(&self, sight: &Sight<'_>, basis: TakeoverReason, mail: Waiting) -> WaitForTurnResult {
        let room = &sight.room;
        WaitForTurnResult::TakeoverAvailable {
            room_id: room.id.clone(),
            turn_id: room.turn,
            room_state: room.state(sight.now, &sight.eyes),
            basis,
            current_owner: room.owner().cloned(),
            reserved_for: room.reservation().map(|reservation| reservation.recipient.clone()),
            cursor: Cursor { seq: room.last_seq, takeover: Some(KnownTakeover::of(room, basis)) }.to_string(),
            inbox: mail.into(),
            new_message: self.is_called(mail),
            next: format!(
                "{}To go on in their place: `takeover_stick` with expected_turn_id {} and a reason. To let them be: `wait_for_turn` with this cursor.",
                if self.is_called(mail) { "You have messages: read them with `inbox list` first. " } else { "" },
                room.turn
            ),
        }
    }

    /// What waits in the caller's inbox.
    fn mail(&self) -> Result<Waiting, Failure> {
        Ok(self.app.store.read(|tx| inbox::waiting(tx, &self.input.room_id, &self.actor.agent_id))?)
    }

    /// Whether somebody sent the caller something that it was not told of, since its cursor. Being told once is enough.
    fn is_called(&self, mail: Waiting) -> bool {
        mail.calls.is_some_and(|message| message > self.cursor.map(|cursor| cursor.seq).unwrap_or_default())
    }

    fn not_yet(&self, sight: &Sight<'_>, mail: Waiting) -> WaitForTurnResult {
        let room = &sight.room;
        let reserved_for = room.reservation().map(|reservation| &reservation.recipient);
        let next = if self.is_called(mail) {
            "You have messages: read them with `inbox list`, then call `wait_for_turn` again. Do not work in this workspace yet."
        } else if reserved_for == Some(&self.actor.agent_id) {
            "The stick is kept for you: call `wait_for_turn` without park to claim it."
        } else if self.input.park && room.owner().is_none() && reserved_for.is_none() {
            "The stick is free: call `wait_for_turn` without park to claim it."
        } else {
            "Call `wait_for_turn` again. Do not work in this workspace yet."
        };
        WaitForTurnResult::NotYet {
            cursor: Cursor { seq: room.last_seq, takeover: None }.to_string(),
            room_state: room.state(sight.now, &sight.eyes),
            turn_id: room.turn,
            owner: room.owner().cloned(),
            reserved_for: reserved_for.cloned(),
            lease_expires_at: room.ownership().map(|ownership| ownership.lease.expires_at),
            claim_expires_at: room.reservation().map(|reservation| reservation.claim_expires_at),
            inbox: mail.into(),
            new_message: self.is_called(mail),
            next: next.to_owned(),
        }
    }

    /// Whether someone else moved the stick since the caller's cursor.
    fn moved_since_cursor(&self, room: &Room) -> Result<bool, Failure> {
        let Some(Cursor { seq: mut cursor, .. }) = self.cursor else { return Ok(false) };
        while cursor < room.last_seq {
            let newer = self.app.store.read(|tx| log::after(tx, &room.id, cursor, limits::EVENTS_MAX))?;
            let Some(last) = newer.last() else { return Ok(false) };
            cursor = last.seq;
            if newer.iter().any(|recorded| recorded.actor != self.actor.agent_id && moves_stick(recorded)) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// How long until time alone changes something, at most until the next safety re-read. Behind a deadline that has
    /// passed, its owner may come back without an event, and fall silent again.
    fn until_deadline(&self, sight: &Sight<'_>) -> Duration {
        let Sight { room, now, .. } = sight;
        let now = *now;
        let tick = room.policy.wait_for_turn_poll_ms;
        let wait = match room.next_deadline() {
            Some(deadline) if deadline > now => deadline.since(now).min(tick),
            Some(_) => tick.min(LOOK_AGAIN),
            None => tick,
        };
        Duration::from_millis(wait.as_millis())
    }

    /// A wait that outlived its own harness must not keep the seat of whoever comes after it.
    fn acts_for_nobody(&self) -> bool {
        self.actor.process.as_ref().is_some_and(|process| self.app.probe.liveness(process).is_gone())
    }

    /// Sleeps until something may have changed. When the bell rings for somebody else, they go first: those who are
    /// not meant look a moment later, so that sixteen waiters do not fight over the processor with the one who is.
    fn sleep(&self, bell: &mut dyn Bell, ends: [Option<&OwnedFd>; 2], for_at_most: Duration) -> Result<Woken, Failure> {
        let mut woken = self.poll(bell, ends, for_at_most)?;
        let aside = Instant::now() + STEP_ASIDE + Duration::from_millis(u64::from(std::process::id() % 4));
        while woken == Woken::RungForOthers {
            let left = aside.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            woken = self.poll(bell, ends, left)?;
        }
        Ok(woken)
    }

    fn poll(&self, bell: &mut dyn Bell, ends: [Option<&OwnedFd>; 2], for_at_most: Duration) -> Result<Woken, Failure> {
        let timeout = Timespec { tv_sec: for_at_most.as_secs() as i64, tv_nsec: i64::from(for_at_most.subsec_nanos()) };
        let cancel = self.caller.cancel.fd();
        let (rang, canceled) = {
            let mut fds = vec![PollFd::from_borrowed_fd(bell.fd(), PollFlags::IN)];
            fds.extend(cancel.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)));
            fds.extend(ends.iter().flatten().map(|fd| PollFd::from_borrowed_fd(fd.as_fd(), PollFlags::IN)));
            match poll(&mut fds, Some(&timeout)) {
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(crate::app::internal(error)),
            }
            let stirred = |place: usize| fds.get(place).is_some_and(|fd| !fd.revents().is_empty());
            (stirred(0), cancel.is_some() && stirred(1))
        };
        if canceled {
            return Ok(Woken::Canceled);
        }
        if !rang {
            return Ok(Woken::Again);
        }
        Ok(match bell.clear(&self.actor.agent_id) {
            RungFor::You => Woken::Called,
            RungFor::Anyone => Woken::Again,
            RungFor::Others => Woken::RungForOthers,
        })
    }
}

/// The process whose end everybody waits for, watched for as long as it stays the same one.
#[derive(Default)]
struct Awaited {
    process: Option<ProcessIdentity>,
    end: Option<OwnedFd>,
}

impl Awaited {
    fn follow(&mut self, process: Option<&ProcessIdentity>, probe: &Probe) -> Followed {
        if self.process.as_ref() != process {
            self.end = process.and_then(|process| probe.watch(process));
            self.process = process.cloned();
        }
        match process {
            Some(process) if self.end.is_none() && probe.liveness(process).is_gone() => Followed::Gone,
            Some(_) | None => Followed::There,
        }
    }
}

/// Whether the awaited process can still end.
#[derive(PartialEq, Eq)]
enum Followed {
    There,
    Gone,
}

#[derive(PartialEq, Eq)]
enum Woken {
    Again,
    Called,
    RungForOthers,
    Canceled,
}

/// Whether an event is about the stick or its order, and not about who is called what or who said what.
fn moves_stick(recorded: &Recorded) -> bool {
    let aside = |event: &Event| {
        matches!(
            event,
            Event::Joined(_) | Event::Noted(_) | Event::Registered(_) | Event::Resumed(_) | Event::WakeChosen(_)
        )
    };
    recorded.event.room().is_some_and(|event| !aside(event))
}

fn check_wait(input: &WaitInput) -> Result<(), Failure> {
    let most = limits::WAIT_MAX.as_millis();
    if input.max_wait_ms.is_none_or(|asked| asked <= most) {
        return Ok(());
    }
    let failure = Failure::new(ErrorCode::InvalidInput, format!("max_wait_ms must be at most {most}."));
    Err(failure.with("field", "max_wait_ms").advising("Wait that long, and call again on not_yet."))
}
