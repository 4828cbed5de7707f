//! What a job is.

use serde_json::{Map, Value};

use super::{
    CapabilityDigest, Created, Event, Kind, Lineage, Progress, ReclaimReason,
    spec::{Executor, Priority, Routing},
};
use crate::{
    claimant::{Backing, Claimant},
    event::{self, Recorded},
    ids::{AgentId, AnchorId, RoomId, Seq},
    lease::{Fence, Lease},
    limits,
    number::numbered,
    part::{Part, Rows, Touched},
    reference::Reference,
    room::Room,
    task::TaskId,
    text::storable,
    time::{Timestamp, Ttl},
    words::words,
};

numbered!(
    /// The number of a job in its room, written `JOB-001`.
    JobId,
    "JOB-",
    "3",
    "a job's"
);

words! {
    /// How far a job is.
    Status {
        /// Nobody is at it.
        Queued "QUEUED",
        /// A runner has claimed it.
        Running "RUNNING",
        /// It was done.
        Done "DONE",
        /// It could not be done.
        Failed "FAILED",
        /// It is not wanted any more.
        Canceled "CANCELED",
    }
}

impl Status {
    /// Whether something may still become of it.
    pub const fn is_active(self) -> bool {
        matches!(self, Self::Queued | Self::Running)
    }
}

/// The note beside a job that was sent back: the patch that it goes on from.
pub const GOES_ON_FROM: &str = "goes_on_from";

/// Who is at a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The runner, under the job's revision, until when.
    pub lease: Lease,
    /// The caller that claimed it in the runner's name. Nobody else may show the claim, but for the job's own agent.
    pub claimant: Claimant,
    /// The digest of the secret that makes a process the job's own agent. Claims of earlier versions have none.
    pub capability: Option<CapabilityDigest>,
    /// With which program.
    pub executor: Option<Executor>,
}

/// The last thing that happened to a job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Last {
    /// Where in the log.
    pub seq: Seq,
    /// What sort of thing.
    pub kind: Kind,
    /// The beginning of what was said.
    pub preview: String,
}

/// A job. What it asks in full (its prompt) is in the event that created it.
#[derive(Clone, Debug, PartialEq)]
pub struct Job {
    /// Its number.
    pub id: JobId,
    /// What, in a line.
    pub title: String,
    /// What sort of work.
    pub kind: String,
    /// How urgent.
    pub priority: Priority,
    /// How far it is.
    pub status: Status,
    /// The task it is for.
    pub task: Option<TaskId>,
    /// The part of the map it is about.
    pub anchor: Option<AnchorId>,
    /// Who may do it.
    pub routing: Routing,
    /// How often it was claimed: the fence of its claims.
    pub revision: Fence,
    /// Who is at it.
    pub claim: Option<Claim>,
    /// When the last claim ends or ended that its claimant did not give up: until then, and a grace longer, its program may
    /// run. This moves with the ends of claims, without events.
    pub earlier_claim_ends_at: Option<Timestamp>,
    /// How often in a row its runner was lost.
    pub losses: u32,
    /// Where something was last asked, or the beginning of the log.
    pub last_question: Seq,
    /// Where a manager last spoke.
    pub last_manager: Seq,
    /// The proof gate that nothing has satisfied.
    pub open_gate: Option<Seq>,
    /// The error that nobody has answered to.
    pub open_error: Option<Seq>,
    /// What came of it, the beginning.
    pub summary: Option<String>,
    /// Where what came of it is kept.
    pub refs: Vec<Reference>,
    /// What its creator and its reports noted beside it.
    pub meta: Map<String, Value>,
    /// Whom it comes from, and what it may do.
    pub lineage: Lineage,
    /// The last thing that happened.
    pub last: Last,
    /// How far it is right now. This moves without events.
    pub progress: Progress,
    /// Where it was created.
    pub created_seq: Seq,
    /// Who created it.
    pub created_by: AgentId,
    /// When.
    pub created_at: Timestamp,
    /// When something last happened to it. A heartbeat counts, and is no event.
    pub active_at: Timestamp,
}

impl Part for Job {
    type Key = JobId;

    fn key(&self) -> JobId {
        self.id
    }

    fn touched(event: &Recorded, _before: &Room) -> Touched<JobId> {
        match &event.event {
            event::Event::Job(Event::Created(_)) => Touched::Nothing,
            event::Event::Job(event) => Touched::row(event.job()),
            _ => Touched::Nothing,
        }
    }

