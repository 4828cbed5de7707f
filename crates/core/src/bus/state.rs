//! Actions, conversations, tasks and connections, as folding the log gives them.

use super::{BusId, Control, Disconnected, Event, Kind, Resulted, Status, Submitted, TaskStatus, What};
use crate::{
    agent::ConnectionState,
    event::{self, Recorded},
    ids::{AgentId, Seq},
    inbox,
    part::{Part, Rows, Touched},
    process::ProcessIdentity,
    room::{self, Room},
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

impl Part for Action {
    type Key = Seq;

    fn key(&self) -> Seq {
        self.seq
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<Seq> {
        match &event.event {
            event::Event::Bus(Event::Resulted(resulted)) => Touched::row(resulted.action),
            event::Event::Inbox(inbox::Event::Forwarded(forwarded)) => Touched::Rows(forwarded.items.clone()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Bus(Event::Submitted(submitted)) => rows.put(Self::of(submitted, event)),
            event::Event::Bus(Event::Resulted(resulted)) => {
                rows.change(&resulted.action, |action| action.hear(resulted, event.at));
            }
            // An inbox goes on with another agent, and so does what lies in it.
            event::Event::Inbox(inbox::Event::Forwarded(forwarded)) => {
                for seq in &forwarded.items {
                    rows.change(seq, |action| {
                        if action.target == forwarded.from {
                            action.target = forwarded.to.clone();
                        }
                    });
                }
            }
            _ => {}
        }
    }
}

impl Part for Conversation {
    type Key = BusId;

    fn key(&self) -> BusId {
        self.context_id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<BusId> {
        Touched::maybe(Self::begun(event).map(|begun| begun.context_id))
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        // It begins once; its owner does not change.
        if let Some(begun) = Self::begun(event).filter(|begun| rows.get(&begun.context_id).is_none()) {
            rows.put(begun);
        }
    }
}

impl Conversation {
    /// The conversation that begins with an event, unless it began before.
    fn begun(recorded: &Recorded) -> Option<Self> {
        let event::Event::Bus(event) = &recorded.event else { return None };
        let (context, task_id) = match event {
            Event::Submitted(submitted) if submitted.opens => (&submitted.context, Some(&submitted.task_id)),
            Event::Messaged(messaged) if messaged.opens => (&messaged.context, Some(&messaged.task_id)),
            Event::Resulted(resulted) => (resulted.begins.as_ref()?, resulted.new_task()),
            _ => return None,
        };
        let (context_id, owner) = (context.context_id.clone(), context.owner_id.clone());
        Some(Self { context_id, owner, task_id: task_id.cloned(), since: recorded.seq })
    }
}

impl Part for Task {
    type Key = BusId;

    fn key(&self) -> BusId {
        self.task_id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<BusId> {
        match &event.event {
            event::Event::Bus(Event::TaskReported(reported)) => Touched::row(reported.task_id.clone()),
            _ => Touched::maybe(Self::begun(event).map(|begun| begun.task_id)),
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        if let event::Event::Bus(Event::TaskReported(reported)) = &event.event {
            rows.put(Self {
                task_id: reported.task_id.clone(),
                context_id: reported.context.as_ref().map(|context| context.context_id.clone()),
                status: reported.status,
                reported_by: event.actor.clone(),
                seq: event.seq,
            });
        }
        let Some(begun) = Self::begun(event) else { return };
        // It may be that somebody said before how far it is, in no conversation.
        match rows.get(&begun.task_id).is_some() {
            true => rows
                .change(&begun.task_id.clone(), |task| task.context_id = task.context_id.take().or(begun.context_id)),
            false => rows.put(begun),
        }
    }
}

impl Task {
    /// The task that an event names first, in the conversation that it is of.
    fn begun(recorded: &Recorded) -> Option<Self> {
        let event::Event::Bus(event) = &recorded.event else { return None };
        let (task_id, context_id) = match event {
            Event::Submitted(submitted) if submitted.begins_task => (&submitted.task_id, &submitted.context.context_id),
            Event::Messaged(messaged) if messaged.begins_task => (&messaged.task_id, &messaged.context.context_id),
            Event::Resulted(resulted) => (resulted.new_task()?, resulted.task_in.as_ref()?),
            _ => return None,
        };
        Some(Self {
            task_id: task_id.clone(),
            context_id: Some(context_id.clone()),
            status: TaskStatus::Ready,
            reported_by: recorded.actor.clone(),
            seq: recorded.seq,
        })
    }
}

impl Resulted {
    fn new_task(&self) -> Option<&BusId> {
        self.data.as_ref()?.new_task_id.as_ref()
    }
}

impl Part for Connection {
    type Key = AgentId;

    fn key(&self) -> AgentId {
        self.agent_id.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<AgentId> {
        let agent = match &event.event {
            event::Event::Bus(Event::Connected(connected)) => &connected.agent_id,
            event::Event::Bus(Event::Disconnected(disconnected)) => &disconnected.agent_id,
            event::Event::Bus(Event::Returned(returned)) => &returned.agent_id,
            event::Event::Room(room::Event::Left(left)) => &left.agent_id,
            event::Event::Room(room::Event::Resumed(resumed)) if resumed.prior_stays_as.is_none() => {
                &resumed.prior_session_agent
            }
            event::Event::Room(room::Event::Closed(_)) => return Touched::Current,
            _ => return Touched::Nothing,
        };
        Touched::row(agent.clone())
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Bus(Event::Connected(connected)) => rows.put(Self {
                agent_id: connected.agent_id.clone(),
                server: connected.server.clone(),
                since: event.at,
                ended: None,
            }),
            event::Event::Bus(Event::Disconnected(disconnected)) => rows.disconnect(disconnected, event.at),
            // Its stream stays ended as it was; only the word about the agent is another.
            event::Event::Bus(Event::Returned(returned)) => rows.change(&returned.agent_id, |connection| {
                if let Some(ended) = &mut connection.ended {
                    ended.state = returned.connection.state;
                }
            }),
            event::Event::Room(room::Event::Left(left)) => {
                rows.remove(&left.agent_id);
            }
            event::Event::Room(room::Event::Resumed(resumed)) if resumed.prior_stays_as.is_none() => {
                rows.remove(&resumed.prior_session_agent);
            }
            event::Event::Room(room::Event::Closed(_)) => {
                let all: Vec<AgentId> = rows.iter().map(Self::key).collect();
                for agent in all {
                    rows.remove(&agent);
                }
            }
            _ => {}
        }
    }
}

impl Rows<Connection> {
    fn disconnect(&mut self, disconnected: &Disconnected, at: Timestamp) {
        let agent = &disconnected.agent_id;
        let Some(status) = &disconnected.connection else {
            self.remove(agent);
            return;
        };
        let ended = Some(StreamEnd { at, state: status.state, why: disconnected.why.clone() });
        match self.get(agent).is_some() {
            true => self.change(agent, |connection| connection.ended = ended),
            false => self.put(Connection { agent_id: agent.clone(), server: None, since: at, ended }),
        }
    }
}
