//! Claiming a job: a chosen one, or the one that comes next.

use baton_core::{
    claimant::{Backing, Claimant},
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{Capability, CapabilityDigest, Claiming, Event, Force, Job, JobId, Status, agent_of, clamp},
    limits,
    runner::{Runner, diagnose},
    time::Ttl,
    turn,
};
use baton_store::{jobs, runners};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    JobView,
    events::prompt,
    next::{Fit, Seeker},
    view::{required, view},
};
use crate::{
    App, Caller, Failure,
    app::{Request, Sweep},
    presence::Effort,
    table::{Access, Effect, JOBS, Place, UseCase},
    unit::Change,
};

/// Jobs that are ended on the way to one that can be done.
const LOST_AT_ONCE: usize = 20;

/// `jobs.claim`
pub struct Claim;

/// Which job, and in whose name.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimInput {
    pub room_id: RoomId,
    /// Without it: the most urgent, then the oldest that you can do
    pub job: Option<JobId>,
    /// Default: yourself
    pub runner_id: Option<AgentId>,
    /// 1000 to 300000; default 180000
    pub lease_ttl_ms: Option<u64>,
    /// Also a RUNNING one whose claim ran out
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allow_stale: bool,
    /// Take that job from its runner although its claim is in force
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub force: bool,
    /// Refuse rather than answer with a longer prompt
    pub max_chars: Option<usize>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// What was claimed.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ClaimResult {
    pub room_id: RoomId,
    /// Whether there was anything to claim.
    pub claimed: bool,
    /// Its `revision` is the claim token: show it, with runner_id, in every report.
    pub job: Option<JobView>,
    /// What to do, in full.
    pub prompt: Option<String>,
    /// The secret of this claim, which ends with it. It is answered once, and not again to a repeated request: a program
    /// that has it, as the end of BATON_JOB, is the job's own agent.
    pub capability: Option<Capability>,
    /// A program of an earlier claim may still run: start yours only after so many milliseconds.
    pub start_after_ms: Option<u64>,
}

/// An answer as it is kept under an idempotency key: without the secret.
#[derive(Serialize, Deserialize)]
struct Answer {
    #[serde(flatten)]
    result: ClaimResult,
    /// Whether this very transaction made the claim, and did not find it as the answer to an earlier request.
    #[serde(skip)]
    is_fresh: bool,
}

impl UseCase for Claim {
    const NAME: &'static str = "jobs.claim";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    // A claim makes a capability, and with it a job's agent would have the rights of another job.
    const ACCESS: Access = Access::AGENTS.without_jobs(Some(
        "Delegate it with `job create`, if your job may: runners claim jobs, and a job's agent works on its own",
    ));
    const ABOUT: &'static str = "Claim a job, or the next one.";
    type Input = ClaimInput;
    type Output = ClaimResult;

    fn perform(app: &App, caller: &Caller, input: ClaimInput) -> Result<ClaimResult, Failure> {
        let room = &input.room_id;
        // A takeover is decided again, for each job by itself.
        let end_claims = || app.end_claims_of_gone(room, Effort::Wait).unwrap_or(false);
        if input.allow_stale && app.now().is_ok_and(|now| app.is_due(room, now, Sweep::Jobs)) {
            end_claims();
        }
        let claimed = claim(app, caller, &input)?;
        // An empty answer is looked at twice: jobs of runners that are gone may be left.
        if claimed.job.is_none() && input.allow_stale && end_claims() {
            return claim(app, caller, &input);
        }
        Ok(claimed)
    }
}

fn claim(app: &App, caller: &Caller, input: &ClaimInput) -> Result<ClaimResult, Failure> {
    let request = Request { command: Claim::NAME, input, key: input.idempotency_key.as_deref() };
    let capability = app.ids.capability()?;
    let answer = app.change(caller, &request, &input.room_id, |change| {
        change.require_open()?;
        let runner = input.runner_id.as_ref().unwrap_or(&change.actor.agent_id).clone();
        require_own_runner(change, &runner)?;
        let mut seeker = Seeker::new(change, &runner)?;
        let claiming = claiming(runner, Backing::of(change.actor), capability.digest(), input);
        let taken = match input.job {
            Some(job) => Some(claim_that(change, &mut seeker, &claiming, job, input)?),
            None => claim_next(change, &mut seeker, &claiming)?,
        };
        let room_id = change.room.id.clone();
        let Some(Taken { job, outcome }) = taken else {
            let result = ClaimResult {
                room_id,
                claimed: false,
                job: None,
                prompt: None,
                capability: None,
                start_after_ms: None,
            };
            return Ok(Answer { result, is_fresh: true });
        };
        let claimed = outcome == Claimed::Yes;
        let prompt = claimed.then(|| prompt(change.store.tx()?, &change.room.id, job.created_seq)).transpose()?;
        require_fit(job.id, prompt.as_deref(), input.max_chars)?;
        let job = required(change, job.id)?;
        let start_after_ms = job.start_after(change.now).filter(|_| claimed).map(Ttl::as_millis);
        let job = Some(view(change, &job)?);
        let result = ClaimResult { room_id, claimed, job, prompt, capability: None, start_after_ms };
        Ok(Answer { result, is_fresh: true })
    })?;
    let Answer { result, is_fresh } = answer;
    let capability = Some(capability).filter(|_| is_fresh && result.claimed);
    Ok(ClaimResult { capability, ..result })
}

