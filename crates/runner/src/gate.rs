//! The proof gate: an answer that says DONE ends the job only with proof.

use baton_app::Failure;
use baton_core::{
    job::{JobId, Standing, salvage},
    limits,
    reference::Reference,
};

use crate::{desk::Desk, executor::Answer};

/// Reasons that are told one by one. The rest is counted.
const REASONS: usize = 6;

/// What an answer that says DONE comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// It is shown by some of these.
    Proven(Vec<Reference>),
    /// It is not shown, and why.
    Unproven(String),
}

impl Desk {
    /// Weighs what an answer points to: the refs it gives, and what its summary names.
    pub(crate) fn weigh(&self, job: JobId, answer: &Answer) -> Result<Verdict, Failure> {
        let mut named: Vec<Reference> = Vec::new();
        let mut doubts: Vec<String> = Vec::new();
        for text in &answer.refs {
            match text.parse() {
                Ok(reference) if named.contains(&reference) => {}
                Ok(reference) => named.push(reference),
                Err(_) => doubts.push(format!("{text:?} is no reference")),
            }
        }
        for reference in salvage(&answer.summary) {
            if !named.contains(&reference) {
                named.push(reference);
            }
        }
        named.truncate(limits::REFERENCES);
        let (verdict, mut leading) = self.app.weigh(&self.room, job, named)?;
        if verdict.is_proven() {
            let given = verdict.proof().iter().filter(|proven| proven.standing == Standing::Manager);
            for given in given.map(|proven| &proven.reference) {
                if !leading.contains(given) {
                    leading.push(given.clone());
                }
            }
            return Ok(Verdict::Proven(leading));
        }
        doubts.splice(0..0, verdict.doubts());
        Ok(Verdict::Unproven(unproven(&doubts, verdict.proof().is_empty())))
    }
}

/// Why an answer is sent back, with what is wrong with each of its references.
fn unproven(doubts: &[String], names_nothing: bool) -> String {
    let mut why = "Reported DONE without proof".to_owned();
    match doubts {
        [] if names_nothing => why += "; no reference was given",
        [] => why += "; a receipt alone is none",
        doubts => {
            let told = &doubts[..doubts.len().min(REASONS)];
            why += &format!(": {}", told.join("; "));
            let more = doubts.len() - told.len();
            if more > 0 {
                why += &format!("; {more} more do not count either");
            }
        }
    }
    why + "."
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reference_that_does_not_count_is_named_with_the_reason() {
        assert_eq!(unproven(&[], true), "Reported DONE without proof; no reference was given.");
        assert_eq!(unproven(&[], false), "Reported DONE without proof; a receipt alone is none.");
        let doubts = ["TASK-001 is this job's own task", "CARD-9 does not exist"].map(str::to_owned);
        let why = unproven(&doubts, true);
        assert_eq!(why, "Reported DONE without proof: TASK-001 is this job's own task; CARD-9 does not exist.");
        let many: Vec<String> = (1..=9).map(|number| format!("CARD-{number} does not exist")).collect();
        assert!(unproven(&many, true).ends_with("CARD-6 does not exist; 3 more do not count either."));
    }
}
