//! The runner's desk: all that it says to Baton, and hears from it.

use std::{os::fd::OwnedFd, sync::Arc, time::Duration};

use baton_app::{
    App, Caller, Failure,
    artifacts::{Keeping, Proof, Tail},
    commands::{
        jobs::{
            Claim, ClaimInput, ClaimResult, Complete, CompleteInput, Continuation, GivingBack, Heartbeat,
            HeartbeatInput, JobEvent, JobView, List, ListInput, Open, OpenInput, Report, ReportInput, Retire,
            RetireInput,
        },
        library::{Snapshot, SnapshotInput, SnapshotResult},
        open,
        skill::{Skill, SkillInput},
    },
    identity::Assignment,
    liveness::Probe,
    table::UseCase,
    watch::Watch,
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, AnchorId, RoomId, Seq},
    job::{Capability, JobId, Kind, Outcome, Progress, ReportKind, Shell, Status, agent_of, clamp, receipts},
    lease::Fence,
    library::{ArtifactKind, PatchOrigin},
    limits,
    process::ProcessIdentity,
    reference::Reference,
    runner::{Capabilities, Injection, Phase},
    task::TaskId,
    time::{Timestamp, Ttl},
    turn::TurnId,
};
use serde_json::{Map, Value};

use crate::{
    claim_deadline::ClaimDeadline,
    executor::{ExecutorKind, Note, NoteKind},
    process::BootTime,
};

/// Events of a job's thread that an agent is told.
const THREAD: usize = 20;
/// How many of them may be mere progress.
const PROGRESS: u32 = 3;
/// Most processes that are watched: each is a descriptor.
const WATCHED_MAX: usize = 256;

/// Whether mere progress is wanted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ProgressEvents {
    Shown,
    LeftOut,
}

/// A runner's way to Baton.
#[derive(Clone)]
pub(crate) struct Desk {
    pub(crate) app: Arc<App>,
    pub(crate) caller: Caller,
    pub(crate) room: RoomId,
    pub(crate) runner: AgentId,
    /// How long a claim lasts between two reports.
    pub(crate) claim_ttl: Ttl,
}

/// A job that this runner has claimed.
#[derive(Clone, Debug)]
pub(crate) struct Claimed {
    pub(crate) job: JobView,
    pub(crate) prompt: String,
    /// The secret of the claim, which the job's own agent is given.
    pub(crate) capability: Capability,
    /// Up to when the claim is surely in force.
    pub(crate) deadline: Arc<ClaimDeadline>,
    /// When no program of an earlier claim can run any more, wherever that was.
    pub(crate) not_before: BootTime,
}

impl Claimed {
    pub(crate) const fn id(&self) -> JobId {
        self.job.job
    }

    pub(crate) const fn revision(&self) -> Fence {
        self.job.revision
    }
}

/// A report.
#[derive(Clone, Debug)]
pub(crate) struct Said {
    pub(crate) kind: ReportKind,
    pub(crate) message: String,
    pub(crate) percent: Option<u8>,
    pub(crate) slice: Option<u32>,
    pub(crate) tokens: Option<u64>,
    pub(crate) refs: Vec<String>,
    pub(crate) meta: Map<String, Value>,
}

impl Said {
    pub(crate) fn new(kind: ReportKind, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { kind, message, percent: None, slice: None, tokens: None, refs: Vec::new(), meta: Map::new() }
    }
}

impl From<Note> for Said {
    fn from(note: Note) -> Self {
        let kind = match note.kind {
            NoteKind::Progress => ReportKind::Progress,
            NoteKind::Checkpoint => ReportKind::Checkpoint,
            NoteKind::Question => ReportKind::Question,
            NoteKind::Error => ReportKind::Error,
        };
        Self { percent: note.percent, refs: note.refs, ..Self::new(kind, note.message) }
    }
}

/// Whether a failure may pass: the store is busy, away or full. Whatever else is wrong with it stays so.
pub(crate) fn may_pass(failure: &Failure) -> bool {
    matches!(
        failure.code,
        ErrorCode::StoreBusy
            | ErrorCode::StoreUnreachable
            | ErrorCode::StoreUnavailable
            | ErrorCode::StoreOutcomeUnknown
            | ErrorCode::StoreFull
    )
}

/// Whether a job was not ended because a review came in.
pub(crate) fn is_sent_back(failure: &Failure) -> bool {
    failure.code == ErrorCode::PreconditionFailed && failure.details.contains_key("review")
}

