//! What a task is.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Event;
use crate::{
    event::{self, Recorded},
    ids::{AgentId, BeadId},
    time::Timestamp,
};

/// The number of a task in its room, written `TASK-001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, with = "String")]
pub struct TaskId(pub u32);

impl TaskId {
    /// What an id that is not one begins with.
    const PREFIX: &'static str = "TASK-";

    /// The id as events name what they are about.
    pub fn bead_id(self) -> BeadId {
        self.to_string().parse().expect("a task's id is a bead id: letters, a dash and digits")
    }
}

impl fmt::Display for TaskId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{:03}", Self::PREFIX, self.0)
    }
}

impl FromStr for TaskId {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let digits = text.get(..Self::PREFIX.len()).filter(|prefix| prefix.eq_ignore_ascii_case(Self::PREFIX));
        let digits = digits.and_then(|prefix| text.strip_prefix(prefix)).filter(|digits| digits.len() <= 9);
        let number = digits.filter(|digits| digits.bytes().all(|b| b.is_ascii_digit())).and_then(|d| d.parse().ok());
        number.filter(|number| *number > 0).map(Self).ok_or_else(|| {
            let shown: String = text.chars().take(crate::limits::SHOWN_INPUT_CHARS).collect();
            format!("a task's id looks like TASK-001, not {shown:?}")
        })
    }
}

impl TryFrom<String> for TaskId {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<TaskId> for String {
    fn from(id: TaskId) -> Self {
        id.to_string()
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
                if let Some(place) = self.place(event.task()) {
                    self.tasks[place].apply(recorded);
                }
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
            created_by: recorded.actor.clone(),
            created_at: recorded.at,
            updated_at: recorded.at,
        })
    }

    /// Folds an event about this task.
    pub fn apply(&mut self, recorded: &Recorded) {
        let event::Event::Task(event) = &recorded.event else { return };
        match event {
            Event::Created(_) => {}
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
