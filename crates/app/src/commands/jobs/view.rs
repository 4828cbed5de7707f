//! A job, its events, and how its agent is at it, as callers see them.

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, AnchorId, RoomId, Seq},
    job::{self, Executor, Job, JobId, Kind, Last, Notices, Priority, Progress, Proven, Status},
    lease::Fence,
    reference::Reference,
    room::Room,
    runner::Blocked,
    task::TaskId,
    time::Timestamp,
    turn::Usage,
};
use baton_store::{
    StoreError,
    engine::Tx,
    log,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    App, Failure,
    commands::turn::TurnView,
    connection::{AgentConnection, Vantage},
    unit::Change,
};

/// A job.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobView {
    pub job: JobId,
    pub title: String,
    pub kind: String,
    pub priority: Priority,
    pub status: Status,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// Who may do it, what it may do (`grants`), whom it comes from (`parent`), and what else was noted.
    pub meta: Map<String, Value>,
    /// The claim token: it grows with each claim.
    pub revision: Fence,
    pub runner_id: Option<AgentId>,
    pub claim_expires_at_ms: Option<i64>,
    /// With what it is being done.
    pub claim_executor: Option<Executor>,
    pub needs_manager: bool,
    pub needs_proof: bool,
    pub has_error: bool,
    pub stale: bool,
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    /// How the refs of a job that is DONE stand as proof, where the job is opened or ended.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub proof: Vec<Proven>,
    /// The question, error or proof gate that nobody has settled.
    pub attention: Option<ShownEvent>,
    /// The question that is open besides.
    pub question: Option<ShownEvent>,
    pub last: ShownEvent,
    /// How far it is right now.
    #[serde(default, skip_serializing_if = "Progress::is_empty")]
    pub progress: Progress,
    pub age_s: u64,
    pub created_by: AgentId,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
    /// Why nobody here can do it while it waits, and what to do. Told where jobs are shown.
    pub blocked: Option<Blocked>,
}

/// An event of a job, in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ShownEvent {
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub kind: Kind,
    /// The beginning of what was said.
    pub message: String,
}

impl ShownEvent {
    pub(crate) fn of(job: JobId, event: Last) -> Self {
        Self { reference: Reference::JobEvent(job, event.seq), kind: event.kind, message: event.preview }
    }
}

/// Reads the events by which `jobs` are shown, all at once.
pub(crate) fn notices<'a>(
    tx: &mut dyn Tx,
    room: &RoomId,
    jobs: impl IntoIterator<Item = &'a Job>,
) -> Result<Notices, StoreError> {
    let places = Notices::wanted(jobs);
    if places.is_empty() {
        return Ok(Notices::default());
    }
    log::find_all(tx, room, &places).map(|events| Notices::of(&events))
}

impl JobView {
    pub(crate) fn of(job: &Job, now: Timestamp, notices: &Notices) -> Self {
        let claim = job.claim.as_ref();
        let mut meta = job.routing.in_meta();
        meta.extend(job.meta.clone());
        // Whatever was noted: what it may do was said once.
        meta.extend(fields(&job.lineage));
        Self {
            job: job.id,
            title: job.title.clone(),
            kind: job.kind.clone(),
            priority: job.priority,
            status: job.status,
            task: job.task,
            anchor: job.anchor.clone(),
            meta,
            revision: job.revision,
            runner_id: claim.map(|claim| claim.lease.holder.clone()),
            claim_expires_at_ms: claim.map(|claim| claim.lease.expires_at.as_millis()),
            claim_executor: claim.and_then(|claim| claim.executor),
            needs_manager: job.needs_manager(),
            needs_proof: job.needs_proof(),
            has_error: job.has_error(),
            stale: job.is_stale(now),
            summary: job.summary.clone(),
            refs: job.refs.clone(),
            proof: Vec::new(),
            attention: notices.attention(job).map(|event| ShownEvent::of(job.id, event)),
            question: notices.hidden_question(job).map(|event| ShownEvent::of(job.id, event)),
            last: ShownEvent::of(job.id, job.last.clone()),
            progress: job.progress.clone(),
            age_s: now.since(job.created_at).as_millis() / 1_000,
            created_by: job.created_by.clone(),
            created_at: job.created_at,
            updated_at: job.active_at,
            blocked: None,
        }
    }

    /// Leaves out what is only there to be read at a glance. What it is, how it stands and what leads on stays.
    pub(crate) fn shorten(&mut self) {
        const CHARS: usize = 40;
        let cut = |text: &mut String| {
            if let Some((end, _)) = text.char_indices().nth(CHARS) {
                text.truncate(end);
                text.push('…');
            }
        };
        cut(&mut self.title);
        [self.attention.as_mut(), self.question.as_mut(), Some(&mut self.last)]
            .into_iter()
            .flatten()
            .for_each(|event| cut(&mut event.message));
        (self.meta, self.progress, self.blocked) = (Map::new(), Progress::default(), None);
        (self.summary, self.refs) = (None, Vec::new());
    }

