//! The APIs that programs speak.

use serde_json::Value;

use super::{
    chat, gemini,
    http::Request,
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
    /// OpenAI Chat Completions, which `opencode` speaks.
    Chat,
    /// Gemini, which `gemini` speaks.
    Gemini,
}

impl Dialect {
    /// The API that a path belongs to.
    pub(super) fn of(path: &str) -> Option<Self> {
        match path {
            "/v1/responses" => Some(Self::Responses),
            "/v1/messages" => Some(Self::Messages),
            "/v1/chat/completions" => Some(Self::Chat),
            path if gemini::is_path(path) => Some(Self::Gemini),
            _ => None,
        }
    }

    pub(super) fn read(self, request: &Request, body: &Value) -> Talk {
        match self {
            Self::Responses => responses::read(body),
            Self::Messages => messages::read(body),
            Self::Chat => chat::read(request, body),
            Self::Gemini => gemini::read(request, body),
        }
    }

    /// Writes an answer. The number tells it from all others.
    pub(super) fn write(self, number: usize, model: &Value, answer: &Answer) -> Written {
        match self {
            Self::Responses => responses::write(number, model, answer),
            Self::Messages => messages::write(number, model, answer),
            Self::Chat => chat::write(number, model, answer),
            Self::Gemini => gemini::write(model, answer),
        }
    }
}
