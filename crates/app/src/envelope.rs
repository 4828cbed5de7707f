//! The envelope: what a program gets from a command, whether it worked or not.
//!
//! The command line prints it for `--json`, and portals answer with it. Tools of their own answer with the plain
//! result or refusal that their contract describes.

use serde::Serialize;
use serde_json::{Map, Value};

use crate::Failure;

/// An answer or a refusal, with the command it comes from.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope<'a> {
    /// Whether the command did what it was asked.
    pub ok: bool,
    /// What was called.
    pub command: &'a str,
    /// What it answered.
    pub data: Value,
    /// Why it did not answer.
    pub error: Value,
}

impl<'a> Envelope<'a> {
    /// The envelope of an answer.
    pub const fn answered(command: &'a str, data: Value) -> Self {
        Self { ok: true, command, data, error: Value::Null }
    }

    /// The envelope of a "no".
    pub fn refused(command: &'a str, failure: &Failure) -> Self {
        Self { ok: false, command, data: Value::Null, error: error(failure) }
    }

    /// Only what there is: an answer has no `error`, and a refusal no `data`.
    pub fn into_json(self) -> Value {
        let fields = [("data", self.data), ("error", self.error)];
        let mut json = Map::with_capacity(3);
        json.insert("ok".to_owned(), self.ok.into());
        json.insert("command".to_owned(), self.command.into());
        json.extend(
            fields.into_iter().filter(|(_, value)| !value.is_null()).map(|(name, value)| (name.to_owned(), value)),
        );
        Value::Object(json)
    }
}

/// The contract's form of a failure. Inside an envelope `error` is the whole of it, so the code has a name of its own
/// there; it keeps the contract's, too, which scripts read.
fn error(failure: &Failure) -> Value {
    let mut error = Map::from_iter([("code".to_owned(), failure.code.as_str().into())]);
    if let Value::Object(fields) = failure.to_json() {
        error.extend(fields.into_iter().filter(|(name, _)| name != "code"));
    }
    Value::Object(error)
}

#[cfg(test)]
mod tests {
    use baton_core::code::ErrorCode;
    use serde_json::json;

    use super::*;

    #[test]
    fn an_answer_has_data_and_a_refusal_has_an_error_with_its_code_facts_and_next_step() {
        let answered = Envelope::answered("jobs.create", json!({"job": "JOB-001"}));
        assert_eq!(answered.into_json(), json!({"ok": true, "command": "jobs.create", "data": {"job": "JOB-001"}}));
        let failure =
            Failure::new(ErrorCode::UnknownId, "There is no JOB-007.").with("code", "mine").with("id", "JOB-007");
        let refused = Envelope::refused("jobs.open", &failure.advising("List them.")).into_json();
        assert_eq!(
            refused.to_string(),
            r#"{"ok":false,"command":"jobs.open","error":{"code":"UNKNOWN_ID","error":"UNKNOWN_ID","message":"There is no JOB-007.","id":"JOB-007","next":"List them."}}"#
        );
    }
}
