//! Idle sessions that are woken, once for each event and at no model request while they wait.

use baton_testkit::{Client, Launch, clients::left_out, model::Step};
use serde_json::json;

use super::{for_each_client, scene::Scene};

fn an_idle_session_is_woken_once_for_the_stick_and_once_per_message(client: Client) {
    is_woken_once(client, |launch| launch);
}

/// Codex's threads live in a server in the background unless it is told otherwise.
#[test]
fn an_idle_thread_of_a_server_in_the_background_is_woken_once() {
    is_woken_once(Client::Codex, Launch::with_background_server);
}

fn is_woken_once(client: Client, how: impl Fn(Launch) -> Launch) {
    if left_out() {
        return;
    }
    let scene = Scene::without_install(client);
    scene.install(if client == Client::Gemini { &["--wake", "park"] } else { &[] });
    scene.ana(&["wait"]);
    let script = scene.script(vec![
        Step::say("ONE is said"),
        Step::call("wait_for_turn", json!({"room_id": scene.room, "max_wait_ms": 5000})),
        Step::say("TWO is said"),
        Step::say("THREE is said"),
        Step::say("FOUR is never said"),
    ]);
    let screen = how(scene.launch()).screen(Some("Begin."));
    screen.wait_for("ONE is said");
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    // The stick is kept for the only other member, which takes it and ends its turn with the stick in its hands.
    scene.ana_releases();
    assert!(script.reached(1).prompt().contains("The stick is kept for you"), "{:#?}", script.reached(1));
    screen.wait_for("TWO is said");
    let woken = scene.requests();
    // A holder is not woken because it holds, and nobody by events that are not for them.
    for note in ["Nothing for you.", "Still nothing.", "Go on."] {
        scene.ana(&["room", "note", note]);
    }
    let you = scene.programs();
    scene.ana(&["send", "--to", &you[0], "--category", "INFO", "--subject", "Hello", "--body", "Are you there?"]);
    assert!(script.reached(3).prompt().contains("unread message"), "{:#?}", script.reached(3));
    screen.wait_for("THREE is said");
    assert_eq!(scene.requests(), woken + 1);
    let mut steps = script.steps();
    // A program that hides tools asks for a step twice: once to find the tool.
    steps.dedup();
    assert_eq!(steps, [0, 1, 2, 3]);
}

/// No hook tells that Claude Code waits for its first prompt, or that a person interrupted a turn.
#[test]
fn claude_is_woken_before_its_first_prompt_and_after_an_interrupted_turn() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Client::Claude);
    let begun = scene.world.home().join("begun");
    let long = format!("touch {}; sleep 600", begun.display());
    let script = scene.script(vec![Step::say("ONE is said"), Step::shell(&long), Step::say("TWO is said")]);
    let screen = scene.launch().screen(None);
    screen.wait_until_ready();
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let you = scene.programs();
    let tell = |subject: &str| {
        scene.ana(&["send", "--to", &you[0], "--category", "INFO", "--subject", subject, "--body", "Are you there?"])
    };
    tell("Hello");
    screen.wait_for("ONE is said");
    assert!(script.reached(0).prompt().contains("unread message"), "{:#?}", script.reached(0).prompt());
    screen.submit("Think about it.");
    scene.wait_until("the command runs", || begun.exists());
    screen.press("Escape");
    screen.wait_for("Interrupted");
    tell("Hello again");
    screen.wait_for("TWO is said");
    assert!(script.reached(2).prompt().contains("unread message"), "{:#?}", script.reached(2).prompt());
}

for_each_client!(an_idle_session_is_woken_once_for_the_stick_and_once_per_message);
