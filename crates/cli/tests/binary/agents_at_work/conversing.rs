//! Jobs that live on the bus: the real programs are asked, interrupted, begun anew, and lead others.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use baton_testkit::{
    clients::left_out,
    model::{Gate, Step},
};
use serde_json::{Value, json};

use super::{
    processes::{all_end, processes_in},
    scene::{JOB, Program, Scene},
};
use crate::support::Agent;

#[test]
fn codex_answers_with_what_was_said_before_and_can_be_interrupted_and_begun_anew() {
    converses(Program::Codex);
}

#[test]
fn claude_answers_with_what_was_said_before_and_can_be_interrupted_and_begun_anew() {
    converses(Program::Claude);
}

#[test]
fn codex_leads_two_workers_until_the_task_is_done() {
    leads(Program::Codex);
}

#[test]
fn claude_leads_two_workers_until_the_task_is_done() {
    leads(Program::Claude);
}

#[test]
fn codex_goes_on_with_its_notes_when_it_was_compacted() {
    compacts(Program::Codex);
}

#[test]
fn claude_goes_on_with_its_notes_when_it_was_compacted() {
    compacts(Program::Claude);
}

#[test]
fn a_conversation_whose_runner_is_killed_is_gone_on_with_by_another() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Program::Codex);
    let never = Gate::closed();
    let first = scene.script(vec![Step::say("It is wet."), Step::hold(&never), Step::say("never heard")]);
    let second = scene.script(vec![Step::say("Since Monday.")]);
    scene.delegate(&["--kind", "conversation"]);
    let runner = scene.run("runner:one", &["--claim-ttl", "2"]);
    let (mut bob, _) = scene.world.server("bob");
    meets(&mut bob);
    submits(&mut bob, "f", json!([message("a", "Is it wet?")]));
    assert_eq!(ended(&mut bob, "f"), ["a completed"]);
    submits(&mut bob, "g", json!([message("b", "Since when?")]));
    first.reached(1);
    let running = processes_in(&scene.world.root());
    runner.kill();
    all_end(&running.into_iter().filter(|found| found.command.contains("codex")).collect::<Vec<_>>());
    // Its process is gone, but not its job: what it owes is not lost.
    let other = scene.run("runner:two", &[]);
    assert_eq!(ended(&mut bob, "g"), ["b completed"]);
    assert_eq!(answers(&mut bob, 2), ["a: It is wet.", "b: Since Monday."]);
    let prompt = second.reached(0).prompt();
    assert!(prompt.contains("to you: Is it wet?\nYou to") && prompt.contains("Since when?"), "{prompt}");
    is_done(&scene, &mut bob, "All said.");
    other.end();
    other.finishes();
    assert_eq!(scene.job()["revision"], 2);
    scene.world.assert_sound();
}

