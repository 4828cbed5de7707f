//! Bounds that several commands have in common.

use baton_core::code::ErrorCode;

use crate::Failure;

/// How long a listing is to be: as asked, or `default`, and within 1 and `most`.
pub(crate) fn limit(asked: Option<u32>, default: u32, most: u32) -> Result<u32, Failure> {
    let limit = asked.unwrap_or(default);
    if (1..=most).contains(&limit) {
        return Ok(limit);
    }
    let message = format!("limit must be from 1 to {most}.");
    Err(Failure::new(ErrorCode::InvalidLimit, message).with("field", "limit"))
}
