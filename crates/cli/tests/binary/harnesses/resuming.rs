//! Sessions whose program ended, resumed by a runner: once for each event, as the agent that they were.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::fs;

use baton_testkit::{Client, clients::left_out, model::Step};
use rustix::process::Signal;
use serde_json::{Value, json};

use super::scene::{Scene, text};
use crate::support::Runner;

/// Runs a runner that works on one thing, if there is one, and tells how many sessions it resumed.
fn runner_resumes(scene: &Scene) -> u64 {
    let program = scene.client.program();
    let ran = scene.baton(&["run", "--once", "--json", flag(scene.client), program.to_str().unwrap()]);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.json()["data"]["sessions"].as_u64().unwrap()
}

fn flag(client: Client) -> &'static str {
    if client == Client::Claude { "--claude-bin" } else { "--codex-bin" }
}

fn allow_resuming(scene: &Scene) {
    let policy = scene.world.data_at_terminal(&["room", "policy", "--resume", "on"]);
    assert_eq!(policy["policy"]["resume"], "on");
}

/// The ids of the program's agents whose sessions can be resumed.
fn resting(scene: &Scene) -> Vec<String> {
    let listed = scene.world.data_of(&["agent", "list", "--room", &scene.room]);
    let agents = listed["agents"].as_array().cloned().unwrap_or_default();
    let resting = agents.iter().filter(|agent| agent["resumable_until"].is_string());
    resting.filter_map(|agent| agent["agent_id"].as_str().map(str::to_owned)).collect()
}

fn a_session_that_ended_is_resumed_once_for_a_message(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    allow_resuming(&scene);
    let inbox = json!({"op": "list", "args": {"room_id": scene.room}});
    let claim = json!({"op": "claim", "args": {"room_id": scene.room}});
    let script = scene.script(vec![
        Step::say("ONE is said"),
        Step::call("inbox", inbox),
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::call("jobs", claim),
        Step::say("TWO is said"),
        Step::say("THREE is never said"),
    ]);
    let ended = scene.launch().headless("Do it.").wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    let you = resting(&scene);
    assert_eq!(you.len(), 1, "it stays a member");
    assert_eq!(runner_resumes(&scene), 0, "nothing is to be told");
    scene.ana(&["wait"]);
    scene.ana(&["send", "--to", &you[0], "--category", "INFO", "--subject", "Hello", "--body", "Are you there?"]);
    let before = scene.requests();
    assert_eq!(runner_resumes(&scene), 1);
    let prompt = script.reached(1).prompt().to_owned();
    assert!(prompt.contains("unread message") && prompt.contains("a runner resumed this session"), "{prompt}");
    let turn = script.reached(4);
    assert!(turn.result_text(1).contains("Are you there?"), "it is the same agent: {turn:#?}");
    assert!(turn.result_text(2).contains("holds the stick until"), "its hooks guard it: {turn:#?}");
    assert_eq!(text(&scene.file("a.txt")), None);
    assert!(turn.result_text(3).contains("\"claimed\":false"), "it is no job's agent, which may not claim: {turn:#?}");
    let after = scene.requests();
    assert!(after > before);
    assert_eq!(resting(&scene), you, "it rests again");
    assert_eq!(runner_resumes(&scene), 0, "it was told");
    assert_eq!((scene.requests(), script.steps().last()), (after, Some(&4)));
    let kept = scene.world.data_of(&["artifact", "list", "--room", &scene.room]);
    let is_output = |file: &Value| file["name"] == "resume.log.txt";
    assert!(kept["artifacts"].as_array().unwrap().iter().any(is_output), "{kept}");
    scene.world.assert_sound();
}

/// A runner that waits sees the message by itself; the terminal's end came without a word from the program.
fn a_session_whose_terminal_was_closed_is_resumed_by_a_runner_that_waits(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    allow_resuming(&scene);
    let steps = ["ONE is said", "TWO is said", "THREE is said", "FOUR is never said"];
    let script = scene.script(steps.map(Step::say).into());
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let you = scene.programs();
    screen.close_terminal();
    scene.wait_until("the session rests", || resting(&scene) == you);
    let mut command = scene.world.baton(&["run", flag(client), client.program().to_str().unwrap()]);
    command.envs(scene.home.environment());
    let mut runner = Runner::start(command);
    runner.says("waits for jobs");
    scene.ana(&["send", "--to", &you[0], "--category", "INFO", "--subject", "Hello", "--body", "Are you there?"]);
    runner.says("is done; its output is artifact://log/1");
    let before = scene.requests();
    // The stick, too, is passed to a session at rest.
    scene.ana(&["wait"]);
    scene.ana(&["pass", &you[0], "--status", "The cache is done.", "--next", "Look at the tests."]);
    runner.says("is done; its output is artifact://log/2");
    assert!(script.reached(2).prompt().contains("The stick is kept for you"), "{:#?}", script.reached(2));
    assert!(scene.requests() > before);
    runner.signal(Signal::TERM);
    let said = runner.ends();
    assert_eq!(said.matches("is resumed with").count(), 2, "{said}");
    assert_eq!(script.steps(), [0, 1, 2]);
    scene.world.assert_sound();
}

fn a_resumption_that_fails_waits_for_a_person(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    allow_resuming(&scene);
    scene.plays(vec![Step::say("ONE is said")]);
    let you = resting(&scene);
    scene.ana(&["send", "--to", &you[0], "--category", "INFO", "--subject", "Hello", "--body", "Are you there?"]);
    // Nothing is left of the conversation.
    let conversations = if client == Client::Claude { ".claude/projects" } else { ".codex/sessions" };
    fs::remove_dir_all(scene.home.directory().join(conversations)).unwrap();
    assert_eq!(runner_resumes(&scene), 1);
    let needs = scene.world.data_of(&["needs"]);
    let found = needs["needs"].as_array().unwrap().iter().find(|need| need["kind"] == "unprocessed").cloned();
    let found = found.unwrap_or_else(|| panic!("{needs}"));
    assert!(found["title"].as_str().unwrap().ends_with("could not be resumed"), "{found}");
    assert_eq!(runner_resumes(&scene), 0, "it is not tried again by itself");
}

/// Claude ends a conversation that is cleared, and its process goes on with another.
#[test]
fn a_cleared_conversation_is_over() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Client::Claude);
    allow_resuming(&scene);
    let first = scene.script(vec![Step::say("ONE is said")]);
    let second = scene.script(vec![Step::say("TWO is said")]);
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    first.finished();
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let before = scene.programs();
    screen.submit("/clear");
    screen.submit("Begin anew.");
    screen.wait_for("TWO is said");
    second.finished();
    scene.wait_until("the new session is a member", || !scene.programs().is_empty());
    screen.close_terminal();
    scene.wait_until("the session rests", || resting(&scene).len() == 1);
    assert_ne!(resting(&scene), before);
}

/// A story for each program that can be resumed, by its name.
macro_rules! for_resumable {
    ($($story:ident)*) => {
        $(mod $story {
            use baton_testkit::Client;

            #[test]
            fn claude() {
                super::$story(Client::Claude);
            }

            #[test]
            fn codex() {
                super::$story(Client::Codex);
            }
        })*
    };
}

for_resumable! {
    a_session_that_ended_is_resumed_once_for_a_message
    a_session_whose_terminal_was_closed_is_resumed_by_a_runner_that_waits
    a_resumption_that_fails_waits_for_a_person
}
