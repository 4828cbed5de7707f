//! What the model of a conversation's owner says while it relays.
//!
//! It says JSON and nothing else: `relay_actions` with what is to be sent, or `task_done`. Anything else is an answer for
//! the local user, and ends the relay; why it was not taken for a relay is told with it.

use serde::Deserialize;
use serde_json::Value;

use super::{
    Kind, Plan, Refusal, What, WhatDraft,
    draft::{check_count, check_target},
};
use crate::limits;

/// What a model's output comes to.
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// To send these, in order.
    Actions(Vec<Relayed>),
    /// To end the relay.
    Done {
        /// For the local user.
        summary: Option<String>,
    },
    /// To answer the local user, which ends the relay too.
    Local {
        /// What it said, as it said it.
        text: String,
        /// What was wrong with it, if it looks like a relay that went wrong.
        problem: Option<String>,
    },
}

/// An action that a model wants to be sent.
#[derive(Clone, Debug, PartialEq)]
pub struct Relayed {
    /// To whom: an id or a name.
    pub dst: String,
    /// What.
    pub what: What,
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum Said {
    RelayActions { actions: Vec<SaidAction> },
    TaskDone { summary: Option<String> },
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case", deny_unknown_fields)]
enum SaidAction {
    Message { dst: String, text: String, plan: Option<Plan> },
    Control { dst: String, command: String, args: Option<String> },
}

impl Output {
    /// Reads a model's output, unless it is longer than any is.
    pub fn read(text: &str) -> Result<Self, Refusal> {
        if text.len() > limits::RELAY_OUTPUT_BYTES {
            let (limit, bytes) = (limits::RELAY_OUTPUT_BYTES, text.len());
            return Err(Refusal::TooLarge { field: "output".to_owned(), limit, bytes });
        }
        Ok(Self::of(text))
    }

    fn of(text: &str) -> Self {
        let local = |problem: Option<String>| Self::Local { text: text.trim().to_owned(), problem };
        let Ok(json) = serde_json::from_str::<Value>(text.trim()) else { return local(None) };
        match json.get("type").and_then(Value::as_str) {
            Some("relay_actions" | "task_done") => {}
            Some(_) | None => return local(None),
        }
        match Said::deserialize(json) {
            Ok(Said::TaskDone { summary }) => {
                Self::Done { summary: summary.filter(|summary| !summary.trim().is_empty()) }
            }
            Ok(Said::RelayActions { actions }) => match relayed(actions) {
                Ok(actions) => Self::Actions(actions),
                Err(refusal) => local(Some(refusal.to_string())),
            },
            Err(error) => local(Some(error.to_string())),
        }
    }
}

/// The actions, checked like any that are submitted.
fn relayed(actions: Vec<SaidAction>) -> Result<Vec<Relayed>, Refusal> {
    check_count(actions.len())?;
    let check = |(place, action): (usize, SaidAction)| {
        let field = |name: &str| format!("actions[{place}].{name}");
        let (dst, draft) = action.draft();
        check_target(&dst, &field)?;
        Ok(Relayed { dst, what: draft.check(&field)? })
    };
    actions.into_iter().enumerate().map(check).collect()
}

impl SaidAction {
    fn draft(self) -> (String, WhatDraft) {
        match self {
            Self::Message { dst, text, plan } => {
                let (sort, kind) = ("message".to_owned(), Some(Kind::User.as_str().to_owned()));
                (dst, WhatDraft { sort, kind, text: Some(text), plan, ..WhatDraft::default() })
            }
            Self::Control { dst, command, args } => {
                let sort = "control".to_owned();
                (dst, WhatDraft { sort, command: Some(command), args, ..WhatDraft::default() })
            }
        }
    }
}
