//! The handoff: what travels with the stick, so that the next holder does not rediscover the context.
//!
//! It is stored as it was given. [`Handoff::check`] refuses one that says nothing or says too much;
//! whether it is true nobody can check.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};

use crate::{limits, reference::Reference};

/// What a holder leaves for the next one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Handoff {
    /// What I did, what I learned, what is unfinished
    pub status: String,
    /// What the recipient should do
    pub next_action: String,
    /// Where to look
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts: Vec<Artifact>,
    /// What is undecided
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_questions: Vec<String>,
    /// Off-limits
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub do_not: Vec<String>,
    /// The context pack that goes with it: `contextpack://pack/…`, or in a request [`Handoff::AUTO`].
    #[schemars(description = "auto: build it")]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub context_ref: Option<String>,
}

/// A pointer into the workspace.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Artifact {
    /// Absolute or workspace-relative
    pub path: String,
    /// Inclusive line range, from 1
    pub lines: Option<[u32; 2]>,
    /// What to do with it
    pub role: ArtifactRole,
    /// Why it matters
    pub note: Option<String>,
}

/// What the recipient should do with an artifact.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ArtifactRole {
    /// Look into it.
    Examine,
    /// Judge it.
    Review,
    /// Change it.
    Edit,
    /// Know it.
    Context,
    /// It is a result.
    Output,
}

/// Why a handoff is not accepted: the field, as a path into the handoff, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("handoff.{field} {problem}")]
pub struct InvalidHandoff {
    /// Where.
    pub field: String,
    /// What.
    pub problem: String,
}

impl Handoff {
    /// Asks for a pack that is built when the stick is handed on.
    pub const AUTO: &str = "auto";
    /// Headings for a status, to be written under. They say nothing by themselves.
    pub const STATUS_TEMPLATE: &str = "What I did:\nWhat I learned:\nOpen risks:";
    /// Stands for a next action until there is one.
    pub const NEXT_ACTION_TEMPLATE: &str = "What the next agent should do first (required, concrete)";
    /// Stands for a question until there is one.
    pub const QUESTION_TEMPLATE: &str = "[what is undecided]";
    /// Stands for a warning until there is one.
    pub const DO_NOT_TEMPLATE: &str = "[what is off-limits]";

    /// Reads a handoff that was stored. A later version may know more fields; what this one does not know is left
    /// out, where in a request it would be refused.
    pub(crate) fn stored<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        StoredHandoff::deserialize(deserializer)
    }

    /// Refuses a handoff that carries nothing, or more than anyone would read.
    pub fn check(&self) -> Result<(), InvalidHandoff> {
        text("status", &self.status, limits::HANDOFF_TEXT_BYTES)?;
        filled("status", &self.status)?;
        text("next_action", &self.next_action, limits::HANDOFF_TEXT_BYTES)?;
        filled("next_action", &self.next_action)?;
        count("artifacts", self.artifacts.len(), limits::HANDOFF_ARTIFACTS)?;
        for (i, artifact) in self.artifacts.iter().enumerate() {
            artifact.check(i)?;
        }
        for (name, list) in [("open_questions", &self.open_questions), ("do_not", &self.do_not)] {
            count(name, list.len(), limits::HANDOFF_LIST_ITEMS)?;
            for (i, item) in list.iter().enumerate() {
                let field = format!("{name}[{i}]");
                text(&field, item, limits::HANDOFF_ITEM_BYTES)?;
                filled(&field, item)?;
            }
        }
        if let Some(reference) = &self.context_ref
            && !matches!(reference.parse(), Ok(Reference::Pack(_)))
        {
            let problem = "must be auto, or a context pack like contextpack://pack/…";
            return Err(invalid("context_ref", problem.to_owned()));
        }
        match self.bytes() {
            total if total <= limits::HANDOFF_BYTES => Ok(()),
            total => Err(invalid(
                "status",
                format!(
                    "and the rest come to {total} bytes; at most {} fit: point to files instead of quoting them",
                    limits::HANDOFF_BYTES
                ),
            )),
        }
    }

    /// Its size as others will get it.
    fn bytes(&self) -> usize {
        serde_json::to_string(self).map_or(usize::MAX, |json| json.len())
    }
}

impl Artifact {
    fn check(&self, index: usize) -> Result<(), InvalidHandoff> {
        text(&format!("artifacts[{index}].path"), &self.path, limits::ARTIFACT_PATH_BYTES)?;
        if let Some([first, last]) = self.lines
            && (first == 0 || last < first)
        {
            let problem = format!("must be [first, last] with 1 <= first <= last, not [{first}, {last}]");
            return Err(invalid(format!("artifacts[{index}].lines"), problem));
        }
        match &self.note {
            Some(note) if note.len() > limits::ARTIFACT_NOTE_BYTES => {
                Err(too_long(&format!("artifacts[{index}].note"), note.len(), limits::ARTIFACT_NOTE_BYTES))
            }
            Some(_) | None => Ok(()),
        }
    }
}

