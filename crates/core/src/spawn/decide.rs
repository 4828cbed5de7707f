//! What may be asked for, and what may be made of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Map;

use super::{
    Approval, ApprovalId, ApprovalStatus, Approved, Bounds, Denied, Event, NodeSpec, Refusal, SpecDigest, Wishes,
};
use crate::{
    envelope::check_context_ref,
    handoff::blank_or_long,
    ids::{AgentId, Role},
    job::{self, Choice, Isolation, JobId, Lineage, Priority, Profile},
    limits, redact,
    words::words,
};

words! {
    /// What is decided on a request.
    Decision {
        /// It gets what it asked for.
        Approve "approve",
        /// It gets nothing.
        Deny "deny",
        /// It gets something else.
        Modify "modify",
    }
}

/// What is made different of a request before it is approved. What is left out stays.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Changes {
    /// What, in a line
    pub title: Option<String>,
    /// What, in full
    pub prompt: Option<String>,
    /// What it is here for
    pub role: Option<String>,
    /// Sort of work
    pub kind: Option<String>,
    /// low, normal or high
    pub priority: Option<String>,
    #[expect(missing_docs, reason = "its type says it")]
    pub executor: Option<Choice>,
    #[expect(missing_docs, reason = "its type says it")]
    pub executor_profile: Option<Profile>,
    #[expect(missing_docs, reason = "its name says it")]
    pub executor_model: Option<String>,
    #[expect(missing_docs, reason = "its type says it")]
    pub isolation: Option<Isolation>,
    /// Whether it may ask for further agents
    pub spawn_nodes: Option<bool>,
    /// Whether it may only look
    pub read_only: Option<bool>,
    /// What it is handed first
    pub message: Option<String>,
}

impl Changes {
    /// What of it makes `spec` different: a form says all that it shows, changed or not.
    #[must_use]
    pub fn of(self, spec: &NodeSpec) -> Self {
        let routing = &spec.routing;
        Self {
            title: self.title.filter(|title| *title != spec.title),
            prompt: self.prompt.filter(|prompt| *prompt != spec.prompt),
            role: self.role.filter(|role| spec.role.as_ref() != Some(role)),
            kind: self.kind.filter(|kind| *kind != spec.kind),
            priority: self.priority.filter(|priority| Priority::read(priority) != Some(spec.priority)),
            executor: self.executor.filter(|executor| *executor != routing.executor),
            executor_profile: self.executor_profile.filter(|profile| routing.executor_profile != Some(*profile)),
            executor_model: self.executor_model.filter(|model| routing.executor_model.as_ref() != Some(model)),
            isolation: self.isolation.filter(|isolation| *isolation != routing.isolation),
            spawn_nodes: self.spawn_nodes.filter(|may| *may != spec.grants.spawn_nodes),
            read_only: self.read_only.filter(|only| *only != spec.grants.read_only),
            message: self.message.filter(|message| *message != spec.payload.message),
        }
    }

    /// The names of what is made different, in the order in which they are listed.
    pub fn fields(&self) -> Vec<String> {
        match serde_json::to_value(self) {
            Ok(serde_json::Value::Object(fields)) => fields.into_iter().map(|(field, _)| field).collect(),
            Ok(_) | Err(_) => Vec::new(),
        }
    }
}

impl NodeSpec {
    /// The job that it becomes, for `parent`.
    pub fn job(&self, parent: &AgentId) -> job::Draft {
        let mut meta = Map::new();
        meta.extend(self.role.as_ref().map(|role| ("role".to_owned(), role.as_str().into())));
        meta.extend(self.context_ref.as_ref().map(|pack| ("context_ref".to_owned(), pack.as_str().into())));
        job::Draft {
            title: self.title.clone(),
            prompt: self.prompt.clone(),
            kind: self.kind.clone(),
            priority: self.priority,
            task: self.task,
            anchor: self.anchor.clone(),
            routing: self.routing.clone(),
            meta,
            lineage: Lineage { parent: Some(parent.clone()), grants: self.grants },
        }
    }

    /// The same without secrets, so that its digest is that of what is stored.
    pub fn redacted(&self) -> Result<Self, Refusal> {
        redact::redacted(self)
            .ok_or_else(|| Refusal::invalid("", "An id looks like a secret, and nothing can stand in its place"))
    }

    /// Refuses what could not become a job with its first envelope.
    pub fn check(&self, parent: &AgentId) -> Result<(), Refusal> {
        self.job(parent).create(JobId(1))?;
        self.payload.check()?;
        check_context_ref(self.context_ref.as_deref())?;
        if let Some(role) = &self.role {
            role.parse::<Role>().map_err(|error| Refusal::invalid("role", format!("does not fit: {error}")))?;
        }
        Ok(())
    }

