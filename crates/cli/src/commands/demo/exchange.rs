//! More than the stick: a brief, an envelope that wants an answer, a pack for the next holder, and a person's word.

use baton_app::Failure;
use serde_json::json;

use super::stage::{Agent, Stage, off_script, text};

/// What gemini is asked, and answers.
const QUESTION: &str = "Is 429 to be retried? The plan depends on it.";
const ANSWER: &str = "Only with Retry-After.";

/// Longer than anything here takes.
const SOON_MS: u64 = 20_000;

/// Plays it. codex holds the stick when it begins and when it ends.
pub(super) fn play(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("More than the stick: an envelope that wants an answer, and a context pack for whoever is next");
    let brief = json!({
        "goal": "Retries that users can trust",
        "definition_of_done": ["plan.md covers retries"],
        "constraints": {"noNewDependencies": true},
    });
    stage.op(codex, "context", "brief.edit", brief)?;
    stage.say("codex writes the room's brief: a goal, when it is reached, and one constraint.");
    ask(stage, codex, gemini)?;
    pack(stage, codex, gemini)?;
    interrupt(stage, gemini)
}

/// codex passes the stick with a pack that Baton builds, and gets it back.
fn pack(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    let handoff = json!({
        "status": "asked about 429",
        "next_action": "write the section on retries",
        "open_questions": ["How long is too long to wait?"],
        "context_ref": "auto",
    });
    let pass = json!({"to_agent_id": gemini.id, "handoff": handoff});
    stage.expect(codex, "pass_stick", stage.fenced(codex, pass)?)?;
    let turn = stage.wait(gemini, "your_turn", SOON_MS)?;
    let pack = text(&turn["handoff"], "context_ref");
    let opened = stage.expect(gemini, "open", json!({"id": pack}))?;
    let content = opened["pack"].to_string();
    for wanted in ["Retries that users can trust", "noNewDependencies", "How long is too long to wait?"] {
        if !content.contains(wanted) {
            return Err(off_script("gemini", "the pack", &opened));
        }
    }
    stage.say(&format!("codex passes the stick; gemini finds {pack} with the handoff:"));
    stage.say("the goal, the constraint and what is open, in a few hundred tokens.");
    let back = json!({
        "to_agent_id": codex.id,
        "handoff": {"status": "wrote it", "next_action": "go on"},
    });
    stage.expect(gemini, "pass_stick", stage.fenced(gemini, back)?)?;
    stage.wait(codex, "your_turn", SOON_MS).map(|_| ())
}

fn ask(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    let kept = json!({"kind": "report", "name": "retries.md", "text": "The client retries 404 and 429 alike.\n"});
    let report = text(&stage.op(codex, "tasks", "artifact.keep", kept)?, "ref");
    let asked = json!({
        "to": gemini.known_as,
        "message": QUESTION,
        "artifacts": [{"type": "report", "ref": report}],
        "response": "required",
    });
    let id = text(&stage.expect(codex, "send_handoff", asked)?, "id");
    stage.say(&format!("codex hands gemini payload://{id}, with {report}, and wants an answer."));
    let read = stage.expect(gemini, "open", json!({"id": format!("payload://{id}")}))?;
    let message = text(&read["envelope"]["payload"], "message");
    if message != QUESTION {
        return Err(off_script("gemini", "open", &read));
    }
    let answer = json!({"to": codex.known_as, "message": ANSWER, "meta": {"inReplyTo": id}});
    stage.expect(gemini, "send_handoff", answer)?;
    let wanted = json!({"agents": [gemini.known_as], "max_wait_ms": 20_000});
    let waited = stage.expect(codex, "wait_for", wanted)?;
    if waited["done"] != true {
        return Err(off_script("codex", "wait_for", &waited));
    }
    stage.say(&format!("gemini answers: \"{ANSWER}\" Nothing is owed any more."));
    Ok(())
}

/// A person speaks to gemini, which hears it with its next call, whatever that is.
fn interrupt(stage: &Stage, gemini: &mut Agent) -> Result<(), Failure> {
    let word = "Leave 404 alone.";
    stage.steers("inbox.tell", json!({"to": gemini.known_as, "text": word, "mode": "interrupt"}))?;
    let answer = stage.expect(gemini, "get_room_state", json!({}))?;
    match answer["interrupt"][0]["text"].as_str() {
        Some(heard) if heard == word => {
            stage.say(&format!("A person interrupts gemini, which hears it with its next call: \"{heard}\""));
            Ok(())
        }
        _ => Err(off_script("gemini", "an interrupt", &answer)),
    }
}