/// Whether what was refused means that the claim is over.
pub(crate) fn is_over(failure: &Failure) -> bool {
    matches!(failure.code, ErrorCode::Conflict | ErrorCode::UnknownId | ErrorCode::UnknownRoom | ErrorCode::RoomClosed)
}

impl Desk {
    /// Says that the runner is there.
    pub(crate) fn beat(&self, active: &[JobId], ttl: Ttl, can: &Capabilities) -> Result<(), Failure> {
        let status = if active.is_empty() { Phase::Idle } else { Phase::Live };
        let input = HeartbeatInput {
            room_id: self.room.clone(),
            runner_id: self.runner.clone(),
            status,
            active_job_id: active.first().copied(),
            active_jobs: active.to_vec(),
            lease_ttl_ms: Some(ttl.as_millis()),
            capabilities: Some(can.clone()),
        };
        Heartbeat::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Executors of this runner whose trouble a person says is mended, each with the time since when that is.
    pub(crate) fn resets(&self) -> Result<Vec<(ExecutorKind, Timestamp)>, Failure> {
        let can = self.app.runner_capabilities(&self.room, &self.runner)?;
        let troubles = can.iter().flat_map(Capabilities::troubles);
        Ok(troubles
            .filter(|(_, trouble)| trouble.reset_at.is_some())
            .map(|(of, trouble)| (of, trouble.since))
            .collect())
    }

    /// Signs off.
    pub(crate) fn retire(&self) -> Result<(), Failure> {
        let input = RetireInput { room_id: self.room.clone(), runner_id: self.runner.clone() };
        Retire::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// Claims the next job, if there is one.
    pub(crate) fn claim(&self) -> Result<Option<Claimed>, Failure> {
        let input = ClaimInput {
            room_id: self.room.clone(),
            job: None,
            runner_id: Some(self.runner.clone()),
            lease_ttl_ms: Some(self.claim_ttl.as_millis()),
            allow_stale: true,
            force: false,
            max_chars: None,
            idempotency_key: None,
        };
        let sent = BootTime::now();
        let answer = Claim::run(&self.app, &self.caller, input)?;
        let start_after = Duration::from_millis(answer.start_after_ms.unwrap_or(0));
        let ClaimResult { job: Some(job), prompt: Some(prompt), capability: Some(capability), .. } = answer else {
            return Ok(None);
        };
        let deadline = Arc::new(ClaimDeadline::new(sent + self.granted()));
        Ok(Some(Claimed { job, prompt, capability, deadline, not_before: BootTime::now() + start_after }))
    }

    /// Reports on a job, which renews the claim.
    pub(crate) fn report(&self, claimed: &Claimed, said: Said) -> Result<JobView, Failure> {
        let input = ReportInput {
            room_id: self.room.clone(),
            job: Some(claimed.id()),
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            kind: said.kind,
            message: said.message,
            percent: said.percent,
            slice: said.slice,
            tokens: said.tokens,
            refs: said.refs,
            meta: said.meta,
            lease_ttl_ms: Some(self.claim_ttl.as_millis()),
            idempotency_key: None,
        };
        let sent = BootTime::now();
        let reported = Report::run(&self.app, &self.caller, input)?;
        claimed.deadline.extend(sent + self.granted());
        Ok(reported.job)
    }

    /// How long a claim is granted for that asks for its time.
    fn granted(&self) -> Duration {
        let ttl = clamp(Some(self.claim_ttl.as_millis()), limits::CLAIM_TTL);
        Duration::from_millis(ttl.as_millis())
    }

    /// Renews the claim.
    pub(crate) fn renew(&self, claimed: &Claimed) -> Result<(), Failure> {
        self.report(claimed, Said::new(ReportKind::Heartbeat, "")).map(|_| ())
    }

    /// Tells how far a job is, which renews the claim.
    pub(crate) fn tell_progress(&self, claimed: &Claimed, progress: Progress) -> Result<(), Failure> {
        let Progress { slice, percent, line, tokens } = progress;
        let said = Said::new(ReportKind::Heartbeat, line.unwrap_or_default());
        self.report(claimed, Said { slice, percent, tokens, ..said }).map(|_| ())
    }

    /// Ends a job. Said again after a lost answer, it is the same end.
    pub(crate) fn complete(
        &self,
        claimed: &Claimed,
        status: Outcome,
        summary: &str,
        refs: &[Reference],
    ) -> Result<(), Failure> {
        let input = CompleteInput {
            room_id: self.room.clone(),
            job: Some(claimed.id()),
            runner_id: Some(self.runner.clone()),
            claim_revision: Some(claimed.revision()),
            status,
            summary: summary.to_owned(),
            refs: refs.iter().map(Reference::to_string).collect(),
            meta: Map::new(),
            idempotency_key: Some(format!("{} {} {} end", self.room, claimed.id(), claimed.revision())),
        };
        Complete::run(&self.app, &self.caller, input).map(|_| ())
    }

    /// What a job that was sent back goes on from.
    pub(crate) fn continuation(&self, job: JobId) -> Result<Option<Continuation>, Failure> {
        self.app.continuation(&self.room, job)
    }

    /// The review that no slice of a job was told of.
    pub(crate) fn pending_review(&self, job: JobId) -> Result<Option<Reference>, Failure> {
        self.app.pending_review(&self.room, job)
    }

    /// Whether a question that a job's agent asked after a place in the log has an answer that it was not told.
    pub(crate) fn has_unheard_answer(&self, job: JobId, after: u64) -> Result<bool, Failure> {
        let (_, thread) = self.look(job)?;
        let asked = thread.iter().rev().find(|event| event.kind == Kind::Question && event.seq.0 > after);
        let Some(asked) = asked else { return Ok(false) };
        let unheard = self.app.managers_words(&self.room, &agent_of(&self.room, job))?;
        Ok(unheard.iter().any(|word| *word > asked.seq))
    }

    /// Gives a job back to the queue.
    pub(crate) fn give_back(&self, claimed: &Claimed, reason: &str) -> Result<(), Failure> {
        let giving = GivingBack {
            room_id: self.room.clone(),
            job: claimed.id(),
            runner_id: self.runner.clone(),
            claim_revision: claimed.revision(),
            reason: reason.to_owned(),
        };
        self.app.give_back(&self.caller, &giving).map(|_| ())
    }

    /// A job and the part of its thread that its agent should know, oldest first: what was asked, answered, reached and
    /// went wrong, and of mere progress the last of it.
    pub(crate) fn look(&self, job: JobId) -> Result<(JobView, Vec<JobEvent>), Failure> {
        let (mut telling, mut before) = (Vec::new(), None);
        while telling.len() < THREAD {
            let limit = (THREAD - telling.len()) as u32;
            let opened = Open::run(&self.app, &self.caller, self.opening(job, before, limit, ProgressEvents::LeftOut))?;
            telling.extend(opened.events);
            before = opened.before;
            if before.is_none() {
                break;
            }
        }
        let newest = Open::run(&self.app, &self.caller, self.opening(job, None, PROGRESS, ProgressEvents::Shown))?;
        telling.extend(newest.events.into_iter().filter(|event| event.kind == Kind::Progress));
        telling.sort_by_key(|event| event.seq);
        Ok((newest.job, telling))
    }

    /// A job as it is now.
    pub(crate) fn job(&self, job: JobId) -> Result<JobView, Failure> {
        Open::run(&self.app, &self.caller, self.opening(job, None, 1, ProgressEvents::Shown)).map(|opened| opened.job)
    }

    fn opening(&self, job: JobId, before: Option<Seq>, limit: u32, progress: ProgressEvents) -> OpenInput {
        OpenInput {
            room_id: self.room.clone(),
            job,
            before,
            limit: Some(limit),
            without_progress: progress == ProgressEvents::LeftOut,
            include_prompt: false,
        }
    }

    /// The newest jobs that wait.
    pub(crate) fn queued(&self) -> Result<Vec<JobView>, Failure> {
        let input = ListInput {
            room_id: self.room.clone(),
            status: Some(Status::Queued),
            task: None,
            anchor: None,
            cursor: None,
            limit: Some(limits::JOBS_MAX),
        };
        List::run(&self.app, &self.caller, input).map(|listed| listed.jobs)
    }

    /// Whether this claim on a job is the one in force.
    pub(crate) fn holds(&self, claimed: &Claimed) -> Result<bool, Failure> {
        let job = self.job(claimed.id())?;
        let same = job.revision == claimed.revision() && job.runner_id.as_ref() == Some(&self.runner);
        Ok(same && job.status == Status::Running)
    }

    /// The task of a job at a glance.
    pub(crate) fn snapshot(&self, task: TaskId) -> Result<String, Failure> {
        let input = SnapshotInput {
            room_id: self.room.clone(),
            task: Some(task),
            fmt: baton_app::commands::jobs::Format::Lines,
        };
        Ok(match Snapshot::run(&self.app, &self.caller, input)? {
            SnapshotResult::Lines { lines } => lines,
            SnapshotResult::Fields(_) => String::new(),
        })
    }

    /// The part of the map that a job is about: what it is called, and what belongs to it.
    pub(crate) fn anchor(&self, anchor: &AnchorId) -> Option<String> {
        let input = open::OpenInput { id: anchor.to_string(), offset: None, workspace: Some(self.room.to_string()) };
        match open::Open::run(&self.app, &self.caller, input).ok()?.what {
            open::What::Anchor(opened) => Some(format!("{anchor}: {}\n{}", opened.anchor.title, opened.text.text)),
            _ => None,
        }
    }

    /// A behaviour pack. Nothing, if it is not to be had: a job is done without it, too.
    pub(crate) fn skill(&self, injection: Injection, shell: Shell) -> Option<String> {
        let input = SkillInput { profile: Some(injection.profile), max_chars: Some(injection.max_chars) };
        let pack = Skill::run(&self.app, &self.caller, input).ok()?.text;
        // Packs are the same for all agents; the one sentence that is not fits into the same budget.
        Some(pack.replace(receipts(Shell::Available), receipts(shell)))
    }

    /// Keeps a file that a turn of a job left behind.
    pub(crate) fn keep(
        &self,
        claimed: &Claimed,
        turn: TurnId,
        (kind, name): (ArtifactKind, &str),
        content: &[u8],
        patch: Option<&PatchOrigin>,
    ) -> Result<Reference, Failure> {
        let proof = Proof { job: claimed.id(), runner: self.runner.clone(), revision: claimed.revision() };
        self.app.keep_artifact(
            &self.caller,
            &self.room,
            &Keeping { kind, name, content, proof: Some(&proof), turn: Some(turn), patch },
        )
    }

    /// Where the end of what a program prints is seen while it runs.
    pub(crate) fn tail(&self, claimed: &Claimed) -> Option<Tail> {
        self.app.begin_tail(&self.room, claimed.id()).ok()
    }

    /// Those of some pointers that lead somewhere.
    pub(crate) fn resolving(&self, refs: Vec<Reference>) -> Result<Vec<Reference>, Failure> {
        self.app.resolving(&self.room, refs)
    }

    /// Who works on a job for this runner.
    pub(crate) fn assignment(&self, claimed: &Claimed) -> Assignment {
        Assignment {
            room: self.room.clone(),
            job: claimed.id(),
            revision: claimed.revision(),
            runner: self.runner.clone(),
            capability: claimed.capability.clone(),
        }
    }

    /// How long a job has been worked on, by whomever, since it was created or somebody had it done again.
    pub(crate) fn worked_before(&self, job: JobId) -> Result<Duration, Failure> {
        Ok(Duration::from_millis(self.app.worked_before(&self.room, job)?.as_millis()))
    }

    /// How long until somebody's claim runs out.
    pub(crate) fn until_next_expiry(&self) -> Result<Option<Duration>, Failure> {
        let left = self.app.until_claim_expires(&self.room)?;
        Ok(left.map(|left| Duration::from_millis(left.as_millis())))
    }

    /// Watches the processes that have claimed jobs in this room or speak for its runners, and `more`, so that the end of one is
    /// heard of at once. Those that are watched already stay so.
    pub(crate) fn follow(
        &self,
        watched: &mut Vec<(ProcessIdentity, OwnedFd)>,
        more: &[ProcessIdentity],
    ) -> Result<(), Failure> {
        let mut at_work = self.app.processes_at_work(&self.room)?;
        at_work.extend_from_slice(more);
        watched.retain(|(process, _)| at_work.contains(process));
        for process in at_work {
            if watched.len() < WATCHED_MAX && watched.iter().all(|(known, _)| *known != process) {
                // One that is gone already is found by the next claim; one that cannot be seen has its time run out.
                watched.extend(Probe::new().watch(&process).map(|end| (process, end)));
            }
        }
        Ok(())
    }

    /// Listens to the room.
    pub(crate) fn watch(&self) -> Result<Watch, Failure> {
        self.app.watch(&self.caller, &self.room)
    }
}
