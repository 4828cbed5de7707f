//! Command lines for a person or an agent with a shell. They name room and store, so they mean the same in every terminal.

use baton_core::{ids::RoomId, text::is_deceptive};

use crate::App;

impl App {
    /// `baton WORDS`, about `room` in this store. A password of the store is never part of it.
    pub fn command_line(&self, words: &str, room: &RoomId) -> String {
        self.store_command_line(&format!("{words} --room {room}"))
    }

    /// `baton WORDS`, about this store and no room in particular.
    pub fn store_command_line(&self, words: &str) -> String {
        format!("baton {words} --store {}", quoted(&self.location))
    }
}

/// `word` as a shell reads it back, on one line and with nothing in it that cannot be seen: a path may have a newline in it,
/// and a line of its own after that could pass for another row of a page.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else if word.chars().any(is_hidden) {
        format!("$'{}'", word.chars().map(escaped).collect::<String>())
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Whether a character breaks a line, moves the cursor, or changes the order in which others are read.
fn is_hidden(c: char) -> bool {
    c.is_control() || is_deceptive(c)
}

/// A character between `$'` and `'`: byte by byte where it is hidden, so that the shell's locale does not matter.
fn escaped(c: char) -> String {
    match c {
        '\\' | '\'' => format!("\\{c}"),
        '\n' => r"\n".to_owned(),
        c if is_hidden(c) => c.to_string().bytes().map(|byte| format!("\\x{byte:02x}")).collect(),
        c => c.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::*;

    #[test]
    fn a_word_is_one_line_and_a_shell_reads_it_back() {
        let words = [
            "plain/path",
            "",
            "with space",
            "it's",
            "a\nCMD: rm",
            "tab\tbell\u{7}",
            "back\\slash\n'",
            "\u{202e}evil",
            "\u{85}9",
            "\u{1b}[2J\u{2028}",
            "größe\nx",
        ];
        for word in words {
            let line = quoted(word);
            assert!(!line.chars().any(is_hidden), "{line:?}");
            let echo = Command::new("bash").args(["-c", &format!("printf %s {line}")]).output();
            assert_eq!(echo.map(|ran| ran.stdout).ok().as_deref(), Some(word.as_bytes()), "{line}");
        }
        assert_eq!(quoted("a\nb"), r"$'a\nb'");
    }
}
