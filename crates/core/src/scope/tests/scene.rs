//! A room with reservations, a clock in minutes, and processes that can be killed.

use std::collections::HashSet;

use crate::{
    agent::StaleAfter,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    lease::Fence,
    policy::Policy,
    process::{Liveness, ProcessIdentity, Proof, SessionKind},
    room::{self, Actor, Call, Created, NewIdentity, Room},
    scope::{Came, Conventions, Event, Refusal, Reserve, ScopePath, Scopes, Strictness, Takeover, View},
    time::{Timestamp, Ttl},
};

/// Reservations under test. Everybody is called by their id and has a process of their own.
pub(super) struct Scene {
    pub(super) room: Room,
    pub(super) scopes: Scopes,
    pub(super) log: Vec<Recorded>,
    pub(super) now: Timestamp,
    root: ScopePath,
    dead: HashSet<u32>,
}

pub(super) fn agent(name: &str) -> AgentId {
    name.parse().unwrap()
}

fn process(name: &str) -> ProcessIdentity {
    ProcessIdentity {
        keeps: None,
        host_id: "host".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid: name.bytes().fold(7_u32, |pid, byte| pid.wrapping_mul(31).wrapping_add(u32::from(byte))),
        start_ticks: 1,
        pidfd_inode: None,
        process_started_at: Timestamp::from_millis(0),
    }
}

impl Scene {
    /// A room at `/repo` in which everybody named has joined.
    pub(super) fn with(names: &[&str]) -> Self {
        let now = Timestamp::from_millis(0);
        let created = Created {
            canonical_path: Some("/repo".to_owned()),
            name: None,
            earlier_events: 0,
            policy: Policy::default(),
        };
        let first = Recorded {
            overridden: false,
            room_id: "room_test".parse().unwrap(),
            seq: Seq(1),
            at: now,
            actor: agent("founder"),
            turn: Fence(0),
            event: room::Event::Created(created).into(),
        };
        let room = Room::open(&first).unwrap();
        let root = ScopePath::root("/repo", Conventions::UNIX).unwrap();
        let mut scene = Self { room, scopes: Scopes::of_new_room(), log: vec![first], now, root, dead: HashSet::new() };
        for name in names {
            let by = Actor::found(agent(name), Some(process(name)), SessionKind::McpHarness);
            let identity = NewIdentity { name: Some(name.parse().unwrap()), ..NewIdentity::default() };
            let call = Call { now, by: &by, witness: &|_: &ProcessIdentity| Liveness::Alive };
            let joined = scene.room.join(call, &identity).unwrap();
            scene.record(name, joined.unwrap());
        }
        scene
    }

    /// Lets minutes pass.
    pub(super) fn later(&mut self, minutes: u64) {
        self.now = self.now.plus(Ttl::from_minutes(minutes));
    }

    pub(super) fn later_ms(&mut self, millis: u64) {
        self.now = self.now.plus(Ttl::from_millis(millis));
    }

    /// An agent calls, and is seen by it.
    pub(super) fn calls(&mut self, name: &str) {
        self.room.touch(&agent(name), self.now);
    }

    /// Ends an agent's process.
    pub(super) fn kill(&mut self, name: &str) {
        self.dead.insert(process(name).pid);
    }

