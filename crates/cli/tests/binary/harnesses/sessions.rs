//! Sessions that begin, are cleared, end, or lose their terminal.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::fs;

use baton_testkit::{
    Client, Launch, Screen,
    clients::left_out,
    model::{Gate, Step},
};

use serde_json::json;

use super::{for_each_client, scene::Scene};

fn a_session_is_told_where_it_is_and_its_end_retires_it(client: Client) {
    is_told_and_retired(client, |launch| launch);
}

/// Codex's threads live in a server in the background unless it is told otherwise, and the server outlives its screens.
#[test]
fn a_session_at_a_server_in_the_background_is_retired_when_its_terminal_closes() {
    is_told_and_retired(Client::Codex, Launch::with_background_server);
}

fn is_told_and_retired(client: Client, how: impl Fn(Launch) -> Launch) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let script = scene.script(vec![Step::say("ONE is said"), Step::say("TWO is said")]);
    let screen = how(scene.launch()).screen(Some("Begin."));
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
    is_another_agent_when_cleared(client, |launch| launch);
}

#[test]
fn a_cleared_conversation_at_a_server_in_the_background_is_another_agent() {
    is_another_agent_when_cleared(Client::Codex, Launch::with_background_server);
}

fn is_another_agent_when_cleared(client: Client, how: impl Fn(Launch) -> Launch) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let first = scene.script(vec![Step::say("ONE is said")]);
    let reserve = json!({"op": "reserve", "args": {"room_id": scene.room, "scopes": ["docs"]}});
    let second = scene.script(vec![Step::call("scope", reserve), Step::say("TWO is said")]);
    let screen = how(scene.launch()).screen(Some("Begin."));
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
        // Its process is the agent.
        Client::Gemini => assert_eq!(after, before),
        // The old conversation ended, and the process has the new one.
        Client::Claude | Client::Codex | Client::OpenCode => {
            assert!(after.len() == 1 && after != before, "{before:?} {after:?}");
        }
    }
}

/// A sub-agent that joins a room is an agent of its own there, until its part is done.
fn a_subagent_is_an_agent_of_its_own_while_it_works(client: Client) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let (at_work, after) = (Gate::closed(), Gate::closed());
    let part = "PART: reserve the documents.";
    let reserve = json!({"op": "reserve", "args": {"room_id": scene.room, "scopes": ["docs"]}});
    let join = json!({"context_path": scene.world.workspace()});
    let steps =
        vec![Step::call("join_path", join), Step::call("scope", reserve), Step::hold(&at_work), Step::say("reserved")];
    let sub = scene.subagent(part, steps);
    let main = scene.script(vec![Step::subagent(part), Step::hold(&after), Step::say("done")]);
    let running = scene.launch().headless("Do it.");
    let turn = sub.reached(2);
    assert!(turn.result_text(1).contains("docs"), "{:?}", turn.results);
    let owners = scene.world.data_of(&["scope", "status", "--room", &scene.room])["scopes"].to_string();
    let programs = scene.programs();
    // Gemini's process is the agent, and nothing identifies its sub-agents.
    let agents = if client == Client::Gemini { 1 } else { 2 };
    assert_eq!(programs.len(), agents, "{programs:?}");
    assert_eq!(programs.iter().filter(|agent| owners.contains(agent.as_str())).count(), 1, "{owners}");
    at_work.open();
    main.reached(1);
    if matches!(client, Client::Claude | Client::OpenCode) {
        scene.wait_until("the sub-agent has left", || scene.programs().len() == 1);
    }
    after.open();
    let ended = running.wait();
    assert_eq!(ended.code, Some(0), "{ended:#?}");
    scene.wait_until("the session is gone", || scene.programs().is_empty());
}

/// A person leaves the program: the session that ended is retired, and another one of the same program is not.
fn an_exit_retires_exactly_that_session(client: Client) {
    retires_exactly_that_session(client, |launch| launch);
}

/// Screens in different directories are told apart.
#[test]
fn an_exit_at_a_server_in_the_background_retires_exactly_that_session() {
    retires_exactly_that_session(Client::Codex, Launch::with_background_server);
}

fn retires_exactly_that_session(client: Client, how: impl Fn(Launch) -> Launch) {
    if left_out() {
        return;
    }
    let scene = Scene::new(client);
    let elsewhere = scene.file("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    let (one, two) = (scene.script(vec![Step::say("ONE is said")]), scene.script(vec![Step::say("TWO is said")]));
    let first = how(scene.launch()).screen(Some("Begin."));
    first.wait_for("ONE is said");
    one.finished();
    scene.wait_until("the first session is a member", || scene.programs().len() == 1);
    let before = scene.programs();
    let second = how(scene.launch_in(&elsewhere)).screen(Some("Begin."));
    second.wait_for("TWO is said");
    two.finished();
    scene.wait_until("the second session is a member", || scene.programs().len() == 2);
    first.command(if client == Client::Gemini { "/quit" } else { "/exit" }, Screen::has_ended);
    scene.wait_until("the first session is gone", || scene.programs().len() == 1);
    assert!(!scene.programs().contains(&before[0]), "{before:?} {:?}", scene.programs());
}

for_each_client!(an_exit_retires_exactly_that_session);
for_each_client!(a_session_is_told_where_it_is_and_its_end_retires_it);
for_each_client!(a_subagent_is_an_agent_of_its_own_while_it_works);
for_each_client!(a_cleared_conversation_is_another_agent);
