//! What a person is for: questions, requests and collisions that agents leave to them, all on one page.

use baton_app::{
    Failure,
    clock::{Clock, SystemClock},
    commands::agent::NeedsResult,
};
use serde_json::json;

use super::stage::{Agent, Stage, off_script, text, wrong};
use crate::render;

/// Leaves something of each kind to a person, and reads what waits for them.
pub(super) fn play(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Oversight: what the agents leave to a person is on one page");
    ask(stage, codex, gemini)?;
    collide(stage, codex, gemini)?;
    grow(stage, codex)?;
    turn_to_a_person(stage, gemini)?;
    let found: NeedsResult = serde_json::from_value(stage.steers("agent.needs", json!({}))?).map_err(wrong)?;
    let needs = render::needs_page(&found.needs, SystemClock.now());
    stage.say("`baton needs` lists it, and the page has a button for each:");
    needs.lines().for_each(|line| stage.say(line));
    for wanted in ["JOB-002", "APPROVAL-1", "incursion", "ack "] {
        if !needs.contains(wanted) {
            return Err(off_script("a person", "baton needs", &json!(needs)));
        }
    }
    Ok(())
}

/// A job that cannot go on without an answer.
fn ask(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    let created = stage.op(
        codex,
        "jobs",
        "create",
        json!({"title": "Choose a budget for retries", "prompt": "How long may a call take in all?", "executor": "command"}),
    )?;
    let (job, runner) = (text(&created, "job"), "gemini-runner");
    let claimed =
        stage.op(gemini, "jobs", "claim", json!({"job": job, "runner_id": runner, "lease_ttl_ms": 300_000}))?;
    let revision = claimed["job"]["revision"].clone();
    let question = "Ten seconds or thirty? Users wait either way.";
    let report =
        json!({"job": job, "runner_id": runner, "claim_revision": revision, "kind": "question", "message": question});
    stage.op(gemini, "jobs", "report", report)?;
    stage.say(&format!("{job} asks: \"{question}\""));
    Ok(())
}

/// Two agents in one place.
fn collide(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.op(codex, "scope", "reserve", json!({ "scopes": ["src/api/*"] }))?;
    stage.say("codex works in src/api; gemini reaches for a file there:");
    let wanted = json!({ "op": "reserve", "args": { "scopes": ["src/api/client.rs"] } });
    stage.expect_refusal(gemini, "scope", wanted, "RESERVATION_CONFLICT")
}

/// A request for another agent, which nobody but a person may grant.
fn grow(stage: &Stage, codex: &mut Agent) -> Result<(), Failure> {
    stage.steers("agent.grant", json!({ "agent": codex.known_as, "spawn_nodes": true }))?;
    let asked = json!({
        "title": "A reviewer for the retry logic",
        "prompt": "Read src/api/client.rs and look for calls that are retried although they must not be.",
        "message": "The client is ready to be read.",
        "role": "reviewer",
    });
    let asked = stage.expect(codex, "spawn_node", asked)?;
    stage.say(&format!("codex asks for another agent: {} waits for a person.", text(&asked, "approval")));
    Ok(())
}

/// A message that has to be accepted, for the person at the terminal.
fn turn_to_a_person(stage: &Stage, gemini: &mut Agent) -> Result<(), Failure> {
    let joined = stage.steers("agent.add", json!({}))?;
    let blocked = json!({
        "to": joined["agent"]["name"],
        "category": "BLOCKED",
        "subject": "May I change the public interface?",
        "blocker": "retries need a new argument in Client::send",
        "requested_action": "say yes, or keep the signature as it is",
        "urgency": "medium",
    });
    stage.op(gemini, "inbox", "send", blocked)?;
    stage.say("gemini is blocked and turns to the person, who has joined from the page.");
    Ok(())
}
