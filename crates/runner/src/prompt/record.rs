//! What is kept of a prompt: `prompt.blocks.json`.

use baton_core::redact::redact;
use serde::Serialize;

use super::{
    Block, Prompt,
    block::{hash, tokens},
};

/// Which form of the record this is.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Record<'a> {
    version: u32,
    mode: &'static str,
    tokens: Tokens,
    blocks: Vec<Part<'a>>,
    /// What was sent, to the byte, where that is not all of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    sent: Option<String>,
}

#[derive(Serialize)]
struct Tokens {
    full: u32,
    sent: u32,
}

#[derive(Serialize)]
struct Part<'a> {
    name: &'static str,
    title: &'a str,
    tokens: u32,
    sent: bool,
    sha256: String,
    text: String,
}

impl<'a> Part<'a> {
    fn of(block: &'a Block, sent: bool) -> Self {
        let text = redact(&block.text).into_owned();
        let (name, title) = (block.name.as_str(), block.title.as_str());
        Self { name, title, tokens: tokens(&block.text), sent, sha256: hash(&text), text }
    }
}

impl Prompt {
    /// How many tokens are in effect.
    pub fn tokens_full(&self) -> u32 {
        tokens(&self.full())
    }

    /// How many tokens are sent.
    pub fn tokens_sent(&self) -> u32 {
        tokens(&self.sent())
    }

    /// The prompt as it is put on record, block by block, in JSON. Secrets are taken out of the texts here: taken out of
    /// JSON, they could take a quotation mark along.
    pub fn record(&self) -> String {
        let (full, sent) = (self.full(), self.sent());
        let blocks = self.blocks().map(|(block, sent)| Part::of(block, sent)).collect();
        let record = Record {
            version: VERSION,
            mode: self.extent().as_str(),
            tokens: Tokens { full: tokens(&full), sent: tokens(&sent) },
            blocks,
            sent: (sent != full).then(|| redact(&sent).into_owned()),
        };
        let json = serde_json::to_string_pretty(&record).unwrap_or_default() + "\n";
        // Whoever keeps it looks for secrets once more. Where that would find one in how JSON spells a text, the quotation
        // marks within texts are spelled so that none is taken along.
        if *redact(&json) == *json { json } else { spelled_out(&json) }
    }
}

/// The same JSON with `\"` as `\u0022`.
fn spelled_out(json: &str) -> String {
    let (mut text, mut letters) = (String::with_capacity(json.len()), json.chars());
    while let Some(letter) = letters.next() {
        text.push(letter);
        if letter == '\\' {
            match letters.next() {
                Some('"') => text.push_str("u0022"),
                Some(escaped) => text.push(escaped),
                None => {}
            }
        }
    }
    text
}
