//! What the turns of a job took, each by itself and all together.

use baton_core::turn::Usage;
use serde_json::{Map, Value, json};

use crate::executor::{Executor, Session};

/// What all turns of a job took.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Spent {
    all: Usage,
    /// What a program last told of a conversation that it counts as a whole.
    conversation: Option<(Session, Usage)>,
}

impl Spent {
    /// What is noted beside a job.
    pub(crate) fn noted(meta: &Map<String, Value>) -> Self {
        let noted = meta.get("usage").unwrap_or(&Value::Null);
        let count = |key: &str| noted[key].as_u64().unwrap_or_default();
        let all = Usage {
            input_tokens: count("input_tokens"),
            cached_tokens: count("cached_tokens"),
            output_tokens: count("output_tokens"),
            cost_microusd: noted["cost_usd"].as_f64().map(microusd),
        };
        Self { all, conversation: None }
    }

    /// Tokens of all turns, in and out.
    pub(crate) const fn tokens(&self) -> u64 {
        self.all.input_tokens.saturating_add(self.all.output_tokens)
    }

    /// With a conversation that is gone on with, and what its earlier turns took.
    pub(crate) fn resuming(self, session: Session, usage: Usage) -> Self {
        Self { conversation: Some((session, usage)), ..self }
    }

    /// What a turn took by itself, of what its program told.
    pub(crate) fn of_turn(&mut self, executor: &Executor, session: Option<&Session>, told: Usage) -> Usage {
        // One that was stopped tells nothing; what it took is in what the conversation tells next.
        if !executor.counts_conversations() || told == Usage::default() {
            return told;
        }
        let before = self.conversation.take().filter(|(known, _)| Some(known) == session).map(|(_, usage)| usage);
        self.conversation = session.map(|session| (session.clone(), told));
        before.and_then(|before| less(&told, &before)).unwrap_or(told)
    }

    /// Adds what a turn took, and tells all of it as it is noted.
    pub(crate) fn add(&mut self, turn: &Usage) -> Value {
        let all = &mut self.all;
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

/// What came on top of `before`. Nothing, if it is less than that: then it was counted from the beginning.
fn less(told: &Usage, before: &Usage) -> Option<Usage> {
    let cost = told.cost_microusd.map(|cost| cost.checked_sub(before.cost_microusd.unwrap_or_default()));
    let cost_microusd = match cost {
        Some(None) => return None,
        Some(cost) => cost,
        None => None,
    };
    Some(Usage {
        input_tokens: told.input_tokens.checked_sub(before.input_tokens)?,
        cached_tokens: told.cached_tokens.checked_sub(before.cached_tokens)?,
        output_tokens: told.output_tokens.checked_sub(before.output_tokens)?,
        cost_microusd,
    })
}

/// An amount as whole millionths.
pub(crate) fn microusd(usd: f64) -> u64 {
    // What is negative or no number is nothing.
    (usd * 1e6).round() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::Agent;

    fn usage(input_tokens: u64, output_tokens: u64) -> Usage {
        Usage { input_tokens, cached_tokens: 0, output_tokens, cost_microusd: None }
    }

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
    fn a_conversation_that_is_counted_as_a_whole_is_not_counted_twice() {
        let codex = Executor::Codex("/codex".into(), Agent::default());
        let (one, other) = (Session::parse("one"), Session::parse("other"));
        let mut spent = Spent::default();
        assert_eq!(spent.of_turn(&codex, one.as_ref(), usage(100, 10)), usage(100, 10));
        assert_eq!(spent.of_turn(&codex, one.as_ref(), Usage::default()), Usage::default(), "it was stopped");
        assert_eq!(spent.of_turn(&codex, one.as_ref(), usage(300, 40)), usage(200, 30));
        assert_eq!(spent.of_turn(&codex, one.as_ref(), usage(50, 5)), usage(50, 5), "it began to count anew");
        assert_eq!(spent.of_turn(&codex, other.as_ref(), usage(70, 7)), usage(70, 7), "it is another one");
        let claude = Executor::ClaudeCode("/claude".into(), Agent::default());
        for _ in 0..2 {
            assert_eq!(spent.of_turn(&claude, one.as_ref(), usage(100, 10)), usage(100, 10), "it counts each turn");
        }
    }
}
