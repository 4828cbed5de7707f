//! A context pack, whole.

use baton_core::{context::ContextPack, library::Artifact};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Failure, commands::library::ArtifactView};

/// A context pack.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OpenedPack {
    /// What is in it, if it is on this machine.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<ContextPack>,
    /// A quarter of its bytes.
    pub tokens: u32,
    pub artifact: ArtifactView,
    /// Why it is not shown, and where it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unavailable: Option<String>,
}

impl OpenedPack {
    pub(super) fn read(app: &App, artifact: &Artifact) -> Result<Self, Failure> {
        let tokens = baton_core::context::tokens_in(artifact.bytes as usize);
        let (pack, unavailable) = match app.pack_of(artifact)? {
            Ok(pack) => (Some(pack), None),
            Err(why) => (None, Some(why)),
        };
        Ok(Self { pack, tokens, artifact: artifact.into(), unavailable })
    }
}
