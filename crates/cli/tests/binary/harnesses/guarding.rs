//! Edits and shell writes of a program that forgets the stick.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use baton_testkit::{
    Client, Launch,
    clients::left_out,
    model::{Gate, Step, Turn},
};
use serde_json::json;

use super::{
    for_each_client,
    scene::{Scene, text},
};

fn without_the_stick_nothing_reaches_the_disk_but_ones_own_scope(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    scene.ana(&["wait"]);
    let script = scene.plays(vec![
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::call("scope", json!({"op": "reserve", "args": {"room_id": scene.room, "scopes": ["docs"]}})),
        Step::write_file(&scene.file("docs/own.txt"), "mine\n"),
        Step::shell("git status --short && ls"),
        Step::say("done"),
    ]);
    let turn = script.reached(5);
    for step in [0, 1] {
        let said = turn.result_text(step);
        assert!(said.contains("holds the stick until") && said.contains("wait_for_turn"), "{step}: {said}");
    }
    assert_eq!((text(&scene.file("a.txt")), text(&scene.file("b.txt"))), (None, None));
    assert_eq!(text(&scene.file("docs/own.txt")).as_deref(), Some("mine\n"), "{turn:#?}");
    assert!(turn.result_text(4).contains("docs"), "{turn:#?}");
    scene.world.assert_sound();
}

fn with_the_stick_it_writes_everywhere_but_in_a_foreign_scope(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    scene.ana(&["scope", "reserve", "src"]);
    let script = scene.plays(vec![
        Step::call("wait_for_turn", json!({"room_id": scene.room, "max_wait_ms": 5000})),
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::write_file(&scene.file("src/theirs.txt"), "mine\n"),
        Step::say("done"),
    ]);
    let turn = script.reached(4);
    assert!(turn.result_text(0).contains("your_turn"), "{turn:#?}");
    assert_eq!(text(&scene.file("a.txt")).as_deref(), Some("mine\n"), "{turn:#?}");
    assert_eq!(text(&scene.file("b.txt")).as_deref(), Some("x\n"), "{turn:#?}");
    assert!(turn.result_text(3).contains("has reserved src until"), "{turn:#?}");
    assert_eq!(text(&scene.file("src/theirs.txt")), None);
}

/// Current models of Codex write code that calls the tools.
#[test]
fn code_that_calls_tools_is_stopped_at_each_call() {
    if left_out() {
        return;
    }
    let scene = Scene::with_codex_model("gpt-6.1-sol");
    scene.ana(&["wait"]);
    let script = scene.plays(vec![
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::shell("cat .git/HEAD"),
        Step::say("done"),
    ]);
    let turn = script.reached(3);
    for step in [0, 1] {
        assert!(turn.result_text(step).contains("holds the stick until"), "{turn:#?}");
    }
    assert!(turn.result_text(2).contains("ref: refs/heads/"), "{turn:#?}");
    assert_eq!((text(&scene.file("a.txt")), text(&scene.file("b.txt"))), (None, None));
}

/// No hook sees what Codex types into a shell that is open already.
#[test]
fn a_shell_that_stays_open_stays_confined() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Client::Codex);
    scene.ana(&["wait"]);
    let type_into = |turn: &Turn| {
        let said = turn.result_text(0);
        let id = said.split("session ID ").nth(1).and_then(|rest| rest.split(|c: char| !c.is_ascii_digit()).next());
        let id: u64 = id.and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("no session in {said}"));
        Step::call_own("write_stdin", json!({"session_id": id, "chars": "echo evil > evade.txt; echo $((6*7))\n"}))
    };
    let script = scene.plays(vec![
        Step::call_own("exec_command", json!({"cmd": "bash -i", "tty": true, "yield_time_ms": 1000})),
        Step::decide(type_into),
        Step::say("done"),
    ]);
    let turn = script.reached(2);
    assert!(turn.result_text(1).contains("Permission denied") && turn.result_text(1).contains("42"), "{turn:#?}");
    assert_eq!(text(&scene.file("evade.txt")), None);
}

fn a_subagent_is_stopped_like_its_main_agent(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    scene.ana(&["scope", "reserve", "src"]);
    scene.ana(&["wait"]);
    let (before, after) = ("PART-ONE: write it down.", "PART-TWO: write it down.");
    let first = scene.subagent(before, vec![Step::shell("echo x > sub.txt"), Step::say("the part is not done")]);
    let second = scene.subagent(
        after,
        vec![
            Step::write_file(&scene.file("sub.txt"), "mine\n"),
            Step::write_file(&scene.file("src/theirs.txt"), "mine\n"),
            Step::say("the part is done"),
        ],
    );
    let gate = Gate::closed();
    let main = scene.script(vec![
        Step::subagent(before),
        Step::hold(&gate),
        Step::call("wait_for_turn", json!({"room_id": scene.room, "max_wait_ms": 5000})),
        Step::subagent(after),
        Step::say("done"),
    ]);
    let running = scene.launch().headless("Do it.");
    let turn = first.reached(1);
    assert!(turn.result_text(0).contains("holds the stick until"), "{turn:#?}");
    assert_eq!(text(&scene.file("sub.txt")), None);
    scene.ana_releases();
    gate.open();
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    main.finished();
    let turn = second.reached(2);
    assert_eq!(text(&scene.file("sub.txt")).as_deref(), Some("mine\n"), "{turn:#?}");
    assert!(turn.result_text(1).contains("has reserved src until"), "{turn:#?}");
    assert_eq!(text(&scene.file("src/theirs.txt")), None);
}

