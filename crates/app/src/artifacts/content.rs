//! Content that is kept as it is.

use super::{
    files::Hold,
    keep::{UNKNOWN_HOST, not_written},
};
use crate::{App, Failure, liveness};

/// Content that is kept, and stays until this is dropped; by then it is on record, or nobody wants it.
pub(crate) struct Content {
    pub(crate) sha256: String,
    /// The machine that has it.
    pub(crate) host: String,
    _hold: Hold,
}

impl App {
    /// Keeps content as it is. Whoever made it has taken out its secrets.
    pub(crate) fn keep_content(&self, content: &[u8]) -> Result<Content, Failure> {
        let files = self.artifact_files()?;
        let hold = files.hold(&super::files::hash(content)).map_err(not_written)?;
        let sha256 = files.keep(content).map_err(not_written)?;
        Ok(Content { sha256, host: liveness::this_host().unwrap_or(UNKNOWN_HOST).to_owned(), _hold: hold })
    }
}
