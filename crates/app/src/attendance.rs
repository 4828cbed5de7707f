//! Members who come and go: one way back for every process that goes on, and one way out for those proven gone.

use baton_core::{
    agent::{ConnectionState, ConnectionStatus},
    code::ErrorCode,
    ids::AgentId,
    job::job_of,
    policy::Resume,
    room::{self, IdOrigin, Member, Room},
    turn::Outcome as TurnOutcome,
};
use baton_store::{agent_sessions, envelopes, former, tasks, turns};

use crate::{Caller, Failure, commands::bus::GONE, identity::require_own_id, unit::Change};

/// Why nothing comes of what a session was asked that rests.
const SESSION_ENDED: &str = "its session ended";

impl Change<'_> {
    /// Makes the caller a member again, if it was retired: its conversation goes on in another process, whatever it calls
    /// first. Somebody who left joins by itself.
    pub(crate) fn readmit(&mut self) -> Result<(), Failure> {
        if self.room.member(&self.actor.agent_id).is_some() || !self.is_open() {
            return Ok(());
        }
        // Only processes are retired: a credential that names one is not its conversation.
        if self.actor.via.is_none() && former::is_retired(self.store.tx()?, &self.room.id, &self.actor.agent_id)? {
            self.join(None, None)?;
        }
        Ok(())
    }

    /// Makes a person who steers a member, if they are none: they need not come in first to take the stick.
    pub(crate) fn come_in(&mut self, caller: &Caller) -> Result<(), Failure> {
        let is_member = self.room.member(&self.actor.agent_id).is_some();
        if !is_member && caller.may_act_in(&self.room) {
            self.join(None, None)?;
        }
        Ok(())
    }

    /// Lets the caller in: refused, if its id is another's or its job's claim is over; on record, if it comes back in
    /// another process. Every change begins here, so that there is one way back for everybody.
    pub(crate) fn admit(&mut self, caller: &Caller) -> Result<(), Failure> {
        self.require_employment(caller)?;
        require_own_id(&self.room, self.now, self.actor, self.witness)?;
        match self.room.comeback(self.actor, self.witness) {
            Some(event) => self.come_back(event),
            None => Ok(()),
        }
    }

    /// Refuses to what is left of an agent whose process is gone what it wrote: a child that somebody goes on feeding acts
    /// for nobody.
    pub(crate) fn require_living_caller(&self, before: &Room) -> Result<(), Failure> {
        if self.room.last_seq == before.last_seq {
            return Ok(());
        }
        let gone = self.actor.process.as_ref().filter(|process| self.witness.liveness(process).is_gone());
        let Some(process) = gone else { return Ok(()) };
        let message = format!("You act for process {}, which is gone, and nobody acts for it any more.", process.pid);
        Err(Failure::new(ErrorCode::Forbidden, message)
            .with("pid", process.pid)
            .advising("Go on in a new session of your program; what was waiting for you is there."))
    }

    /// Refuses to a credential what it wrote under an id of its choice that is nobody's in the room: a token speaks for
    /// agents that it added.
    pub(crate) fn require_spoken_for(&self, before: &Room) -> Result<(), Failure> {
        let you = &self.actor.agent_id;
        let is_chosen = self.actor.via.is_some() && self.actor.origin == IdOrigin::Chosen;
        let is_member = before.member(you).or_else(|| self.room.member(you)).is_some();
        if !is_chosen || is_member || self.room.last_seq == before.last_seq {
            return Ok(());
        }
        let message = format!("{you} is no agent of this room, so nobody speaks for it.");
        Err(Failure::new(ErrorCode::AgentNotFound, message)
            .with("agent_id", you.as_str())
            .advising("Add it with `agent.add`, or leave `Baton-Agent` out."))
    }

    /// Records the caller's return. Nobody works any more at what its former process had taken, so that is back in its
    /// queue.
    fn come_back(&mut self, event: room::Event) -> Result<(), Failure> {
        self.record(event)?;
        let you = self.actor.agent_id.clone();
        // The turn of a job is its runner's, which has another process call for the job's agent in each slice.
        if turns::open_of(self.store.tx()?, &self.room.id, &you)?.is_some_and(|turn| turn.job.is_none()) {
            self.end_turn_of(&you, TurnOutcome::Lost, "its process is gone, and another goes on")?;
        }
        Ok(())
    }

    /// Takes members off the list whose processes are proven gone and who hold, reserve, own and owe nothing, or has them rest
    /// where their sessions may be resumed. What their processes had taken goes back first.
    pub(crate) fn retire_gone(&mut self) -> Result<(), Failure> {
        if !self.is_open() {
            return Ok(());
        }
        let gone: Vec<AgentId> = self.gone_members().map(|member| member.agent_id.clone()).collect();
        self.as_bus(|change| gone.into_iter().try_for_each(|agent| change.retire(agent)))
    }

    fn retire(&mut self, agent: AgentId) -> Result<(), Failure> {
        self.lose_if_lost(&agent)?;
        self.end_actions_of(&agent, GONE)?;
        if self.can_rest(&agent)? {
            self.decide(|room, call| room.rest(call, &agent))?;
        }
        let is_resting = self.room.member(&agent).is_some_and(|member| self.room.is_resting(self.now, member));
        if is_resting || self.has_stake(&agent)? {
            return self.tell_gone(&agent);
        }
        self.disconnect(&agent, GONE, ConnectionStatus::left(true))?;
        agent_sessions::remove(self.store.tx()?, &self.room.id, &agent)?;
        self.decide(|room, call| room.retire(call, &agent))?;
        Ok(())
    }

    /// Members whose processes are proven gone, or whose rest is over. A job's own agent is none: it goes with its job.
    fn gone_members(&self) -> impl Iterator<Item = &Member> {
        let others = self.room.members.iter().filter(|member| member.agent_id != self.actor.agent_id);
        let is_gone = |member: &Member| {
            let is_over = || member.rest.is_some() && self.room.has_ended(self.now, member, self.witness);
            member.liveness(self.witness).is_gone() || is_over()
        };
        others.filter(move |member| job_of(&member.agent_id).is_none() && is_gone(member))
    }

    /// Has the caller rest, whose session ended: it works nowhere and answers nothing until a runner resumes it. Tells whether
    /// it does.
    pub(crate) fn rest(&mut self) -> Result<bool, Failure> {
        let you = self.actor.agent_id.clone();
        if !self.can_rest(&you)? {
            return Ok(false);
        }
        let now = self.now;
        let reserved = self.scopes()?.release_all(now, &you);
        self.record(reserved)?;
        self.end_turn_of(&you, TurnOutcome::Lost, SESSION_ENDED)?;
        self.end_actions_of(&you, SESSION_ENDED)?;
        let status = ConnectionStatus { state: ConnectionState::Gone, why: SESSION_ENDED.to_owned() };
        self.disconnect(&you, SESSION_ENDED, status)?;
        self.decide(|room, call| room.rest(call, &you))?;
        Ok(true)
    }

    /// Whether an agent may rest once its session ended: a runner can resume its conversation, and there is a place, which
    /// the one that rests the longest gives up. A rest that is over does not begin again by itself.
    fn can_rest(&mut self, agent: &AgentId) -> Result<bool, Failure> {
        let is_member = self.room.member(agent).is_some_and(|member| member.rest.is_none());
        if self.room.policy.resume == Resume::Off || !is_member || job_of(agent).is_some() {
            return Ok(false);
        }
        let session = agent_sessions::find(self.store.tx()?, &self.room.id, agent)?;
        if session.is_none_or(|session| session.origin.is_none()) {
            return Ok(false);
        }
        let resting: Vec<AgentId> =
            self.room.resting(self.now).into_iter().map(|member| member.agent_id.clone()).collect();
        for longest in resting {
            if self.room.may_rest(self.now, agent) {
                break;
            }
            if !self.has_stake(&longest)? {
                self.as_bus(|change| change.end_rest(longest))?;
            }
        }
        Ok(self.room.may_rest(self.now, agent))
    }

    fn end_rest(&mut self, agent: AgentId) -> Result<(), Failure> {
        self.disconnect(&agent, SESSION_ENDED, ConnectionStatus::left(false))?;
        agent_sessions::remove(self.store.tx()?, &self.room.id, &agent)?;
        self.decide(|room, call| room.leave(call, &agent))?;
        Ok(())
    }

    /// Whether somebody has something in the room that would be orphaned without it.
    fn has_stake(&mut self, agent: &AgentId) -> Result<bool, Failure> {
        let reserved = self.room.reservation().is_some_and(|reservation| reservation.recipient == *agent);
        if reserved || self.room.owner() == Some(agent) || self.scopes()?.of(agent).next().is_some() {
            return Ok(true);
        }
        let room = &self.room.id;
        Ok(!tasks::unfinished_of(self.store.tx()?, room, agent)?.is_empty()
            || !envelopes::owed_by(self.store.tx()?, room, agent, 1)?.is_empty())
    }
}
