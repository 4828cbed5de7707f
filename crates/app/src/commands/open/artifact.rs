//! A file that was kept, by as much as one look shows.

use baton_core::{
    library::{Artifact, ArtifactKind},
    limits,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Passage;
use crate::{App, Failure, artifacts::Shown, commands::library::ArtifactView};

/// A file, and what is in it.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedArtifact {
    pub artifact: ArtifactView,
    /// What is in it, if it is on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub content: Option<Passage>,
    /// Why its content is not shown, and where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl OpenedArtifact {
    /// Reads from `offset`; without one, what was written while something ran from its end, which says how it went, and
    /// all else from its beginning.
    pub(super) fn read(app: &App, artifact: &Artifact, offset: Option<i64>) -> Result<Self, Failure> {
        let most = limits::ARTIFACT_SHOWN_BYTES;
        let from = offset.unwrap_or(match artifact.kind {
            ArtifactKind::Log | ArtifactKind::Transcript => -(most as i64),
            ArtifactKind::Prompt | ArtifactKind::Diff | ArtifactKind::Report | ArtifactKind::Contextpack => 0,
        });
        let (content, unavailable) = match app.read_artifact(artifact, from, most)? {
            Shown::Here { from, bytes, text } => (Some(Passage::read(text, (from, bytes), artifact.bytes)), None),
            Shown::Elsewhere { host } => (None, Some(format!("It is kept on another machine, {host}: open it there."))),
            Shown::Dropped => {
                let when = artifact.dropped_at.map_or_else(String::new, |at| format!(" at {at}"));
                (None, Some(format!("Its content was given up{when}: nothing pointed to it any more.")))
            }
            Shown::Lost => (None, Some("Its file is gone from the data directory, or was changed there.".to_owned())),
        };
        Ok(Self { artifact: artifact.into(), content, unavailable })
    }
}
