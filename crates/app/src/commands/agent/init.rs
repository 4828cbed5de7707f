//! How a session begins: the contract's bb-init. It never asks anybody, and the same situation gives the same answer.

use std::{cmp::Reverse, collections::HashSet};

use baton_core::{
    agent::{Adopting, Former, Presence, Rejection, ResumeReason, Target},
    code::ErrorCode,
    ids::{AgentId, BeadId, RoomId},
    limits,
    room::{Call, Room, Stick},
    time::Timestamp,
};
use baton_store::former;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{
    AgentView, Show, ShowInput,
    adopt::{Adopt, AdoptInput, Confirmed, adopt},
    evidence::Survey,
    register::{parse_name, parse_role, register},
};
use crate::{
    App, Caller, Failure,
    app::Request,
    table::{AGENT, Access, Effect, Place, UseCase},
};

/// `agent.init`
pub struct Init;

/// How to begin. Without adopt and register it is found out.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InitInput {
    pub room_id: RoomId,
    /// Name or id of an identity to go on as
    pub adopt: Option<String>,
    /// A new name
    pub register: Option<String>,
    pub role: Option<String>,
    /// Where you go on, with adopt
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// What came of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InitAction {
    /// A new identity.
    Registered,
    /// Another session's identity.
    Adopted,
    /// This session had one.
    AlreadyRegistered,
}

/// Who you are.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct InitResult {
    pub room_id: RoomId,
    pub action: InitAction,
    /// Why that, always the same for the same situation.
    pub recommendation_reason: String,
    pub agent: AgentView,
    /// Why an identity could be adopted, if one was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evidence: Option<String>,
}

/// An identity that could be resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Candidate {
    pub name: String,
    pub prior_session_agent: AgentId,
    pub resume_reason: ResumeReason,
    pub evidence: String,
    pub liveness: Presence,
    pub last_seen_at: Timestamp,
    pub bead_ids: Vec<BeadId>,
}

impl UseCase for Init {
    const NAME: &'static str = "agent.init";
    const PLACE: Place = Place::Portal(&AGENT);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access = Access::limited_for_jobs("no adoption");
    const ABOUT: &'static str = "Begin a session: register, or adopt an identity whose work was left unfinished.";
    type Input = InitInput;
    type Output = InitResult;

    fn perform(app: &App, caller: &Caller, input: InitInput) -> Result<InitResult, Failure> {
        check(&input)?;
        if let Some(named) = &input.adopt {
            return resume(app, caller, &input, named);
        }
        let was_member = is_member(app, caller, &input.room_id)?;
        if input.register.is_none() && !was_member {
            let found = candidates(app, caller, &input.room_id)?;
            if let Some(best) = found.first() {
                return Err(ambiguous(best, &found));
            }
        }
        let name = input.register.as_deref().map(parse_name).transpose()?;
        let role = input.role.as_deref().map(parse_role).transpose()?;
        let request = Request { command: Self::NAME, input: &input, key: None };
        let registered =
            app.change(caller, &request, &input.room_id, |change| register(change, name.as_ref(), role.as_ref()))?;
        let (action, reason) = match (&input.register, registered.changed) {
            (Some(_), true) => (InitAction::Registered, "explicit_register"),
            (None, true) if !was_member => (InitAction::Registered, "no_resumable_identity"),
            // Whoever has an identity keeps it, though its role may have changed.
            (None, true) | (_, false) => (InitAction::AlreadyRegistered, "session_already_registered"),
        };
        outcome(app, caller, &input.room_id, action, reason, None)
    }
}

/// What goes with what.
fn check(input: &InitInput) -> Result<(), Failure> {
    let wrong = |message: &str, field: &str| Err(Failure::new(ErrorCode::InvalidArgs, message).with("field", field));
    match (&input.adopt, &input.register) {
        (Some(_), Some(_)) => wrong("Give either adopt or register, not both.", "register"),
        (Some(_), None) if input.role.is_some() => {
            wrong("An adopted identity keeps its role; register afterwards to change it.", "role")
        }
        (None, _) if !input.scopes.is_empty() => wrong("scopes go with adopt only.", "scopes"),
        _ => Ok(()),
    }
}

fn resume(app: &App, caller: &Caller, input: &InitInput, named: &str) -> Result<InitResult, Failure> {
    Adopt::ACCESS.check(caller, Init::NAME)?;
    let adopting = AdoptInput {
        room_id: input.room_id.clone(),
        agent: named.to_owned(),
        scopes: input.scopes.clone(),
        idempotency_key: None,
    };
    let adopted = match adopt(app, caller, &adopting, Confirmed::No) {
        // Said again, it is so already.
        Err(failure) if failure.details.get("reason") == Some(&json!(Rejection::OwnIdentity)) => {
            let reason = "session_already_registered";
            return outcome(app, caller, &input.room_id, InitAction::AlreadyRegistered, reason, None);
        }
        adopted => adopted.map_err(recommending)?,
    };
    let reason = serde_json::to_value(adopted.resume_reason).ok();
    let reason = reason.as_ref().and_then(serde_json::Value::as_str).unwrap_or_default().to_owned();
    outcome(app, caller, &input.room_id, InitAction::Adopted, &reason, Some(adopted.evidence))
}

