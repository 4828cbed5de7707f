//! Actions, conversations, tasks and connections, as folding the log gives them.

use super::{BusId, Control, Disconnected, Event, Kind, Resulted, Status, Submitted, TaskStatus, What};
use crate::{
    agent::ConnectionState,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    inbox,
    process::ProcessIdentity,
    room,
    time::Timestamp,
};

/// What was asked of a target, and how far it is. What a message says is in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Action {
    /// Its event, which is its place in its target's order.
    pub seq: Seq,
    /// What it belongs to.
    pub group_id: BusId,
    /// Its own name.
    pub action_id: BusId,
    /// Its place in the group.
    pub action_index: u32,
    /// Who submitted it.
    pub sender: AgentId,
    /// Whom it is for.
    pub target: AgentId,
    /// The control command, if it is one.
    pub control: Option<Control>,
    /// What the message is in its conversation, if it is one.
    pub kind: Option<Kind>,
    /// Which conversation it was submitted in.
    pub context_id: BusId,
    /// Who leads that.
    pub owner: AgentId,
    /// How many messages it follows from.
    pub depth: u32,
    /// The last that was heard of it.
    pub status: Option<Status>,
    /// What was said to that.
    pub detail: Option<String>,
    /// The conversation and the task that a `new` began.
    pub new_context_id: Option<BusId>,
    /// See there.
    pub new_task_id: Option<BusId>,
    /// When it was submitted.
    pub submitted_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

/// Which of the `new`s before a message begins the conversation that it is for. `news` are those for its target in its
/// group, with nothing between them, oldest first. One that comes while another has not ended adds nothing to it, so the
/// message is for the first of them that came to something; if none did, for the first.
pub fn begun_by(news: &[Action]) -> Option<&Action> {
    let was_open = |pair: &[Action]| pair[0].ended_at.is_none_or(|ended| ended >= pair[1].submitted_at);
    let start = news.windows(2).rposition(|pair| !was_open(pair)).map_or(0, |place| place + 1);
    let together = &news[start..];
    let failed = |new: &&Action| matches!(new.status, Some(Status::Rejected | Status::Error));
    together.iter().find(|new| !failed(new)).or(together.first())
}

/// How an action ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Not yet.
    Open,
    /// So.
    With(Status),
}

/// A conversation: what is said in it, its owner leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conversation {
    /// Its name.
    pub context_id: BusId,
    /// Who leads it. It does not change hands.
    pub owner: AgentId,
    /// The task it is about.
    pub task_id: Option<BusId>,
    /// The event that it began with.
    pub since: Seq,
}

/// A task of a conversation. Until somebody says how far it is, it is ready, as of whoever named it first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its name.
    pub task_id: BusId,
    /// The conversation, if one was named.
    pub context_id: Option<BusId>,
    /// How far it is.
    pub status: TaskStatus,
    /// Who said so.
    pub reported_by: AgentId,
    /// In which event.
    pub seq: Seq,
}

/// The stream of an agent's runtime, also after it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Whose.
    pub agent_id: AgentId,
    /// The server that it is connected to.
    pub server: Option<ProcessIdentity>,
    /// Since when.
    pub since: Timestamp,
    /// Its end.
    pub ended: Option<StreamEnd>,
}

/// The end of a runtime's stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamEnd {
    /// Its time.
    pub at: Timestamp,
    /// The agent's state from then on, as it was told.
    pub state: ConnectionState,
    /// Its reason.
    pub why: String,
}

impl Connection {
    /// Whether the stream has not ended, as far as anybody said.
    pub const fn is_open(&self) -> bool {
        self.ended.is_none()
    }
}

/// The bus of a room.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bus {
    /// In the order of the log.
    pub actions: Vec<Action>,
    /// By name.
    pub conversations: Vec<Conversation>,
    /// By name.
    pub tasks: Vec<Task>,
    /// Of members while the room is open, by agent.
    pub connections: Vec<Connection>,
}

impl Action {
    /// How it ended, if it did.
    pub fn ended(&self) -> Ended {
        match self.status {
            Some(status) if status.is_terminal() => Ended::With(status),
            Some(_) | None => Ended::Open,
        }
    }

    /// Whether something is still to come of it.
    pub fn is_open(&self) -> bool {
        self.ended() == Ended::Open
    }

    fn of(submitted: &Submitted, recorded: &Recorded) -> Self {
        let (control, kind) = match &submitted.what {
            What::Message { kind, .. } => (None, Some(*kind)),
            What::Control { command, .. } => (Some(*command), None),
        };
        Self {
            seq: recorded.seq,
            group_id: submitted.group_id.clone(),
            action_id: submitted.action_id.clone(),
            action_index: submitted.action_index,
            sender: recorded.actor.clone(),
            target: submitted.target.clone(),
            control,
            kind,
            context_id: submitted.context.context_id.clone(),
            owner: submitted.context.owner_id.clone(),
            depth: submitted.depth,
            status: None,
            detail: None,
            new_context_id: None,
            new_task_id: None,
            submitted_at: recorded.at,
            ended_at: None,
        }
    }

    fn hear(&mut self, resulted: &Resulted, at: Timestamp) {
        self.status = Some(resulted.status);
        self.detail = resulted.detail.clone();
        if let Some(data) = &resulted.data {
            self.new_context_id = data.new_context_id.clone();
            self.new_task_id = data.new_task_id.clone();
        }
        self.ended_at = resulted.status.is_terminal().then_some(at);
    }
}