    fn apply(rows: &mut Rows<Self>, event: &Recorded, _before: &Room) {
        match &event.event {
            event::Event::Job(Event::Created(created)) => rows.put(Self::open(event, created)),
            event::Event::Job(change) => rows.change(&change.job(), |job| job.happened(event, change)),
            _ => {}
        }
    }

    fn without_presence(mut self) -> Self {
        self.active_at = self.created_at;
        self.progress = Progress::default();
        self.earlier_claim_ends_at = None;
        if let Some(claim) = &mut self.claim {
            claim.lease.expires_at = self.created_at;
        }
        self
    }
}

impl Job {
    /// The job that a `job.created` event opens.
    fn open(recorded: &Recorded, created: &Created) -> Self {
        Self {
            id: created.job,
            title: created.title.clone(),
            kind: created.kind.clone(),
            priority: created.priority,
            status: Status::Queued,
            task: created.task,
            anchor: created.anchor.clone(),
            routing: created.routing.clone(),
            revision: Fence(0),
            claim: None,
            earlier_claim_ends_at: None,
            losses: 0,
            last_question: Seq(0),
            last_manager: Seq(0),
            open_gate: None,
            open_error: None,
            summary: None,
            refs: Vec::new(),
            meta: created.meta.clone(),
            lineage: created.lineage.clone(),
            last: Last { seq: recorded.seq, kind: Kind::Created, preview: preview(&created.title) },
            progress: Progress::default(),
            created_seq: recorded.seq,
            created_by: recorded.actor.clone(),
            created_at: recorded.at,
            active_at: recorded.at,
        }
    }

    fn happened(&mut self, recorded: &Recorded, event: &Event) {
        match event {
            Event::Created(_) => {}
            Event::Claimed(claimed) => {
                self.losses = 0;
                let lease = lease(&claimed.runner_id, claimed.revision, claimed.expires_at);
                let claimant = claimant(recorded, &claimed.backing);
                let (capability, executor) = (claimed.capability_sha256.clone(), claimed.executor);
                self.take(Claim { lease, claimant, capability, executor });
            }
            Event::Reclaimed(reclaimed) => {
                self.losses += u32::from(reclaimed.meta.reason.is_loss());
                // A minder ends its program with the runner, and not only with the claim.
                let gone_at = (reclaimed.meta.reason == ReclaimReason::RunnerGone).then_some(recorded.at);
                self.note_earlier_claim(gone_at);
                let lease = lease(&reclaimed.runner_id, reclaimed.revision, reclaimed.expires_at);
                let claimant = claimant(recorded, &reclaimed.backing);
                let (capability, executor) = (reclaimed.capability_sha256.clone(), reclaimed.executor);
                self.take(Claim { lease, claimant, capability, executor });
            }
            Event::Progress(reported) => self.note(reported),
            Event::Checkpoint(reported) => {
                self.note(reported);
                self.losses = 0;
                self.settle(reported.proves);
            }
            Event::Question(reported) => {
                self.note(reported);
                self.last_question = recorded.seq;
            }
            Event::ProofGate(reported) => {
                self.note(reported);
                self.open_gate = Some(recorded.seq);
            }
            Event::Error(reported) => {
                self.note(reported);
                self.open_error = Some(recorded.seq);
            }
            Event::Manager(manager) => {
                self.last_manager = recorded.seq;
                self.settle(manager.proves);
            }
            Event::Completed(ended) => self.end(recorded, Status::Done, ended),
            Event::Failed(ended) => self.end(recorded, Status::Failed, ended),
            Event::Canceled(_) => self.leave(recorded, Status::Canceled),
            Event::Requeued(requeued) => {
                self.leave(recorded, Status::Queued);
                self.losses = 0;
                (self.open_error, self.open_gate) = (None, None);
                self.go_on_from(requeued);
                self.progress.restart();
            }
            // The job is as it was: something was done with its result.
            Event::Applied(_) | Event::Branched(_) => {}
        }
        self.last = Last { seq: recorded.seq, kind: event.sort(), preview: preview(event.message()) };
        self.active_at = recorded.at;
    }

    fn take(&mut self, claim: Claim) {
        self.status = Status::Running;
        self.revision = claim.lease.fence;
        self.claim = Some(claim);
        self.progress.restart();
    }

