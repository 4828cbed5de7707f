//! Files of a room: keeping them, listing them, and giving up those that nothing leads to.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{JobId, agent_of},
    library::{Artifact, ArtifactId, ArtifactKind},
    limits,
    reference::Reference,
    room::Room,
    time::Ttl,
    turn::{Turn, TurnId},
};
use baton_store::{
    engine::Tx,
    library::{self, Artifacts},
    table, turns,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArtifactView;
use crate::{
    App, Caller, Failure, Rights,
    app::Request,
    artifacts::{Collecting, Dropped, Keeping, Proof},
    bounds::{self, Page},
    presence, refs,
    table::{Access, Effect, Place, Subject, TASKS, UseCase},
};

/// `tasks.artifact.keep`
pub struct ArtifactKeep;

/// What is kept.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactKeepInput {
    pub room_id: RoomId,
    /// Any but contextpack, which `context build` makes
    pub kind: ArtifactKind,
    /// A name, not a path
    pub name: String,
    /// What is in it, up to 16 MiB; a call over HTTP or the socket holds 1 MiB. What looks like a secret is taken out
    pub text: String,
    /// The job it is about; default the one you work on
    pub job: Option<JobId>,
    /// Your turn that it is of; default the one you are in
    pub turn: Option<TurnId>,
    /// Repeat a call safely: the same key gets the first answer
    pub idempotency_key: Option<String>,
}

/// A file that was kept.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactKeepResult {
    pub room_id: RoomId,
    #[serde(flatten)]
    pub artifact: ArtifactView,
    /// Whether something that looked like a secret was taken out.
    pub redacted: bool,
}

impl UseCase for ArtifactKeep {
    const NAME: &'static str = "tasks.artifact.keep";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited("its own turns");
    const ABOUT: &'static str = "Keep a diff, log, transcript, prompt or report, and point to it as artifact://diff/1.";
    type Input = ArtifactKeepInput;
    type Output = ArtifactKeepResult;

    fn perform(app: &App, caller: &Caller, input: ArtifactKeepInput) -> Result<ArtifactKeepResult, Failure> {
        if input.kind == ArtifactKind::Contextpack {
            let message = "kind: a context pack is made by Baton, so that what is in it is what it says.";
            return Err(Failure::new(ErrorCode::InvalidInput, message)
                .with("field", "kind")
                .advising("Make one with `context build`, or keep this as a report."));
        }
        let turn = input.turn(app, caller)?;
        let own = caller.assignment_in(&input.room_id);
        let proof = own.filter(|own| input.job.is_none_or(|job| job == own.job)).map(|own| Proof {
            job: own.job,
            runner: own.runner.clone(),
            revision: own.revision,
        });
        let about = input.job.filter(|_| proof.is_none());
        let (content, proof) = (input.text.as_bytes(), proof.as_ref());
        let keeping = Keeping { kind: input.kind, name: &input.name, content, proof, turn, patch: None };
        let request = Request { command: Self::NAME, input: &input, key: input.idempotency_key.as_deref() };
        let kept = app.keep_about(caller, &request, &input.room_id, &keeping, about)?;
        let Reference::Artifact(_, number) = kept.reference else { return Err(Failure::unknown_id(&kept.reference)) };
        let found =
            app.store.read::<_, Failure>(|tx| Ok(table::find::<Artifact>(tx, &input.room_id, &ArtifactId(number))?))?;
        let artifact = found.ok_or_else(|| Failure::unknown_id(&kept.reference))?;
        Ok(ArtifactKeepResult { room_id: input.room_id, artifact: (&artifact).into(), redacted: kept.redacted })
    }
}

impl ArtifactKeepInput {
    /// The turn that it is of: the caller's own, which may be over, or for a person anybody's.
    fn turn(&self, app: &App, caller: &Caller) -> Result<Option<TurnId>, Failure> {
        let agent = match caller.assignment_in(&self.room_id) {
            Some(own) => own.agent_id(),
            None => caller.actor().agent_id,
        };
        app.store.read(|tx| {
            let room = app.room(tx, &self.room_id)?.id;
            let Some(id) = self.turn else {
                return Ok(turns::open_of(tx, &room, &agent)?.map(|turn| turn.id));
            };
            let turn = table::find::<Turn>(tx, &room, &id)?.ok_or_else(|| Failure::unknown_id(id))?;
            if turn.agent_id == agent || caller.rights() >= Rights::Operator {
                return Ok(Some(id));
            }
            let message = format!("{id} is a turn of {}.", turn.agent_id);
            Err(ArtifactKeep::ACCESS
                .operator_needed(caller.role(), message)
                .with("field", "turn")
                .with("agent_id", turn.agent_id.as_str())
                .advising("Leave turn out: a file without one can be pointed to as well."))
        })
    }
}

/// `tasks.artifact.list`
pub struct ArtifactList;

/// Whose files.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactListInput {
    pub room_id: RoomId,
    /// JOB-001
    pub job: Option<JobId>,
    /// An agent: its name, its id, or JOB-001
    pub node: Option<String>,
    /// TURN-1
    pub turn: Option<TurnId>,
    pub kind: Option<ArtifactKind>,
    /// Only older ones: the number of the last one seen
    pub before: Option<u32>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// Files, newest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactListResult {
    pub room_id: RoomId,
    pub artifacts: Vec<ArtifactView>,
    /// Whether there are more: ask again with `before` the number of the last one.
    pub has_more: bool,
}

