//! What may be kept.

use super::{
    AnchorSet, ArtifactId, ArtifactKept, ArtifactKind, CardCreated, CardId, CardKind, Event, PatchOrigin, PlanCreated,
    PlanId, Refusal,
};
use crate::{
    handoff::blank_or_long,
    ids::{AgentId, AnchorId},
    job::{JobId, check_line},
    lease::Fence,
    limits,
    reference::Reference,
    task::TaskId,
    turn::TurnId,
};

/// A card that is to be written.
#[derive(Clone, Debug)]
pub struct CardDraft {
    /// What sort of finding.
    pub kind: CardKind,
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub text: String,
    /// Words to find it by.
    pub tags: Vec<String>,
    /// Whether it is kept in view.
    pub pinned: bool,
    /// The task it belongs to.
    pub task: Option<TaskId>,
    /// The part of the map it belongs to.
    pub anchor: Option<AnchorId>,
    /// The job it came from.
    pub job: Option<JobId>,
    /// What it points to. They lead somewhere.
    pub refs: Vec<Reference>,
}

impl CardDraft {
    /// Decides to keep it as number `card`.
    pub fn create(&self, card: CardId) -> Result<Event, Refusal> {
        check_line("title", &self.title, limits::TITLE_CHARS)?;
        long("text", &self.text, limits::CARD_BYTES)?;
        if crate::handoff::is_blank(&self.text) {
            return Err(invalid("text", "must say something"));
        }
        if self.refs.len() > limits::REFERENCES {
            return Err(invalid("refs", "are too many"));
        }
        Ok(Event::CardCreated(CardCreated {
            card,
            kind: self.kind,
            title: self.title.trim().to_owned(),
            text: self.text.clone(),
            tags: tags(&self.tags)?,
            pinned: self.pinned,
            task: self.task,
            anchor: self.anchor.clone(),
            job: self.job,
            refs: self.refs.clone(),
        }))
    }
}

/// Tags as they are kept: in small letters, sorted, each once.
fn tags(given: &[String]) -> Result<Vec<String>, Refusal> {
    if given.len() > limits::TAGS {
        return Err(invalid("tags", "are too many; at most 16"));
    }
    let mut tags = Vec::new();
    for tag in given {
        check_line("tags", tag, limits::TAG_CHARS)?;
        tags.push(tag.trim().to_lowercase());
    }
    tags.sort();
    tags.dedup();
    Ok(tags)
}

/// A part of the map that is to be described.
#[derive(Clone, Debug)]
pub struct AnchorDraft {
    /// Which.
    pub anchor: AnchorId,
    /// What it is called.
    pub title: String,
    /// What belongs to it.
    pub text: String,
}

impl AnchorDraft {
    /// Decides to describe it so.
    pub fn set(&self) -> Result<Event, Refusal> {
        check_line("title", &self.title, limits::TITLE_CHARS)?;
        long("text", &self.text, limits::CARD_BYTES)?;
        let title = self.title.trim().to_owned();
        Ok(Event::AnchorSet(AnchorSet { anchor: self.anchor.clone(), title, text: self.text.clone() }))
    }
}

/// A plan that is to be made.
#[derive(Clone, Debug)]
pub struct PlanDraft {
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub text: String,
    /// The tasks it puts in order. They exist.
    pub tasks: Vec<TaskId>,
}

impl PlanDraft {
    /// Decides to keep it as number `plan`.
    pub fn create(&self, plan: PlanId) -> Result<Event, Refusal> {
        check_line("title", &self.title, limits::TITLE_CHARS)?;
        long("text", &self.text, limits::CARD_BYTES)?;
        if self.tasks.len() > limits::REFERENCES {
            return Err(invalid("tasks", "are too many; at most 32"));
        }
        let title = self.title.trim().to_owned();
        Ok(Event::PlanCreated(PlanCreated { plan, title, text: self.text.clone(), tasks: self.tasks.clone() }))
    }
}

/// A file that is to be kept.
#[derive(Clone, Debug)]
pub struct ArtifactDraft {
    /// What sort of file.
    pub kind: ArtifactKind,
    /// What it is called.
    pub name: String,
    /// The hash of its content.
    pub sha256: String,
    /// How large it is.
    pub bytes: u64,
    /// The machine it is kept on.
    pub host: String,
    /// The job it came from.
    pub job: Option<JobId>,
    /// Under which claim of that job.
    pub revision: Option<Fence>,
    /// The agent it is of.
    pub node: Option<AgentId>,
    /// The turn it is of.
    pub turn: Option<TurnId>,
    /// What it points to, if it is a context pack.
    pub refs: Vec<Reference>,
    /// Whether something that looked like a secret was taken out.
    pub redacted: bool,
    /// Its origin, if it is a diff that can be applied.
    pub patch: Option<PatchOrigin>,
}

impl ArtifactDraft {
    /// Decides to keep it as number `artifact`.
    pub fn keep(&self, artifact: ArtifactId) -> Result<Event, Refusal> {
        check_line("name", &self.name, limits::ARTIFACT_NAME_CHARS)?;
        if self.name.contains('/') {
            return Err(invalid("name", "is a name, not a path"));
        }
        if self.bytes > limits::ARTIFACT_BYTES {
            return Err(invalid("content", "is larger than 16 MiB"));
        }
        Ok(Event::ArtifactKept(ArtifactKept {
            artifact,
            kind: self.kind,
            name: self.name.trim().to_owned(),
            sha256: self.sha256.clone(),
            bytes: self.bytes,
            host: self.host.clone(),
            job: self.job,
            revision: self.revision,
            node: self.node.clone(),
            turn: self.turn,
            refs: self.refs.clone(),
            redacted: self.redacted,
            patch: self.patch.clone(),
        }))
    }
}

/// Refuses a text that is too long. It may be empty.
fn long(field: &'static str, text: &str, most: usize) -> Result<(), Refusal> {
    match blank_or_long(text, most).filter(|_| text.len() > most) {
        Some(why) => Err(Refusal::Invalid { field, why }),
        None => Ok(()),
    }
}

fn invalid(field: &'static str, why: &str) -> Refusal {
    Refusal::Invalid { field, why: why.to_owned() }
}
