//! Asking for a job.

use serde_json::{Map, Value};

use super::{
    Created, Event, JobId, Lineage, Refusal, Routing,
    spec::{Choice, Executor},
};
use crate::{handoff::is_blank, ids::AnchorId, limits, reference::Reference, task::TaskId};

/// A job that is to be created.
#[derive(Clone, Debug)]
pub struct Draft {
    /// What, in a line.
    pub title: String,
    /// What, in full.
    pub prompt: String,
    /// What sort of work.
    pub kind: String,
    /// How urgent.
    pub priority: super::Priority,
    /// The task it is for.
    pub task: Option<TaskId>,
    /// The part of the map it is about.
    pub anchor: Option<AnchorId>,
    /// Who may do it.
    pub routing: Routing,
    /// What else is noted beside it.
    pub meta: Map<String, Value>,
    /// Whom it comes from, and what it may do.
    pub lineage: Lineage,
}

impl Draft {
    /// Decides to create it as number `job`.
    pub fn create(&self, job: JobId) -> Result<Event, Refusal> {
        check_line("title", &self.title, limits::TITLE_CHARS)?;
        check_text("prompt", &self.prompt, limits::PROMPT_CHARS)?;
        check_line("kind", &self.kind, limits::JOB_KIND_CHARS)?;
        if let Some(model) = &self.routing.executor_model {
            check_line("executor_model", model, limits::JOB_KIND_CHARS)?;
            if model.starts_with('-') {
                return Err(invalid("executor_model", "must not begin with a dash"));
            }
        }
        check_policy(&self.routing)?;
        check_notes(&Map::new(), &self.meta)?;
        check_skill(&self.meta)?;
        Ok(Event::Created(Created {
            job,
            title: self.title.trim().to_owned(),
            prompt: self.prompt.clone(),
            kind: self.kind.trim().to_owned(),
            priority: self.priority,
            task: self.task,
            anchor: self.anchor.clone(),
            routing: self.routing.clone(),
            meta: self.meta.clone(),
            lineage: self.lineage.clone(),
        }))
    }
}

fn check_policy(routing: &Routing) -> Result<(), Refusal> {
    let Some(policy) = &routing.policy else { return Ok(()) };
    if routing.executor != Choice::Auto {
        return Err(invalid("policy", "goes with executor auto only"));
    }
    if policy.prefer.len().max(policy.forbid.len()) > limits::EXECUTORS {
        return Err(invalid("policy", "names too many executors"));
    }
    if Executor::ALL.iter().all(|executor| policy.forbid.contains(executor)) {
        return Err(invalid("policy", "forbids every executor there is"));
    }
    match policy.prefer.iter().find(|executor| policy.forbid.contains(executor)) {
        Some(both) => Err(Refusal::Invalid { field: "policy", why: format!("both prefers and forbids {both}") }),
        None => Ok(()),
    }
}

/// Refuses what the runner would have to guess at.
fn check_skill(meta: &Map<String, Value>) -> Result<(), Refusal> {
    if let Some(profile) = meta.get("skill_profile")
        && profile.as_str().and_then(crate::runner::SkillProfile::named).is_none()
    {
        return Err(invalid("meta.skill_profile", "must be daily, strict, research or teamlead"));
    }
    if meta.get("skill_max_chars").is_some_and(|chars| chars.as_u64().is_none()) {
        return Err(invalid("meta.skill_max_chars", "must be a number of characters; 0 means no skill pack"));
    }
    Ok(())
}

/// Refuses a text that shows nothing or is longer than `most` characters.
pub(crate) fn check_text(field: &'static str, text: &str, most: usize) -> Result<(), Refusal> {
    let chars = text.chars().count();
    if is_blank(text) {
        return Err(invalid(field, "must say something"));
    }
    if chars > most {
        let why =
            format!("has {chars} characters; at most {most} are accepted. Put the rest into a card and refer to that");
        return Err(Refusal::Invalid { field, why });
    }
    Ok(())
}

/// The same for what is shown in a line.
pub(crate) fn check_line(field: &'static str, text: &str, most: usize) -> Result<(), Refusal> {
    check_text(field, text, most)?;
    if text.trim().chars().any(char::is_control) {
        return Err(invalid(field, "must be one line, without control characters"));
    }
    Ok(())
}

pub(super) fn check_refs(refs: &[Reference]) -> Result<(), Refusal> {
    if refs.len() > limits::REFERENCES {
        return Err(Refusal::Invalid {
            field: "refs",
            why: format!("has {}; at most {}", refs.len(), limits::REFERENCES),
        });
    }
    Ok(())
}

/// What of `meta` says how a job is done. It is said when the job is created, and never again.
const SKILL: [&str; 2] = ["skill_profile", "skill_max_chars"];

/// Refuses notes of a report that would grow beyond the bound, or would change what the job asks.
pub(super) fn check_meta(noted: &Map<String, Value>, added: &Map<String, Value>) -> Result<(), Refusal> {
    match SKILL.iter().find(|key| added.contains_key(**key)) {
        Some(key) => Err(said_once(key)),
        None => check_notes(noted, added),
    }
}

fn check_notes(noted: &Map<String, Value>, added: &Map<String, Value>) -> Result<(), Refusal> {
    if added.is_empty() {
        return Ok(());
    }
    if let Some(key) = Routing::META.iter().chain(&Lineage::META).find(|key| added.contains_key(**key)) {
        return Err(said_once(key));
    }
    let mut all = noted.clone();
    all.extend(added.clone());
    let bytes = serde_json::to_string(&all).map_or(usize::MAX, |json| json.len());
    if bytes > limits::JOB_META_BYTES {
        let why = format!("would have {bytes} bytes as JSON; at most {} are kept", limits::JOB_META_BYTES);
        return Err(Refusal::Invalid { field: "meta", why });
    }
    Ok(())
}

fn said_once(key: &str) -> Refusal {
    let why = format!("cannot set {key}: who does a job, and how, is said once, when it is created");
    Refusal::Invalid { field: "meta", why }
}

fn invalid(field: &'static str, why: &str) -> Refusal {
    Refusal::Invalid { field, why: why.to_owned() }
}