    /// The same with `changes` made, as far as whoever asked may have it.
    pub fn changed(&self, changes: &Changes, bounds: &Bounds) -> Result<Self, Refusal> {
        let mut spec = self.clone();
        let said = |now: &Option<String>, before: &mut String| now.iter().for_each(|now| before.clone_from(now));
        said(&changes.title, &mut spec.title);
        said(&changes.prompt, &mut spec.prompt);
        said(&changes.kind, &mut spec.kind);
        said(&changes.message, &mut spec.payload.message);
        spec.role = changes.role.clone().or(spec.role);
        if let Some(priority) = &changes.priority {
            spec.priority = Priority::read(priority)
                .ok_or_else(|| Refusal::invalid("priority", "must be low, normal (or medium) or high"))?;
        }
        let routing = &mut spec.routing;
        routing.executor = changes.executor.unwrap_or(routing.executor);
        routing.executor_profile = changes.executor_profile.or(routing.executor_profile);
        routing.executor_model = changes.executor_model.clone().or(routing.executor_model.take());
        routing.isolation = changes.isolation.unwrap_or(routing.isolation);
        if routing.executor != Choice::Auto {
            routing.policy = None;
        }
        let wishes = Wishes {
            spawn_nodes: changes.spawn_nodes.or(self.grants.spawn_nodes.then_some(true)),
            read_only: changes.read_only.or(self.grants.read_only.then_some(true)),
            isolation: changes.isolation,
        };
        (spec.routing, spec.grants) = bounds.fit(wishes, &spec.routing)?;
        spec.redacted()
    }
}

impl Approval {
    /// Refuses to decide on what was decided on.
    pub fn require_pending(&self) -> Result<(), Refusal> {
        match (self.status, &self.decided_by) {
            (ApprovalStatus::Approved | ApprovalStatus::Denied, Some(decided_by)) => Err(Refusal::Decided {
                approval: self.id,
                status: self.status,
                decided_by: decided_by.clone(),
                job: self.job,
            }),
            (ApprovalStatus::Pending, _) | (_, None) => Ok(()),
        }
    }

    /// Refuses to approve anything but what was shown: `spec` is what would be made now.
    pub fn require_shown(&self, spec: &NodeSpec, shown: Option<&SpecDigest>) -> Result<(), Refusal> {
        self.require_pending()?;
        let digest = spec.digest(self.id, &self.requested_by);
        match shown {
            Some(shown) if *shown == digest => Ok(()),
            Some(_) => Err(Refusal::Changed { approval: self.id, digest }),
            None => Err(Refusal::Unseen { approval: self.id, field: "digest" }),
        }
    }

    /// Decides that whoever asked gets `job`, which is made of `spec`.
    pub fn approve(
        &self,
        job: JobId,
        spec: &NodeSpec,
        modified: Vec<String>,
        reason: Option<&str>,
    ) -> Result<Event, Refusal> {
        self.require_pending()?;
        let (approval, requested_by) = (self.id, self.requested_by.clone());
        let (reason, digest) = (checked(reason)?, Some(spec.digest(approval, &requested_by)));
        Ok(Event::Approved(Approved { approval, requested_by, job, by_policy: false, modified, digest, reason }))
    }

    /// Decides that whoever asked gets nothing.
    pub fn deny(&self, reason: Option<&str>) -> Result<Event, Refusal> {
        self.require_pending()?;
        let (approval, requested_by) = (self.id, self.requested_by.clone());
        Ok(Event::Denied(Denied { approval, requested_by, reason: checked(reason)? }))
    }
}

impl ApprovalId {
    /// That the room's policy approved it, as a job that is made of `spec`.
    pub fn approved_by_policy(self, requested_by: &AgentId, job: JobId, spec: &NodeSpec) -> Event {
        let (requested_by, digest) = (requested_by.clone(), Some(spec.digest(self, requested_by)));
        let (modified, reason) = (Vec::new(), None);
        Event::Approved(Approved { approval: self, requested_by, job, by_policy: true, modified, digest, reason })
    }
}

fn checked(reason: Option<&str>) -> Result<Option<String>, Refusal> {
    let Some(reason) = reason else { return Ok(None) };
    match blank_or_long(reason, limits::REASON_BYTES) {
        Some(why) => Err(Refusal::invalid("reason", why)),
        None => Ok(Some(reason.to_owned())),
    }
}
