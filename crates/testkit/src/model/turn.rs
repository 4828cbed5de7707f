//! What the model sees when it is asked to go on.

use serde_json::Value;

use super::{
    state::CallId,
    talk::{Conversation, Item, Talk},
};

/// One request to go on, as the model saw it.
#[derive(Clone, Debug)]
pub struct Turn {
    /// What the program tells the model about its work, before any prompt.
    pub instructions: String,
    /// Every text of the user's side, oldest first. The programs put context of their own among them.
    pub prompts: Vec<String>,
    /// What the script's calls came to, oldest first.
    pub results: Vec<Returned>,
    /// The tools on offer, as the program calls them.
    pub tools: Vec<String>,
    /// The schema that the answer must fit, where the program passes one on to the model.
    pub schema: Option<Value>,
    /// The program's name for the conversation, which a resumed session keeps; empty from `gemini`, which tells none.
    pub session: String,
}

/// What a call came to.
#[derive(Clone, Debug)]
pub struct Returned {
    /// The step that called.
    pub step: usize,
    /// What came back.
    pub text: String,
    /// Whether the program marked it as a failure, which `codex` and `opencode` never do.
    pub is_error: bool,
}

impl Turn {
    pub(super) fn of(talk: &Talk) -> Self {
        let prompt = |item: &Item| match item {
            Item::User(text) => Some(text.clone()),
            Item::Said(_) | Item::Called { .. } | Item::Returned { .. } => None,
        };
        let result = |item: &Item| match item {
            Item::Returned { id, text, is_error } => match CallId::parse(id)? {
                CallId::Step { step, .. } => Some(Returned { step, text: text.clone(), is_error: *is_error }),
                CallId::Preparation { .. } => None,
            },
            Item::User(_) | Item::Said(_) | Item::Called { .. } => None,
        };
        Self {
            instructions: talk.instructions.clone(),
            prompts: talk.items.iter().filter_map(prompt).collect(),
            results: talk.items.iter().filter_map(result).collect(),
            tools: talk.offered.iter().map(|tool| tool.full.clone()).collect(),
            schema: talk.schema.clone(),
            session: match &talk.conversation {
                Conversation::Named(name) => name.clone(),
                Conversation::Begun(_) => String::new(),
            },
        }
    }

    /// All that the user's side said, as one text.
    pub fn prompt(&self) -> String {
        self.prompts.join("\n\n")
    }

    /// What the call of a step came to, as text. A step that has no result fails the script.
    pub fn result_text(&self, step: usize) -> &str {
        &self.returned(step).text
    }

    /// What the call of a step came to, as JSON.
    pub fn result(&self, step: usize) -> Value {
        let text = self.result_text(step);
        serde_json::from_str(text).unwrap_or_else(|error| panic!("step {step} came to no JSON ({error}): {text}"))
    }

    /// What the last call came to.
    pub fn last_result(&self) -> &Returned {
        self.results.last().unwrap_or_else(|| panic!("no call came back yet"))
    }

    fn returned(&self, step: usize) -> &Returned {
        let result = self.results.iter().rev().find(|result| result.step == step);
        result.unwrap_or_else(|| panic!("step {step} has no result; there are {:?}", self.results))
    }
}
