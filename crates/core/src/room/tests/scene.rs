//! A room, a clock in minutes, and processes that can be killed.

use std::{cell::RefCell, collections::HashSet};

use super::action::Action;
use crate::{
    event::Recorded,
    handoff::Handoff,
    ids::{AgentId, LeaseId, Seq},
    lease::Fence,
    policy::{Policy, PolicyChange},
    process::{Liveness, ProcessIdentity, Proof, SessionKind, Witness},
    room::{
        Actor, Authority, Call, Created, Event, Ownership, Prospect, Refusal, Room, RoomState, Shown, Stick,
        TakeoverReason,
    },
    time::{Timestamp, Ttl},
};

/// A room under test. Time is in minutes; every agent has a process of its own.
pub(super) struct Scene {
    pub(super) room: Room,
    pub(super) log: Vec<Recorded>,
    now: Timestamp,
    dead: RefCell<HashSet<u32>>,
    hidden: RefCell<HashSet<u32>>,
    leases: u64,
}

impl Witness for Scene {
    fn liveness(&self, process: &ProcessIdentity) -> Liveness {
        match process.pid {
            pid if self.dead.borrow().contains(&pid) => Liveness::Gone(Proof::Exited),
            pid if self.hidden.borrow().contains(&pid) => Liveness::Unknown,
            _ => Liveness::Alive,
        }
    }
}

pub(super) fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

pub(super) fn handoff(status: &str) -> Handoff {
    Handoff {
        status: status.to_owned(),
        next_action: "go on".to_owned(),
        artifacts: Vec::new(),
        open_questions: Vec::new(),
        do_not: Vec::new(),
        context_ref: None,
    }
}

/// The process of an agent; a second incarnation has another pid.
pub(super) fn process(name: &str, incarnation: u32) -> ProcessIdentity {
    let pid = name.bytes().fold(7_u32, |pid, byte| pid.wrapping_mul(31).wrapping_add(u32::from(byte))) % 100_000;
    ProcessIdentity {
        keeps: None,
        host_id: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid: pid + 100_000 * incarnation,
        start_ticks: 1,
        pidfd_inode: None,
        process_started_at: Timestamp::from_millis(0),
    }
}

pub(super) fn actor(name: &str) -> Actor {
    incarnation(name, 0)
}

pub(super) fn incarnation(name: &str, number: u32) -> Actor {
    Actor::found(agent(name), Some(process(name, number)), SessionKind::McpHarness)
}

impl Scene {
    /// A room in which everybody named has joined, in that order.
    pub(super) fn with(names: &[&str]) -> Self {
        let first = Recorded {
            overridden: false,
            room_id: "room_test".parse().unwrap(),
            seq: Seq(1),
            at: Timestamp::from_millis(0),
            actor: agent("founder"),
            turn: Fence(0),
            event: Event::Created(Created {
                canonical_path: Some("/repo".to_owned()),
                name: None,
                earlier_events: 0,
                policy: Policy::default(),
            })
            .into(),
        };
        let room = Room::open(&first).unwrap();
        let (now, dead, hidden) = (Timestamp::from_millis(0), RefCell::default(), RefCell::default());
        let mut scene = Self { room, log: vec![first], now, dead, hidden, leases: 0 };
        for name in names {
            scene.act(name, Action::join()).unwrap();
        }
        scene
    }

    pub(super) fn now(&self) -> Timestamp {
        self.now
    }

    /// Lets time pass.
    pub(super) fn later(&mut self, minutes: u64) {
        self.now = self.now.plus(Ttl::from_minutes(minutes));
    }

    pub(super) fn later_ms(&mut self, millis: u64) {
        self.now = self.now.plus(Ttl::from_millis(millis));
    }

    /// Ends an agent's process.
    pub(super) fn kill(&self, name: &str) {
        self.dead.borrow_mut().insert(process(name, 0).pid);
    }

    /// Puts an agent's process where nobody can look.
    pub(super) fn hide(&self, name: &str) {
        self.hidden.borrow_mut().insert(process(name, 0).pid);
    }

    pub(super) fn act(&mut self, name: &str, action: Action) -> Result<Option<Event>, Refusal> {
        self.act_as(&actor(name), action)
    }

