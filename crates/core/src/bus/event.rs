//! What happens on the bus.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{BusId, Context, Data, Kind, Status, What};
use crate::{
    agent::ConnectionStatus,
    event::{Concern, Recorded, events},
    ids::{AgentId, Seq},
    inbox::{Category, Item, Letter, Recipient},
    process::{ProcessIdentity, SessionKind},
};

events! {
    /// An action was submitted.
    "action.submit" => Submitted,
    /// A target said how far it is with an action.
    "action.result" => Resulted,
    /// A message was sent that is no action.
    "message.create" => Messaged,
    /// A task of a conversation went on.
    "conversation.task" => TaskReported,
    /// An agent's runtime connected.
    "agent.connect" => Connected,
    /// An agent's runtime is not connected any more.
    "agent.disconnect" => Disconnected,
    /// An agent that was told not to be there called again.
    "agent.return" => Returned,
}

/// An action was submitted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Submitted {
    /// What it belongs to.
    pub group_id: BusId,
    /// Its own name.
    pub action_id: BusId,
    /// Its place in the group.
    pub action_index: u32,
    /// Whom it is for.
    pub target: AgentId,
    /// What people call the sender.
    pub sender_name: String,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sender_kind: Option<SessionKind>,
    /// What is asked.
    #[serde(flatten)]
    pub what: What,
    /// Which conversation it belongs to.
    #[serde(flatten)]
    pub context: Context,
    /// Which task.
    pub task_id: BusId,
    /// How many messages it follows from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Whether the conversation begins with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    /// Whether the task is named here first, and so is of the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_task: bool,
}

/// A target said how far it is with an action, or Baton that there is no target any more.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Resulted {
    /// Its event.
    pub action: Seq,
    /// What it belongs to.
    pub group_id: BusId,
    /// Its own name.
    pub action_id: BusId,
    /// Its place in the group.
    pub action_index: u32,
    /// Whom it was for.
    pub target: AgentId,
    /// Who submitted it.
    pub sender: AgentId,
    /// How far it is.
    pub status: Status,
    /// More about that.
    pub detail: Option<String>,
    /// What came of it.
    pub data: Option<Data>,
    /// The conversation that a `new` began, and who leads it.
    pub begins: Option<Context>,
    /// The conversation of the task that a `new` began, if that was named here first.
    pub task_in: Option<BusId>,
}

/// A message was sent that is no action: nobody owes a result.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Messaged {
    /// What it is in its conversation.
    pub kind: Kind,
    /// What it says.
    pub text: String,
    /// What people call the sender.
    pub sender_name: String,
    /// The kind of session behind its sender, while it sent. It is missing where that is not known, so nobody is taken for
    /// a person by their id.
    pub sender_kind: Option<SessionKind>,
    /// Who gets it.
    pub recipients: Vec<Recipient>,
    /// Which conversation it belongs to.
    #[serde(flatten)]
    pub context: Context,
    /// Which task.
    pub task_id: BusId,
    /// The message that it answers.
    pub reply_to: Option<String>,
    /// How many messages it follows from.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub depth: u32,
    /// Whether the conversation begins with it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub opens: bool,
    /// Whether the task is named here first, and so is of the conversation.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub begins_task: bool,
}

/// How far a task of a conversation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum TaskStatus {
    /// It is worked on.
    Running,
    /// It waits for something.
    Blocked,
    /// It can be gone on with.
    Ready,
    /// It is over.
    Done,
}

impl TaskStatus {
    /// The status as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Blocked => "blocked",
            Self::Ready => "ready",
            Self::Done => "done",
        }
    }
}

/// A task of a conversation went on.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskReported {
    /// Which.
    pub task_id: BusId,
    /// How far it is.
    pub status: TaskStatus,
    /// What came of it.
    pub summary: Option<String>,
    /// Which conversation it belongs to.
    pub context: Option<Context>,
    /// Whose it is, if it is of no conversation and somebody else says so.
    pub owner: Option<AgentId>,
}

/// An agent's runtime connected: its actions are pushed to it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Connected {
    /// Whose.
    pub agent_id: AgentId,
    /// What people call it.
    pub name: String,
    /// The server that it is connected to.
    pub server: Option<ProcessIdentity>,
}

/// An agent's runtime is not connected any more, or its process turned out to be gone. What it was asked stays in its
/// inbox.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Disconnected {
    /// Whose.
    pub agent_id: AgentId,
    /// What people call it.
    pub name: String,
    /// Why.
    pub why: String,
    /// The agent's connection from then on, as every other surface told it at that moment. Events that were written
    /// before it was kept have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub connection: Option<ConnectionStatus>,
}

/// An agent called again after it was told not to be there.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Returned {
    /// The agent.
    pub agent_id: AgentId,
    /// Its name.
    pub name: String,
    /// Its connection from then on.
    pub connection: ConnectionStatus,
}

impl Submitted {
    /// The item that it puts into its target's inbox, once it is recorded.
    pub fn item(&self, recorded: &Recorded) -> Item {
        let category = match self.what {
            What::Message { .. } => Category::Message,
            What::Control { .. } => Category::Control,
        };
        Item::queued(recorded, &self.target, Letter { category, requires_ack: true, wakes: true, interrupts: false })
    }
}

impl Messaged {
    /// The items that it puts into inboxes, once it is recorded.
    pub fn items(&self, recorded: &Recorded) -> Vec<Item> {
        let letter = |wakes| Letter { category: Category::Message, requires_ack: false, wakes, interrupts: false };
        let item = |recipient: &Recipient| Item::queued(recorded, &recipient.agent_id, letter(recipient.wakes));
        self.recipients.iter().map(item).collect()
    }
}

impl Event {
    /// Whom it concerns besides the actor.
    pub(crate) fn subject(&self) -> Option<&AgentId> {
        match self {
            Self::Submitted(submitted) => Some(&submitted.target),
            Self::Resulted(resulted) => Some(&resulted.sender),
            Self::Messaged(messaged) => match messaged.recipients.as_slice() {
                [one] => Some(&one.agent_id),
                _ => None,
            },
            Self::TaskReported(reported) => reported.context.as_ref().map(|context| &context.owner_id),
            Self::Connected(connected) => Some(&connected.agent_id),
            Self::Disconnected(disconnected) => Some(&disconnected.agent_id),
            Self::Returned(returned) => Some(&returned.agent_id),
        }
    }

    /// Who should hear of it first: those whose wait it ends.
    pub(crate) fn concerns(&self) -> Concern<'_> {
        match self {
            Self::Submitted(submitted) => Concern::One(&submitted.target),
            Self::Messaged(messaged) => {
                let mut woken = messaged.recipients.iter().filter(|recipient| recipient.wakes);
                match (woken.next(), woken.next()) {
                    (None, _) => Concern::Nobody,
                    (Some(one), None) => Concern::One(&one.agent_id),
                    (Some(_), Some(_)) => Concern::Everyone,
                }
            }
            Self::Resulted(_)
            | Self::TaskReported(_)
            | Self::Connected(_)
            | Self::Disconnected(_)
            | Self::Returned(_) => Concern::Nobody,
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks with a reference")]
fn is_zero(depth: &u32) -> bool {
    *depth == 0
}
