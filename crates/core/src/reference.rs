//! References: the stable pointers that agents and people hand each other.
//!
//! A reference is written the same way everywhere (`JOB-001@17`, `CARD-2`, `notes@9`, `a:core`, `artifact://diff/3`) and read
//! here only. A receipt (`CMD: …`, `LINK: …`) is one too: it says what was run or where to look. Whether a reference leads
//! anywhere is not known here; the app asks the store.

use std::{fmt, str::FromStr};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    context::PackId,
    envelope::PayloadId,
    ids::{AgentId, AnchorId, Seq},
    job::JobId,
    library::{ArtifactKind, CardId, PlanId},
    limits, number,
    spawn::ApprovalId,
    task::TaskId,
    turn::TurnId,
};

/// A pointer to something in a room, or a receipt.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(try_from = "String", into = "String")]
#[schemars(inline, with = "String", extend("format" = "reference"))]
pub enum Reference {
    /// `JOB-001`
    Job(JobId),
    /// `JOB-001@17`
    JobEvent(JobId, Seq),
    /// `TASK-001`
    Task(TaskId),
    /// `CARD-1`
    Card(CardId),
    /// `PLAN-1`
    Plan(PlanId),
    /// `notes@17`
    Note(Seq),
    /// `a:core`
    Anchor(AnchorId),
    /// `runner:r1`
    Runner(AgentId),
    /// `artifact://diff/3`
    Artifact(ArtifactKind, u32),
    /// `contextpack://pack/0198…`
    Pack(PackId),
    /// `payload://0198…`: an envelope
    Payload(PayloadId),
    /// `TURN-1`
    Turn(TurnId),
    /// `APPROVAL-1`
    Approval(ApprovalId),
    /// `log@17`: an event of the room's log, whatever it is
    Event(Seq),
    /// `CMD: cargo test`
    Command(String),
    /// `LINK: https://…`
    Link(String),
}

const COMMAND: &str = "CMD:";
const LINK: &str = "LINK:";
const ARTIFACT: &str = "artifact://";
const PACK: &str = "contextpack://pack/";
const PAYLOAD: &str = "payload://";
const RUNNER: &str = "runner:";
const LOG: &str = "log@";
/// The contract writes both.
const NOTES: [&str; 2] = ["notes@", "notes_doc@"];

impl Reference {
    /// Whether it points to something that a room keeps: a receipt does not.
    pub fn is_stable(&self) -> bool {
        !matches!(self, Self::Command(_) | Self::Link(_))
    }
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Job(job) => job.fmt(f),
            Self::JobEvent(job, seq) => write!(f, "{job}@{seq}"),
            Self::Task(task) => task.fmt(f),
            Self::Card(card) => card.fmt(f),
            Self::Plan(plan) => plan.fmt(f),
            Self::Note(seq) => write!(f, "{}{seq}", NOTES[0]),
            Self::Anchor(anchor) => anchor.fmt(f),
            Self::Runner(runner) => write!(f, "{RUNNER}{runner}"),
            Self::Artifact(kind, number) => write!(f, "{ARTIFACT}{}/{number}", kind.as_str()),
            Self::Pack(pack) => write!(f, "{PACK}{pack}"),
            Self::Payload(envelope) => write!(f, "{PAYLOAD}{envelope}"),
            Self::Turn(turn) => turn.fmt(f),
            Self::Approval(approval) => approval.fmt(f),
            Self::Event(seq) => write!(f, "{LOG}{seq}"),
            Self::Command(command) => write!(f, "{COMMAND} {command}"),
            Self::Link(link) => write!(f, "{LINK} {link}"),
        }
    }
}

/// Why a text is no reference.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{shown:?} is no reference: use JOB-001, JOB-001@17, TASK-001, CARD-1, PLAN-1, notes@17, a:core, runner:r1, \
     artifact://diff/3, contextpack://pack/…, payload://…, TURN-1, APPROVAL-1, log@17, or a receipt: CMD: what was run, LINK: https://…"
)]
pub struct InvalidReference {
    shown: String,
}

impl FromStr for Reference {
    type Err = InvalidReference;

    fn from_str(text: &str) -> Result<Self, InvalidReference> {
        let text = text.trim();
        let fits = text.len() <= limits::REFERENCE_BYTES && !text.chars().any(char::is_control);
        let found = if fits { receipt(text).or_else(|| pointer(text)) } else { None };
        found.ok_or_else(|| InvalidReference { shown: text.chars().take(limits::SHOWN_INPUT_CHARS).collect() })
    }
}

fn receipt(text: &str) -> Option<Reference> {
    let said = |prefix: &str| {
        let given = text.get(..prefix.len()).filter(|given| given.eq_ignore_ascii_case(prefix))?;
        text.strip_prefix(given).map(str::trim).filter(|said| !is_placeholder(said))
    };
    let is_link = |link: &str| {
        let host = link.strip_prefix("https://").or_else(|| link.strip_prefix("http://"));
        host.is_some_and(|host| host.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '['))
            && !link.contains(' ')
    };
    match said(COMMAND) {
        Some(command) => Some(Reference::Command(command.to_owned())),
        None => said(LINK).filter(|link| is_link(link)).map(|link| Reference::Link(link.to_owned())),
    }
}

