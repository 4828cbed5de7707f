//! How arguments are read: ids as people write them, times with a unit, one word of several, notes with a name.

use baton_core::{
    job::JobId,
    library::{CardId, PlanId},
    spawn::ApprovalId,
    time::Ttl,
    turn::TurnId,
};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use serde_json::Value;

/// The job that a person means: `JOB-001`, `job-1` or `1`.
pub(crate) fn job(text: &str) -> Result<JobId, String> {
    if is_number(text) { format!("{}{text}", JobId::PREFIX).parse() } else { text.parse() }
}

/// The card that a person means: `CARD-1`, `card-1` or `1`.
pub(crate) fn card(text: &str) -> Result<CardId, String> {
    if is_number(text) { format!("{}{text}", CardId::PREFIX).parse() } else { text.parse() }
}

/// The plan that a person means: `PLAN-1`, `plan-1` or `1`.
pub(crate) fn plan(text: &str) -> Result<PlanId, String> {
    if is_number(text) { format!("{}{text}", PlanId::PREFIX).parse() } else { text.parse() }
}

/// The turn that a person means: `TURN-1`, `turn-1` or `1`.
pub(crate) fn turn(text: &str) -> Result<TurnId, String> {
    if is_number(text) { format!("{}{text}", TurnId::PREFIX).parse() } else { text.parse() }
}

/// The request for an agent that a person means: `APPROVAL-1`, `approval-1` or `1`.
pub(crate) fn approval(text: &str) -> Result<ApprovalId, String> {
    if is_number(text) { format!("{}{text}", ApprovalId::PREFIX).parse() } else { text.parse() }
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Reads one of `all`, each by its word, in capitals or not.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    word: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    PossibleValuesParser::new(all.iter().map(|one| word(*one))).try_map(move |given| {
        let found = all.iter().copied().find(|one| word(*one).eq_ignore_ascii_case(&given));
        found.ok_or_else(|| format!("{given:?} is none of them"))
    })
}

/// Reads a number and a unit: `500ms`, `30s`, `45m`, `4h`, `2d`.
pub(crate) fn time(text: &str) -> Result<Ttl, String> {
    text.parse()
}

/// Reads `KEY=VALUE`. A value that is JSON is what it says, anything else is text.
pub(crate) fn note(text: &str) -> Result<(String, Value), String> {
    match text.split_once('=') {
        Some((key, value)) if !key.trim().is_empty() => {
            let value = serde_json::from_str(value).unwrap_or_else(|_| Value::from(value));
            Ok((key.trim().to_owned(), value))
        }
        Some(_) | None => Err(format!("{text:?} is not KEY=VALUE")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn times_have_a_number_and_a_unit() {
        assert_eq!(time("45m"), Ok(Ttl::from_minutes(45)));
        assert_eq!(time("500ms"), Ok(Ttl::from_millis(500)));
        for wrong in ["", "45", "m", "4w", "-1s", "99999999999999999999h", "18446744073709551615h"] {
            assert!(time(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_job_and_a_card_are_named_by_their_number_too() {
        for text in ["7", "JOB-007", "job-7", "JOB-7"] {
            assert_eq!(job(text), Ok(JobId(7)), "{text}");
        }
        assert_eq!(card("3"), Ok(CardId(3)));
        for wrong in ["", "0", "seven", "TASK-1", "-1", "9999999999"] {
            assert!(job(wrong).is_err() && card(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_note_has_a_name_and_a_value_that_is_json_or_text() {
        let said = |key: &str, value: Value| Ok((key.to_owned(), value));
        assert_eq!(note("ticket=42"), said("ticket", json!(42)));
        assert_eq!(note("who=ana=bo"), said("who", json!("ana=bo")));
        assert_eq!(note(r#"tags=["a"]"#), said("tags", json!(["a"])));
        assert_eq!(note("empty="), said("empty", json!("")));
        for wrong in ["", "ticket", "=42", " =42"] {
            assert!(note(wrong).is_err(), "{wrong:?}");
        }
    }
}
