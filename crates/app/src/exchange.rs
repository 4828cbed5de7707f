//! What a change does with briefs, envelopes, turns and requests for further agents: taking them up and storing what became of
//! them.

use baton_core::{
    context::Context,
    envelope::{Envelopes, PayloadId, Posted},
    ids::{AgentId, Seq},
    spawn::{Approval, ApprovalId, Grants, Spawns},
    turn::{Turn, TurnId},
};
use baton_store::{StoreError, context, envelopes, spawns, turns};

use crate::{Failure, change::Change};

impl Change<'_> {
    /// What the room is for. Taken up, so that saying something else is stored.
    pub(crate) fn context(&mut self) -> Result<&Context, Failure> {
        if self.context.after.brief.is_none() {
            let found = context::load(self.tx, &self.room.id)?;
            self.context.before.clone_from(&found);
            self.context.after = found;
        }
        Ok(&self.context.after)
    }

    /// The room's edges. Taken up, so that what happens to them is stored.
    pub(crate) fn edges(&mut self) -> Result<&Envelopes, Failure> {
        if !self.has_edges {
            let found = envelopes::edges(self.tx, &self.room.id)?;
            self.envelopes.before.edges.clone_from(&found);
            self.envelopes.after.edges = found;
            self.has_edges = true;
        }
        Ok(&self.envelopes.after)
    }

    /// The envelope of that name.
    pub(crate) fn envelope(&mut self, id: &PayloadId) -> Result<Option<Posted>, Failure> {
        let found = envelopes::by_id(self.tx, &self.room.id, id)?;
        self.take_envelopes(found.clone());
        Ok(found)
    }

    /// The oldest request that one agent owes another a response for. Taken up, so that an answer is stored.
    pub(crate) fn owed_between(&mut self, by: &AgentId, to: &AgentId) -> Result<Option<Posted>, Failure> {
        let found = envelopes::owed_between(self.tx, &self.room.id, by, to)?;
        self.take_envelopes(found.clone());
        Ok(found)
    }

    /// Takes up all that an agent owes a response for, and is owed one for.
    pub(crate) fn take_owed(&mut self, agent: &AgentId) -> Result<bool, Failure> {
        let mut found = envelopes::owed_by(self.tx, &self.room.id, agent, u32::MAX)?;
        found.extend(envelopes::owed_to(self.tx, &self.room.id, agent, u32::MAX)?);
        let any = !found.is_empty();
        self.take_envelopes(found);
        Ok(any)
    }

    fn take_envelopes(&mut self, found: impl IntoIterator<Item = Posted>) {
        for posted in found {
            let at = |part: &Envelopes, seq: Seq| part.posted.partition_point(|known| known.seq < seq);
            let place = at(&self.envelopes.after, posted.seq);
            if self.envelopes.after.posted.get(place).is_some_and(|known| known.seq == posted.seq) {
                continue;
            }
            for part in [&mut self.envelopes.before, &mut self.envelopes.after] {
                let place = at(part, posted.seq);
                part.posted.insert(place, posted.clone());
            }
        }
    }

    /// The turn that an agent is in. Taken up, so that what happens to it is stored.
    pub(crate) fn open_turn(&mut self, agent: &AgentId) -> Result<Option<Turn>, Failure> {
        if let Some(known) = self.turns.after.turns.iter().find(|turn| turn.agent_id == *agent && turn.is_open()) {
            return Ok(Some(known.clone()));
        }
        let found = turns::open_of(self.tx, &self.room.id, agent)?;
        Ok(found.and_then(|turn| self.take_turn(turn)).filter(Turn::is_open))
    }

    /// The turn with this number. Taken up, so that what happens to it is stored.
    pub(crate) fn turn(&mut self, id: TurnId) -> Result<Option<Turn>, Failure> {
        let found = turns::find(self.tx, &self.room.id, id)?;
        Ok(found.and_then(|turn| self.take_turn(turn)))
    }

    /// The turn as it is now, whatever the store has.
    fn take_turn(&mut self, turn: Turn) -> Option<Turn> {
        if self.turns.after.find(turn.id).is_none() {
            for part in [&mut self.turns.before.turns, &mut self.turns.after.turns] {
                let place = part.partition_point(|known| known.id < turn.id);
                part.insert(place, turn.clone());
            }
        }
        self.turns.after.find(turn.id).cloned()
    }

    /// The request with this number. Taken up, so that deciding on it is stored.
    pub(crate) fn approval(&mut self, id: ApprovalId) -> Result<Option<Approval>, Failure> {
        let found = spawns::find(self.tx, &self.room.id, id)?;
        if let Some(approval) = found.as_ref().filter(|_| self.spawns.after.find(id).is_none()) {
            for part in [&mut self.spawns.before, &mut self.spawns.after] {
                let place = part.approvals.partition_point(|known| known.id < id);
                part.approvals.insert(place, approval.clone());
            }
        }
        Ok(self.spawns.after.find(id).cloned())
    }

    /// What was decided that an agent may do, if anything was.
    pub(crate) fn granted(&mut self, agent: &AgentId) -> Result<Option<Grants>, Failure> {
        let of = |part: &Spawns| part.grants.iter().find(|grant| grant.agent_id == *agent).map(|grant| grant.grants);
        if let Some(known) = of(&self.spawns.after) {
            return Ok(Some(known));
        }
        let found = spawns::grant_of(self.tx, &self.room.id, agent)?;
        for part in [&mut self.spawns.before.grants, &mut self.spawns.after.grants] {
            part.extend(found.clone());
            part.sort_by(|one, other| one.agent_id.cmp(&other.agent_id));
        }
        Ok(of(&self.spawns.after))
    }

    /// Stores what became different.
    pub(crate) fn save_exchange(&mut self) -> Result<(), StoreError> {
        let room = &self.room.id;
        context::save(self.tx, room, &self.context.before, &self.context.after)?;
        envelopes::save(self.tx, room, &self.envelopes.before, &self.envelopes.after)?;
        turns::save(self.tx, room, &self.turns.before, &self.turns.after)?;
        spawns::save(self.tx, room, &self.spawns.before, &self.spawns.after)
    }
}
