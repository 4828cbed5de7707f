//! The proof gate: done means that something shows it.

use baton_app::Failure;
use baton_core::{
    job::{JobId, salvage},
    reference::Reference,
};

use crate::{desk::Desk, executor::Answer};

/// What an answer that says DONE comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// Something shows it.
    Proven(Vec<Reference>),
    /// Nothing does, and why.
    Unproven(String),
}

impl Desk {
    /// Weighs what an answer points to: the refs it gives, and what its summary names.
    pub(crate) fn weigh(&self, job: JobId, answer: &Answer) -> Result<Verdict, Failure> {
        let (given, strange): (Vec<_>, Vec<_>) =
            answer.refs.iter().map(|text| text.parse::<Reference>()).partition(Result::is_ok);
        let mut named: Vec<Reference> = given.into_iter().flatten().collect();
        for reference in salvage(&answer.summary) {
            if !named.contains(&reference) {
                named.push(reference);
            }
        }
        named.truncate(baton_core::limits::REFERENCES);
        let leading = self.resolving(named.clone())?;
        let lost: Vec<String> =
            named.iter().filter(|named| !leading.contains(named)).map(Reference::to_string).collect();
        if leading.iter().any(|reference| reference.can_prove(job)) {
            return Ok(Verdict::Proven(leading));
        }
        let mut why = "DONE was said, and nothing shows it".to_owned();
        if !lost.is_empty() {
            why += &format!("; these lead nowhere: {}", lost.join(", "));
        }
        if !strange.is_empty() {
            why += &format!("; {} refs are none", strange.len());
        }
        Ok(Verdict::Unproven(why))
    }
}
