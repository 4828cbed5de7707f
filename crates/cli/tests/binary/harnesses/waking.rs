//! Idle sessions that are woken, once for each event and at no model request while they wait.

use baton_testkit::{Client, clients::left_out, model::Step};

use super::{for_each_client, scene::Scene};

fn an_idle_session_is_woken_once_for_the_stick_and_once_per_message(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::without_install(client);
    scene.install(if client == Client::Gemini { &["--wake", "park"] } else { &[] });
    scene.ana(&["wait"]);
    let script = scene.script(vec![
        Step::say("ONE is said"),
        Step::say("TWO is said"),
        Step::say("THREE is said"),
        Step::say("FOUR is never said"),
    ]);
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let idle = scene.requests();
    // The stick is kept for the only other member.
    scene.ana_releases();
    assert!(script.reached(1).prompt().contains("The stick is kept for you"), "{:#?}", script.reached(1));
    screen.wait_for("TWO is said");
    let woken = scene.requests();
    assert!(woken > idle);
    let you = scene.programs();
    scene.ana(&["send", &you[0], "--category", "INFO", "--subject", "Hello", "--body", "Are you there?"]);
    assert!(script.reached(2).prompt().contains("unread message"), "{:#?}", script.reached(2));
    screen.wait_for("THREE is said");
    let told = scene.requests();
    // A second look at the same state wakes nobody: nothing new happened.
    for _ in 0..5 {
        scene.ana(&["room", "note", "Nothing for you."]);
    }
    assert_eq!(scene.requests(), told);
    assert_eq!(script.steps().last(), Some(&2));
}

for_each_client!(an_idle_session_is_woken_once_for_the_stick_and_once_per_message);
