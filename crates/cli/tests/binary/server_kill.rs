//! The server is killed under eight writers, again and again, and comes back.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{
        Barrier,
        atomic::{AtomicBool, Ordering},
        mpsc::{Receiver, Sender, channel},
    },
    thread,
};

use baton_cluster::{Cluster, Durability, Options};
use serde_json::{Value, json};

use crate::support::{Agent, World, handoff};

const WRITERS: usize = 8;
const KILLS: usize = 5;

/// How many answers there must be before the next blow, so that it falls in the middle of things.
const ANSWERS_BETWEEN: usize = 250;

/// What a call of a writer came to.
enum Outcome {
    Answered,
    Failed { writer: usize },
}

#[test]
fn what_was_acknowledged_survives_a_killed_server_exactly_once_and_no_process_is_restarted() {
    let mut cluster = Cluster::start(Options { durability: Durability::Safe, ..Options::default() }).unwrap();
    cluster.create_database("baton").unwrap();
    let world = World::at(cluster.url("baton"));
    let (joined, done) = (Barrier::new(WRITERS), AtomicBool::new(false));
    let (tell, told) = channel();
    let writers: Vec<Writer> = thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|number| {
                let (world, joined, done, tell) = (&world, &joined, &done, tell.clone());
                scope.spawn(move || {
                    let writer = Writer::start(world, number, tell);
                    joined.wait();
                    writer.works_until(done)
                })
            })
            .collect();
        for blow in 0..KILLS {
            hear_answers(&told, ANSWERS_BETWEEN);
            cluster.kill().unwrap();
            // Once it stays away for longer than anybody is patient; otherwise it is back before most give up.
            if blow == 1 {
                hear_all_fail(&told);
            }
            cluster.restart().unwrap();
        }
        hear_answers(&told, ANSWERS_BETWEEN);
        done.store(true, Ordering::SeqCst);
        writers.into_iter().map(|writer| writer.join().expect("a writer was told something wrong")).collect()
    });
    let log = world.log(&writers[0].agent.room_id);
    compare(&writers, &log);
    world.assert_sound();
    let (said, failed) = (writers.iter().map(|writer| writer.said.len()), writers.iter().map(|writer| writer.failed));
    println!("{} events, {} acknowledged, {} failed", log.len(), said.sum::<usize>(), failed.sum::<usize>());
}

fn hear_answers(told: &Receiver<Outcome>, count: usize) {
    // What was said before now tells nothing about now.
    while told.try_recv().is_ok() {}
    told.iter().filter(|outcome| matches!(outcome, Outcome::Answered)).take(count).for_each(drop);
}

fn hear_all_fail(told: &Receiver<Outcome>) {
    let mut failed = BTreeSet::new();
    while failed.len() < WRITERS {
        if let Outcome::Failed { writer } = told.recv().expect("the writers go on") {
            failed.insert(writer);
        }
    }
}

/// One process that writes, and what it was told.
struct Writer {
    number: usize,
    agent: Agent,
    tell: Sender<Outcome>,
    calls: usize,
    failed: usize,
    /// Turns that were granted.
    turns: BTreeSet<u64>,
    /// What was said in a handoff or a note, and the place in the log that was named for it.
    said: Vec<(String, u64)>,
}

impl Writer {
    fn start(world: &World, number: usize, tell: Sender<Outcome>) -> Self {
        let agent = world.server(&format!("writer-{number}")).0;
        Self { number, agent, tell, calls: 0, failed: 0, turns: BTreeSet::new(), said: Vec::new() }
    }

    fn works_until(mut self, done: &AtomicBool) -> Self {
        while !done.load(Ordering::SeqCst) {
            self.notes();
            self.notes_with_a_key();
            self.takes_a_turn();
        }
        self
    }

    /// A note that is said once, whatever the answer. Unless it was acknowledged it may be there or not.
    fn notes(&mut self) {
        let token = self.token();
        if let Some(answer) = self.call("append_note", json!({ "text": token })) {
            self.was_told(token, &answer);
        }
    }

    /// A note under a key, which is repeated until it is acknowledged. It must be there once.
    fn notes_with_a_key(&mut self) {
        let token = self.token();
        let note = json!({ "text": token, "idempotency_key": token });
        let answer = loop {
            if let Some(answer) = self.call("append_note", note.clone()) {
                break answer;
            }
        };
        self.was_told(token, &answer);
    }

    fn takes_a_turn(&mut self) {
        let Some(answer) = self.call("wait_for_turn", json!({ "max_wait_ms": 500 })) else { return };
        if answer["status"] != "your_turn" {
            assert_eq!(answer["status"], "not_yet", "{answer}");
            return;
        }
        let new = self.turns.insert(answer["turn_id"].as_u64().unwrap());
        assert!(new || answer["resumed"] == true, "granted twice: {answer}");
        let token = self.token();
        let release = self.agent.fenced(json!({ "handoff": handoff(&token, "go on") }));
        if let Some(answer) = self.call("release_stick", release) {
            self.was_told(token, &answer);
        }
    }

    /// The answer, or nothing when the store could not be had.
    fn call(&mut self, tool: &str, arguments: Value) -> Option<Value> {
        let (refused, answer) = self.agent.ask(tool, arguments);
        let outcome = if refused {
            let code = answer["error"].as_str().unwrap_or_default();
            assert!(code.starts_with("store_"), "{tool}: {answer}");
            self.failed += 1;
            Outcome::Failed { writer: self.number }
        } else {
            Outcome::Answered
        };
        // Nobody listens any more when the test is over.
        let _ = self.tell.send(outcome);
        (!refused).then_some(answer)
    }

    fn token(&mut self) -> String {
        self.calls += 1;
        format!("{}.{}", self.number, self.calls)
    }

    fn was_told(&mut self, token: String, answer: &Value) {
        self.said.push((token, answer["event_seq"].as_u64().unwrap()));
    }
}

/// The log has no gap, every turn once and in order, every word at most once, and all that was acknowledged where the
/// answer said it is.
fn compare(writers: &[Writer], log: &[Value]) {
    let (mut turns, mut said) = (0, BTreeMap::new());
    for (place, event) in log.iter().enumerate() {
        let seq = event["event_seq"].as_u64().unwrap();
        assert_eq!(seq, place as u64 + 1, "the log has a gap");
        match event["event_type"].as_str().unwrap() {
            "claim" => {
                turns += 1;
                assert_eq!(event["turn_id"], turns, "turns are granted one after the other: {event}");
            }
            "release" | "note" => {
                let token = event["note"].as_str().or(event["handoff"]["status"].as_str()).unwrap();
                assert_eq!(said.insert(token.to_owned(), seq), None, "said twice: {event}");
            }
            kind => assert!(["create", "join"].contains(&kind), "nothing else was asked for: {event}"),
        }
    }
    let mut granted = BTreeSet::new();
    for writer in writers {
        assert!(writer.failed > 0, "the server was away for longer than a call waits");
        for turn in &writer.turns {
            assert!(granted.insert(*turn) && (1..=turns).contains(turn), "turn {turn} was granted twice, or lost");
        }
        for (token, seq) in &writer.said {
            assert_eq!(said.get(token), Some(seq), "{token} was acknowledged and is not there");
        }
    }
}
