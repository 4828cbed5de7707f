//! What is seen of a program at work, in words of our own.

use baton_core::redact::redact;
use serde::Serialize;

/// The most that is kept of a text.
const MESSAGE_CHARS: usize = 4_000;
const DETAIL_CHARS: usize = 400;
/// Command lines are kept whole as far as can be: receipts are looked up in them.
const COMMAND_CHARS: usize = baton_core::limits::TOOL_DETAIL_CHARS - 40;

/// Something that a program did. All text is bounded, and says so where it was cut.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "snake_case", tag = "seen")]
pub enum Seen {
    /// Its conversation has a name, by which it can be gone on with.
    Session {
        /// The name.
        id: String,
    },
    /// It said something.
    Message {
        /// What.
        text: String,
    },
    /// It used a tool.
    Tool {
        /// The tool; one of an MCP server is `server.tool`.
        name: String,
        /// What with.
        detail: String,
        /// How far that is.
        state: ToolState,
    },
    /// What it took so far.
    Usage {
        /// Tokens in, those from a cache included.
        input_tokens: u64,
        /// How many of them were from a cache.
        cached_tokens: u64,
        /// Tokens out.
        output_tokens: u64,
        /// What it cost, where the program tells.
        cost_usd: Option<f64>,
    },
    /// The model does not answer, and it tries again.
    Retrying {
        /// What it says about that.
        message: String,
    },
    /// Something went wrong, perhaps not for good.
    Problem {
        /// What it says about that.
        message: String,
    },
}

/// How far the use of a tool is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolState {
    /// It began.
    Started,
    /// It went well.
    Done,
    /// It did not.
    Failed,
}

/// A message, cut if need be. Secrets go before: a part of one is not recognised.
pub(super) fn message(text: &str) -> String {
    cut(redact(text).trim(), MESSAGE_CHARS)
}

/// What a tool was used with, in one line, cut if need be.
pub(super) fn detail(text: &str) -> String {
    cut(&redact(text).split_whitespace().collect::<Vec<_>>().join(" "), DETAIL_CHARS)
}

/// A command line in one line that means the same to a shell, cut if need be.
pub(super) fn command_line(text: &str) -> String {
    const GOES_ON: [&str; 9] = ["&&", "||", "|", ";", "&", "(", "{", "do", "then"];
    let mut line = String::new();
    for part in text.lines().map(str::trim).filter(|part| !part.is_empty()) {
        if let Some(before) = line.strip_suffix('\\') {
            line = format!("{} ", before.trim_end());
        } else if GOES_ON.iter().any(|end| line.ends_with(end)) {
            line.push(' ');
        } else if !line.is_empty() {
            line.push_str("; ");
        }
        line.push_str(part);
    }
    cut(&line.split_whitespace().collect::<Vec<_>>().join(" "), COMMAND_CHARS)
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        None => text.to_owned(),
        Some((end, _)) => format!("{}… [{} more characters]", &text[..end], text[end..].chars().count()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_line_of_many_lines_means_the_same_in_one() {
        assert_eq!(command_line("cargo fmt\n  cargo test \\\n   -p core\n"), "cargo fmt; cargo test -p core");
        assert_eq!(command_line("cd core &&\ncargo test |\ntail"), "cd core && cargo test | tail");
        assert_eq!(command_line("bash -lc 'make\nmake check'"), "bash -lc 'make; make check'");
        let long = command_line(&"ä".repeat(5_000));
        assert!(long.ends_with(" more characters]"));
        assert!(long.chars().count() <= baton_core::limits::TOOL_DETAIL_CHARS, "it is not cut again: {}", long.len());
    }

    #[test]
    fn text_that_is_cut_says_so() {
        assert_eq!(detail(" a\n  b "), "a b");
        assert_eq!(detail(&"ä".repeat(402)), format!("{}… [2 more characters]", "ä".repeat(400)));
    }
}