impl UseCase for ArtifactList {
    const NAME: &'static str = "tasks.artifact.list";
    const PLACE: Place = Place::Portal(&TASKS);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "List files that were kept, newest first: of a job, an agent, a turn, a kind. `open` shows what is in one.";
    type Input = ArtifactListInput;
    type Output = ArtifactListResult;

    fn perform(app: &App, caller: &Caller, input: ArtifactListInput) -> Result<ArtifactListResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let (room, found) = presence::read(app, caller, &input.room_id, |tx, room, _| {
            let owners = [input.job.map(Reference::Job), input.turn.map(Reference::Turn)];
            for owner in owners.into_iter().flatten() {
                if !refs::resolve(tx, &room.id, &owner)? {
                    return Err(Failure::unknown_id(owner));
                }
            }
            let node = input.node.as_deref().map(|node| agent(room, node)).transpose()?;
            let found = input.find(tx, node.as_ref(), limit + 1)?;
            Ok(found)
        })?;
        let artifacts = Page::default().fill(&found, limit, ArtifactView::from);
        let has_more = artifacts.len() < found.len();
        Ok(ArtifactListResult { artifacts, room_id: room.id, has_more })
    }
}

impl ArtifactListInput {
    /// The first `most` files that are meant. One filter is the index that is read along; the others leave out what does
    /// not fit them, so it is read on until there are enough.
    fn find(&self, tx: &mut dyn Tx, node: Option<&AgentId>, most: u32) -> Result<Vec<Artifact>, Failure> {
        let which = match (self.turn, self.job) {
            (Some(turn), _) => Artifacts::OfTurn(turn),
            (None, Some(job)) => Artifacts::OfJob(job),
            (None, None) => Artifacts::All,
        };
        let is_meant = |artifact: &Artifact| {
            self.job.is_none_or(|job| artifact.job == Some(job))
                && self.kind.is_none_or(|kind| artifact.kind == kind)
                && node.is_none_or(|node| artifact.node.as_ref() == Some(node))
        };
        let (mut found, mut before) = (Vec::new(), self.before.map(ArtifactId));
        loop {
            let some = library::artifacts(tx, &self.room_id, which, before, most)?;
            let (read, last) = (some.len(), some.last().map(|artifact| artifact.id));
            found.extend(some.into_iter().filter(is_meant));
            if read < most as usize || found.len() >= most as usize {
                found.truncate(most as usize);
                return Ok(found);
            }
            before = last;
        }
    }
}

/// The agent that is meant. It may be one that left: its files are still there.
fn agent(room: &Room, named: &str) -> Result<AgentId, Failure> {
    if let Ok(job) = named.parse::<JobId>() {
        return Ok(agent_of(&room.id, job));
    }
    let member = room.members.iter().find(|member| member.display_name == named);
    match member {
        Some(member) => Ok(member.agent_id.clone()),
        None => named.parse().map_err(|_| Failure::unknown_agent(named).with("field", "node")),
    }
}

/// The longest time that can be asked for.
const DAYS_MAX: u32 = 3650;
/// How many of those that went are named.
const NAMED: usize = 50;

/// `tasks.artifact.gc`
pub struct ArtifactGc;

/// What is to go.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactGcInput {
    /// Also give up files older than this, 1 to 3650, that no ref reaches
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_days: Option<u32>,
    /// Tell what would go, and leave it
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub dry_run: bool,
}

/// What went, or would go.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct ArtifactGcResult {
    pub dry_run: bool,
    /// How many records were given up, in all rooms.
    pub dropped: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<GivenUp>,
    /// Files that were removed from this machine.
    pub files: u64,
    /// Half-written files of processes that were killed, which were removed too.
    pub drafts: u64,
    /// How large all these files were.
    pub bytes: u64,
    /// Directories that were left alone because somebody was keeping a file there: ask again.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busy: Option<u64>,
}

/// A file that was given up.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct GivenUp {
    pub room_id: RoomId,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    pub name: String,
    pub bytes: u64,
}

impl From<&Dropped> for GivenUp {
    fn from(dropped: &Dropped) -> Self {
        Self {
            room_id: dropped.room_id.clone(),
            reference: dropped.reference(),
            name: dropped.artifact.name.clone(),
            bytes: dropped.artifact.bytes,
        }
    }
}

impl UseCase for ArtifactGc {
    const NAME: &'static str = "tasks.artifact.gc";
    const PLACE: Place = Place::Portal(&TASKS);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::operators("`baton artifact gc` at a terminal");
    const ABOUT: &'static str = "Operators: remove files that nothing names, never what a ref reaches.";
    type Input = ArtifactGcInput;
    type Output = ArtifactGcResult;

    fn perform(app: &App, caller: &Caller, input: ArtifactGcInput) -> Result<ArtifactGcResult, Failure> {
        if let Some(days) = input.older_than_days.filter(|days| !(1..=DAYS_MAX).contains(days)) {
            let message = format!("older_than_days must be from 1 to {DAYS_MAX}, not {days}.");
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "older_than_days"));
        }
        let older_than = input.older_than_days.map(|days| Ttl::from_minutes(u64::from(days) * 24 * 60));
        let collected = app.collect_artifacts(caller, Collecting { older_than, dry_run: input.dry_run })?;
        Ok(ArtifactGcResult {
            dry_run: input.dry_run,
            dropped: collected.dropped.len() as u64,
            artifacts: collected.dropped.iter().take(NAMED).map(GivenUp::from).collect(),
            files: collected.files,
            drafts: collected.drafts,
            bytes: collected.bytes,
            busy: Some(collected.busy).filter(|busy| *busy > 0),
        })
    }
}
