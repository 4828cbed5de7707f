//! Wakes of a member while it is idle: its own choice, or the room's policy.

use super::{Authority, Call, Event, Member, Refusal, Room, WakeChosen};
use crate::{ids::AgentId, policy::Wake};

impl Room {
    /// Chooses what wakes a member. An agent chooses for itself: one that silences another takes its messages away.
    pub fn choose_wake(
        &self,
        call: Call<'_>,
        agent: &AgentId,
        wake: Option<Wake>,
        authority: Authority,
    ) -> Result<Option<Event>, Refusal> {
        self.require_open()?;
        let Some(member) = self.member(agent) else { return Err(Refusal::NotAMember { agent_id: agent.clone() }) };
        if *agent != call.by.agent_id && authority != Authority::Operator {
            return Err(Refusal::WakesAnother { agent_id: agent.clone(), needs: "operator" });
        }
        let chosen = WakeChosen { agent_id: agent.clone(), wake };
        Ok((member.wake != wake).then_some(Event::WakeChosen(chosen)))
    }

    /// The wakes of a member that are in force.
    pub fn wake_of(&self, member: &Member) -> Wake {
        member.wake.unwrap_or(self.policy.wake)
    }
}
