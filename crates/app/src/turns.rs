//! What a change does with turns: ending those that are lost, and what they leave behind.

use baton_core::{
    ids::{AgentId, Seq},
    inbox::Item,
    job::Job,
    limits,
    turn::{Outcome, Turn, TurnId},
};
use baton_store::{bus, inbox, turns};

use crate::{Failure, unit::Change};

impl Change<'_> {
    /// What a turn has by now, oldest first.
    pub(crate) fn items_of_turn(&mut self, turn: &Turn) -> Result<Vec<Seq>, Failure> {
        let found = inbox::of_turn(self.store.tx()?, &self.room.id, turn.id)?;
        let own: Vec<_> = found.into_iter().filter(|item| item.recipient == turn.agent_id).collect();
        let messages = own.iter().map(|item| item.message).collect();
        // The turn's end touches each of them.
        self.store.note(own);
        Ok(messages)
    }

    /// Ends the turn that an agent is in, if it is in one. What it had is where its end puts it, for whoever asks next.
    pub(crate) fn end_turn_of(
        &mut self,
        agent: &AgentId,
        outcome: Outcome,
        why: &str,
    ) -> Result<Option<TurnId>, Failure> {
        let Some(turn) = turns::open_of(self.store.tx()?, &self.room.id, agent)? else { return Ok(None) };
        let items = self.items_of_turn(&turn)?;
        self.record(turn.end_with(outcome, why, items))?;
        if outcome == Outcome::Completed {
            self.complete_actions_of(agent)?;
        }
        Ok(Some(turn.id))
    }

    /// Ends the turn that an agent is in if whoever ran it is lost, and tells which that was.
    pub(crate) fn lose_if_lost(&mut self, agent: &AgentId) -> Result<Option<TurnId>, Failure> {
        let Some(turn) = turns::open_of(self.store.tx()?, &self.room.id, agent)? else { return Ok(None) };
        match self.why_lost(&turn)? {
            Some(why) => self.end_turn_of(agent, Outcome::Lost, &why),
            None => Ok(None),
        }
    }

    fn why_lost(&mut self, turn: &Turn) -> Result<Option<String>, Failure> {
        let job = match turn.job {
            Some(job) => self.store.find::<Job>(&job)?.cloned(),
            None => None,
        };
        let process = self.room.member(&turn.agent_id).map(|member| member.liveness(self.witness));
        Ok(turn.lost(job.as_ref(), process.as_ref()))
    }

    /// Ends the open actions that turns of `target` have taken, because that went well.
    pub(crate) fn complete_actions_of(&mut self, target: &AgentId) -> Result<(), Failure> {
        let mut after = Seq::default();
        loop {
            let found = bus::open_of(self.store.tx()?, &self.room.id, target, after, limits::ACTIONS_MAX)?;
            let Some(last) = found.last() else { return Ok(()) };
            after = last.seq;
            for action in found {
                let item = self.store.find::<Item>(&(action.seq, target.clone()))?;
                let taken = item.is_some_and(|item| item.turn.is_some());
                if let Some(event) = action.complete().filter(|_| taken) {
                    self.record_result(target, event)?;
                }
            }
        }
    }
}