    /// The same, with why nobody here can do it.
    #[must_use]
    pub(crate) fn blocked(self, blocked: Option<Blocked>) -> Self {
        Self { blocked, ..self }
    }
}

/// Something that happened to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct JobEvent {
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub seq: Seq,
    pub kind: Kind,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub percent: Option<u8>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    #[schemars(with = "Vec<String>")]
    pub refs: Vec<Reference>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    pub by: AgentId,
    pub at: Timestamp,
}

impl JobEvent {
    /// An event of a job. Nothing, if it is none.
    pub(crate) fn of(recorded: &Recorded) -> Option<Self> {
        let Event::Job(event) = &recorded.event else { return None };
        let (percent, meta) = match event {
            job::Event::Progress(reported)
            | job::Event::Checkpoint(reported)
            | job::Event::Question(reported)
            | job::Event::ProofGate(reported)
            | job::Event::Error(reported) => (reported.percent, reported.meta.clone()),
            job::Event::Completed(ended) | job::Event::Failed(ended) => (None, ended.meta.clone()),
            job::Event::Claimed(claimed) => (None, fields(claimed)),
            job::Event::Reclaimed(reclaimed) => (None, fields(&reclaimed.meta)),
            job::Event::Applied(applied) => (None, told(applied, &["base", "head", "files"])),
            job::Event::Branched(branched) => (None, told(branched, &["base", "branch", "commit"])),
            job::Event::Manager(said) => (None, told(said, &["sends_back"])),
            job::Event::Requeued(requeued) => (None, told(requeued, &["sent_back"])),
            job::Event::Created(_) | job::Event::Canceled(_) => (None, Map::new()),
        };
        Some(Self {
            reference: Reference::JobEvent(event.job(), recorded.seq),
            seq: recorded.seq,
            kind: event.sort(),
            message: event.message().to_owned(),
            percent,
            refs: event.refs().to_vec(),
            meta,
            by: recorded.actor.clone(),
            at: recorded.at,
        })
    }
}

/// Some fields of an event, where it has them.
fn told(value: &impl Serialize, names: &[&str]) -> Map<String, Value> {
    let mut fields = fields(value);
    fields.retain(|name, _| names.contains(&name.as_str()));
    fields
}

fn fields(value: &impl Serialize) -> Map<String, Value> {
    match serde_json::to_value(value) {
        Ok(Value::Object(fields)) => fields,
        Ok(_) | Err(_) => Map::new(),
    }
}

/// A job, what just happened to it, and where it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Happened {
    pub room_id: RoomId,
    /// The event; a heartbeat is none.
    #[serde(default, rename = "ref", skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub reference: Option<Reference>,
    #[serde(flatten)]
    pub job: JobView,
}

impl Happened {
    /// The job as it is in a room that is being changed, after an event at `seq`.
    pub(super) fn now(change: &mut Change<'_>, id: JobId, seq: Option<Seq>) -> Result<Self, Failure> {
        let job = required(change, id)?;
        let reference = seq.map(|seq| Reference::JobEvent(id, seq));
        Ok(Self { room_id: change.room.id.clone(), reference, job: view(change, &job)? })
    }
}

/// A job in a room that is being changed.
pub(super) fn view(change: &mut Change<'_>, job: &Job) -> Result<JobView, Failure> {
    let notices = notices(change.store.tx()?, &change.room.id, [job])?;
    Ok(JobView::of(job, change.now, &notices))
}

/// A job that must be there.
pub(super) fn required(change: &mut Change<'_>, id: JobId) -> Result<Job, Failure> {
    change.store.find::<Job>(&id)?.cloned().ok_or_else(|| Failure::unknown_id(id))
}

/// How the agent of a job is connected, and its turns.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtWork {
    pub connection: AgentConnection,
    /// How many turns it has had.
    pub turns: u64,
    /// The newest of them.
    pub turn: Option<TurnView>,
    /// What all of them took.
    pub usage: Option<Usage>,
}

impl AtWork {
    pub(crate) fn read(app: &App, tx: &mut dyn Tx, room: &Room, job: &Job, now: Timestamp) -> Result<Self, Failure> {
        let eyes = app.eyes(tx, room)?;
        let from = Vantage::new(room, now, app.stale_after_or_default(), &eyes);
        let (turns, usage) = turns::total_of_job(tx, &room.id, job.id)?;
        let newest = turns::before(tx, &room.id, Which::Job(job.id), None, 1)?;
        Ok(Self {
            connection: AgentConnection::of_job(tx, &from, job)?,
            turns,
            turn: newest.first().map(|turn| TurnView::of(turn, room)),
            usage: (turns > 0).then_some(usage),
        })
    }
}
