//! What a task is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Event;
use crate::{
    event::{self, Recorded},
    ids::{AgentId, BeadId},
    number::numbered,
    time::Timestamp,
};

numbered!(
    /// The number of a task in its room, written `TASK-001`.
    TaskId,
    "TASK-",
    "3",
    "a task's"
);

impl TaskId {
    /// The id as events name what they are about.
    pub fn bead_id(self) -> BeadId {
        self.to_string().parse().expect("a task's id is a bead id: letters, a dash and digits")
    }
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum State {
    /// Nobody is at it.
    Open,
    /// Its assignee is at it.
    InProgress,
    /// There is nothing more to do.
    Done,
}

impl State {
    /// The state as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::InProgress => "in_progress",
            Self::Done => "done",
        }
    }
}

/// Something to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Task {
    /// Its number.
    pub id: TaskId,
    /// What.
    pub title: String,
    /// How far it is.
    pub state: State,
    /// Who does it.
    pub assignee: Option<AgentId>,
    /// Where: paths as scopes are written. Without any, anywhere.
    pub scopes: Vec<String>,
    /// When it is done.
    pub definition_of_done: Option<String>,
    /// How to make sure of that, step by step.
    pub verification: Vec<String>,
    /// Who wrote it down.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

/// The tasks of a room, as folding its log gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tasks {
    /// In the order in which they were made, which is that of their numbers.
    pub tasks: Vec<Task>,
    /// Who has turned to which, in the order of agents.
    pub focus: Vec<Focus>,
}

/// Who has turned to which task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    /// Who.
    pub agent: AgentId,
    /// To which.
    pub task: TaskId,
}

impl Tasks {
    /// The task with this number.
    pub fn find(&self, id: TaskId) -> Option<&Task> {
        self.place(id).map(|place| &self.tasks[place])
    }

    /// Where a task is. Folding a long log asks for many, so they are not all looked at.
    fn place(&self, id: TaskId) -> Option<usize> {
        self.tasks.binary_search_by_key(&id, |task| task.id).ok()
    }

    /// Folds an event that was decided on. Events of other parts change nothing.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Task(event) = &recorded.event else { return };
        match event {
            Event::Created(_) => self.tasks.extend(Task::open(recorded)),
            Event::Started(_) | Event::Done(_) | Event::Assigned(_) => {
                if let Some(place) = event.task().and_then(|task| self.place(task)) {
                    self.tasks[place].apply(recorded);
                }
            }
            Event::Focused(focused) => {
                self.focus.retain(|focus| focus.agent != recorded.actor);
                self.focus.extend(focused.task.map(|task| Focus { agent: recorded.actor.clone(), task }));
                self.focus.sort_by(|one, other| one.agent.cmp(&other.agent));
            }
        }
    }
}

impl Task {
    /// The task that a `task.create` event opens; any other event opens none.
    pub fn open(recorded: &Recorded) -> Option<Self> {
        let event::Event::Task(Event::Created(created)) = &recorded.event else { return None };
        Some(Self {
            id: created.task,
            title: created.title.clone(),
            state: State::Open,
            assignee: created.assignee.clone(),
            scopes: created.scopes.clone(),
            definition_of_done: created.definition_of_done.clone(),
            verification: created.verification.clone(),
            created_by: recorded.actor.clone(),
            created_at: recorded.at,
            updated_at: recorded.at,
        })
    }

    /// Folds an event about this task.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Task(event) = &recorded.event else { return };
        match event {
            Event::Created(_) | Event::Focused(_) => {}
            Event::Started(started) => {
                self.state = State::InProgress;
                self.assignee = Some(started.assignee.clone());
                if !started.scopes.is_empty() {
                    self.scopes = started.scopes.clone();
                }
            }
            Event::Done(_) => self.state = State::Done,
            Event::Assigned(assigned) => {
                self.assignee = assigned.to.clone();
                if assigned.to.is_none() && self.state == State::InProgress {
                    self.state = State::Open;
                }
            }
        }
        self.updated_at = recorded.at;
    }
}
