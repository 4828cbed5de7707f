//! The play: the contract's worked examples, one after the other.

use baton_app::Failure;
use serde_json::{Value, json};

use super::{
    conversation, delegation, exchange, oversight,
    stage::{Agent, Stage, text},
};

/// Short enough that a claim can be missed while you watch.
const CLAIM_TTL_MS: u64 = 400;

/// Longer than anything here takes.
const SOON_MS: u64 = 20_000;

/// Who is still there at the end.
pub(super) struct Cast {
    pub(super) codex: Agent,
    /// Only there: an agent that is dropped leaves.
    _gemini: Agent,
}

/// Plays it all, and gives back agents that can still tell about it.
pub(super) fn play(stage: &mut Stage) -> Result<Cast, Failure> {
    stage.heading("Three agents meet in one workspace");
    let mut codex = stage.enter("codex")?;
    let mut claude = stage.enter("claude")?;
    let mut gemini = stage.enter("gemini")?;
    round_robin(stage, &mut codex, &mut claude, &mut gemini)?;
    explicit_skip(stage, &mut codex, &mut gemini)?;
    own_paths(stage, &mut codex, &mut gemini)?;
    missed_recipient(stage, &mut codex, &mut claude, &mut gemini)?;
    let left_by = claude.known_as.clone();
    crashed_owner(stage, &mut codex, claude)?;
    unfinished_work(stage, &left_by)?;
    delegation::play(stage, &mut codex)?;
    exchange::play(stage, &mut codex, &mut gemini)?;
    conversation::play(stage)?;
    concurrent_claim(stage, &mut codex, &mut gemini)?;
    oversight::play(stage, &mut codex, &mut gemini)?;
    Ok(Cast { codex, _gemini: gemini })
}

fn round_robin(stage: &Stage, codex: &mut Agent, claude: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Round robin: each hands over to the next, with what they need to know");
    stage.wait(codex, "your_turn", 0)?;
    stage.say("codex takes up the free stick and writes a plan. claude waits, at no cost.");
    let waiting = stage.start_wait(claude, SOON_MS)?;
    release(
        stage,
        codex,
        handoff(
            "wrote initial plan covering sections 1-3",
            "review plan for gaps; suggest additions",
            json!([{ "path": "plan.md", "role": "review" }]),
        ),
    )?;
    let turn = stage.finish_wait(claude, waiting)?;
    stage.say(&format!("claude is woken at once and reads: \"{}\"", text(&turn["handoff"], "next_action")));
    release(
        stage,
        claude,
        handoff(
            "reviewed plan; section 2 is thin on error handling",
            "extend error handling coverage in section 2",
            json!([{ "path": "plan.md", "lines": [45, 78], "role": "edit" }]),
        ),
    )?;
    let turn = stage.wait(gemini, "your_turn", SOON_MS)?;
    stage.say(&format!("gemini reads: \"{}\"", text(&turn["handoff"], "status")));
    release(stage, gemini, handoff("extended section 2", "check the plan as a whole", json!([])))
}

fn explicit_skip(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Explicit skip: codex wants gemini's opinion, and not claude's turn");
    stage.wait(codex, "your_turn", SOON_MS)?;
    let pass = json!({
        "to_agent_id": gemini.id,
        "handoff": handoff(
            "found potential race in claim logic",
            "assess whether lease_id fencing covers this case",
            json!([{ "path": "src/claim.ts", "lines": [102, 140], "role": "review" }]),
        ),
    });
    let passed = stage.expect(codex, "pass_stick", stage.fenced(codex, pass)?)?;
    stage.say(&format!("codex passes the stick; it is kept for {}.", text(&passed, "reserved_for")));
    stage.wait(gemini, "your_turn", SOON_MS)?;
    release(stage, gemini, handoff("fencing covers it", "go on with section 3", json!([])))?;
    stage.say("The sequence goes on from gemini: codex is next.");
    Ok(())
}

