//! What is asked of a room, as data: stories choose it, list it, and draw it at random.

use crate::{
    agent::Adopting,
    handoff::Handoff,
    ids::{AgentId, LeaseId},
    lease::Fence,
    policy::{PolicyChange, Wake},
    room::{Authority, Call, Closing, Event, NewIdentity, PolicySetting, Refusal, Room, Shown},
    tree,
};

#[derive(Clone, Debug)]
pub(crate) enum Action {
    Join { identity: NewIdentity },
    Register { identity: NewIdentity },
    ChooseWake { agent: AgentId, wake: Option<Wake>, authority: Authority },
    Adopt { adopting: Adopting },
    Claim { lease_id: LeaseId },
    Release { shown: Shown, handoff: Handoff, tree: Option<tree::Record> },
    Pass { shown: Shown, to: String, handoff: Handoff, tree: Option<tree::Record> },
    Takeover { expected_turn: Fence, reason: String, lease_id: LeaseId },
    Note { text: String, authority: Authority },
    Leave,
    Remove { agent: AgentId },
    Retire { agent: AgentId },
    Rest { agent: AgentId },
    Rename { name: String },
    Close { expected_turn: Fence, lease_id: Option<LeaseId>, reason: Option<String>, authority: Authority },
    Reorder { order: Vec<String>, authority: Authority },
    SetPolicy { change: PolicyChange, expected_turn: Option<Fence>, lease_id: Option<LeaseId>, authority: Authority },
}

impl Action {
    pub(crate) fn join() -> Self {
        Self::Join { identity: NewIdentity::default() }
    }

    /// Asks the room.
    pub(crate) fn decide(self, room: &Room, call: Call<'_>) -> Result<Option<Event>, Refusal> {
        match self {
            Self::Join { identity } => room.join(call, &identity),
            Self::Register { identity } => room.register(call, &identity),
            Self::ChooseWake { agent, wake, authority } => room.choose_wake(call, &agent, wake, authority),
            Self::Adopt { adopting } => room.adopt(call, &adopting).map(|resumed| Some(Event::Resumed(resumed))),
            Self::Claim { lease_id } => room.claim(call, &lease_id).map(|claimed| Some(Event::Claimed(claimed))),
            Self::Release { shown, handoff, tree } => room.release(call, &shown, &handoff, tree.as_ref()).map(Some),
            Self::Pass { shown, to, handoff, tree } => room.pass(call, &shown, &to, &handoff, tree.as_ref()).map(Some),
            Self::Takeover { expected_turn, reason, lease_id } => {
                let taken = room.take_over(call, expected_turn, &reason, &lease_id);
                taken.map(|taken| Some(Event::TakenOver(taken)))
            }
            Self::Note { text, authority } => room.note(call, &text, authority).map(Some),
            Self::Leave => room.leave(call, &call.by.agent_id).map(Some),
            Self::Remove { agent } => room.leave(call, &agent).map(Some),
            Self::Retire { agent } => room.retire(call, &agent),
            Self::Rest { agent } => room.rest(call, &agent),
            Self::Rename { name } => room.rename(&name),
            Self::Close { expected_turn, lease_id, reason, authority } => {
                room.close(call, &Closing { expected_turn, lease_id, reason }, authority).map(Some)
            }
            Self::Reorder { order, authority } => room.reorder(call, &order, authority),
            Self::SetPolicy { change, expected_turn, lease_id, authority } => {
                room.set_policy(call, &PolicySetting { change, expected_turn, lease_id }, authority)
            }
        }
    }
}
