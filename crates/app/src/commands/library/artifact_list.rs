//! Which files a room keeps.

use baton_core::{
    ids::{AgentId, RoomId},
    job::{JobId, agent_of},
    library::{Artifact, ArtifactId, ArtifactKind},
    limits,
    reference::Reference,
    room::Room,
    turn::TurnId,
};
use baton_store::{
    engine::Tx,
    library::{self, Artifacts},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::ArtifactView;
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    presence::{self, Effort},
    refs,
    table::{Effect, Place, TASKS, UseCase},
};

/// `tasks.artifact.list`
pub struct ArtifactList;

/// Whose files.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ArtifactListInput {
    pub room_id: RoomId,
    /// JOB-001
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
    /// An agent: its name, its id, or JOB-001
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub node: Option<String>,
    /// TURN-1
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<ArtifactKind>,
    /// Only older ones: the number of the last one seen
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<u32>,
    /// 1 to 200; default 25
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let (mut room, found, now) = app.store.read(|tx| {
            let room = app.room(tx, &input.room_id)?;
            let owners = [input.job.map(Reference::Job), input.turn.map(Reference::Turn)];
            for owner in owners.into_iter().flatten() {
                if !refs::resolve(tx, &room.id, &owner)? {
                    return Err(Failure::unknown_id(owner));
                }
            }
            let node = input.node.as_deref().map(|node| agent(&room, node)).transpose()?;
            let found = input.find(tx, node.as_ref(), limit + 1)?;
            Ok::<_, Failure>((room, found, tx.now()?))
        })?;
        presence::refresh(app, caller, &mut room, now, Effort::Try)?;
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
