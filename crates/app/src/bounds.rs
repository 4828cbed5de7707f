//! Bounds that several commands have in common.

use baton_core::{code::ErrorCode, limits};
use serde::Serialize;

use crate::Failure;

/// A listing stays within this many bytes of JSON, if it has more than one entry: Codex passes on 12,000 characters.
const PAGE_BYTES: usize = 11_000;

/// A page of a listing that is being filled.
pub(crate) struct Page {
    bytes: usize,
    most: usize,
}

impl Default for Page {
    fn default() -> Self {
        Self::of(PAGE_BYTES)
    }
}

impl Page {
    /// A page of at most so many bytes.
    pub(crate) const fn of(most: usize) -> Self {
        Self { bytes: 0, most }
    }

    /// Whether one more entry fits. The first always does.
    pub(crate) fn takes(&mut self, entry: &impl Serialize) -> bool {
        let first = self.bytes == 0;
        self.bytes += serde_json::to_string(entry).map_or(0, |json| json.len());
        first || self.bytes <= self.most
    }

    /// Views of as many of `found` as are wanted and fit, in their order.
    pub(crate) fn fill<'a, T, V: Serialize>(&mut self, found: &'a [T], most: u32, view: impl Fn(&'a T) -> V) -> Vec<V> {
        found.iter().take(most as usize).map(view).take_while(|view| self.takes(view)).collect()
    }
}

/// The first line of a text that says something, as a listing shows it.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    line.trim().chars().take(limits::SUBJECT_BYTES).collect()
}

/// `text`, or as many whole lines of it as `most` characters hold, with a last one that says that it was cut and where the
/// rest is; and whether it was cut.
pub(crate) fn cut_lines(text: &str, most: usize, rest: &str) -> (String, bool) {
    if text.chars().count() <= most {
        return (text.to_owned(), false);
    }
    let note = format!("[cut: {rest}]");
    let room = most.saturating_sub(note.chars().count());
    let end = text.char_indices().nth(room).map_or(text.len(), |(end, _)| end);
    let end = text[..end].rfind('\n').map_or(0, |newline| newline + 1);
    let kept = format!("{}{note}", &text[..end]);
    // A budget that has no room for the note has room for its beginning.
    (kept.chars().take(most).collect(), true)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_cut_at_the_end_of_a_line_and_says_so() {
        let text = "one\ntwo\nthree\nfour";
        assert_eq!(cut_lines(text, 18, "x"), (text.to_owned(), false));
        assert_eq!(cut_lines(text, 17, "x"), ("one\ntwo\n[cut: x]".to_owned(), true));
        assert_eq!(cut_lines(text, 9, "x"), ("[cut: x]".to_owned(), true));
        assert_eq!(cut_lines(text, 4, "x"), ("[cut".to_owned(), true));
        assert_eq!(cut_lines("€€€\n€€€", 6, "").0.chars().count(), 6);
    }
}
