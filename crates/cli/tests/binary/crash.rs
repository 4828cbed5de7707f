//! kill -9 of any process at any moment, a few hundred times: the store stays sound, and what was answered is so.

use std::{
    collections::{BTreeMap, BTreeSet},
    hint, thread,
};

use serde_json::{Value, json};

use crate::support::{Agent, Dice, World, handoff};

const ROUNDS: u64 = 6;
const SLOTS: u64 = 4;
const LIVES_PER_ROUND: u64 = 13;

/// Answers that a crash of somebody, or being too late, may well lead to. Anything else is wrong. An agent may find
/// itself waiting already: the server of its harness before, which it takes a moment to end.
const EXPECTED_REFUSALS: [&str; 6] =
    ["turn_mismatch", "stale_lease", "takeover_unavailable", "unknown_member", "prior_owner", "duplicate_listener"];

#[test]
fn kill_9_of_any_process_at_any_moment_of_a_transition_leaves_a_consistent_store() {
    let seed = Dice::seed();
    let world = World::new();
    let mut told = Told::default();
    for round in 0..ROUNDS {
        thread::scope(|scope| {
            let lives = |slot: u64| {
                let world = &world;
                let mut dice = Dice(seed ^ (round * SLOTS + slot).wrapping_mul(0x9e37_79b9_7f4a_7c15));
                scope.spawn(move || {
                    let mut told = Told::default();
                    for life in 0..LIVES_PER_ROUND {
                        live(world, &format!("{round}.{slot}.{life}"), slot, &mut dice, &mut told);
                    }
                    told
                })
            };
            let threads: Vec<_> = (0..SLOTS).map(lives).collect();
            // The store is sound in the middle of it all, too.
            world.assert_sound();
            for thread in threads {
                told.extend(thread.join().expect("what a life was told is not as it should be"));
            }
        });
        world.assert_sound();
    }
    told.compare_with(&world.log(&told.room_id));
}

/// One life of an agent: it does whatever it may as fast as it can, until it is killed in the middle of a call.
fn live(world: &World, name: &str, slot: u64, dice: &mut Dice, told: &mut Told) {
    // An id is its harness's for as long as that lives, so a slot dies in one way only.
    let script = if slot.is_multiple_of(2) {
        // The server dies, and a new one under the same harness (this test) goes on with its turn.
        r#"exec "$0" mcp --tools full"#
    } else {
        // The harness dies, and the first to find out takes the stick over.
        r#""$0" mcp --tools full; :"#
    };
    let mut command = world.command("sh");
    command.args(["-c", script, env!("CARGO_BIN_EXE_baton")]).env("BATON_AGENT_ID", format!("test:slot-{slot}"));
    let mut agent = Agent::join(command, "crash").0;
    told.room_id.clone_from(&agent.room_id);
    let mut last = Value::Null;
    for call in 0..dice.below(14) {
        let (tool, arguments) = next_call(&agent, &last, &format!("{name}.{call}"), dice);
        let (refused, answer) = agent.ask(tool, arguments.clone());
        if refused {
            let code = answer["error"].as_str().unwrap_or_default();
            assert!(EXPECTED_REFUSALS.contains(&code), "{tool} {arguments}: {answer}");
        } else {
            told.note(tool, &arguments, &answer);
        }
        last = answer;
    }
    let (tool, arguments) = next_call(&agent, &last, &format!("{name}.last"), dice);
    agent.start(tool, arguments);
    // From no time at all to a few milliseconds: before, in, and after the transition.
    (0..dice.below(150_000)).for_each(|_| hint::spin_loop());
    agent.kill();
}

/// What to do after `last` was answered. Every handoff and note says something that is said only once.
fn next_call(agent: &Agent, last: &Value, token: &str, dice: &mut Dice) -> (&'static str, Value) {
    if last["status"] == "takeover_available" {
        return ("takeover_stick", json!({ "expected_turn_id": last["turn_id"], "reason": token }));
    }
    let holds = last["lease_id"].is_string();
    match dice.below(8) {
        0 => ("append_note", json!({ "text": token })),
        1 | 2 if holds => {
            let to = format!("test:slot-{}", dice.below(SLOTS));
            if to == agent.id {
                return ("append_note", json!({ "text": token }));
            }
            ("pass_stick", agent.fenced(json!({ "to_agent_id": to, "handoff": handoff(token, "go on") })))
        }
        3..=7 if holds => ("release_stick", agent.fenced(json!({ "handoff": handoff(token, "go on") }))),
        _ => ("wait_for_turn", json!({ "max_wait_ms": dice.below(20) })),
    }
}

/// What was answered, and so must be in the log.
#[derive(Default)]
struct Told {
    room_id: String,
    /// Turns that were granted, and by what: a claim or a takeover.
    turns: Vec<(u64, &'static str)>,
    /// What was said in a handoff or a note, and the event that was named for it.
    said: Vec<(String, u64)>,
}

impl Told {
    fn note(&mut self, tool: &str, arguments: &Value, answer: &Value) {
        match tool {
            "wait_for_turn" if answer["status"] == "your_turn" && answer["resumed"] != true => {
                self.turns.push((answer["turn_id"].as_u64().unwrap_or_default(), "claim"));
            }
            "takeover_stick" => {
                self.turns.push((answer["turn_id"].as_u64().unwrap_or_default(), "takeover"));
            }
            "release_stick" | "pass_stick" | "append_note" => {
                let token = arguments["text"].as_str().or(arguments["handoff"]["status"].as_str());
                let seq = answer["event_seq"].as_u64();
                self.said.push((token.unwrap_or_default().to_owned(), seq.unwrap_or_default()));
            }
            _ => {}
        }
    }

    fn extend(&mut self, other: Self) {
        self.room_id = other.room_id;
        self.turns.extend(other.turns);
        self.said.extend(other.said);
    }

    /// The log has every turn once, every word at most once, and everything that was answered exactly as answered.
    fn compare_with(&self, log: &[Value]) {
        let (mut granted, mut said) = (BTreeMap::new(), BTreeMap::new());
        for (place, event) in log.iter().enumerate() {
            let seq = event["event_seq"].as_u64().unwrap_or_default();
            assert_eq!(seq, place as u64 + 1, "the log has a gap");
            let kind = event["event_type"].as_str().unwrap_or_default();
            match kind {
                "claim" | "takeover" => {
                    let turn = event["turn_id"].as_u64().unwrap_or_default();
                    assert_eq!(turn, granted.len() as u64 + 1, "turns are granted one after the other: {event}");
                    granted.insert(turn, kind);
                }
                "release" | "pass" | "note" => {
                    let token = event["note"].as_str().or(event["handoff"]["status"].as_str()).unwrap_or_default();
                    assert_eq!(said.insert(token.to_owned(), seq), None, "said twice: {event}");
                }
                _ => {}
            }
        }
        let distinct: BTreeSet<_> = self.turns.iter().map(|(turn, _)| turn).collect();
        assert_eq!(distinct.len(), self.turns.len(), "a turn was granted twice");
        for (turn, kind) in &self.turns {
            assert_eq!(granted.get(turn), Some(kind), "turn {turn} was answered and is not in the log");
        }
        for (token, seq) in &self.said {
            assert_eq!(said.get(token), Some(seq), "{token} was answered and is not in the log");
        }
        // A run in which nothing happened proves nothing.
        assert!(self.turns.len() > 50 && self.said.len() > 50, "too little was answered");
    }
}
