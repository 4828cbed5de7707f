//! Texts of others, cut and cleaned for a model's context.

use baton_core::{limits, text::is_deceptive};

/// One line of at most `max` characters, without what could hide or reorder it.
pub(super) fn line(text: &str, max: usize) -> String {
    let words = text
        .split_whitespace()
        .map(|word| word.chars().filter(|c| !c.is_control() && !is_deceptive(*c)).collect::<String>());
    let joined = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if joined.chars().count() <= max {
        return joined;
    }
    let mut cut: String = joined.chars().take(max.saturating_sub(1)).collect();
    cut.push('…');
    cut
}

/// Unread messages as a number and a noun. A message that calls is one, even if it was looked at already.
pub(super) fn unread(count: u64) -> String {
    match count {
        0 | 1 => "1 unread message".to_owned(),
        count => format!("{count} unread messages"),
    }
}

/// A whole text within the bytes that a session start may cost.
pub(super) fn within_context(lines: &[String]) -> String {
    let mut text = String::new();
    for line in lines {
        if text.len() + line.len() + 1 > limits::HOOK_CONTEXT_BYTES {
            break;
        }
        if !text.is_empty() {
            text.push('\n');
        }
        text.push_str(line);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_no_breaks_no_tricks_and_an_end() {
        assert_eq!(line(" a\n\tb\u{202e}c\u{1b}[2J ", 40), "a bc[2J");
        assert_eq!(line("abcdef", 4), "abc…");
    }

    #[test]
    fn a_context_ends_before_its_bound_with_a_whole_line() {
        let long = "x".repeat(limits::HOOK_CONTEXT_BYTES - 1);
        assert_eq!(within_context(&["a".to_owned(), long, "b".to_owned()]), "a");
    }
}
