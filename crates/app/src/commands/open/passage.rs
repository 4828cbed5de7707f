//! A part of a text that may be long, and where the rest is.

use baton_core::limits;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// As much of a text as one look shows.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Passage {
    pub text: String,
    /// Where in the whole text this begins, in bytes.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub from: u64,
    /// How much there is in all.
    pub bytes: u64,
    /// There is more: open it again with this `offset`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_offset: Option<u64>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands fields over by reference")]
fn is_zero(from: &u64) -> bool {
    *from == 0
}

impl Passage {
    /// The part of `whole` that begins at `offset`; a negative one counts from the end.
    pub(super) fn of(whole: &str, offset: Option<i64>) -> Self {
        let start = match offset.unwrap_or(0) {
            from @ 0.. => usize::try_from(from).unwrap_or(usize::MAX).min(whole.len()),
            back => whole.len().saturating_sub(usize::try_from(back.unsigned_abs()).unwrap_or(usize::MAX)),
        };
        let start = (start..=whole.len()).find(|place| whole.is_char_boundary(*place)).unwrap_or(whole.len());
        let most = (start + limits::ARTIFACT_SHOWN_BYTES).min(whole.len());
        let end = (start..=most).rev().find(|place| whole.is_char_boundary(*place)).unwrap_or(start);
        Self::made(whole[start..end].to_owned(), start as u64, whole.len() as u64)
    }

    /// A part of a whole of `bytes`.
    fn made(text: String, from: u64, bytes: u64) -> Self {
        let length = text.len() as u64;
        Self::read(text, (from, length), bytes)
    }

    /// What was read of a whole of `bytes`: where it begins, and how much of it that is, which is not how long the text is where
    /// bytes were no text.
    pub(crate) fn read(text: String, (from, length): (u64, u64), bytes: u64) -> Self {
        let end = from + length;
        Self { next_offset: (end < bytes).then_some(end), text, from, bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_read_on_where_the_last_part_ended() {
        let whole = "€".repeat(limits::ARTIFACT_SHOWN_BYTES);
        let (mut read, mut offset) = (String::new(), Some(0));
        while let Some(from) = offset {
            let passage = Passage::of(&whole, Some(from));
            assert!(passage.text.len() <= limits::ARTIFACT_SHOWN_BYTES);
            read.push_str(&passage.text);
            offset = passage.next_offset.map(|next| next as i64);
        }
        assert_eq!(read, whole);
    }

    #[test]
    fn an_offset_counts_from_the_end_if_it_is_negative_and_stays_within_the_text() {
        let text = |offset| Passage::of("a€b", Some(offset)).text;
        assert_eq!((text(-1), text(-2), text(1), text(2)), ("b".into(), "b".into(), "€b".into(), "b".into()));
        assert_eq!((text(99), text(-99), text(i64::MIN)), (String::new(), "a€b".into(), "a€b".into()));
    }
}