/// How a stored [`Handoff`] is read: with fields that it does not know.
#[derive(Deserialize)]
#[serde(remote = "Handoff")]
struct StoredHandoff {
    status: String,
    next_action: String,
    #[serde(default, deserialize_with = "stored_artifacts")]
    artifacts: Vec<Artifact>,
    #[serde(default)]
    open_questions: Vec<String>,
    #[serde(default)]
    do_not: Vec<String>,
    #[serde(default)]
    context_ref: Option<String>,
}

/// How a stored [`Artifact`] is read.
#[derive(Deserialize)]
#[serde(remote = "Artifact")]
struct StoredArtifact {
    path: String,
    #[serde(default)]
    lines: Option<[u32; 2]>,
    role: ArtifactRole,
    #[serde(default)]
    note: Option<String>,
}

fn stored_artifacts<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<Artifact>, D::Error> {
    #[derive(Deserialize)]
    struct Stored(#[serde(with = "StoredArtifact")] Artifact);
    let stored = Vec::<Stored>::deserialize(deserializer)?;
    Ok(stored.into_iter().map(|Stored(artifact)| artifact).collect())
}

fn text(field: &str, value: &str, max: usize) -> Result<(), InvalidHandoff> {
    if is_blank(value) {
        return Err(invalid(field, "must be non-empty".to_owned()));
    }
    if value.len() > max {
        return Err(too_long(field, value.len(), max));
    }
    Ok(())
}

/// Refuses a text that is still a template.
fn filled(field: &str, value: &str) -> Result<(), InvalidHandoff> {
    if is_unfilled(value) {
        return Err(invalid(field, UNFILLED.to_owned()));
    }
    Ok(())
}

/// The problem with a text that is still a template.
const UNFILLED: &str = "is still the template; fill it in";

/// Words that stand for something that is not written yet, and those around a template: marks of lines, names of fields.
const PLACEHOLDERS: [&str; 13] =
    ["todo", "tbd", "fixme", "xxx", "none", "na", "n", "a", "br", "status", "next", "action", "summary"];

/// True for a text that has nothing but headings of the templates, however they are laid out, and words that stand for
/// something that is not written yet.
fn is_unfilled(text: &str) -> bool {
    let mut words = words(text).peekable();
    let is_empty = |word: &str| PLACEHOLDERS.contains(&word) || word.bytes().all(|byte| byte.is_ascii_digit());
    // Mostly the first word tells, and each handoff is looked at on the way to the next holder.
    if !words
        .peek()
        .is_some_and(|first| is_empty(first) || HEADINGS.iter().any(|heading| heading.first() == Some(first)))
    {
        return false;
    }
    let written: Vec<String> = words.collect();
    let (mut rest, mut has_heading) = (written.as_slice(), false);
    while let Some((first, others)) = rest.split_first() {
        if let Some(heading) = HEADINGS.iter().find(|heading| rest.starts_with(heading)) {
            (rest, has_heading) = (&rest[heading.len()..], true);
        } else if is_empty(first) {
            rest = others;
        } else {
            return false;
        }
    }
    has_heading
}

/// Headings of the templates, word by word.
static HEADINGS: LazyLock<Vec<Vec<String>>> = LazyLock::new(|| {
    let templates =
        [Handoff::STATUS_TEMPLATE, Handoff::NEXT_ACTION_TEMPLATE, Handoff::QUESTION_TEMPLATE, Handoff::DO_NOT_TEMPLATE];
    templates.iter().flat_map(|template| template.split(['\n', '('])).map(|line| words(line).collect()).collect()
});

fn words(text: &str) -> impl Iterator<Item = String> {
    // Some write a line break as a backslash and a letter.
    let parts = text.split("\\n").flat_map(|part| part.split(|c: char| !c.is_alphanumeric()));
    parts.filter(|word| !word.is_empty()).map(str::to_lowercase)
}

fn count(field: &str, items: usize, max: usize) -> Result<(), InvalidHandoff> {
    if items > max {
        return Err(invalid(field, format!("has {items} entries; at most {max} are accepted")));
    }
    Ok(())
}

fn too_long(field: &str, bytes: usize, max: usize) -> InvalidHandoff {
    invalid(field, format!("is {bytes} bytes long; at most {max} are accepted"))
}

fn invalid(field: impl Into<String>, problem: String) -> InvalidHandoff {
    InvalidHandoff { field: field.into(), problem }
}

/// Whether a text shows nothing: white space, control characters and invisible formatting do not count.
pub fn is_blank(text: &str) -> bool {
    text.chars().all(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
    })
}