impl Bus {
    /// Folds an event that was decided on. Of other parts, an inbox that goes on with another, members that are none
    /// any more, and the end of the room matter here.
    pub fn apply(&mut self, recorded: &Recorded) {
        match &recorded.event {
            event::Event::Bus(event) => self.apply_own(event, recorded),
            event::Event::Inbox(inbox::Event::Forwarded(forwarded)) => {
                let mut moved = self.actions.iter_mut().filter(|action| forwarded.items.contains(&action.seq));
                moved.by_ref().filter(|action| action.target == forwarded.from).for_each(|action| {
                    action.target = forwarded.to.clone();
                });
            }
            event::Event::Room(room::Event::Left(left)) => self.forget(&left.agent_id),
            event::Event::Room(room::Event::Closed(_)) => self.connections.clear(),
            event::Event::Room(room::Event::Resumed(resumed)) if resumed.prior_stays_as.is_none() => {
                self.forget(&resumed.prior_session_agent);
            }
            _ => {}
        }
    }

    fn apply_own(&mut self, event: &Event, recorded: &Recorded) {
        match event {
            Event::Submitted(submitted) => {
                self.actions.push(Action::of(submitted, recorded));
                if submitted.opens {
                    let (context, task) = (&submitted.context, &submitted.task_id);
                    self.begin(&context.context_id, &context.owner_id, Some(task), recorded.seq);
                }
                if submitted.begins_task {
                    self.begin_task(&submitted.task_id, &submitted.context.context_id, recorded);
                }
            }
            Event::Resulted(resulted) => {
                let place = self.actions.partition_point(|action| action.seq < resulted.action);
                if let Some(action) = self.actions.get_mut(place).filter(|action| action.seq == resulted.action) {
                    action.hear(resulted, recorded.at);
                }
                if let Some(begins) = &resulted.begins {
                    let task = resulted.data.as_ref().and_then(|data| data.new_task_id.as_ref());
                    self.begin(&begins.context_id, &begins.owner_id, task, recorded.seq);
                }
                let task = resulted.data.as_ref().and_then(|data| data.new_task_id.as_ref());
                if let (Some(task), Some(context)) = (task, &resulted.task_in) {
                    self.begin_task(task, context, recorded);
                }
            }
            Event::Messaged(messaged) => {
                let (context, task) = (&messaged.context, &messaged.task_id);
                if messaged.opens {
                    self.begin(&context.context_id, &context.owner_id, Some(task), recorded.seq);
                }
                if messaged.begins_task {
                    self.begin_task(task, &context.context_id, recorded);
                }
            }
            Event::TaskReported(reported) => {
                let task = Task {
                    task_id: reported.task_id.clone(),
                    context_id: reported.context.as_ref().map(|context| context.context_id.clone()),
                    status: reported.status,
                    reported_by: recorded.actor.clone(),
                    seq: recorded.seq,
                };
                put(&mut self.tasks, task, |task| task.task_id.clone());
            }
            Event::Connected(connected) => {
                let connection = Connection {
                    agent_id: connected.agent_id.clone(),
                    server: connected.server.clone(),
                    since: recorded.at,
                    ended: None,
                };
                put(&mut self.connections, connection, |connection| connection.agent_id.clone());
            }
            Event::Disconnected(disconnected) => self.disconnect(disconnected, recorded.at),
            Event::Returned(returned) => {
                let own = self.connections.iter_mut().find(|connection| connection.agent_id == returned.agent_id);
                // Its stream stays ended as it was; only the word about the agent is another.
                if let Some(ended) = own.and_then(|connection| connection.ended.as_mut()) {
                    ended.state = returned.connection.state;
                }
            }
        }
    }

    /// Notes whose a task is. It may be that somebody said before how far it is, in no conversation.
    fn begin_task(&mut self, task: &BusId, context: &BusId, recorded: &Recorded) {
        if let Some(known) = self.tasks.iter_mut().find(|known| known.task_id == *task) {
            known.context_id.get_or_insert_with(|| context.clone());
            return;
        }
        let task = Task {
            task_id: task.clone(),
            context_id: Some(context.clone()),
            status: TaskStatus::Ready,
            reported_by: recorded.actor.clone(),
            seq: recorded.seq,
        };
        put(&mut self.tasks, task, |task| task.task_id.clone());
    }

    fn disconnect(&mut self, disconnected: &Disconnected, at: Timestamp) {
        let agent = &disconnected.agent_id;
        let Some(status) = &disconnected.connection else {
            return self.forget(agent);
        };
        let ended = Some(StreamEnd { at, state: status.state, why: disconnected.why.clone() });
        match self.connections.iter_mut().find(|connection| connection.agent_id == *agent) {
            Some(connection) => connection.ended = ended,
            None => {
                let connection = Connection { agent_id: agent.clone(), server: None, since: at, ended };
                put(&mut self.connections, connection, |connection| connection.agent_id.clone());
            }
        }
    }

    fn forget(&mut self, agent: &AgentId) {
        self.connections.retain(|connection| connection.agent_id != *agent);
    }

    fn begin(&mut self, context: &BusId, owner: &AgentId, task: Option<&BusId>, since: Seq) {
        // It begins once; its owner does not change.
        if let Err(place) = self.conversations.binary_search_by(|known| known.context_id.cmp(context)) {
            let (context_id, owner, task_id) = (context.clone(), owner.clone(), task.cloned());
            self.conversations.insert(place, Conversation { context_id, owner, task_id, since });
        }
    }
}

/// Puts something into its place, or in place of what has the same key.
fn put<T, K: Ord>(all: &mut Vec<T>, new: T, key: impl Fn(&T) -> K) {
    match all.binary_search_by(|known| key(known).cmp(&key(&new))) {
        Ok(place) => all[place] = new,
        Err(place) => all.insert(place, new),
    }
}