fn converses(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    let gate = Gate::closed();
    let script = scene.script(vec![
        Step::say("It is wet."),
        Step::say("Since Monday."),
        Step::hold(&gate),
        Step::say("Where were we?"),
    ]);
    let fresh = scene.script(vec![Step::say("Nothing was said so far.")]);
    scene.delegate(&["--kind", "conversation"]);
    let runner = scene.run_once();
    let (mut bob, _) = scene.world.server("bob");
    meets(&mut bob);

    submits(&mut bob, "g", json!([message("a", "Is it wet?"), message("b", "Since when?")]));
    assert_eq!(ended(&mut bob, "g"), ["a completed", "b completed"]);
    assert_eq!(answers(&mut bob, 2), ["a: It is wet.", "b: Since Monday."]);
    let (first, second) = (script.reached(0), script.reached(1));
    assert!(first.prompt().contains("You are job-001") && first.prompt().contains("Is it wet?"), "{}", first.prompt());
    assert_eq!(first.session, second.session, "it went on with its own conversation");

    submits(&mut bob, "h", json!([message("c", "Take your time.")]));
    script.reached(2);
    let programs = ["codex", "claude"];
    let mut running = processes_in(&scene.world.root());
    running.retain(|found| found.pid != runner.pid() && programs.iter().any(|name| found.command.contains(name)));
    assert!(!running.is_empty());
    submits(&mut bob, "i", json!([control("stop", "interrupt")]));
    assert_eq!(ended(&mut bob, "i"), ["stop completed"]);
    assert_eq!(ended(&mut bob, "h"), ["c error interrupted"]);
    all_end(&running);

    gate.open();
    submits(&mut bob, "j", json!([message("d", "Go on."), control("n", "new"), message("e", "Who are you?")]));
    assert_eq!(ended(&mut bob, "j"), ["d completed", "n completed", "e completed"]);
    assert_eq!(answers(&mut bob, 2), ["d: Where were we?", "e: Nothing was said so far."]);
    let anew = fresh.reached(0);
    assert!(anew.session != first.session && !anew.prompt().contains("Is it wet?"), "{}", anew.prompt());

    is_done(&scene, &mut bob, "All said.");
    runner.finishes();
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("All said.")));
    assert_eq!(scene.artifact(1, "answer.txt"), "It is wet.");
    scene.world.assert_sound();
}

fn compacts(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    let script = scene.script(vec![Step::say("It is wet."), Step::say("Notes: wet since Monday.")]);
    // Claude shortens its conversation in place, so that the model sees the same one from its beginning; Codex begins anew.
    let anew = (program == Program::Codex).then(|| scene.script(vec![Step::say("As I noted.")]));
    scene.delegate(&["--kind", "conversation"]);
    let runner = scene.run_once();
    let (mut bob, _) = scene.world.server("bob");
    meets(&mut bob);
    submits(&mut bob, "g", json!([message("a", "Is it wet?"), control("c", "compact"), message("b", "Since when?")]));
    assert_eq!(ended(&mut bob, "g"), ["a completed", "c completed", "b completed"]);
    let (last, said) = match &anew {
        Some(anew) => (anew.reached(0), "b: As I noted."),
        None => (script.turns().pop().unwrap(), "b: It is wet."),
    };
    assert_eq!(answers(&mut bob, 2), ["a: It is wet.", said]);
    let (first, prompt) = (script.reached(0), last.prompt());
    assert!(prompt.contains("Notes: wet since Monday.") && prompt.contains("Since when?"), "{prompt}");
    let told = prompt.split_once("Notes: wet since Monday.").unwrap().1;
    assert_eq!(last.session == first.session, program == Program::Claude);
    assert_eq!(told.contains("You are job-001"), program == Program::Claude, "its rules may be lost on it: {told}");
    is_done(&scene, &mut bob, "All said.");
    runner.finishes();
    scene.world.assert_sound();
}

fn leads(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::new(program);
    let (mut bob, _) = scene.world.server("bob");
    let (mut cleo, _) = scene.world.server("cleo");
    let asks = |who: &Agent, text: &str| json!({"type": "message", "dst": who.id, "text": text});
    let both =
        json!({"type": "relay_actions", "actions": [asks(&bob, "Count the tiles."), asks(&cleo, "Count the nails.")]});
    let one = json!({"type": "relay_actions", "actions": [asks(&bob, "Nail them.")]});
    let done = json!({"type": "task_done", "summary": "It is mended."});
    let script = scene.script([both, one, done].map(|said| Step::say(&said.to_string())).to_vec());
    scene.delegate(&["--kind", "relay"]);
    let runner = scene.run_once();
    does(&mut cleo, "Count the nails.", "Ninety.");
    does(&mut bob, "Count the tiles.", "Forty.");
    does(&mut bob, "Nail them.", "They hold.");
    runner.finishes();
    let job = scene.job();
    assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("It is mended.")));
    let first = script.reached(0);
    assert!(
        first.prompt().contains("You lead a conversation") && first.prompt().contains(&bob.id),
        "{}",
        first.prompt()
    );
    let (second, third) = (script.reached(1), script.reached(2));
    assert!(second.prompt().contains("Forty.") && second.prompt().contains("Ninety."), "{}", second.prompt());
    assert!(third.prompt().contains("They hold."), "{}", third.prompt());
    assert_eq!((&first.session, &second.session), (&third.session, &third.session));
    scene.world.assert_sound();
}

