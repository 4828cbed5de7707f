//! Sessions that begin, are cleared, end, or lose their terminal.

use baton_testkit::{Client, Screen, clients::left_out, model::Step};

use serde_json::json;

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
    let reserve = json!({"op": "reserve", "args": {"room_id": scene.room, "scopes": ["docs"]}});
    let second = scene.script(vec![Step::call("scope", reserve), Step::say("TWO is said")]);
    let screen = scene.launch().screen(Some("Begin."));
    screen.wait_for("ONE is said");
    first.finished();
    scene.wait_until("the session is a member", || scene.programs().len() == 1);
    let before = scene.programs();
    let clear = if client == Client::OpenCode { "/new" } else { "/clear" };
    screen.command(clear, |screen| !screen.text().contains("ONE is said"));
    screen.submit("Begin anew.");
    screen.wait_for("TWO is said");
    second.finished();
    scene.wait_until("the new session is a member", || !scene.programs().is_empty());
    let after = scene.programs();
    // The MCP server lives as long as the process, and knows the conversation all the same.
    let scopes = scene.world.data_of(&["scope", "status", "--room", &scene.room]);
    let holder = after.iter().find(|agent| client == Client::Gemini || !before.contains(agent));
    assert!(holder.is_some_and(|holder| scopes.to_string().contains(holder.as_str())), "{after:?} {scopes}");
    match client {
        // The old conversation ended, and the process has the new one.
        Client::Claude => assert!(after.len() == 1 && after != before, "{before:?} {after:?}"),
        // Its process is the agent.
        Client::Gemini => assert_eq!(after, before),
        // Both are conversations of one process, which may go on with the old one.
        Client::Codex | Client::OpenCode => assert!(after.len() == 2 && after.contains(&before[0]), "{after:?}"),
    }
}

/// A person leaves the program: the session that ended is retired, and another one of the same program is not.
fn an_exit_retires_exactly_that_session(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let (one, two) = (scene.script(vec![Step::say("ONE is said")]), scene.script(vec![Step::say("TWO is said")]));
    let first = scene.launch().screen(Some("Begin."));
    first.wait_for("ONE is said");
    one.finished();
    scene.wait_until("the first session is a member", || scene.programs().len() == 1);
    let before = scene.programs();
    let second = scene.launch().screen(Some("Begin."));
    second.wait_for("TWO is said");
    two.finished();
    scene.wait_until("the second session is a member", || scene.programs().len() == 2);
    first.command(if client == Client::Gemini { "/quit" } else { "/exit" }, Screen::has_ended);
    scene.wait_until("the first session is gone", || scene.programs().len() == 1);
    assert!(!scene.programs().contains(&before[0]), "{before:?} {:?}", scene.programs());
}

for_each_client!(an_exit_retires_exactly_that_session);
for_each_client!(a_session_is_told_where_it_is_and_its_end_retires_it);
for_each_client!(a_cleared_conversation_is_another_agent);
