//! What a runner is, and how it stands.

use std::fmt;

use super::{Capabilities, Event, Refusal, Registered, Retired};
use crate::{
    claimant::Claimant,
    event::{self, Recorded},
    ids::AgentId,
    job::{JobId, radar::moves},
    lease::expired,
    limits,
    part::{Part, Rows, Touched},
    process::{Liveness, Witness},
    room::Room,
    time::{Timestamp, Ttl},
    words::words,
};

words! {
    /// What a runner says it is doing.
    Phase {
        /// Nothing.
        Idle "idle",
        /// A job.
        Live "live",
    }
}

words! {
    /// How a runner stands: what it says, while its lease is in force.
    Standing {
        /// Its lease has run out.
        Offline "offline",
        /// It waits for a job.
        Idle "idle",
        /// It is at one.
        Live "live",
    }
}

/// A runner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Runner {
    /// Its id.
    pub id: AgentId,
    /// The agent that speaks for it, in one process or with one credential.
    pub claimant: Claimant,
    /// What it can do, where it said so.
    pub capabilities: Option<Capabilities>,
    /// Whether it signed off.
    pub retired: bool,
    /// What it says it is doing. This and what follows moves without events.
    pub phase: Phase,
    /// The jobs it says it is at.
    pub active: Vec<JobId>,
    /// Until when it counts as there.
    pub lease_expires_at: Timestamp,
}

/// A runner says that it is there.
#[derive(Clone, Debug)]
pub struct Heartbeat {
    /// Which.
    pub runner: AgentId,
    /// What it is doing.
    pub phase: Phase,
    /// The jobs it is at.
    pub active: Vec<JobId>,
    /// For how long this is good.
    pub ttl: Ttl,
    /// What it can do, if it says so.
    pub capabilities: Option<Capabilities>,
}

impl Part for Runner {
    type Key = AgentId;

