//! Sessions that begin, are cleared, end, or lose their terminal.

use baton_testkit::{Client, clients::left_out, model::Step};

use super::{for_each_client, scene::Scene};

fn a_session_is_told_where_it_is_and_its_end_retires_it(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let script = scene.script(vec![Step::say("ONE is said"), Step::say("TWO is said")]);
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let context = format!("{:?}", script.reached(0));
    assert!(context.contains("Baton: you are") && context.contains(&scene.room), "{context}");
    screen.close_terminal();
    scene.wait_until("the session is gone", || scene.programs().is_empty());
    assert_eq!(script.steps(), [0]);
}

/// `/clear` begins another conversation in the same process; what it does afterwards it does as another agent.
fn a_cleared_conversation_is_another_agent(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let first = scene.script(vec![Step::say("ONE is said")]);
    let second = scene.script(vec![Step::say("TWO is said")]);
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    first.finished();
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let before = scene.programs();
    screen.submit(if client == Client::OpenCode { "/new" } else { "/clear" });
    screen.submit("Begin anew.");
    screen.wait_for("TWO is said");
    second.finished();
    scene.wait_until("the new session is a member", || !scene.programs().is_empty());
    let after = scene.programs();
    match client {
        // The old conversation ended, and the process has the new one.
        Client::Claude => assert!(after.len() == 1 && after != before, "{before:?} {after:?}"),
        // Its process is the agent.
        Client::Gemini => assert_eq!(after, before),
        // Both are conversations of one process, which may go on with the old one.
        Client::Codex | Client::OpenCode => assert!(after.len() == 2 && after.contains(&before[0]), "{after:?}"),
    }
}

for_each_client!(a_session_is_told_where_it_is_and_its_end_retires_it);
for_each_client!(a_cleared_conversation_is_another_agent);
