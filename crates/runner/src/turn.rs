//! A turn of a job's agent, as the runner plays it: what it was begun with, and how it ended.

use baton_core::{
    ids::Seq,
    reference::Reference,
    turn::{Outcome as End, TurnId, Usage},
};
use serde_json::{Map, Value, json};

use crate::{
    executor::{Failed, Outcome, Session},
    prompt::Incoming,
};

/// How much of the end of what a program complained about is told.
const TAIL_BYTES: usize = 1_500;

/// A turn that was begun.
#[derive(Debug)]
pub(crate) struct Begun {
    pub(crate) id: TurnId,
    /// What it is told: interrupts first, then in the order of the log.
    pub(crate) items: Vec<Incoming>,
}

impl Begun {
    /// The newest message that interrupted, if one did.
    pub(crate) fn interrupt(&self) -> Option<Seq> {
        self.items.iter().filter(|item| item.interrupts).map(|item| Seq(item.seq)).max()
    }
}

/// How a turn ended.
#[derive(Clone, Debug)]
pub(crate) struct Ended {
    pub(crate) outcome: End,
    pub(crate) why: Option<String>,
    /// The conversation, if it can be gone on with.
    pub(crate) session: Option<Session>,
    pub(crate) usage: Usage,
    pub(crate) refs: Vec<Reference>,
}

impl Ended {
    /// What an outcome means for a turn.
    pub(crate) fn of(outcome: &Outcome) -> (End, Option<String>) {
        match outcome {
            Outcome::Answered(_) => (End::Completed, None),
            Outcome::Failed(failed) => (End::Failed, Some(why(failed))),
            Outcome::TimedOut => (End::Failed, Some("it took too long and was stopped".to_owned())),
            Outcome::Stopped => (End::Interrupted, None),
        }
    }
}

/// Why a turn failed, with the end of what the program complained about.
fn why(failed: &Failed) -> String {
    let tail = failed.tail.trim();
    let begin = (tail.len().saturating_sub(TAIL_BYTES)..=tail.len()).find(|place| tail.is_char_boundary(*place));
    match &tail[begin.unwrap_or_default()..] {
        "" => failed.why.clone(),
        tail => format!("{}: {tail}", failed.why),
    }
}

/// What all turns of a job took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent(Usage);

impl Spent {
    /// What is noted beside a job.
    pub(crate) fn noted(meta: &Map<String, Value>) -> Self {
        let noted = meta.get("usage").unwrap_or(&Value::Null);
        let count = |key: &str| noted[key].as_u64().unwrap_or_default();
        Self(Usage {
            input_tokens: count("input_tokens"),
            cached_tokens: count("cached_tokens"),
            output_tokens: count("output_tokens"),
            cost_microusd: noted["cost_usd"].as_f64().map(microusd),
        })
    }

    /// Adds what a turn took, and tells all of it as it is noted.
    pub(crate) fn add(&mut self, turn: &Usage) -> Value {
        let all = &mut self.0;
        all.input_tokens = all.input_tokens.saturating_add(turn.input_tokens);
        all.cached_tokens = all.cached_tokens.saturating_add(turn.cached_tokens);
        all.output_tokens = all.output_tokens.saturating_add(turn.output_tokens);
        let costs = [all.cost_microusd, turn.cost_microusd];
        all.cost_microusd = costs.into_iter().flatten().reduce(u64::saturating_add);
        json!({
            "input_tokens": all.input_tokens,
            "cached_tokens": all.cached_tokens,
            "output_tokens": all.output_tokens,
            "cost_usd": all.cost_microusd.map(|micro| micro as f64 / 1e6),
        })
    }
}

/// An amount as whole millionths.
pub(crate) fn microusd(usd: f64) -> u64 {
    // What is negative or no number is nothing.
    (usd * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Conversation;

    #[test]
    fn what_turns_took_is_added_up_from_what_was_noted() {
        let first = Usage { input_tokens: 5, cached_tokens: 2, output_tokens: 1, cost_microusd: None };
        let noted = Spent::default().add(&first);
        assert_eq!(noted["cost_usd"], Value::Null, "nobody told what it cost");
        let mut spent = Spent::noted(&Map::from_iter([("usage".to_owned(), noted)]));
        let second = Usage { input_tokens: 10, cached_tokens: 0, output_tokens: 4, cost_microusd: Some(2_500) };
        let expected = json!({ "input_tokens": 15, "cached_tokens": 2, "output_tokens": 5, "cost_usd": 0.0025 });
        assert_eq!(spent.add(&second), expected);
        assert_eq!(Spent::noted(&Map::from_iter([("usage".to_owned(), expected)])), spent);
    }

    #[test]
    fn a_turn_that_failed_tells_the_end_of_what_was_complained_about() {
        let failed = Failed {
            why: "it exited with 1".to_owned(),
            tail: format!("{}ä no disk", "x".repeat(5_000)),
            conversation: Conversation::Doubtful,
        };
        let (end, why) = Ended::of(&Outcome::Failed(failed));
        let why = why.unwrap();
        assert!(end == End::Failed && why.starts_with("it exited with 1: x") && why.ends_with("ä no disk"), "{why}");
        assert!(why.len() < 1_600);
    }
}