/// One story with a person before the screen: without the stick, in an own scope, and with the stick.
fn in_its_screen_it_is_guarded_like_without_one(client: Client) {
    is_guarded_in_its_screen(client, |launch| launch);
}

#[test]
fn at_a_server_in_the_background_it_is_guarded_like_without_one() {
    is_guarded_in_its_screen(Client::Codex, Launch::with_background_server);
}

fn is_guarded_in_its_screen(client: Client, how: impl Fn(Launch) -> Launch) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    scene.ana(&["scope", "reserve", "src"]);
    scene.ana(&["wait"]);
    let script = scene.script(vec![
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::call("scope", json!({"op": "reserve", "args": {"room_id": scene.room, "scopes": ["docs"]}})),
        Step::write_file(&scene.file("docs/own.txt"), "mine\n"),
        Step::say("ONE is said"),
        Step::call("wait_for_turn", json!({"room_id": scene.room, "max_wait_ms": 5000})),
        Step::write_file(&scene.file("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::write_file(&scene.file("src/theirs.txt"), "mine\n"),
        Step::say("TWO is said"),
    ]);
    let screen = how(scene.launch()).screen(Some("Begin."));
    screen.wait_for("ONE is said");
    let turn = script.reached(4);
    for step in [0, 1] {
        assert!(turn.result_text(step).contains("holds the stick until"), "{turn:#?}");
    }
    assert_eq!((text(&scene.file("a.txt")), text(&scene.file("b.txt"))), (None, None));
    assert_eq!(text(&scene.file("docs/own.txt")).as_deref(), Some("mine\n"), "{turn:#?}");
    // The stick is kept for the session, which wakes it; Gemini only where that was asked for.
    scene.ana_releases();
    if client == Client::Gemini {
        screen.submit("Go on.");
    }
    screen.wait_for("TWO is said");
    let turn = script.reached(9);
    assert_eq!(text(&scene.file("a.txt")).as_deref(), Some("mine\n"), "{turn:#?}");
    assert_eq!(text(&scene.file("b.txt")).as_deref(), Some("x\n"), "{turn:#?}");
    assert!(turn.result_text(8).contains("has reserved src until"), "{turn:#?}");
    assert_eq!(text(&scene.file("src/theirs.txt")), None);
}

for_each_client!(in_its_screen_it_is_guarded_like_without_one);

fn a_command_that_cannot_be_read_runs_where_it_cannot_write(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    scene.ana(&["wait"]);
    let script = scene.plays(vec![
        Step::shell("python3 -c 'open(\"c.txt\", \"w\").write(\"x\")'; python3 -c 'print(6 * 7)'"),
        Step::say("done"),
    ]);
    let turn = script.reached(1);
    assert_eq!(text(&scene.file("c.txt")), None, "{turn:#?}");
    assert!(turn.result_text(0).contains("Permission denied") && turn.result_text(0).contains("42"), "{turn:#?}");
}

fn outside_of_a_room_nothing_changes(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let elsewhere = scene.world.make_workspace("elsewhere").canonicalize().unwrap();
    let script = scene.script(vec![
        Step::write_file(&elsewhere.join("a.txt"), "mine\n"),
        Step::shell("echo x > b.txt"),
        Step::say("done"),
    ]);
    let ended = scene.launch_in(&elsewhere).headless("Do it.").wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    script.finished();
    assert_eq!(text(&elsewhere.join("a.txt")).as_deref(), Some("mine\n"));
    assert_eq!(text(&elsewhere.join("b.txt")).as_deref(), Some("x\n"));
    assert!(!script.reached(0).prompt().contains("Baton: you are"), "{:#?}", script.reached(0));
}

for_each_client!(without_the_stick_nothing_reaches_the_disk_but_ones_own_scope);
for_each_client!(with_the_stick_it_writes_everywhere_but_in_a_foreign_scope);
for_each_client!(a_subagent_is_stopped_like_its_main_agent);
for_each_client!(a_command_that_cannot_be_read_runs_where_it_cannot_write);
for_each_client!(outside_of_a_room_nothing_changes);
