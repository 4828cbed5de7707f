//! Characters of text that somebody wrote and somebody else is shown.

/// Whether a character shows nothing itself and changes how the text around it is shown: it turns the direction, breaks the
/// line where no line break is written, or hides.
pub const fn is_deceptive(c: char) -> bool {
    matches!(
        c,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}'
    )
}

/// `text` as a column of every store can hold it: Postgres has no character 0. As it was said it is in the log.
pub(crate) fn storable(text: &str) -> String {
    text.replace('\0', "\u{fffd}")
}