/// Waits until the job's agent is in the session.
fn meets(agent: &mut Agent) {
    let mut after = 0;
    loop {
        let asked = json!({"after": after, "types": ["agent.added"], "max_wait_ms": 50_000});
        let found = agent.ok("bus", json!({"op": "history", "args": asked}));
        if found["events"].as_array().unwrap().iter().any(|event| event["payload"]["name"] == "job-001") {
            return;
        }
        after = found["cursor"].as_u64().unwrap();
    }
}

fn message(name: &str, text: &str) -> Value {
    json!({"type": "message", "kind": "user", "text": text, "action_id": name, "dst": "job-001"})
}

fn control(name: &str, command: &str) -> Value {
    json!({"type": "control", "command": command, "action_id": name, "dst": "job-001"})
}

fn submits(agent: &mut Agent, group: &str, mut actions: Value) {
    let numbered = actions.as_array_mut().unwrap().iter_mut().zip(0..);
    numbered.for_each(|(action, index)| action["action_index"] = json!(index));
    agent.ok("bus", json!({"op": "submit", "args": {"group_id": group, "actions": actions}}));
}

/// Waits until all of a group has ended, and tells how.
fn ended(agent: &mut Agent, group: &str) -> Vec<String> {
    loop {
        let found = agent.ok("bus", json!({"op": "await", "args": {"group_id": group, "max_wait_ms": 50_000}}));
        if found["ended"] == true {
            let text = |action: &Value, key: &str| action[key].as_str().unwrap_or_default().to_owned();
            let line = |action: &Value| ["action_id", "status", "detail"].map(|key| text(action, key)).join(" ");
            let actions = found["actions"].as_array().unwrap().iter();
            return actions.map(|action| line(action).trim_end().to_owned()).collect();
        }
    }
}

/// Takes so many answers, each with what it answers.
fn answers(agent: &mut Agent, count: usize) -> Vec<String> {
    let mut all = Vec::new();
    while all.len() < count {
        let taken = agent.ok("bus", json!({"op": "take", "args": {"max_wait_ms": 50_000}}));
        for delivery in taken["deliveries"].as_array().unwrap() {
            let text = |key: &str| delivery[key].as_str().unwrap().to_owned();
            all.push(format!("{}: {}", text("reply_to_action_id"), text("text")));
        }
    }
    all
}

/// Does what the job's agent asks, and answers.
fn does(agent: &mut Agent, asked: &str, answer: &str) {
    let delivery = loop {
        let taken = agent.ok("bus", json!({"op": "take", "args": {"max_wait_ms": 50_000, "limit": 1}}));
        if let Some(delivery) = taken["deliveries"].as_array().unwrap().first() {
            break delivery.clone();
        }
    };
    assert_eq!(delivery["text"], asked);
    let id = format!("re {answer}").replace([' ', '.'], "_");
    let reply = json!({"type": "message", "kind": "reply", "text": answer, "dst": delivery["src"], "action_id": id,
        "reply_to_action_id": delivery["action_id"]});
    submits(agent, &id, json!([reply]));
    let result = json!({"action_id": delivery["action_id"], "status": "completed"});
    agent.ok("bus", json!({"op": "result", "args": result}));
}

/// Says that the job's task is done, and waits for the job's end.
fn is_done(scene: &Scene, agent: &mut Agent, summary: &str) {
    agent.ok("bus", json!({"op": "task_done", "args": {"task_id": JOB, "summary": summary}}));
    scene.job_ends();
}
