//! Bounds that several commands have in common.

use baton_core::code::ErrorCode;
use serde::Serialize;

use crate::Failure;

/// A listing stays within this many bytes of JSON, if it has more than one entry: Codex passes on 12,000 characters.
const PAGE_BYTES: usize = 11_000;

/// A page of a listing that is being filled.
#[derive(Default)]
pub(crate) struct Page {
    bytes: usize,
}

impl Page {
    /// Whether one more entry fits. The first always does.
    pub(crate) fn takes(&mut self, entry: &impl Serialize) -> bool {
        let first = self.bytes == 0;
        self.bytes += serde_json::to_string(entry).map_or(0, |json| json.len());
        first || self.bytes <= PAGE_BYTES
    }
}

/// How long a listing is to be: as asked, or `default`, and within 1 and `most`.
pub(crate) fn limit(asked: Option<u32>, default: u32, most: u32) -> Result<u32, Failure> {
    let limit = asked.unwrap_or(default);
    if (1..=most).contains(&limit) {
        return Ok(limit);
    }
    let message = format!("limit must be from 1 to {most}.");
    Err(Failure::new(ErrorCode::InvalidLimit, message).with("field", "limit"))
}
