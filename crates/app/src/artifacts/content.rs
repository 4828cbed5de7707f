//! Content that is kept as it is.

use super::keep::{UNKNOWN_HOST, not_written};
use crate::{App, Failure, liveness};

impl App {
    /// Keeps content as it is, and gives its hash and the machine that has it. Whoever made it has taken out its secrets.
    pub(crate) fn keep_content(&self, content: &[u8]) -> Result<(String, String), Failure> {
        let sha256 = self.artifact_files()?.keep(content).map_err(not_written)?;
        Ok((sha256, liveness::this_host().unwrap_or(UNKNOWN_HOST).to_owned()))
    }
}