    /// Keeps what a job that was sent back goes on from. One that is done anew begins with nothing.
    fn go_on_from(&mut self, requeued: &super::Requeued) {
        if requeued.sent_back {
            let patch = requeued.patch.as_ref().map_or(Value::Null, |patch| patch.to_string().into());
            self.meta.insert(GOES_ON_FROM.to_owned(), patch);
            return;
        }
        // A runner that gives a job back has not decided that it begins anew.
        if requeued.given_back && self.meta.contains_key(GOES_ON_FROM) {
            return;
        }
        self.meta.remove(GOES_ON_FROM);
        (self.summary, self.refs) = (None, Vec::new());
    }

    fn note(&mut self, reported: &super::Reported) {
        self.meta.extend(reported.meta.clone());
        self.progress.update(Progress { percent: reported.percent, ..Progress::default() });
    }

    /// Closes the error, and the proof gate where there is proof now.
    fn settle(&mut self, proves: bool) {
        self.open_error = None;
        self.open_gate.take_if(|_| proves);
    }

    fn end(&mut self, recorded: &Recorded, status: Status, ended: &super::Ended) {
        self.leave(recorded, status);
        self.summary = Some(cut(&storable(&ended.summary), limits::JOB_SUMMARY_CHARS));
        self.refs = ended.refs.clone();
        self.meta.extend(ended.meta.clone());
    }

    /// Takes the job from whoever has it.
    fn leave(&mut self, recorded: &Recorded, status: Status) {
        // A runner ends its job, or gives it back, once its program is gone.
        if self.claim.as_ref().is_some_and(|claim| claim.claimant.agent != recorded.actor) {
            self.note_earlier_claim(None);
        }
        self.status = status;
        self.claim = None;
    }

    /// Notes until when the claim was good that is over now: to its end, or until its process was gone.
    fn note_earlier_claim(&mut self, gone_at: Option<Timestamp>) {
        let end = self.claim.as_ref().map(|claim| claim.lease.expires_at);
        let end = end.map(|end| gone_at.map_or(end, |gone_at| end.min(gone_at)));
        self.earlier_claim_ends_at = self.earlier_claim_ends_at.max(end);
    }

    /// Moves the end of the claim, and notes that somebody is at it. This is no event.
    pub fn renew(&mut self, now: Timestamp, ttl: Ttl) {
        if let Some(claim) = &mut self.claim {
            // Never to an earlier end: whoever watches the program counts on the one that was granted.
            let granted = claim.lease.expires_at;
            claim.lease.renew(now, ttl);
            claim.lease.expires_at = claim.lease.expires_at.max(granted);
        }
        self.active_at = now;
    }

    /// Notes how far it is. This is no event.
    pub fn hear(&mut self, now: Timestamp, progress: Progress) {
        self.progress.update(progress);
        self.active_at = now;
    }

    /// The last thing that happened, as a reference.
    pub fn last_ref(&self) -> Reference {
        Reference::JobEvent(self.id, self.last.seq)
    }
}

fn lease(runner: &AgentId, fence: Fence, expires_at: Timestamp) -> Lease {
    Lease { holder: runner.clone(), fence, expires_at }
}

fn claimant(recorded: &Recorded, backing: &Backing) -> Claimant {
    Claimant { agent: recorded.actor.clone(), backing: backing.clone() }
}

pub(super) fn preview(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    cut(&storable(&line), limits::JOB_PREVIEW_CHARS)
}

/// `text`, or as much of it as `most` characters hold, with a mark where it was cut.
pub(crate) fn cut(text: &str, most: usize) -> String {
    let chars = text.chars().count();
    if chars <= most {
        return text.to_owned();
    }
    let mark = format!("… [cut: {chars} characters]");
    let kept: String = text.chars().take(most.saturating_sub(mark.chars().count())).collect();
    kept + &mark
}

/// How a job appears in a listing that is filtered by how far it is.
impl std::str::FromStr for Status {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let found = Self::ALL.iter().find(|status| status.as_str().eq_ignore_ascii_case(text));
        found.copied().ok_or_else(|| {
            let known: Vec<_> = Self::ALL.iter().map(|status| status.as_str()).collect();
            let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            format!("{shown:?} is no status: use one of {}", known.join(", "))
        })
    }
}

/// The agent of a job: whoever works on it, under whatever claim.
pub fn agent_of(room: &RoomId, job: JobId) -> AgentId {
    let room = room.as_str();
    let room = room.strip_prefix("room_").unwrap_or(room);
    format!("job:{job}@{room}").parse().expect("a job and a room make an agent's id: both are short")
}

/// The job whose agent it is, if it is one. Nobody can choose such an id: it has a colon.
pub fn job_of(agent: &AgentId) -> Option<JobId> {
    agent.as_str().strip_prefix("job:")?.split_once('@')?.0.parse().ok()
}
