//! A request to go on with a conversation, whichever API it came by, and the answer to it.

use serde_json::{Value, json};

/// The tools of `codex` that its newer models call by code and do not see.
const CODEX_TOOLS: [&str; 2] = ["exec_command", "apply_patch"];

/// A conversation so far.
#[derive(Debug)]
pub(super) struct Talk {
    pub(super) conversation: Conversation,
    pub(super) model: Value,
    pub(super) instructions: String,
    pub(super) offered: Vec<Offered>,
    pub(super) items: Vec<Item>,
    pub(super) schema: Option<Value>,
    pub(super) streams: bool,
}

/// The mark by which a conversation is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Conversation {
    /// The program's name for it; empty where it told none.
    Named(String),
    /// Its first text, for `gemini`, which names no session.
    Begun(String),
}

/// One thing that happened in it.
#[derive(Debug)]
pub(super) enum Item {
    User(String),
    Said(String),
    Called { id: String },
    Returned { id: String, text: String, is_error: bool },
}

/// A tool the model may call.
#[derive(Clone, Debug)]
pub(super) struct Offered {
    /// Its whole name, with the server it belongs to.
    pub(super) full: String,
    /// Its name inside its namespace.
    pub(super) name: String,
    pub(super) namespace: Option<String>,
    pub(super) manner: Manner,
}

/// What kind of tool it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Manner {
    /// It does something.
    Plain,
    /// It takes text instead of JSON.
    Text,
    /// It finds other tools.
    Search,
    /// It runs code that calls other tools.
    Code,
}

/// What the model does.
#[derive(Debug)]
pub(super) enum Answer {
    Say(String),
    Call { id: String, tool: Offered, arguments: Value },
}

/// An answer on the wire: whole, and as the events of a stream.
#[derive(Debug)]
pub(super) struct Written {
    pub(super) whole: Value,
    pub(super) events: Vec<Event>,
}

/// An event of a stream.
#[derive(Debug)]
pub(super) struct Event {
    pub(super) name: Option<&'static str>,
    pub(super) data: Value,
}

impl Event {
    /// An event of an API that names none.
    pub(super) fn unnamed(data: Value) -> Self {
        Self { name: None, data }
    }

    /// An event whose data repeats its name.
    pub(super) fn typed((name, mut data): (&'static str, Value)) -> Self {
        data["type"] = json!(name);
        Self { name: Some(name), data }
    }
}

impl Talk {
    /// Whether a tool is on offer, or may be to the code that calls it.
    pub(super) fn offers(&self, tool: &str) -> bool {
        let by_code = CODEX_TOOLS.contains(&tool) && self.is(Manner::Code);
        by_code || self.offered.iter().any(|offered| offered.full == tool)
    }

    /// Whether some tool on offer is of this kind.
    pub(super) fn is(&self, manner: Manner) -> bool {
        self.offered.iter().any(|offered| offered.manner == manner)
    }

    /// Whether a tool is on offer that takes text.
    pub(super) fn has_text_tool(&self, tool: &str) -> bool {
        self.offered.iter().any(|offered| offered.full == tool && offered.manner == Manner::Text)
    }
}

impl Offered {
    /// A tool that stands by itself.
    pub(super) fn plain(name: &str) -> Self {
        Self { full: name.to_owned(), name: name.to_owned(), namespace: None, manner: Manner::Plain }
    }
}

/// The text of a string or of a list of blocks; of anything else, its JSON.
pub(super) fn plain(content: &Value) -> String {
    match content {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(blocks) => blocks.iter().map(block).collect(),
        other => other.to_string(),
    }
}

fn block(block: &Value) -> String {
    block["text"].as_str().map_or_else(|| block.to_string(), str::to_owned)
}

/// The elements of a list, and none of anything else.
pub(super) fn each(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// The text of a field, or none.
pub(super) fn text_of(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().to_owned()
}