/// A rejection with what to do instead, and why, as every answer of init has it.
fn recommending(failure: Failure) -> Failure {
    match failure.details.get("reason").cloned() {
        Some(reason) if failure.code == ErrorCode::AdoptionRejected => failure
            .with("recommendation", json!({ "action": "register", "reason": reason }))
            .with("recommendation_reason", reason),
        _ => failure,
    }
}

fn outcome(
    app: &App,
    caller: &Caller,
    room_id: &RoomId,
    action: InitAction,
    reason: &str,
    evidence: Option<String>,
) -> Result<InitResult, Failure> {
    let shown = Show::run(app, caller, ShowInput { room_id: room_id.clone(), agent: None })?;
    let recommendation_reason = reason.to_owned();
    Ok(InitResult { room_id: shown.room_id, action, recommendation_reason, agent: shown.agent, evidence })
}

fn is_member(app: &App, caller: &Caller, room_id: &RoomId) -> Result<bool, Failure> {
    let agent = caller.actor().agent_id;
    app.store.read(|tx| Ok(app.room(tx, room_id)?.member(&agent).is_some()))
}

/// The identities of others that `caller` could resume, the best first: changes before tasks, then who was seen last,
/// then by name. Whoever is there is none of them.
pub fn candidates(app: &App, caller: &Caller, room_id: &RoomId) -> Result<Vec<Candidate>, Failure> {
    let stale_after = app.stale_after()?;
    let by = caller.actor();
    let room = app.store.read(|tx| app.room(tx, room_id))?;
    if room.stick == Stick::Closed {
        return Ok(Vec::new());
    }
    let others = room.members.iter().any(|member| member.agent_id != by.agent_id);
    let survey = Survey::make(app, caller, &room, &[])?;
    let mut found = app.store.read(|tx| {
        let former = former::all(tx, room_id)?;
        if !others && former.is_empty() {
            return Ok(Vec::new());
        }
        let room = app.room(tx, room_id)?;
        let eyes = app.eyes(tx, &room)?;
        let now = tx.now()?;
        let mut found = Vec::new();
        for (target, last_seen_at) in identities(&room, &former) {
            if target.agent_id == by.agent_id {
                continue;
            }
            let evidence = survey.evidence(tx, &room, &target)?;
            // Most who were ever here left nothing, and need no decision.
            if evidence.reason().is_none() {
                continue;
            }
            let adopting = Adopting { target, evidence, stale_after, former: former.clone() };
            let Ok(resumed) = room.adopt(Call { now, by: &by, witness: &eyes }, &adopting) else { continue };
            if resumed.prior_presence == Presence::Active {
                continue;
            }
            found.push(Candidate {
                name: resumed.adopted_agent,
                prior_session_agent: resumed.prior_session_agent,
                resume_reason: resumed.resume_reason,
                evidence: resumed.evidence,
                liveness: resumed.prior_presence,
                last_seen_at,
                bead_ids: resumed.bead_ids,
            });
        }
        Ok::<_, Failure>(found)
    })?;
    found.sort_by_key(|candidate| {
        let changes_first = candidate.resume_reason != ResumeReason::UncommittedScope;
        (changes_first, Reverse(candidate.last_seen_at), candidate.name.clone())
    });
    Ok(found)
}

/// The identities of a room, with when each was last seen.
fn identities(room: &Room, former_names: &[Former]) -> Vec<(Target, Timestamp)> {
    let members = room.members.iter().map(|member| {
        let target = Target { agent_id: member.agent_id.clone(), name: member.display_name.clone() };
        (target, member.last_seen_at)
    });
    // A name that somebody gave up is no identity of its own: only what they were called last is. Of all who ever left,
    // those who did so last are looked at.
    let mut known = HashSet::new();
    let left = former_names
        .iter()
        .rev()
        .filter(|former| room.member(&former.agent_id).is_none() && known.insert(&former.agent_id))
        .take(limits::MEMBERS)
        .map(|former| (Target { agent_id: former.agent_id.clone(), name: former.name.clone() }, former.until));
    members.chain(left).collect()
}

/// Most identities that a caller is given to choose from: the best of them.
const CHOICES: usize = 20;

fn ambiguous(best: &Candidate, found: &[Candidate]) -> Failure {
    let message = match found {
        [one] => format!("{} left unfinished work here ({}).", one.name, one.evidence),
        several => format!("{} identities left unfinished work here.", several.len()),
    };
    let found = &found[..found.len().min(CHOICES)];
    let mut choices: Vec<String> =
        found.iter().map(|candidate| format!("baton agent init --adopt {}", candidate.name)).collect();
    choices.push("baton agent register".to_owned());
    let recommendation = json!({ "action": "adopt", "agent": best.name, "reason": best.resume_reason });
    Failure::new(ErrorCode::AmbiguousSession, message)
        .with("recommendation", recommendation)
        .with("recommendation_reason", json!(best.resume_reason))
        .with("candidates", json!(found))
        .with("choices", choices)
}
