//! A job's momentary progress, between two events of its thread.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::state::preview;
use crate::{redact::redact, text::is_deceptive};

/// How far a job is right now, as far as its runner tells. It moves with heartbeats, which are no events, so folding the
/// log does not give it.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(inline)]
pub struct Progress {
    /// Which slice of the claim in force.
    pub slice: Option<u32>,
    /// From 0 to 100.
    pub percent: Option<u8>,
    /// The last tool or line of output.
    pub line: Option<String>,
    /// Tokens that the job took so far, in and out.
    pub tokens: Option<u64>,
}

impl Progress {
    /// Whether nothing was told.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Takes over the fields that `newer` has.
    pub fn update(&mut self, newer: Self) {
        let Self { slice, percent, line, tokens } = newer;
        self.slice = slice.or(self.slice);
        self.percent = percent.or(self.percent);
        self.tokens = tokens.or(self.tokens);
        // It is stored without an event, and so passes nothing else that takes secrets out.
        if let Some(line) = line.as_deref().map(|line| preview(&redact(line))).filter(|line| !line.is_empty()) {
            self.line = Some(line);
        }
    }

    /// Forgets the claim that is over. Tokens are the job's.
    pub(super) fn restart(&mut self) {
        *self = Self { tokens: self.tokens, ..Self::default() };
    }

    /// The progress in a few words: `slice 2, 40 %, 18.2k tokens`.
    pub fn words(&self) -> Option<String> {
        let slice = self.slice.map(|slice| format!("slice {slice}"));
        let percent = self.percent.map(|percent| format!("{percent} %"));
        let tokens = self.tokens.map(|tokens| format!("{} tokens", short_count(tokens)));
        let parts: Vec<String> = [slice, percent, tokens].into_iter().flatten().collect();
        (!parts.is_empty()).then(|| parts.join(", "))
    }
}

/// A count in at most five characters, as far as that goes: `950`, `18.2k`, `3.1M`.
fn short_count(count: u64) -> String {
    const UNITS: [(u64, char); 3] = [(1_000_000_000, 'G'), (1_000_000, 'M'), (1_000, 'k')];
    let unit = UNITS.into_iter().find(|(size, _)| count >= *size);
    unit.map_or_else(
        || count.to_string(),
        |(size, name)| format!("{}.{}{name}", count / size, count % size * 10 / size),
    )
}

/// An age in its largest unit: `<1m`, `14m`, `3h`, `2d`. Seconds would make every look at a row another one.
pub fn short_age(seconds: u64) -> String {
    const UNITS: [(u64, char); 3] = [(86_400, 'd'), (3_600, 'h'), (60, 'm')];
    let unit = UNITS.into_iter().find(|(size, _)| seconds >= *size);
    unit.map_or_else(|| "<1m".to_owned(), |(size, name)| format!("{}{name}", seconds / size))
}

/// `text` as one segment of a line whose segments are divided by ` | `. The divider is the format's own: with it, a title or
/// a message could write a next move that nobody offered, and with a character that turns the text round it could show one.
pub fn line_text(text: &str) -> String {
    let divides = |c: char| c.is_whitespace() || c.is_control() || is_deceptive(c);
    let words: Vec<&str> = text.split(divides).filter(|word| !word.is_empty()).collect();
    words.join(" ").replace('|', "¦")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_and_ages_are_short() {
        let counts: Vec<_> = [0, 999, 1_000, 18_250, 3_140_000, 2_000_000_000].map(short_count).to_vec();
        assert_eq!(counts.join(" "), "0 999 1.0k 18.2k 3.1M 2.0G");
        let ages: Vec<_> = [0, 59, 60, 3_599, 3_600, 86_399, 172_800].map(short_age).to_vec();
        assert_eq!(ages.join(" "), "<1m <1m 1m 59m 1h 23h 2d");
    }

    #[test]
    fn newer_progress_replaces_only_what_it_tells() {
        let mut progress = Progress { slice: Some(1), percent: Some(10), line: Some("reads".into()), tokens: Some(5) };
        progress.update(Progress { percent: Some(40), line: Some(" \n".into()), ..Progress::default() });
        assert_eq!(progress.words().as_deref(), Some("slice 1, 40 %, 5 tokens"));
        assert_eq!(progress.line.as_deref(), Some("reads"), "an empty line tells nothing");
        progress.update(Progress { line: Some("cargo\ttest\nok".into()), ..Progress::default() });
        assert_eq!(progress.line.as_deref(), Some("cargo test ok"));
        progress.restart();
        assert_eq!(progress, Progress { tokens: Some(5), ..Progress::default() });
    }

    #[test]
    fn the_divider_and_line_breaks_do_not_survive_in_a_segment() {
        assert_eq!(line_text("a | open id=JOB-9\n\u{7}b\u{2028}|c"), "a ¦ open id=JOB-9 b ¦c");
    }
}
