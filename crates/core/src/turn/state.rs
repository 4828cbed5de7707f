//! The turns of a room's agents.

use super::{Begun, Ended, Event, Outcome, PromptMode, Prompted, ToolState, Usage};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    job::{Executor, JobId},
    lease::Fence,
    number::numbered,
    part::{Part, Rows, Touched},
    room::Room,
    time::Timestamp,
    words::words,
};

numbered!(
    /// The number of a turn in its room, written `TURN-1`.
    TurnId,
    "TURN-",
    "1",
    "a turn's"
);

/// A turn, less what it consumed: that is in the inbox and in the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Its number.
    pub id: TurnId,
    /// Whose.
    pub agent_id: AgentId,
    /// Which of that agent's turns, from one.
    pub number: u32,
    /// The job it is for.
    pub job: Option<JobId>,
    /// Under which claim of that.
    pub revision: Option<Fence>,
    /// Who runs it.
    pub runner: Option<AgentId>,
    /// With which program.
    pub executor: Option<Executor>,
    /// Whether it was told all, or what is new.
    pub mode: Option<PromptMode>,
    /// What it is here for.
    pub role: Option<String>,
    /// Tokens of all that is in effect.
    pub tokens: u32,
    /// Tokens of what was sent.
    pub sent_tokens: u32,
    /// How often it has used a tool.
    pub tools: u32,
    /// How it ended.
    pub outcome: Option<Outcome>,
    /// Why, where it did not go well.
    pub why: Option<String>,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    /// What it took.
    pub usage: Usage,
    /// Whether what it consumed is back in the queue.
    pub returned: bool,
    /// Its first event.
    pub seq: Seq,
    /// When it began.
    pub began_at: Timestamp,
    /// When it ended.
    pub ended_at: Option<Timestamp>,
}

words! {
    /// What an agent's stream does.
    StreamStatus {
        /// The agent says or does something.
        Writing "writing",
        /// It waits for its model or a tool.
        Reading "reading",
        /// It is over.
        Closed "closed",
    }
}

/// What was last seen of an agent's stream. It moves without events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stream {
    /// Whose.
    pub agent_id: AgentId,
    /// What it does.
    pub status: StreamStatus,
    /// Which program.
    pub provider: Option<String>,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    /// When something was last seen of it.
    pub last_activity_at: Timestamp,
}

impl Part for Turn {
    type Key = TurnId;

    fn key(&self) -> TurnId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<TurnId> {
        match &event.event {
            event::Event::Turn(Event::Begun(_)) => Touched::Nothing,
            event::Event::Turn(event) => Touched::row(event.turn()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        let event::Event::Turn(change) = &event.event else { return };
        match change {
            Event::Begun(begun) => rows.put(Self::of(event, begun)),
            Event::Prompted(prompted) => rows.change(&change.turn(), |turn| turn.prompted(prompted)),
            Event::ToolsUsed(used) => rows.change(&change.turn(), |turn| {
                let count = used.uses.iter().filter(|usage| usage.state == ToolState::Started).count();
                turn.tools = turn.tools.saturating_add(count.try_into().unwrap_or(u32::MAX));
            }),
            Event::Ended(ended) => rows.change(&change.turn(), |turn| turn.ended(ended, event.at)),
        }
    }
}

impl Turn {
    /// Whether it goes on.
    pub const fn is_open(&self) -> bool {
        self.outcome.is_none()
    }

    fn of(recorded: &Recorded, begun: &Begun) -> Self {
        Self {
            id: begun.turn,
            agent_id: begun.agent_id.clone(),
            number: begun.number,
            job: begun.job,
            revision: begun.revision,
            runner: begun.runner.clone(),
            executor: begun.executor,
            mode: None,
            role: None,
            tokens: 0,
            sent_tokens: 0,
            tools: 0,
            outcome: None,
            why: None,
            session: None,
            usage: Usage::default(),
            returned: false,
            seq: recorded.seq,
            began_at: recorded.at,
            ended_at: None,
        }
    }

    fn prompted(&mut self, prompted: &Prompted) {
        self.mode = Some(prompted.mode);
        self.role.clone_from(&prompted.role);
        (self.tokens, self.sent_tokens) = (prompted.tokens, prompted.sent_tokens);
    }

    fn ended(&mut self, ended: &Ended, at: Timestamp) {
        self.outcome = Some(ended.outcome);
        self.why.clone_from(&ended.why);
        self.session.clone_from(&ended.session);
        (self.usage, self.returned, self.ended_at) = (ended.usage, ended.returned, Some(at));
    }
}