    pub(super) fn act_as(&mut self, by: &Actor, action: Action) -> Result<Option<Event>, Refusal> {
        let call = Call { now: self.now, by, witness: self };
        let Some(event) = action.decide(&self.room, call)? else { return Ok(None) };
        let recorded = self.room.record(self.now, by.agent_id.clone(), event.clone());
        self.room.apply(&recorded);
        self.log.push(recorded);
        Ok(Some(event))
    }

    pub(super) fn fresh_lease(&mut self) -> LeaseId {
        self.leases += 1;
        format!("lease_{}", self.leases).parse().unwrap()
    }

    /// Claims the stick and gives the fence to show.
    pub(super) fn claim(&mut self, name: &str) -> Result<Shown, Refusal> {
        let lease_id = self.fresh_lease();
        self.act(name, Action::Claim { lease_id })?;
        Ok(self.shown())
    }

    pub(super) fn release(&mut self, name: &str, shown: &Shown) -> Result<Option<Event>, Refusal> {
        self.act(name, Action::Release { shown: shown.clone(), handoff: handoff("done"), tree: None })
    }

    pub(super) fn pass(&mut self, name: &str, shown: &Shown, to: &str) -> Result<Option<Event>, Refusal> {
        self.act(name, Action::Pass { shown: shown.clone(), to: to.to_owned(), handoff: handoff("done"), tree: None })
    }

    pub(super) fn take(&mut self, name: &str) -> Result<Shown, Refusal> {
        self.take_as(&actor(name))
    }

    pub(super) fn take_as(&mut self, by: &Actor) -> Result<Shown, Refusal> {
        let (expected_turn, lease_id) = (self.room.turn, self.fresh_lease());
        self.room.touch(&by.agent_id, self.now);
        self.act_as(by, Action::Takeover { expected_turn, reason: "no answer".to_owned(), lease_id })?;
        Ok(self.shown())
    }

    pub(super) fn heartbeat(&mut self, name: &str, shown: &Shown) -> Result<(), Refusal> {
        let mut room = self.room.clone();
        room.renew(Call { now: self.now, by: &actor(name), witness: self }, shown)?;
        self.room = room;
        Ok(())
    }

    pub(super) fn seen(&mut self, name: &str) {
        let now = self.now;
        self.room.touch(&agent(name), now);
    }

    /// The current owner's fence.
    pub(super) fn shown(&self) -> Shown {
        let ownership = self.room.ownership().expect("someone holds the stick");
        Shown { turn: self.room.turn, lease_id: ownership.lease_id.clone() }
    }

    pub(super) fn state(&self) -> RoomState {
        self.room.state(self.now, self)
    }

    pub(super) fn prospect(&self, name: &str) -> Prospect {
        self.room.prospect(self.now, &agent(name), Some(&process(name, 0)), self)
    }

    /// What a wait would answer about a takeover.
    pub(super) fn takeover_open_to(&self, name: &str) -> Option<TakeoverReason> {
        match self.prospect(name) {
            Prospect::Takeover { reason } => Some(reason),
            _ => None,
        }
    }

    pub(super) fn reserved_for(&self) -> Option<&str> {
        self.room.reservation().map(|reservation| reservation.recipient.as_str())
    }

    /// The room that the log alone gives, with presence and lease expiry as they are.
    pub(super) fn folded(&self) -> Room {
        let mut room = Room::open(&self.log[0]).unwrap();
        self.log[1..].iter().for_each(|recorded| room.apply(recorded));
        for (folded, stored) in room.members.iter_mut().zip(&self.room.members) {
            folded.last_seen_at = stored.last_seen_at;
        }
        if let (Stick::Owned(Ownership { lease: folded, .. }), Stick::Owned(Ownership { lease: stored, .. })) =
            (&mut room.stick, &self.room.stick)
        {
            folded.expires_at = stored.expires_at;
        }
        room.updated_at = self.room.updated_at;
        room
    }

    /// Sets timings as an operator.
    pub(super) fn set_policy(&mut self, name: &str, change: PolicyChange) -> Result<Option<Event>, Refusal> {
        self.set_policy_as(name, change, None, Authority::Operator)
    }

    pub(super) fn set_policy_as(
        &mut self,
        name: &str,
        change: PolicyChange,
        shown: Option<&Shown>,
        authority: Authority,
    ) -> Result<Option<Event>, Refusal> {
        let (expected_turn, lease_id) = (shown.map(|shown| shown.turn), shown.map(|shown| shown.lease_id.clone()));
        self.act(name, Action::SetPolicy { change, expected_turn, lease_id, authority })
    }
}
