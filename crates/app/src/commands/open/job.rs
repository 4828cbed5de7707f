//! A job, an event of one, or the task that jobs are for.

use baton_core::{
    event::{Event, Recorded},
    ids::{RoomId, Seq},
    job::{self, Job, JobId, Status},
    limits,
    reference::Reference,
    room::Room,
    task::{Task, TaskId},
    time::Timestamp,
};
use baton_store::{
    engine::Tx,
    jobs,
    library::{self, Cards},
    log, table,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Passage;
use crate::{
    App, Failure,
    bounds::Page,
    commands::{
        jobs::{AtWork, JobEvent, JobView, notices},
        library::{ArtifactView, CardView},
        tasks::TaskView,
    },
    proof,
};

/// Cards, files or jobs that are shown beside something.
pub(super) const BESIDE: u32 = 10;

/// A job, what happened to it last, and what it left.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedJob {
    pub job: JobView,
    /// How its agent is at it.
    pub agent: AtWork,
    /// Newest first, the longer ones only by their beginning.
    pub events: Vec<JobEvent>,
    pub cards: Vec<CardView>,
    pub artifacts: Vec<ArtifactView>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

/// A job in a line.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct JobLine {
    pub job: JobId,
    pub status: Status,
    pub title: String,
    /// `!`, `?` or `~`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<char>,
    /// The event to look at: the one that asks for somebody, else the last one.
    #[schemars(with = "String")]
    pub last: Reference,
}

impl JobLine {
    pub(super) fn of(job: &Job, now: Timestamp) -> Self {
        let marker = job.marker(now).map(job::Marker::sign);
        Self { job: job.id, status: job.status, title: job.title.clone(), marker, last: job.shown_ref() }
    }
}

impl OpenedJob {
    pub(super) fn read(
        app: &App,
        tx: &mut dyn Tx,
        whole: &Room,
        id: JobId,
        now: Timestamp,
    ) -> Result<Option<Self>, Failure> {
        let room = &whole.id;
        let Some(job) = table::find::<Job>(tx, room, &id)? else { return Ok(None) };
        let thread = log::of_job_before(tx, room, id, None, limits::JOB_EVENTS_DEFAULT + 1)?;
        let cards = library::cards(tx, room, Cards::OfJob(id), None, BESIDE + 1)?;
        let artifacts = library::artifacts_of_job(tx, room, id, None, BESIDE + 1)?;
        let agent = AtWork::read(app, tx, whole, &job, now)?;
        let (mut page, mut more) = (Page::default(), Vec::new());
        let proof = proof::recorded(tx, room, &job)?.unwrap_or_default();
        let view = JobView { proof, ..JobView::of(&job, now, &notices(tx, room, [&job])?) };
        page.takes(&view);
        page.takes(&agent);
        // What it left comes before what was said: it is little, and what the reader came for.
        let shown_artifacts = page.fill(&artifacts, BESIDE, ArtifactView::from);
        let shown_cards = page.fill(&cards, BESIDE, CardView::from);
        let told: Vec<JobEvent> = thread.iter().filter_map(JobEvent::of).map(shortened).collect();
        let events = page.fill(&told, limits::JOB_EVENTS_DEFAULT, Clone::clone);
        if events.len() < told.len() {
            let before = events.last().map_or(String::new(), |event| format!(" before={}", event.seq));
            more.push(format!("older events: jobs open job={id}{before}"));
        }
        if shown_cards.len() < cards.len() {
            more.push(format!("more cards: tasks card.list job={id}"));
        }
        if shown_artifacts.len() < artifacts.len() {
            more.push(format!("more files: tasks artifact.list job={id}"));
        }
        more.push(format!("what it asks in full: open id={}", Reference::JobEvent(id, job.created_seq)));
        Ok(Some(Self { job: view, agent, events, cards: shown_cards, artifacts: shown_artifacts, more }))
    }
}

/// An event with the beginning of a long message only.
fn shortened(mut event: JobEvent) -> JobEvent {
    if event.message.chars().count() > limits::JOB_MESSAGE_CHARS {
        let beginning: String = event.message.chars().take(limits::JOB_MESSAGE_CHARS).collect();
        event.message = format!("{beginning}… [open {}]", event.reference);
    }
    event
}

/// Something that happened to a job, whole.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedEvent {
    /// The event. Its message is in `text`.
    pub event: JobEvent,
    pub status: Status,
    pub title: String,
    /// What was said: a report, a summary, or what the job asks.
    #[serde(flatten)]
    pub text: Passage,
}

impl OpenedEvent {
    pub(super) fn read(
        tx: &mut dyn Tx,
        room: &RoomId,
        (id, seq): (JobId, Seq),
        offset: Option<i64>,
    ) -> Result<Option<Self>, Failure> {
        let recorded = log::find(tx, room, seq)?.filter(|recorded| recorded.event.job() == Some(id));
        let job = table::find::<Job>(tx, room, &id)?;
        let (Some(recorded), Some(job)) = (recorded, job) else { return Ok(None) };
        let Some(mut event) = JobEvent::of(&recorded) else { return Ok(None) };
        let text = Passage::of(&said(&recorded, &event), offset);
        event.message = event.message.chars().take(limits::JOB_PREVIEW_CHARS).collect();
        Ok(Some(Self { event, status: job.status, title: job.title, text }))
    }
}

/// What an event says in full. A job's first event says what it asks.
fn said(recorded: &Recorded, event: &JobEvent) -> String {
    match &recorded.event {
        Event::Job(job::Event::Created(created)) => created.prompt.clone(),
        _ => event.message.clone(),
    }
}

/// A task, and what there is about it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedTask {
    pub task: TaskView,
    pub cards: Vec<CardView>,
    pub jobs: Vec<JobLine>,
    /// What was left out, and how to get it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<String>,
}

impl OpenedTask {
    pub(super) fn read(tx: &mut dyn Tx, room: &Room, id: TaskId, now: Timestamp) -> Result<Option<Self>, Failure> {
        let Some(task) = table::find::<Task>(tx, &room.id, &id)? else { return Ok(None) };
        let cards = library::cards(tx, &room.id, Cards::OfTask(id), None, BESIDE + 1)?;
        let jobs = jobs::of_task(tx, &room.id, id, None, BESIDE + 1)?;
        let (mut page, mut more) = (Page::default(), Vec::new());
        let view = TaskView::of(&task, room);
        page.takes(&view);
        let shown_jobs = page.fill(&jobs, BESIDE, |job| JobLine::of(job, now));
        let shown_cards = page.fill(&cards, BESIDE, CardView::from);
        if shown_jobs.len() < jobs.len() {
            more.push(format!("more jobs: jobs list task={id}"));
        }
        if shown_cards.len() < cards.len() {
            more.push(format!("more cards: tasks card.list task={id}"));
        }
        Ok(Some(Self { task: view, cards: shown_cards, jobs: shown_jobs, more }))
    }
}
