//! What a task is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Created, Event};
use crate::{
    event::{self, Recorded},
    ids::{AgentId, BeadId},
    number::numbered,
    part::{Part, Rows, Touched},
    room::Room,
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

/// Who has turned to which task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Focus {
    /// Who.
    pub agent: AgentId,
    /// To which.
    pub task: TaskId,
}

impl Part for Task {
    type Key = TaskId;

    fn key(&self) -> TaskId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<TaskId> {
        match &event.event {
            event::Event::Task(change @ (Event::Started(_) | Event::Done(_) | Event::Assigned(_))) => {
                Touched::maybe(change.task())
            }
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Task(Event::Created(created)) => rows.put(Self::created(event, created)),
            event::Event::Task(change @ (Event::Started(_) | Event::Done(_) | Event::Assigned(_))) => {
                if let Some(id) = change.task() {
                    rows.change(&id, |task| task.happened(change, event.at));
                }
            }
            _ => {}
        }
    }
}

impl Part for Focus {
    type Key = AgentId;

    fn key(&self) -> AgentId {
        self.agent.clone()
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<AgentId> {
        match &event.event {
            event::Event::Task(Event::Focused(_)) => Touched::row(event.actor.clone()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        let event::Event::Task(Event::Focused(focused)) = &event.event else { return };
        match focused.task {
            Some(task) => rows.put(Self { agent: event.actor.clone(), task }),
            None => {
                rows.remove(&event.actor);
            }
        }
    }
}

impl Task {
    fn created(recorded: &Recorded, created: &Created) -> Self {
        Self {
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
        }
    }

    fn happened(&mut self, event: &Event, at: Timestamp) {
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
        self.updated_at = at;
    }
}
