//! Which API a request came by.

use serde_json::Value;

use super::{
    messages, responses,
    talk::{Answer, Talk, Written},
};

/// An API.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dialect {
    /// OpenAI Responses, which `codex` speaks.
    Responses,
    /// Anthropic Messages, which `claude` speaks.
    Messages,
}

impl Dialect {
    /// The API that a path belongs to.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/responses" => Some(Self::Responses),
            "/v1/messages" => Some(Self::Messages),
            _ => None,
        }
    }

    pub(super) fn read(self, body: &Value) -> Talk {
        match self {
            Self::Responses => responses::read(body),
            Self::Messages => messages::read(body),
        }
    }

    /// Writes an answer. The number tells it from all others.
    pub(super) fn write(self, number: usize, model: &Value, answer: &Answer) -> Written {
        match self {
            Self::Responses => responses::write(number, model, answer),
            Self::Messages => messages::write(number, model, answer),
        }
    }
}
