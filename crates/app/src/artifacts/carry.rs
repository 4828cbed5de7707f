//! Copying files along with the store that names them.

use std::collections::BTreeSet;

use baton_core::{ids::RoomId, reference::Reference};
use baton_store::library;

use super::{files::Found, keep::not_written};
use crate::{App, Failure, liveness};

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Carried {
    /// Files, each content once.
    pub files: u64,
    /// How large they are.
    pub bytes: u64,
    /// What is on record and was not copied.
    pub missing: Vec<Missing>,
}

/// A file that could not be copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Missing {
    /// In which room.
    pub room_id: RoomId,
    /// Which.
    pub reference: Reference,
    /// The machine that has it, unless it is lost.
    pub host: Option<String>,
}

/// Copies what the rooms of one store have files of, as far as this machine has it, to where the other store keeps its own.
pub(crate) fn carry(from: &App, to: &App, rooms: &[RoomId]) -> Result<Carried, Failure> {
    let (mut carried, mut done) = (Carried::default(), BTreeSet::new());
    for room in rooms {
        for artifact in from.store.read::<_, Failure>(|tx| Ok(library::artifacts_kept(tx, room)?))? {
            if done.contains(&artifact.sha256) {
                continue;
            }
            let Found::Whole(content) = from.find_content(&artifact)? else {
                let reference = Reference::Artifact(artifact.kind, artifact.id.0);
                let host = Some(artifact.host).filter(|host| liveness::this_host() != Some(host));
                carried.missing.push(Missing { room_id: room.clone(), reference, host });
                continue;
            };
            to.artifact_files()?.keep(&content).map_err(not_written)?;
            carried.files += 1;
            carried.bytes += artifact.bytes;
            done.insert(artifact.sha256);
        }
    }
    Ok(carried)
}
