//! An artifact of a handoff that is not where the handoff says.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An artifact whose file does not exist, or has fewer lines than it names.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct MissingArtifact {
    /// As the handoff has it.
    pub path: String,
    /// The lines that the handoff names.
    pub lines: Option<[u32; 2]>,
    /// How many lines the file has. Nothing, if there is no such file.
    pub file_lines: Option<u32>,
}

impl fmt::Display for MissingArtifact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.lines, self.file_lines) {
            (Some([first, last]), Some(has)) => {
                write!(f, "{}:{first}-{last} is beyond the end of the file, which has {has} lines", self.path)
            }
            _ => write!(f, "{} does not exist", self.path),
        }
    }
}
