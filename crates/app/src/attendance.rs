//! Members who come and go: one way back for every process that goes on, and one way out for those proven gone.

use baton_core::{
    agent::ConnectionStatus,
    ids::AgentId,
    job::job_of,
    room::{self, Action, Member},
    turn::Outcome as TurnOutcome,
};
use baton_store::{envelopes, tasks};

use crate::{Caller, Failure, change::Change, commands::bus::GONE, identity::require_own_id};

impl Change<'_> {
    /// Makes the caller a member again, if it was retired: its conversation goes on in another process, whatever it calls
    /// first. Somebody who left joins by itself.
    pub(crate) fn readmit(&mut self) -> Result<(), Failure> {
        if self.room.member(&self.actor.agent_id).is_some() || !self.is_open() {
            return Ok(());
        }
        let former = self.former()?;
        let own = former.iter().filter(|former| former.agent_id == self.actor.agent_id).max_by_key(|one| one.until);
        // Only processes are retired: a credential that names one is not its conversation.
        if own.is_some_and(|own| own.retired) && self.actor.via.is_none() {
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

    /// Records the caller's return. Nobody works any more at what its former process had taken, so that is back in its
    /// queue.
    fn come_back(&mut self, event: room::Event) -> Result<(), Failure> {
        self.record(event)?;
        let you = self.actor.agent_id.clone();
        self.end_turn_of(&you, TurnOutcome::Lost, "its process is gone, and another goes on").map(|_| ())
    }

    /// Takes members off the list whose processes are proven gone and who hold, reserve, own and owe nothing. What their
    /// processes had taken goes back first.
    pub(crate) fn retire_gone(&mut self) -> Result<(), Failure> {
        if !self.is_open() {
            return Ok(());
        }
        let gone: Vec<AgentId> = self.gone_members().map(|member| member.agent_id.clone()).collect();
        for agent in gone {
            self.lose_if_lost(&agent)?;
            self.end_actions_of(&agent, GONE)?;
            if self.has_stake(&agent)? {
                self.tell_gone(&agent)?;
            } else {
                self.disconnect(&agent, GONE, ConnectionStatus::left(true))?;
                self.decide(Action::Retire { agent })?;
            }
        }
        Ok(())
    }

    /// Members whose processes are proven gone. A job's own agent is none: it goes with its job.
    fn gone_members(&self) -> impl Iterator<Item = &Member> {
        let others = self.room.members.iter().filter(|member| member.agent_id != self.actor.agent_id);
        others.filter(|member| job_of(&member.agent_id).is_none() && member.liveness(self.witness).is_gone())
    }

    /// Whether somebody has something in the room that would be orphaned without it.
    fn has_stake(&mut self, agent: &AgentId) -> Result<bool, Failure> {
        let reserved = self.room.reservation().is_some_and(|reservation| reservation.recipient == *agent);
        if reserved || self.room.owner() == Some(agent) || self.scopes()?.of(agent).next().is_some() {
            return Ok(true);
        }
        let room = &self.room.id;
        Ok(!tasks::unfinished_of(self.tx, room, agent)?.is_empty()
            || !envelopes::owed_by(self.tx, room, agent, 1)?.is_empty())
    }
}