fn own_paths(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Paths of one's own: codex reserves the parser, gemini wants a file in it");
    stage.op(codex, "scope", "reserve", json!({ "scopes": ["src/parser/*"] }))?;
    stage.say("codex reserves src/parser/* for two hours. gemini tries src/parser/lexer.rs:");
    let wanted = json!({ "op": "reserve", "args": { "scopes": ["src/parser/lexer.rs"] } });
    stage.expect_refusal(gemini, "scope", wanted.clone(), "RESERVATION_CONFLICT")?;
    let blocked = json!({
        "to": codex.known_as,
        "category": "BLOCKED",
        "subject": "I need the lexer",
        "blocker": "src/parser/lexer.rs is in your scope src/parser/*",
        "requested_action": "release it, or tell me when you are done there",
        "urgency": "high",
    });
    let sent = stage.op(gemini, "inbox", "send", blocked)?;
    let read = stage.op(codex, "inbox", "read", json!({ "message": sent["message"] }))?;
    stage.say(&format!(
        "gemini is blocked and says so. codex reads: \"{}\"",
        text(&read["event"]["payload"], "subject")
    ));
    stage.op(codex, "scope", "release", json!({ "all": true }))?;
    stage.op(codex, "inbox", "ack", json!({ "message": sent["message"] }))?;
    let sent = stage.op(gemini, "inbox", "sent", json!({}))?;
    let state = text(&sent["messages"][0]["deliveries"][0], "state");
    stage.say(&format!("codex releases the parser and accepts; gemini sees that its message is {state}."));
    stage.expect(gemini, "scope", wanted)?;
    stage.op(gemini, "scope", "release", json!({ "all": true }))?;
    stage.say("Now gemini gets the file, and gives it back when it is done.");
    Ok(())
}

fn unfinished_work(stage: &mut Stage, left_by: &str) -> Result<(), Failure> {
    stage.heading("Unfinished work: a new session goes on as the one that died");
    let mut session = stage.enter("claude again")?;
    let adopted = stage.op(&mut session, "agent", "adopt", json!({ "agent": left_by }))?;
    stage.say(&format!("It adopts {left_by}: {}.", text(&adopted, "evidence")));
    let mine = stage.op(&mut session, "tasks", "list", json!({ "mine": true }))?;
    let task = &mine["tasks"][0];
    stage.say(&format!("{} ({}) is its own now, and it ends it.", text(task, "task"), text(task, "title")));
    stage.op(&mut session, "tasks", "done", json!({ "task": task["task"] }))?;
    stage.expect(&mut session, "leave_path", json!({}))?;
    Ok(())
}

fn missed_recipient(stage: &Stage, codex: &mut Agent, claude: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Missed recipient: claude does not come, and codex may not just grab the stick back");
    stage.wait(codex, "your_turn", SOON_MS)?;
    let policy = json!({ "policy": { "claim_ttl_ms": CLAIM_TTL_MS } });
    stage.expect(codex, "set_room_policy", policy)?;
    release(stage, codex, handoff("finished section 3", "review section 3", json!([])))?;
    stage.say(&format!("claude has {CLAIM_TTL_MS} ms to claim it, and sleeps."));
    let open = stage.wait(gemini, "takeover_available", SOON_MS)?;
    stage.say(&format!("gemini's wait ends with takeover_available, {}.", text(&open, "reason")));
    let take = json!({ "expected_turn_id": open["turn_id"], "reason": "claim timeout expired" });
    stage.say("codex tries first:");
    stage.expect_refusal(codex, "takeover_stick", take.clone(), "prior_owner")?;
    let taken = stage.expect(gemini, "takeover_stick", take)?;
    gemini.remember(&taken);
    stage.say(&format!("gemini takes over: turn {}. It reads codex's handoff in the log:", taken["turn_id"]));
    let log = stage.expect(gemini, "get_room_events", json!({ "limit": 5 }))?;
    let left = log["events"].as_array().into_iter().flatten().find(|event| event["event_type"] == "release");
    stage.say(&format!("\"{}\"", left.map(|event| text(&event["handoff"], "status")).unwrap_or_default()));
    let late = stage.wait(claude, "not_yet", 0)?;
    stage.say(&format!("claude wakes up late: not_yet, {} holds it.", text(&late, "owner")));
    let pass =
        json!({ "to_agent_id": claude.id, "handoff": handoff("reviewed section 3", "fix the tests", json!([])) });
    stage.expect(gemini, "pass_stick", stage.fenced(gemini, pass)?)?;
    stage.wait(claude, "your_turn", SOON_MS)?;
    stage.say("gemini passes it to claude after all.");
    Ok(())
}

