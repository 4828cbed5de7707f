//! Delegating a piece of work.

use baton_core::{
    code::ErrorCode,
    ids::{AnchorId, RoomId},
    job::{Choice, Draft, ExpectedArtifact, Isolation, JobId, Lineage, Policy, Priority, Profile, Routing},
    library::Anchor,
    reference::Reference,
    spawn::Wishes,
    task::{Task, TaskId},
};
use baton_store::jobs;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::{Happened, view::required};
use crate::{
    App, Caller, Failure,
    app::Request,
    commands::spawn::bounded,
    table::{self, Access, Effect, JOBS, Permission, Place, UseCase},
    unit::Change,
};

/// `jobs.create`
pub struct Create;

/// What is to be done, and by whom.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateInput {
    pub room_id: RoomId,
    pub title: String,
    /// What to do, in full; at most 50000 characters
    pub prompt: String,
    /// Sort of work; default task
    pub kind: Option<String>,
    /// low, normal or high
    pub priority: Option<String>,
    /// TASK-001
    pub task: Option<TaskId>,
    /// a:core
    pub anchor: Option<AnchorId>,
    /// Default auto
    pub executor: Option<Choice>,
    pub executor_profile: Option<Profile>,
    /// For executor auto
    pub policy: Option<Policy>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_artifacts: Vec<ExpectedArtifact>,
    /// Where it works; default workspace
    pub isolation: Option<Isolation>,
    /// executor_model, grants {spawn_nodes, read_only}, skill_profile, skill_max_chars, and notes of your own
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub meta: Map<String, Value>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// The job.
pub type CreateResult = Happened;

impl UseCase for Create {
    const NAME: &'static str = "jobs.create";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access {
        job_agent: Permission::Limited("if granted, no more than itself"),
        ..Access::limited("no more than itself")
    };
    const ABOUT: &'static str = "Delegate a piece of work to a runner.";
    type Input = CreateInput;
    type Output = CreateResult;

    fn perform(app: &App, caller: &Caller, input: CreateInput) -> Result<CreateResult, Failure> {
        let (draft, wishes) = (input.draft()?, input.wishes()?);
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let created = app.change(caller, &request, &input.room_id, |change| {
            change.require_open()?;
            let draft = bounded(change, caller, &draft, wishes)?;
            let created = create(change, &draft)?;
            Happened::now(change, created.job, Some(created.seq))
        })?;
        app.job_was_queued(&created.room_id);
        Ok(created)
    }
}

/// A job that was just created.
#[derive(Clone, Copy)]
pub(crate) struct Created {
    pub(crate) job: JobId,
    pub(super) seq: baton_core::ids::Seq,
}

impl Created {
    /// Its first event.
    pub(super) const fn reference(&self) -> Reference {
        Reference::JobEvent(self.job, self.seq)
    }
}

/// Creates a job in a room that is being changed. What it is linked to must exist.
pub(crate) fn create(change: &mut Change<'_>, draft: &Draft) -> Result<Created, Failure> {
    if let Some(task) = draft.task
        && change.store.find::<Task>(&task)?.is_none()
    {
        return Err(Failure::unknown_task(&task.to_string()));
    }
    require_anchor(change, draft.anchor.as_ref())?;
    let job = jobs::next_id(change.store.tx()?, &change.room.id)?;
    let recorded = change.record(draft.create(job)?)?;
    required(change, job)?;
    Ok(Created { job, seq: recorded.seq })
}

/// Refuses a part of the map that nobody has described.
pub(crate) fn require_anchor(change: &mut Change<'_>, anchor: Option<&AnchorId>) -> Result<(), Failure> {
    let Some(anchor) = anchor else { return Ok(()) };
    match change.store.find::<Anchor>(anchor)? {
        Some(_) => Ok(()),
        None => Err(Failure::unknown_id(anchor).advising(format!("Describe it first: `tasks anchor.set` {anchor}."))),
    }
}

impl CreateInput {
    /// The draft that is meant.
    pub(super) fn draft(&self) -> Result<Draft, Failure> {
        let mut meta = self.meta.clone();
        meta.remove(GRANTS);
        let routing = Routing {
            executor: said(self.executor, &mut meta, "executor")?.unwrap_or(Choice::Auto),
            executor_profile: said(self.executor_profile, &mut meta, "executor_profile")?,
            executor_model: said(None, &mut meta, "executor_model")?,
            policy: said(self.policy.clone(), &mut meta, "policy")?,
            expected_artifacts: {
                let given = Some(self.expected_artifacts.clone()).filter(|given| !given.is_empty());
                said(given, &mut meta, "expected_artifacts")?.unwrap_or_default()
            },
            isolation: said(self.isolation, &mut meta, "isolation")?.unwrap_or(Isolation::Workspace),
        };
        let priority = self.priority.as_deref().unwrap_or("normal");
        Ok(Draft {
            title: self.title.clone(),
            prompt: self.prompt.clone(),
            kind: self.kind.clone().unwrap_or_else(|| "task".to_owned()),
            priority: Priority::read(priority).ok_or_else(|| {
                let message = "priority: must be low, normal (or medium) or high";
                Failure::new(ErrorCode::InvalidInput, message).with("field", "priority")
            })?,
            task: self.task,
            anchor: self.anchor.clone(),
            routing,
            meta,
            lineage: Lineage::default(),
        })
    }

    /// What is said in so many words of what the job may do and where.
    pub(super) fn wishes(&self) -> Result<Wishes, Failure> {
        let mut meta = self.meta.clone();
        let grants: AskedGrants = said(None, &mut meta, GRANTS)?.unwrap_or_default();
        let isolation = said(self.isolation, &mut meta, "isolation")?;
        Ok(Wishes { spawn_nodes: grants.spawn_nodes, read_only: grants.read_only, isolation })
    }
}

/// Where `meta` says what a job may do.
const GRANTS: &str = "grants";

/// What a job may do, as far as it is said.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskedGrants {
    spawn_nodes: Option<bool>,
    read_only: Option<bool>,
}

/// A value of `meta`, so that it is read like an argument.
#[derive(Deserialize, JsonSchema)]
struct Noted<T> {
    noted: T,
}

/// What was said of the routing, as an argument or in `meta`, where the contract has it too. Never two different things.
fn said<T: DeserializeOwned + JsonSchema + PartialEq + 'static>(
    given: Option<T>,
    meta: &mut Map<String, Value>,
    key: &'static str,
) -> Result<Option<T>, Failure> {
    let Some(noted) = meta.remove(key) else { return Ok(given) };
    let wrong = |why: String| {
        Failure::new(ErrorCode::InvalidInput, format!("meta.{key}: {why}")).with("field", format!("meta.{key}"))
    };
    let noted: Noted<T> = table::parse(json!({ "noted": noted })).map_err(|failure| {
        let why = failure.message.strip_prefix("noted").unwrap_or(&failure.message);
        wrong(why.trim_start_matches(['.', ':', ' ']).to_owned())
    })?;
    let noted = noted.noted;
    match given {
        Some(given) if given != noted => Err(wrong(format!("is not what {key} says"))),
        Some(_) | None => Ok(Some(noted)),
    }
}
