//! Keeping a file.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    job::JobId,
    library::{Artifact, ArtifactId, ArtifactKind},
    reference::Reference,
    turn::{Turn, TurnId},
};
use baton_store::{table, turns};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArtifactView;
use crate::{
    App, Caller, Failure, Rights,
    app::Request,
    artifacts::{Keeping, Proof},
    table::{Access, Effect, Place, TASKS, UseCase},
};

/// `tasks.artifact.keep`
pub struct ArtifactKeep;

/// What is kept.
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// Your turn that it is of; default the one you are in
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    /// Repeat a call safely: the same key gets the first answer
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
