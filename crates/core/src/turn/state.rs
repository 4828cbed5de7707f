//! The turns of a room's agents.

use super::{Begun, Ended, Event, Outcome, PromptMode, Prompted, Usage};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, Seq},
    job::{Executor, JobId},
    lease::Fence,
    number::numbered,
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

/// The turns of a room, as folding its log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Turns {
    /// In the order of their numbers.
    pub turns: Vec<Turn>,
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

impl Turns {
    /// The turn with this number.
    pub fn find(&self, id: TurnId) -> Option<&Turn> {
        self.turns.binary_search_by_key(&id, |turn| turn.id).ok().map(|place| &self.turns[place])
    }

    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Turn(event) = &recorded.event else { return };
        if let Event::Begun(begun) = event {
            self.turns.push(Turn::of(recorded, begun));
            return;
        }
        let Ok(place) = self.turns.binary_search_by_key(&event.turn(), |turn| turn.id) else { return };
        let turn = &mut self.turns[place];
        match event {
            Event::Begun(_) => {}
            Event::Prompted(prompted) => turn.prompted(prompted),
            Event::ToolsUsed(used) => {
                let count = used.uses.iter().filter(|usage| usage.state == super::ToolState::Started).count();
                turn.tools = turn.tools.saturating_add(count.try_into().unwrap_or(u32::MAX));
            }
            Event::Ended(ended) => turn.ended(ended, recorded.at),
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