    fn key(&self) -> AgentId {
        self.id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<AgentId> {
        match &event.event {
            event::Event::Runner(event) => Touched::row(event.runner().clone()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Runner(Event::Registered(registered)) => rows.put(Self::registered(event, registered)),
            event::Event::Runner(Event::Retired(Retired { runner_id })) => rows.change(runner_id, |runner| {
                runner.retired = true;
                (runner.phase, runner.active) = (Phase::Idle, Vec::new());
                runner.lease_expires_at = event.at;
            }),
            event::Event::Runner(Event::Reset(reset)) => rows.change(&reset.runner_id, |runner| {
                if let Some(capabilities) = &mut runner.capabilities {
                    capabilities.reset(event.at, &reset.executors);
                }
            }),
            _ => {}
        }
    }

    fn without_presence(mut self) -> Self {
        (self.phase, self.active, self.lease_expires_at) = (Phase::Idle, Vec::new(), Timestamp::default());
        self
    }
}

impl Heartbeat {
    /// Decides whether this is news: a runner that is new, speaks through another agent or process, or can do other
    /// things. Nothing means that it only renews the lease.
    pub fn news(
        &self,
        now: Timestamp,
        known: Option<&Runner>,
        by: &Claimant,
        witness: &dyn Witness,
    ) -> Result<Option<Event>, Refusal> {
        if let Some(capabilities) = &self.capabilities {
            capabilities.check()?;
        }
        if self.active.len() > limits::RUNNER_PARALLEL as usize {
            return Err(Refusal::Invalid { field: "active_jobs", why: "names too many jobs".to_owned() });
        }
        let (runner_id, backing) = (self.runner.clone(), by.backing.clone());
        let registered = Registered { runner_id, capabilities: self.capabilities.clone(), backing };
        let Some(known) = known else { return Ok(Some(Event::Registered(registered))) };
        known.require_free(now, by, witness)?;
        let capabilities = match (&self.capabilities, &known.capabilities) {
            (Some(said), Some(before)) => {
                let mut said = said.clone();
                said.keep_resets(before);
                Some(said)
            }
            (said, before) => said.clone().or_else(|| before.clone()),
        };
        let same = known.claimant.is_same(by) && !known.retired && known.capabilities == capabilities;
        Ok((!same).then_some(Event::Registered(Registered { capabilities, ..registered })))
    }
}

impl Runner {
    fn registered(recorded: &Recorded, registered: &Registered) -> Self {
        Self {
            id: registered.runner_id.clone(),
            claimant: Claimant { agent: recorded.actor.clone(), backing: registered.backing.clone() },
            capabilities: registered.capabilities.clone(),
            retired: false,
            phase: Phase::Idle,
            active: Vec::new(),
            lease_expires_at: recorded.at,
        }
    }

    /// Notes what a heartbeat says. This is no event.
    pub fn hear(&mut self, now: Timestamp, heartbeat: &Heartbeat) {
        self.phase = heartbeat.phase;
        self.active.clone_from(&heartbeat.active);
        self.lease_expires_at = now.plus(heartbeat.ttl);
    }

    /// Refuses a caller that would speak for it while another process or credential does. A process that is seen to live
    /// keeps its id also when it is late with its heartbeat, and one that is proven gone keeps nothing.
    pub fn require_free(&self, now: Timestamp, by: &Claimant, witness: &dyn Witness) -> Result<(), Refusal> {
        if self.retired || self.claimant.is_same(by) {
            return Ok(());
        }
        let liveness = self.claimant.backing.process.as_deref().map(|process| witness.liveness(process));
        let is_there = match liveness {
            Some(Liveness::Alive) => true,
            Some(Liveness::Gone(_)) => false,
            Some(Liveness::Unknown) | None => self.standing(now) != Standing::Offline,
        };
        if is_there { Err(self.taken()) } else { Ok(()) }
    }

    /// The refusal of everybody but the one that speaks for it.
    pub fn taken(&self) -> Refusal {
        let Claimant { agent, backing } = &self.claimant;
        Refusal::Taken { runner_id: self.id.clone(), agent_id: agent.clone(), occupant: backing.occupant() }
    }

    /// How it stands at `now`.
    pub fn standing(&self, now: Timestamp) -> Standing {
        match self.phase {
            _ if expired(self.lease_expires_at, now) => Standing::Offline,
            Phase::Idle => Standing::Idle,
            Phase::Live => Standing::Live,
        }
    }
}

/// The beginning of a pointer to a runner.
const POINTER: &str = "runner:";

/// A pointer to a runner, as lines show it. An id that begins like a pointer is not made one twice.
pub fn pointer(runner: &AgentId) -> String {
    if runner.as_str().starts_with(POINTER) { runner.to_string() } else { format!("{POINTER}{runner}") }
}

/// The id that a shortened pointer left the beginning of to.
pub fn with_beginning(runner: &AgentId) -> Option<AgentId> {
    format!("{POINTER}{runner}").parse().ok()
}

/// A runner on the radar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Which.
    pub id: AgentId,
    /// How it stands.
    pub standing: Standing,
    /// What it last said it was doing.
    pub last: Phase,
    /// The job it is or was at.
    pub job: Option<JobId>,
}

impl Seen {
    /// A runner as it stands at `now`.
    pub fn of(runner: &Runner, now: Timestamp) -> Self {
        let (id, job) = (runner.id.clone(), runner.active.first().copied());
        Self { id, standing: runner.standing(now), last: runner.phase, job }
    }

    /// Its line on the radar.
    pub fn line(&self) -> String {
        let Self { id, standing, last, job } = self;
        match standing {
            Standing::Offline => {
                let last_job = job.map_or(String::new(), |job| format!(" last_job={job}"));
                format!("runner offline {id} last={last}{last_job}{}", moves(Some(id), *job))
            }
            Standing::Idle | Standing::Live => {
                let job_part = job.map_or(String::new(), |job| format!(" job={job} | open id={job}"));
                format!("runner {standing} {id} | open id={}{job_part}", pointer(id))
            }
        }
    }
}

/// How many runners there are.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// At a job.
    pub live: u64,
    /// Waiting for one.
    pub idle: u64,
    /// Gone, not long ago.
    pub offline: u64,
}

impl Tally {
    /// How they stand together.
    pub const fn state(&self) -> Standing {
        match (self.live, self.idle) {
            (0, 0) => Standing::Offline,
            (0, _) => Standing::Idle,
            (_, _) => Standing::Live,
        }
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { live, idle, offline } = self;
        match (live, idle, offline) {
            (0, 0, 0) => f.write_str("none"),
            _ => write!(f, "live:{live} idle:{idle} offline:{offline}"),
        }
    }
}
