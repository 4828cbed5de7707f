//! `baton handoff`

use std::{path::Path, process::ExitCode};

use baton_app::{
    Failure,
    commands::envelope::{AttachmentInput, Send, SendInput, VerdictInput},
};
use baton_core::{
    code::ErrorCode,
    envelope::{EnvelopeKind, EnvelopePriority, Expectation},
    limits,
};
use serde_json::{Map, Value};

use crate::{
    context::Context,
    parse::one_of,
    render,
    select::{KeyArgs, RoomArgs},
    text::Text,
    ui::Ui,
};

const MESSAGE: Text = Text::of("message", limits::ENVELOPE_MESSAGE_BYTES, ErrorCode::InvalidEnvelope);
const STRUCTURED: Text = Text::of("structured", limits::ENVELOPE_STRUCTURED_BYTES, ErrorCode::InvalidEnvelope);

/// Hand something to another agent: a short message, and pointers to the rest
///
/// It lies in the recipient's inbox until a turn consumes it. What is long belongs into an artifact, a card or a file that
/// the message points to.
#[derive(Debug, clap::Args)]
pub(super) struct HandoffArgs {
    /// Name or id of an agent, or a job like JOB-001
    #[arg(value_name = "TO")]
    to: String,
    /// A short summary; `-` is standard input
    #[arg(value_name = "MESSAGE", allow_hyphen_values = true)]
    message: String,
    /// handoff: work goes on there; signal: it should know something [default: handoff]
    #[arg(long, value_name = "KIND", value_parser = one_of(EnvelopeKind::ALL, EnvelopeKind::as_str))]
    kind: Option<EnvelopeKind>,
    /// Structured output: a JSON object, or @FILE
    #[arg(long, value_name = "JSON")]
    structured: Option<String>,
    /// What it points to: diff=artifact://diff/3, task=TASK-001
    #[arg(long = "artifact", value_name = "TYPE=REF", value_parser = attachment)]
    artifacts: Vec<(String, String)>,
    /// It went well
    #[arg(long, conflicts_with = "failed")]
    ok: bool,
    /// It did not, and why
    #[arg(long, value_name = "REASON")]
    failed: Option<String>,
    /// Whether you wait for a response: none, optional or required
    #[arg(long, value_name = "EXPECTATION", value_parser = one_of(Expectation::ALL, Expectation::as_str))]
    response: Option<Expectation>,
    /// Who gets the response [default: you]
    #[arg(long, value_name = "WHO")]
    reply_to: Option<String>,
    /// A stored context pack: contextpack://pack/…
    #[arg(long, value_name = "REF")]
    context: Option<String>,
    /// The id of the envelope that this answers
    #[arg(long, value_name = "ID")]
    in_reply_to: Option<String>,
    /// How much it presses: low, normal or high
    #[arg(long, value_name = "PRIORITY", value_parser = one_of(EnvelopePriority::ALL, EnvelopePriority::as_str))]
    priority: Option<EnvelopePriority>,
    /// Its own id, once in the room [default: a new one]
    #[arg(long, value_name = "ID")]
    id: Option<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl HandoffArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let mut meta = Map::new();
        meta.extend(self.priority.map(|priority| ("priority".to_owned(), priority.as_str().into())));
        meta.extend(self.in_reply_to.map(|id| ("inReplyTo".to_owned(), id.into())));
        let status = match (self.ok, self.failed) {
            (false, None) => None,
            (ok, reason) => Some(VerdictInput { ok, reason }),
        };
        let attachment = |(kind, reference)| AttachmentInput { kind, reference };
        let sent = context.run::<Send>(SendInput {
            room_id,
            to: Some(self.to),
            message: Some(MESSAGE.given(self.message)?),
            kind: self.kind,
            structured: self.structured.map(structured).transpose()?,
            artifacts: self.artifacts.into_iter().map(attachment).collect(),
            status,
            response: self.response.map(Into::into),
            reply_to: self.reply_to,
            context_ref: self.context,
            meta: (!meta.is_empty()).then_some(meta),
            id: self.id,
            envelope: None,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&sent, || render::handed_sentence(&sent)))
    }
}

pub(super) fn attachment(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((kind, reference)) if !kind.is_empty() && !reference.is_empty() => {
            Ok((kind.to_owned(), reference.to_owned()))
        }
        _ => Err(format!("{text:?} is not TYPE=REF, like diff=artifact://diff/3")),
    }
}

pub(super) fn structured(given: String) -> Result<Map<String, Value>, Failure> {
    let text = match given.strip_prefix('@') {
        Some(file) => STRUCTURED.of_file(Path::new(file))?,
        None => given,
    };
    serde_json::from_str(&text).map_err(|error| {
        let message = format!("structured is a JSON object: {error}.");
        Failure::new(ErrorCode::InvalidEnvelope, message).with("field", "structured")
    })
}
