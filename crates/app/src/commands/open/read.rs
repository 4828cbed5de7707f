//! The use case: one reference in, what it points to out.

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    library::{Artifact, ArtifactId},
    reference::Reference,
    room::Room,
    runner::with_beginning,
    time::Timestamp,
};
use baton_store::{engine::Tx, library, table};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    OpenedAnchor, OpenedApproval, OpenedArtifact, OpenedCard, OpenedEnvelope, OpenedEvent, OpenedJob, OpenedLog,
    OpenedNote, OpenedPack, OpenedPlan, OpenedRunner, OpenedTask, OpenedTurn,
};
use crate::{
    App, Caller, Failure, presence,
    table::{Effect, Place, Tier, UseCase},
};

/// `open`
pub struct Open;

/// What to open.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OpenInput {
    /// JOB-001@17, CARD-1, notes@9, artifact://diff/3 or another ref
    #[serde(alias = "ref")]
    pub id: String,
    /// Where to go on; negative: from the end
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offset: Option<i64>,
    /// Another room: its id, or a path in it
    #[serde(default, alias = "room_id", skip_serializing_if = "Option::is_none")]
    pub workspace: Option<String>,
}

/// What a reference points to.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Opened {
    pub room_id: RoomId,
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub reference: Reference,
    #[serde(flatten)]
    pub what: What,
}

/// By what it is.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum What {
    Job(Box<OpenedJob>),
    JobEvent(Box<OpenedEvent>),
    Task(Box<OpenedTask>),
    Card(Box<OpenedCard>),
    Plan(OpenedPlan),
    Note(OpenedNote),
    Anchor(OpenedAnchor),
    Runner(Box<OpenedRunner>),
    Artifact(Box<OpenedArtifact>),
    ContextPack(Box<OpenedPack>),
    Envelope(Box<OpenedEnvelope>),
    Turn(Box<OpenedTurn>),
    Approval(Box<OpenedApproval>),
    Event(Box<OpenedLog>),
}

impl UseCase for Open {
    const NAME: &'static str = "open";
    const PLACE: Place = Place::Tool("open", Tier::Daily);
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "Show what a ref points to, in full.";
    type Input = OpenInput;
    type Output = Opened;

    fn perform(app: &App, caller: &Caller, input: OpenInput) -> Result<Opened, Failure> {
        let invalid = |message: String| Failure::new(ErrorCode::InvalidInput, message).with("field", "id");
        let reference: Reference = input.id.parse().map_err(|error| invalid(format!("id: {error}.")))?;
        if !reference.is_stable() {
            let message = "id: a receipt says what was run or where to look outside; there is nothing to open.";
            return Err(invalid(message.to_owned()));
        }
        let room_id = app.room_for(caller, input.workspace.as_deref())?;
        if matches!(reference, Reference::Job(_) | Reference::JobEvent(..) | Reference::Runner(_)) {
            app.see_to_jobs(&room_id);
        }
        let (room, found) =
            presence::read(app, caller, &room_id, |tx, room, now| find(app, tx, room, &reference, now, input.offset))?;
        let what = match found.ok_or_else(|| Failure::unknown_id(&reference))? {
            Found::Whole(what) => what,
            // In parts it is a text like another.
            Found::File(artifact) if matches!(reference, Reference::Pack(_)) && input.offset.is_none() => {
                What::ContextPack(Box::new(OpenedPack::read(app, &artifact)?))
            }
            Found::File(artifact) => What::Artifact(Box::new(OpenedArtifact::read(app, &artifact, input.offset)?)),
        };
        Ok(Opened { room_id: room.id, reference, what })
    }
}

/// What the store has of it.
enum Found {
    Whole(What),
    /// A file: its content is not in the store.
    File(Artifact),
}

fn find(
    app: &App,
    tx: &mut dyn Tx,
    room: &Room,
    reference: &Reference,
    now: Timestamp,
    offset: Option<i64>,
) -> Result<Option<Found>, Failure> {
    let id = &room.id;
    let what = match reference {
        Reference::Job(job) => OpenedJob::read(app, tx, room, *job, now)?.map(|job| What::Job(Box::new(job))),
        Reference::JobEvent(job, seq) => {
            OpenedEvent::read(tx, id, (*job, *seq), offset)?.map(|event| What::JobEvent(Box::new(event)))
        }
        Reference::Task(task) => OpenedTask::read(tx, room, *task, now)?.map(|task| What::Task(Box::new(task))),
        Reference::Card(card) => OpenedCard::read(tx, id, *card, offset)?.map(|card| What::Card(Box::new(card))),
        Reference::Plan(plan) => OpenedPlan::read(tx, id, *plan, offset)?.map(What::Plan),
        Reference::Note(seq) => OpenedNote::read(tx, id, *seq, offset)?.map(What::Note),
        Reference::Anchor(anchor) => OpenedAnchor::read(tx, id, anchor, now, offset)?.map(What::Anchor),
        Reference::Runner(runner) => {
            let found = match (OpenedRunner::read(tx, id, runner, now)?, with_beginning(runner)) {
                (None, Some(whole)) => OpenedRunner::read(tx, id, &whole, now)?,
                (found, _) => found,
            };
            found.map(|runner| What::Runner(Box::new(runner)))
        }
        Reference::Artifact(kind, number) => {
            let found = table::find::<Artifact>(tx, id, &ArtifactId(*number))?;
            return Ok(found.filter(|artifact| artifact.kind == *kind).map(Found::File));
        }
        Reference::Pack(pack) => return Ok(library::find_pack(tx, id, pack)?.map(Found::File)),
        Reference::Payload(payload) => {
            OpenedEnvelope::read(tx, id, payload)?.map(|envelope| What::Envelope(Box::new(envelope)))
        }
        Reference::Turn(turn) => OpenedTurn::read(tx, room, *turn, offset)?.map(|turn| What::Turn(Box::new(turn))),
        Reference::Approval(approval) => {
            OpenedApproval::read(tx, room, *approval)?.map(|approval| What::Approval(Box::new(approval)))
        }
        Reference::Event(seq) => OpenedLog::read(tx, room, *seq)?.map(|event| What::Event(Box::new(event))),
        Reference::Command(_) | Reference::Link(_) => None,
    };
    Ok(what.map(Found::Whole))
}
