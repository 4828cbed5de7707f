//! Agents that are jobs. A job's agent is not a process: runners come and go, and what it was asked waits for the next one
//! as long as the job goes on. With the job's end it is over.

use baton_core::{
    bus::{BusId, Task, TaskStatus},
    event::Event,
    ids::{AgentId, RoomId},
    job::{Conversing, Job, JobId, Status, agent_of, job_of},
    process::Witness,
    room::{Room, Stick},
};
use baton_store::{engine::Tx, log, table};

use crate::{
    App, Caller, Failure,
    app::Request,
    commands::{bus::GONE, room::depart},
    identity::Assignment,
    liveness::identify,
    unit::Change,
};

/// Why nothing comes of what is asked of a job's agent any more.
const JOB_ENDED: &str = "its target's job has ended";

/// Why nothing comes of what is asked of `target` any more, if that is certain.
pub(crate) fn why_lost(
    tx: &mut dyn Tx,
    room: &Room,
    target: &AgentId,
    witness: &dyn Witness,
) -> Result<Option<&'static str>, Failure> {
    let Some(member) = room.member(target) else { return Ok(None) };
    match job_of(target) {
        Some(job) => Ok(has_ended(tx, &room.id, job)?.then_some(JOB_ENDED)),
        None => Ok(member.liveness(witness).is_gone().then_some(GONE)),
    }
}

fn has_ended(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<bool, Failure> {
    let found = table::find::<Job>(tx, room, &job)?;
    Ok(found.is_none_or(|job| !matches!(job.status, Status::Queued | Status::Running)))
}

impl Change<'_> {
    /// Ends what the agent of a job was asked, now that the job has ended. One that was there for the bus only goes.
    pub(crate) fn end_agent_of(&mut self, job: &Job) -> Result<(), Failure> {
        let agent = agent_of(&self.room.id, job.id);
        if !self.is_open() || self.room.member(&agent).is_none() {
            return Ok(());
        }
        self.end_actions_of(&agent, JOB_ENDED)?;
        // Whoever holds the stick stays until that is settled as always.
        let holds = self.room.owner() == Some(&agent);
        if Conversing::named(&job.kind).is_some() && !holds {
            depart(self, &agent)?;
        }
        Ok(())
    }
}

impl App {
    /// Notes that a job's own agent is connected to this process, which works on it. A runner that had it before has lost
    /// its claim, and with that its connection, whether it knows or not.
    pub fn connect_job(&self, caller: &Caller, assignment: &Assignment) -> Result<(), Failure> {
        let Assignment { room, job, .. } = assignment;
        let request = Request { command: "bus.connect", input: room, key: None };
        let server = identify(std::process::id());
        let stale_after = self.stale_after_or_default();
        self.change(caller, &request, room, |change| {
            change.require_agent()?;
            let by = change.actor.agent_id.clone();
            let claimed = change.store.find::<Job>(job)?.cloned().ok_or_else(|| Failure::unknown_id(job))?;
            claimed.require_claim(&assignment.shown(change.actor))?;
            change.cut(&by, "another runner goes on with it", stale_after)?;
            change.connect(server.clone())
        })
    }

    /// Why whoever works on a task of a conversation has nothing more to do, if so.
    pub fn ending(&self, room: &RoomId, task: &BusId) -> Result<Option<Ending>, Failure> {
        self.store.read(|tx| {
            if self.room(tx, room)?.stick == Stick::Closed {
                return Ok(Some(Ending::Closed));
            }
            let Some(found) = table::find::<Task>(tx, room, task)?.filter(|task| task.status == TaskStatus::Done)
            else {
                return Ok(None);
            };
            let summary = match log::find(tx, room, found.seq)?.map(|recorded| recorded.event) {
                Some(Event::Bus(baton_core::bus::Event::TaskReported(reported))) => reported.summary,
                Some(_) | None => None,
            };
            Ok(Some(Ending::Done { by: found.reported_by, summary }))
        })
    }
}

/// Why there is nothing more to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The task is done.
    Done {
        /// Who said so.
        by: AgentId,
        /// What came of it.
        summary: Option<String>,
    },
    /// The session was closed.
    Closed,
}
