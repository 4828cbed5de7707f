//! A turn of a job's agent, as the runner plays it: what it was begun with, and how it ended.

use baton_core::{
    ids::Seq,
    reference::Reference,
    turn::{Outcome as End, TurnId, Usage},
};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::executor::{Cause, Conversation};

    #[test]
    fn a_turn_that_failed_tells_the_end_of_what_was_complained_about() {
        let failed = Failed {
            why: "it exited with 1".to_owned(),
            tail: format!("{}ä no disk", "x".repeat(5_000)),
            conversation: Conversation::Doubtful,
            cause: Cause::Job,
        };
        let (end, why) = Ended::of(&Outcome::Failed(failed));
        let why = why.unwrap();
        assert!(end == End::Failed && why.starts_with("it exited with 1: x") && why.ends_with("ä no disk"), "{why}");
        assert!(why.len() < 1_600);
    }
}