/// Whether a receipt only looks like one: `CMD: <command>`, `CMD: …`, `CMD: none`.
fn is_placeholder(said: &str) -> bool {
    const EMPTY_WORDS: [&str; 6] = ["none", "n/a", "na", "todo", "tbd", "command"];
    let word = said.trim_matches(|c: char| !c.is_alphanumeric());
    word.is_empty() || said.starts_with('<') || EMPTY_WORDS.iter().any(|empty| word.eq_ignore_ascii_case(empty))
}

fn pointer(text: &str) -> Option<Reference> {
    if let Some(rest) = text.strip_prefix(ARTIFACT) {
        let (kind, number) = rest.split_once('/')?;
        return Some(Reference::Artifact(ArtifactKind::named(kind)?, number::read(number, "")?));
    }
    if let Some(pack) = text.strip_prefix(PACK) {
        return pack.parse().ok().map(Reference::Pack);
    }
    if let Some(envelope) = text.strip_prefix(PAYLOAD) {
        return envelope.parse().ok().map(Reference::Payload);
    }
    if let Some(runner) = text.strip_prefix(RUNNER) {
        return runner.parse().ok().map(Reference::Runner);
    }
    if let Some(seq) = NOTES.iter().find_map(|prefix| text.strip_prefix(prefix)) {
        return place(seq).map(Reference::Note);
    }
    if let Some(seq) = text.strip_prefix(LOG) {
        return place(seq).map(Reference::Event);
    }
    if let Some((job, seq)) = text.split_once('@') {
        return Some(Reference::JobEvent(job.parse().ok()?, place(seq)?));
    }
    // Not parsed as ids: every word of a text is tried, and each refusal would be put into words that nobody reads.
    let numbered = |prefix| number::read(text, prefix);
    let job = || numbered(JobId::PREFIX).map(|number| Reference::Job(JobId(number)));
    let task = || numbered(TaskId::PREFIX).map(|number| Reference::Task(TaskId(number)));
    let card = || numbered(CardId::PREFIX).map(|number| Reference::Card(CardId(number)));
    let plan = || numbered(PlanId::PREFIX).map(|number| Reference::Plan(PlanId(number)));
    let turn = || numbered(TurnId::PREFIX).map(|number| Reference::Turn(TurnId(number)));
    let approval = || numbered(ApprovalId::PREFIX).map(|number| Reference::Approval(ApprovalId(number)));
    let anchor = || text.parse().ok().map(Reference::Anchor);
    job().or_else(task).or_else(card).or_else(plan).or_else(turn).or_else(approval).or_else(anchor)
}

fn place(seq: &str) -> Option<Seq> {
    let is_number = (1..=18).contains(&seq.len()) && seq.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| seq.parse().ok())?.filter(|seq| *seq > 0).map(Seq)
}

impl TryFrom<String> for Reference {
    type Error = InvalidReference;

    fn try_from(text: String) -> Result<Self, InvalidReference> {
        text.parse()
    }
}

impl From<Reference> for String {
    fn from(reference: Reference) -> Self {
        reference.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reference_is_written_as_it_is_read() {
        for text in [
            "JOB-001",
            "JOB-001@17",
            "TASK-123",
            "CARD-1",
            "PLAN-7",
            "notes@17",
            "a:core",
            "a:http/api",
            "runner:bm_runner:42",
            "artifact://diff/3",
            "contextpack://pack/789",
            "payload://payload-uuid",
            "TURN-3",
            "APPROVAL-1",
            "log@17",
            "CMD: cargo test -p core",
            "LINK: https://example.org/x?y=1",
        ] {
            assert_eq!(text.parse::<Reference>().unwrap().to_string(), text);
        }
        assert_eq!("notes_doc@9".parse::<Reference>().unwrap().to_string(), "notes@9");
        assert_eq!(" job-1@2 ".parse::<Reference>().unwrap().to_string(), "JOB-001@2");
    }

    #[test]
    fn what_only_looks_like_a_reference_is_none() {
        for text in [
            "",
            "task-force",
            "JOB-",
            "JOB-0",
            "JOB-001@",
            "JOB-001@0",
            "notes@",
            "log@0",
            "a:",
            "artifact://../3",
            "artifact://diff/x",
            "CMD:",
            "CMD: <command>",
            "CMD: …",
            "CMD: none",
            "LINK: example.org",
            "LINK: https://",
            "LINK: https://a b",
            "done",
        ] {
            assert!(text.parse::<Reference>().is_err(), "{text:?}");
        }
        assert!("x".repeat(limits::REFERENCE_BYTES + 1).parse::<Reference>().is_err());
    }
}
