//! A task at a glance, to begin or to go on with.

use baton_core::{
    ids::RoomId,
    job::{Job, line_text, radar::Row},
    library::Card,
    limits,
    room::Room,
    task::{Focus, Task, TaskId},
    time::Timestamp,
};
use baton_store::{
    engine::Tx,
    jobs,
    library::{self, Cards},
    table, tasks,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::CardView;
use crate::{
    App, Caller, Failure,
    bounds::{Page, cut_lines},
    commands::{
        jobs::{Format, notices},
        tasks::TaskView,
    },
    presence,
    table::{Effect, Place, TASKS, UseCase},
};

/// Pinned cards that a snapshot shows.
const CARDS_SHOWN: usize = 10;

/// `tasks.snapshot`
pub struct Snapshot;

/// Which task.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SnapshotInput {
    pub room_id: RoomId,
    /// Default: the one you have turned to, else the one you are at
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub task: Option<TaskId>,
    /// lines or json
    #[serde(default)]
    pub fmt: Format,
}

/// A task at a glance.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SnapshotResult {
    /// As people and agents read it.
    Lines { lines: String },
    /// As fields.
    Fields(Box<SnapshotFields>),
}

/// A task, what is pinned to it, and the one job that wants looking at.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct SnapshotFields {
    pub room_id: RoomId,
    /// None, if you named none, have turned to none and are at none.
    pub task: Option<TaskView>,
    /// Its pinned cards, newest first.
    pub cards: Vec<CardView>,
    /// Whether there are more: `tasks card.list` with `task` and `pinned`.
    pub more_cards: bool,
    /// Its most pressing job that is not over, as on the radar.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<String>,
}

impl UseCase for Snapshot {
    const NAME: &'static str = "tasks.snapshot";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "See a task at a glance: when it is done, how to verify it, pinned cards, its job.";
    type Input = SnapshotInput;
    type Output = SnapshotResult;

    fn perform(app: &App, caller: &Caller, input: SnapshotInput) -> Result<SnapshotResult, Failure> {
        let (room, sight) = presence::read(app, caller, &input.room_id, |tx, room, now| {
            Ok(match find(tx, room, caller, input.task)? {
                Some(task) => Some(Sight::of(tx, &room.id, task, now)?),
                None => None,
            })
        })?;
        Ok(match input.fmt {
            Format::Lines => SnapshotResult::Lines { lines: sight.map_or_else(nothing, |sight| sight.lines()) },
            Format::Json => SnapshotResult::Fields(Box::new(fields(&room, sight))),
        })
    }
}

/// The task that is meant: the one that is named, else what the caller's job is for, else what it has turned to.
fn find(tx: &mut dyn Tx, room: &Room, caller: &Caller, named: Option<TaskId>) -> Result<Option<Task>, Failure> {
    if let Some(named) = named {
        let found = table::find::<Task>(tx, &room.id, &named)?;
        return found.map(Some).ok_or_else(|| Failure::unknown_task(&named.to_string()));
    }
    let meant = focus(tx, &room.id, caller)?;
    Ok(match meant {
        Some(task) => table::find::<Task>(tx, &room.id, &task)?,
        None => None,
    })
}

/// The task that the caller means where it names none.
pub(super) fn focus(tx: &mut dyn Tx, room: &RoomId, caller: &Caller) -> Result<Option<TaskId>, Failure> {
    if let Some(assigned) = caller.assignment_in(room)
        && let Some(task) = table::find::<Job>(tx, room, &assigned.job)?.and_then(|job| job.task)
    {
        return Ok(Some(task));
    }
    let agent = caller.actor().agent_id;
    if let Some(focus) = table::find::<Focus>(tx, room, &agent)? {
        return Ok(Some(focus.task));
    }
    Ok(tasks::in_progress_of(tx, room, &agent)?.first().map(|task| task.id))
}

/// What one look at the store showed.
struct Sight {
    task: Task,
    cards: Vec<Card>,
    more_cards: bool,
    job: Option<Row>,
}

impl Sight {
    fn of(tx: &mut dyn Tx, room: &RoomId, task: Task, now: Timestamp) -> Result<Self, Failure> {
        let (mut cards, mut before) = (Vec::new(), None);
        // What is pinned of a task is little; what it has in all may be more.
        loop {
            let some = library::cards(tx, room, Cards::OfTask(task.id), before, limits::CARDS_MAX)?;
            let (read, last) = (some.len(), some.last().map(|card| card.id));
            cards.extend(some.into_iter().filter(|card| card.pinned));
            if read < limits::CARDS_MAX as usize || cards.len() > CARDS_SHOWN {
                break;
            }
            before = last;
        }
        let more_cards = cards.len() > CARDS_SHOWN;
        cards.truncate(CARDS_SHOWN);
        let mut active = jobs::of_task(tx, room, task.id, None, limits::JOBS_OF_ONE)?;
        active.retain(|job| job.status.is_active());
        let job = active.iter().min_by_key(|job| job.radar_order(now));
        let notices = notices(tx, room, job)?;
        let job = job.map(|job| Row::of(job, now, &notices));
        Ok(Self { task, cards, more_cards, job })
    }

    /// A line each, the task first. What was said of it in several lines stays so.
    fn lines(&self) -> String {
        let Self { task, cards, more_cards, job } = self;
        let owner = task.assignee.as_ref().map_or(String::new(), |assignee| format!(" @{assignee}"));
        let mut lines = vec![format!("{} ({}){owner} {}", task.id, task.state.as_str(), task.title)];
        lines.extend(job.as_ref().map(Row::line));
        if !task.scopes.is_empty() {
            lines.push(format!("scopes: {}", task.scopes.join(", ")));
        }
        lines.extend(task.definition_of_done.iter().map(|done| format!("done when: {done}")));
        lines.extend(task.verification.iter().map(|step| format!("verify: {step}")));
        lines.extend(
            cards
                .iter()
                .map(|card| format!("{} [{}] {} | open id={}", card.id, card.kind, line_text(&card.title), card.id)),
        );
        if *more_cards {
            lines.push(format!("more pinned cards: tasks card.list task={} pinned=true", task.id));
        }
        cut_lines(&lines.join("\n"), limits::LINES_CHARS, &format!("tasks show task={} has the rest", task.id)).0
    }
}

fn fields(room: &Room, sight: Option<Sight>) -> SnapshotFields {
    let room_id = room.id.clone();
    let Some(Sight { task, cards, more_cards, job }) = sight else {
        return SnapshotFields { room_id, task: None, cards: Vec::new(), more_cards: false, job: None };
    };
    let task = TaskView::of(&task, room);
    let mut page = Page::default();
    page.takes(&task);
    let shown: Vec<CardView> = cards.iter().map(CardView::from).take_while(|card| page.takes(card)).collect();
    let more_cards = more_cards || shown.len() < cards.len();
    SnapshotFields { room_id, task: Some(task), cards: shown, more_cards, job: job.as_ref().map(Row::line) }
}

fn nothing() -> String {
    "no task: name one, or turn to one with `tasks focus`".to_owned()
}