/// Refuses to claim in the name of a runner that another process speaks for.
fn require_own_runner(change: &mut Change<'_>, runner: &AgentId) -> Result<(), Failure> {
    let by = Claimant::of(change.actor);
    match change.store.find::<Runner>(runner)?.cloned() {
        Some(known) => Ok(known.require_free(change.now, &by, change.witness)?),
        None => Ok(()),
    }
}

/// Refuses a claim whose spec would not arrive whole: nobody is to work on a part of what was asked.
fn require_fit(job: JobId, prompt: Option<&str>, most: Option<usize>) -> Result<(), Failure> {
    let chars = prompt.map_or(0, |prompt| prompt.chars().count());
    if most.is_none_or(|most| chars <= most) {
        return Ok(());
    }
    let message = format!("What {job} asks has {chars} characters, more than max_chars.");
    Err(Failure::new(ErrorCode::BudgetExceeded, message).with("job", job.to_string()).with("chars", chars))
}

/// A job that was tried for.
struct Taken {
    job: Job,
    outcome: Claimed,
}

/// What came of trying for a job.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claimed {
    Yes,
    /// It was lost too often, and is over now.
    Over,
}

fn claim_that(
    change: &mut Change<'_>,
    seeker: &mut Seeker,
    claiming: &Claiming,
    id: JobId,
    input: &ClaimInput,
) -> Result<Taken, Failure> {
    let job = required(change, id)?;
    let executor = match seeker.fit(change, &job)? {
        Fit::Yes(executor) => executor,
        Fit::No(refusal) => return Err(refusal.into()),
    };
    let force = if input.force { forcing(change, &job)? } else { Force::No };
    take(change, job, &Claiming { executor, force, ..claiming.clone() })
}

fn claim_next(change: &mut Change<'_>, seeker: &mut Seeker, claiming: &Claiming) -> Result<Option<Taken>, Failure> {
    for _ in 0..LOST_AT_ONCE {
        let Some((job, executor)) = seeker.next(change, claiming.allow_stale)? else { return Ok(None) };
        change.store.note([job.clone()]);
        let taken = take(change, job, &Claiming { executor, ..claiming.clone() })?;
        if taken.outcome == Claimed::Yes {
            return Ok(Some(taken));
        }
    }
    Ok(None)
}

fn take(change: &mut Change<'_>, job: Job, claiming: &Claiming) -> Result<Taken, Failure> {
    let event = job.claim(change.now, claiming, change.witness)?;
    let outcome = if matches!(event, Event::Failed(_)) { Claimed::Over } else { Claimed::Yes };
    if job.status == Status::Running {
        let why = format!("{} took {} over", claiming.runner, job.id);
        change.end_turn_of(&agent_of(&change.room.id, job.id), turn::Outcome::Lost, &why)?;
    }
    change.record(event)?;
    if outcome == Claimed::Over {
        change.end_agent_of(&job)?;
    }
    Ok(Taken { job, outcome })
}

fn claiming(runner: AgentId, backing: Backing, capability: CapabilityDigest, input: &ClaimInput) -> Claiming {
    Claiming {
        runner,
        ttl: clamp(input.lease_ttl_ms, limits::CLAIM_TTL),
        executor: None,
        allow_stale: input.allow_stale,
        force: Force::No,
        backing,
        capability_sha256: Some(capability),
    }
}

/// Why a claim in force may be taken from its runner: because somebody said so, or because what runners say about
/// themselves contradicts it anyway.
fn forcing(change: &mut Change<'_>, job: &Job) -> Result<Force, Failure> {
    let (room, now) = (&change.room.id, change.now);
    let since = now.minus(limits::RUNNER_OFFLINE_SHOWN);
    let mut known = runners::present(change.store.tx()?, room, now, limits::RUNNERS_WEIGHED)?;
    known.extend(runners::offline(change.store.tx()?, room, now, since, limits::RUNNERS_WEIGHED)?);
    let named: Vec<JobId> = known.iter().flat_map(|runner| runner.active.iter().copied()).collect();
    let mut found = jobs::find_all(change.store.tx()?, room, &named)?;
    if found.iter().all(|known| known.id != job.id) {
        found.push(job.clone());
    }
    let contradicts = diagnose(now, &known, &found).iter().any(|diagnosis| diagnosis.job == Some(job.id));
    Ok(if contradicts { Force::Conflict } else { Force::Manual })
}