    /// Decides something on the view of this moment.
    pub(super) fn see<T>(&self, decide: impl FnOnce(&Scopes, View<'_>) -> T) -> T {
        let witness = |process: &ProcessIdentity| match self.dead.contains(&process.pid) {
            true => Liveness::Gone(Proof::Exited),
            false => Liveness::Alive,
        };
        let (root, stale_after) = (&self.root, StaleAfter::default());
        decide(&self.scopes, View { room: &self.room, root, now: self.now, stale_after, witness: &witness })
    }

    pub(super) fn paths(&self, scopes: &[&str]) -> Vec<ScopePath> {
        scopes.iter().map(|text| ScopePath::scope(text, &self.root).unwrap()).collect()
    }

    /// Archives what ran out, as every change begins.
    pub(super) fn sweep(&mut self, name: &str) -> Vec<Event> {
        let lapsed = self.scopes.sweep(self.now);
        lapsed.iter().for_each(|event| self.record(name, event.clone()));
        lapsed
    }

    /// Reserves for so many minutes.
    pub(super) fn reserve_for(
        &mut self,
        minutes: u64,
        name: &str,
        scopes: &[&str],
        takeover: Takeover,
    ) -> Result<Vec<Event>, Refusal> {
        self.sweep(name);
        self.calls(name);
        let ttl = Ttl::from_minutes(minutes);
        let request = Reserve { scopes: self.paths(scopes), ttl, bead_id: None, takeover };
        let events = self.see(|found, view| found.reserve(view, &agent(name), &request))?;
        events.iter().for_each(|event| self.record(name, event.clone()));
        Ok(events)
    }

    /// Reserves for two hours, without displacing anybody.
    pub(super) fn reserve(&mut self, name: &str, scopes: &[&str]) -> Result<Vec<Event>, Refusal> {
        self.reserve_for(120, name, scopes, Takeover::No)
    }

    /// Reserves for two hours, and displaces who does not respond.
    pub(super) fn take_over(&mut self, name: &str, scopes: &[&str]) -> Result<Vec<Event>, Refusal> {
        self.reserve_for(120, name, scopes, Takeover::Stale)
    }

    /// Gives back what is named, or all.
    pub(super) fn release(&mut self, name: &str, scopes: Option<&[&str]>) -> Result<Vec<Event>, Refusal> {
        self.sweep(name);
        self.calls(name);
        let named = scopes.map(|scopes| self.paths(scopes));
        let events = self.see(|found, view| found.release(view, &agent(name), named.as_deref()))?;
        events.iter().for_each(|event| self.record(name, event.clone()));
        Ok(events)
    }

    /// Whether an agent may touch some files, and how many scopes of others they meet.
    pub(super) fn check(&self, name: &str, files: &[&str], strictness: Strictness) -> (usize, Result<(), Refusal>) {
        let files: Vec<_> = files.iter().map(|text| ScopePath::file(text, &self.root).unwrap()).collect();
        let (collisions, verdict) = self.see(|found, view| found.check(view, &agent(name), &files, strictness));
        (collisions.len(), verdict)
    }

    /// The hint of the first collision of some files.
    pub(super) fn hint(&self, name: &str, file: &str, came: Came) -> String {
        let file = [ScopePath::file(file, &self.root).unwrap()];
        self.see(|found, view| found.collisions(view, &agent(name), &file)[0].hint(came))
    }

    /// What is in force now: `src ana t120`, in the order of the grants.
    pub(super) fn in_force(&self) -> Vec<String> {
        let live = self.scopes.iter().filter(|reservation| reservation.is_live(self.now));
        live.map(|found| format!("{} {} {}", found.scope, found.lease.holder, minute(found.lease.expires_at))).collect()
    }

    pub(super) fn tell(&mut self, name: &str, event: impl Into<event::Event>) {
        self.record(name, event);
    }

    fn record(&mut self, name: &str, event: impl Into<event::Event>) {
        let recorded = self.room.record(self.now, agent(name), event);
        self.room.apply(&recorded);
        self.scopes.apply(&recorded);
        self.log.push(recorded);
    }

    /// The reservations that the log alone gives.
    pub(super) fn folded(&self) -> Scopes {
        let mut scopes = Scopes::of_new_room();
        self.log.iter().for_each(|recorded| scopes.apply(recorded));
        scopes
    }
}

fn minute(at: Timestamp) -> String {
    format!("t{}", at.as_millis() / 60_000)
}

/// What was decided, as one reads it.
pub(super) fn told(decided: &Result<Vec<Event>, Refusal>) -> String {
    let line = |event: &Event| match event {
        Event::Reserved(reserved) => {
            let verb = if reserved.renews.is_some() { "keeps" } else { "has" };
            let displaced = reserved.displaced.iter().map(|displaced| {
                format!(
                    " instead of {} {} {:?}",
                    displaced.owner,
                    displaced.scope,
                    (displaced.liveness, &displaced.process)
                )
            });
            let displaced: String = displaced.collect();
            format!("{} {verb} {} until {}{displaced}", reserved.owner, reserved.scope, minute(reserved.expires_at))
        }
        Event::Released(released) => format!("{} released {}", released.owner, released.scope),
        Event::Expired(expired) => {
            format!("{} of {} ran out at {}", expired.scope, expired.owner, minute(expired.expired_at))
        }
        Event::Transferred(_) | Event::Incursion(_) | Event::Edited(_) => format!("{event:?}"),
    };
    match decided {
        Ok(events) => events.iter().map(line).collect::<Vec<_>>().join("; "),
        Err(refusal) => format!("{}: {refusal}", refusal.code().as_str()),
    }
}