fn crashed_owner(stage: &Stage, codex: &mut Agent, mut claude: Agent) -> Result<(), Failure> {
    stage.heading("Crashed owner: claude holds the stick and dies");
    let task = stage.op(&mut claude, "tasks", "create", json!({ "title": "fix the tests" }))?;
    stage.op(&mut claude, "tasks", "start", json!({ "task": task["task"] }))?;
    let waiting = stage.start_wait(codex, SOON_MS)?;
    stage.kill(&mut claude)?;
    let open = stage.finish_wait(codex, waiting)?;
    stage.say(&format!(
        "codex's wait ends at once: {}, {}. No timeout was needed.",
        text(&open, "status"),
        text(&open, "reason")
    ));
    stage.say("What is left of claude tries to release its turn:");
    let late = stage.fenced(&claude, json!({ "handoff": handoff("not quite done", "finish it", json!([])) }))?;
    stage.expect_refusal(&mut claude, "release_stick", late.clone(), "stale_lease")?;
    let take = json!({ "expected_turn_id": open["turn_id"], "reason": "owner process is gone" });
    let taken = stage.expect(codex, "takeover_stick", take)?;
    codex.remember(&taken);
    stage.say(&format!("codex takes over: turn {}. claude's old lease is worth nothing now:", taken["turn_id"]));
    stage.expect_refusal(&mut claude, "release_stick", late, "turn_mismatch")
}

fn concurrent_claim(stage: &Stage, codex: &mut Agent, gemini: &mut Agent) -> Result<(), Failure> {
    stage.heading("Concurrent claim: two processes go for a free stick at the same moment");
    stage.expect(gemini, "leave_path", json!({}))?;
    release(stage, codex, handoff("all done", "pick the next topic", json!([])))?;
    stage.expect(gemini, "join_path", json!({ "context_path": "." }))?;
    stage.say("Nobody else was there when codex released, so the stick is free. Both claim:");
    let (first, second) = (stage.start_wait(codex, 0)?, stage.start_wait(gemini, 0)?);
    let answers = [(codex.name, stage.finish_wait(codex, first)?), (gemini.name, stage.finish_wait(gemini, second)?)];
    let granted = answers.iter().filter(|(_, answer)| answer["status"] == "your_turn").count();
    answers.iter().for_each(|(name, answer)| stage.say(&format!("{name}: {}", text(answer, "status"))));
    if granted == 1 {
        return Ok(());
    }
    let message = format!("{granted} agents were granted the stick at once.");
    Err(Failure::new(baton_core::code::ErrorCode::Internal, message))
}

fn release(stage: &Stage, agent: &mut Agent, handoff: Value) -> Result<(), Failure> {
    let arguments = stage.fenced(agent, json!({ "handoff": handoff }))?;
    let released = stage.expect(agent, "release_stick", arguments)?;
    let next = match released["reserved_for"].as_str() {
        Some(recipient) => format!("it is kept for {recipient}"),
        None => "it is free".to_owned(),
    };
    stage.say(&format!("{} releases the stick; {next}.", agent.name));
    Ok(())
}

fn handoff(status: &str, next_action: &str, artifacts: Value) -> Value {
    json!({ "status": status, "next_action": next_action, "artifacts": artifacts })
}