/// What is wrong with a text that must say something and stay within `max` bytes.
pub(crate) fn blank_or_long(text: &str, max: usize) -> Option<String> {
    if is_blank(text) {
        return Some("must be non-empty".to_owned());
    }
    if is_unfilled(text) {
        return Some(UNFILLED.to_owned());
    }
    (text.len() > max).then(|| format!("is {} bytes long; at most {max} are accepted", text.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn handoff(status: &str, next_action: &str) -> Handoff {
        Handoff {
            status: status.to_owned(),
            next_action: next_action.to_owned(),
            artifacts: Vec::new(),
            open_questions: Vec::new(),
            do_not: Vec::new(),
            context_ref: None,
        }
    }

    fn problem(handoff: &Handoff) -> String {
        handoff.check().unwrap_err().to_string()
    }

    #[test]
    fn handoff_validation_errors_name_the_field() {
        let mut lines = handoff("done", "review");
        lines.artifacts =
            vec![Artifact { path: "a.rs".to_owned(), lines: Some([9, 3]), role: ArtifactRole::Edit, note: None }];
        let mut pack = handoff("done", "review");
        pack.context_ref = Some("artifact://diff/1".to_owned());
        let mut question = handoff("done", "review");
        question.open_questions = vec!["why?".to_owned(), " ".to_owned()];
        insta::assert_snapshot!(
            [
                problem(&handoff("", "review")),
                problem(&handoff("done", " \n\u{200b}")),
                problem(&handoff(&"x".repeat(20_000), "review")),
                problem(&lines),
                problem(&question),
                problem(&pack),
            ]
            .join("\n"),
            @r"
        handoff.status must be non-empty
        handoff.next_action must be non-empty
        handoff.status is 20000 bytes long; at most 16384 are accepted
        handoff.artifacts[0].lines must be [first, last] with 1 <= first <= last, not [9, 3]
        handoff.open_questions[1] must be non-empty
        handoff.context_ref must be auto, or a context pack like contextpack://pack/…
        "
        );
    }

    #[test]
    fn a_template_that_was_not_filled_in_says_nothing_however_it_is_dressed() {
        let unfilled = [
            handoff(Handoff::STATUS_TEMPLATE, "review"),
            handoff("\n## What I did:\n\n- **what I learned**\n", "review"),
            handoff("What I did: What I learned:  Open risks:", "review"),
            handoff("What I did:\\nWhat I learned:\\nOpen risks:", "review"),
            handoff("What I did: ...\nWhat I learned: TODO\nOpen risks: -", "review"),
            handoff("1. What I did:\n2. What I learned: N/A\n3. Open risks:", "review"),
            handoff("What I did:<br>What I learned:<br>Open risks:", "review"),
            handoff("{\"status\": \"What I did:\\nWhat I learned:\"}", "review"),
            handoff("done", Handoff::NEXT_ACTION_TEMPLATE),
            handoff("done", "What the next agent should do first"),
            Handoff { do_not: vec!["what is off-limits".to_owned()], ..handoff("done", "review") },
            Handoff { open_questions: vec![Handoff::QUESTION_TEMPLATE.to_owned()], ..handoff("done", "review") },
        ];
        for handoff in &unfilled {
            assert!(problem(handoff).ends_with("is still the template; fill it in"), "{handoff:?}");
        }
        assert_eq!(handoff("What I did: the parser\nWhat I learned:\nOpen risks:", "review").check(), Ok(()));
        assert_eq!(handoff("…", "✓").check(), Ok(()));
        assert_eq!(handoff("TODO: nothing", "todo").check(), Ok(()), "no heading is in it");
    }

    #[test]
    fn a_stored_handoff_may_have_fields_of_a_later_version_and_a_given_one_may_not() {
        let later =
            r#"{"status":"done","next_action":"go","mood":"good","artifacts":[{"path":"a","role":"edit","hash":"x"}]}"#;
        assert!(serde_json::from_str::<Handoff>(later).is_err());
        let stored = Handoff::stored(&mut serde_json::Deserializer::from_str(later)).unwrap();
        assert_eq!((stored.status.as_str(), stored.artifacts.len()), ("done", 1));
    }

    #[test]
    fn what_is_optional_may_be_left_out_and_is_not_written() {
        let json = r#"{"status":"done","next_action":"review"}"#;
        let parsed: Handoff = serde_json::from_str(json).unwrap();
        assert_eq!(parsed.check(), Ok(()));
        assert_eq!(serde_json::to_string(&parsed).unwrap(), json);
    }
}
