//! The pages about agents: the graph, the inspector, and all of them.

use serde_json::{Value, json};

use crate::support::{Ask, World};

const ODD: &str = "<img src=x onerror=alert(1)>";
const DIFF: &str = "diff --git a/<b> b/<b>\n--- a/<b>\n+++ b/<b>\n@@ -1 +1 @@\n-<script>old()</script>\n+new\n";

/// A room in which `bo` had a turn in which everything happened, and `ana` waits for it again.
async fn worked(world: &World) -> String {
    let room = world.session().await;
    let run = |who: &str, command: &str, mut input: Value| {
        input["room_id"] = room.as_str().into();
        world.call(who, command, input)
    };
    for who in ["ana", "bo"] {
        run(who, "bus.add", json!({ "name": format!("{who}-{}", "x") }));
    }
    run("ana", "envelope.send", json!({ "to": "bo", "message": ODD, "response": "required", "id": "p-1" }));
    let turn = run("bo", "context.turn.begin", json!({}))["turn"].clone();
    let keep = |kind: &str, name: &str, text: &str| {
        run("bo", "tasks.artifact.keep", json!({ "kind": kind, "name": name, "text": text }))["ref"].clone()
    };
    let full = keep("prompt", "prompt.full.txt", "Mend the </pre> roof.");
    let blocks = keep("prompt", "prompt.blocks.json", "[{\"name\":\"system\"}]");
    let told = json!({ "turn": turn, "mode": "delta", "tokens": 40, "sent_tokens": 12, "refs": [full, blocks] });
    run("bo", "context.turn.prompt", told);
    let uses = json!([{ "name": "Read", "detail": ODD, "state": "done" }]);
    run("bo", "context.turn.tools", json!({ "turn": turn, "uses": uses }));
    keep("diff", "<i>.diff", DIFF);
    run("bo", "envelope.send", json!({ "to": "ana", "message": "It is mended", "id": "p-2" }));
    let usage = json!({ "input_tokens": 7001, "cached_tokens": 20, "output_tokens": 503 });
    run("bo", "context.turn.end", json!({ "turn": turn, "outcome": "completed", "session": "s-<9>", "usage": usage }));
    run("ana", "envelope.send", json!({ "to": "bo", "message": "And the wall?", "response": "required", "id": "p-3" }));
    room
}

async fn page(world: &World, address: &str) -> String {
    let answer = world.ask(Ask::get(address)).await;
    let text = answer.text();
    assert_eq!(answer.status, 200, "{address}: {text}");
    assert!(text.len() < 200_000, "{address}: {}", text.len());
    assert!(!text.contains("<img src=x") && !text.contains("<script>old") && !text.contains("<i>.diff"), "{address}");
    text
}

/// A region of a page, up to the next one.
fn region<'a>(page: &'a str, id: &str) -> &'a str {
    let begin = page.find(&format!("id=\"region-{id}\"")).unwrap_or_else(|| panic!("no region {id}"));
    let rest = &page[begin..];
    rest[1..].find("id=\"region-").map_or(rest, |end| &rest[..end])
}

fn says(page: &str, id: &str, all: &[&str]) {
    let region = region(page, id);
    for words in all {
        assert!(region.contains(words), "{id} does not say {words:?}: {region}");
    }
}

#[tokio::test]
async fn the_inspector_shows_all_that_went_in_and_came_out_of_an_agent() {
    let world = World::start().await;
    let room = worked(&world).await;
    let shown = page(&world, &format!("/rooms/{room}/agents/bo")).await;
    says(&shown, "agent", &["data-connection=\"idle\"", "data-stream=\"reading\"", "Last activity", "data-session"]);
    says(
        &shown,
        "agent",
        &[
            "action=\"/do/inbox.tell\"",
            "value=\"interrupt\"",
            "data-delegate",
            "action=\"/do/agent.grant\"",
            "action=\"/do/agent.wake\"",
            "data-wake=\"all\"",
        ],
    );
    says(
        &shown,
        "incoming",
        &[
            "data-envelope=\"p-1\"",
            "&lt;img src=x",
            "Accepted",
            "TURN-1",
            "&quot;fromNodeId&quot;",
            "data-envelope=\"p-3\"",
            "a response is owed",
        ],
    );
    says(&shown, "outgoing", &["data-envelope=\"p-2\"", "It is mended", "payload://p-1"]);
    says(&shown, "inbox", &["data-state=\"queued\"", "data-state=\"accepted\"", "to be accepted", "not seen yet"]);
    says(&shown, "diffs", &["class=\"diff-file\"", "-&lt;script&gt;old()&lt;/script&gt;", "+new", "&lt;i&gt;.diff"]);
    says(&shown, "artifacts", &["artifact://diff/", "prompt.full.txt"]);
    says(&shown, "tools", &["Read", "&lt;img src=x", "done"]);
    says(
        &shown,
        "prompts",
        &["delta", "12 of 40 tokens", "prompt.full.txt", "prompt.blocks.json", "Mend the &lt;/pre&gt; roof."],
    );
    says(&shown, "usage", &["7001", "503", "All 1"]);
    let history = world.data_of(Ask::get(&format!("/v1/rooms/{room}/agents/bo/inspect"))).await;
    assert_eq!(history["inbox"][0]["state"], "queued", "looking delivered nothing");
}

#[tokio::test]
async fn a_tab_shows_one_part_alone_and_works_as_a_plain_link() {
    let world = World::start().await;
    let room = worked(&world).await;
    let all = page(&world, &format!("/rooms/{room}/agents/bo")).await;
    assert!(all.contains(&format!("href=\"/rooms/{room}/agents/bo?tab=tools\"")), "{all}");
    let tools = page(&world, &format!("/rooms/{room}/agents/bo?tab=tools")).await;
    says(&tools, "tools", &["Read"]);
    assert!(!tools.contains("id=\"region-incoming\"") && tools.contains("id=\"region-agent\""));
    for odd in ["?tab=nothing", "?tab=tools&before=x", "?tab=diffs&before=0"] {
        page(&world, &format!("/rooms/{room}/agents/bo{odd}")).await;
    }
    let missing = world.ask(Ask::get(&format!("/rooms/{room}/agents/nobody"))).await;
    assert_eq!(missing.status, 404);
}

#[tokio::test]
async fn the_graph_has_nodes_edges_flights_and_waits_and_says_the_same_in_a_table() {
    let world = World::start().await;
    let room = worked(&world).await;
    let shown = page(&world, &format!("/rooms/{room}/graph")).await;
    says(&shown, "graph", &["data-node=\"bo\" data-connection=\"idle\"", "data-node=\"ana\"", "data-edge=\"ana bo\""]);
    says(
        &shown,
        "graph",
        &["data-flight=\"p-3\"", "data-flight=\"p-2\"", "data-wait=\"response\"", &format!("/rooms/{room}/agents/bo")],
    );
    says(&shown, "table", &["<table", "ana-x", "bo-x", "a response to: And the wall?", "data-delegate"]);
    says(&shown, "waits", &["waits for", "has one input queued", "payload://p-3"]);
    world.call("bo", "room.leave", json!({ "room_id": room }));
    let after = page(&world, &format!("/rooms/{room}/graph")).await;
    says(&after, "graph", &["data-node=\"bo\" data-connection=\"gone\""]);
    says(&after, "table", &["will not come"]);
}

#[tokio::test]
async fn all_agents_are_listed_by_state_and_room() {
    let world = World::start().await;
    let room = worked(&world).await;
    let shown = page(&world, "/agents").await;
    says(&shown, "agents", &["data-agent=\"ana\"", "data-agent=\"bo\"", &format!("href=\"/rooms/{room}\"")]);
    let none = page(&world, "/agents?state=disconnected").await;
    says(&none, "agents", &["No agent is so here"]);
    let some = page(&world, &format!("/agents?state=idle&room={room}")).await;
    says(&some, "agents", &["data-agent=\"bo\""]);
}

#[tokio::test]
async fn nobody_is_nobody() {
    let world = World::start().await;
    says(&page(&world, "/agents").await, "agents", &["No agents yet"]);
    let room = world.session().await;
    says(&page(&world, &format!("/rooms/{room}/graph")).await, "graph", &["Nobody is here"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_waits_is_on_the_graph_and_on_the_agents_page_and_every_link_there_leads_somewhere() {
    let world = World::start().await;
    let room = worked(&world).await;
    world.call("ana", "jobs.create", json!({ "room_id": room, "title": "Mend it", "prompt": "It rains in." }));
    // One who never joined may wait, too.
    let (app, passer_by, waited) = (world.hub.app().clone(), world.caller("passer-by"), room.clone());
    let waiting = std::thread::spawn(move || {
        let input =
            json!({ "room_id": waited, "agents": ["bo"], "jobs": ["JOB-001"], "any": true, "max_wait_ms": 50_000 });
        baton_app::table::find("wait.for").unwrap().run(&app, &passer_by, input)
    });
    let graph = loop {
        let graph = page(&world, &format!("/rooms/{room}/graph")).await;
        if graph.contains("data-wait=\"call\"") {
            break graph;
        }
        assert!(!waiting.is_finished());
    };
    assert!(graph.contains("the end of JOB-001, or that of another, in a call of wait_for"), "{graph}");
    let shown = page(&world, &format!("/rooms/{room}/agents/passer-by")).await;
    says(&shown, "agent", &["data-wait=\"call\"", "its answer, or that of another, in a call of wait_for", "since "]);
    for (place, shown) in [("graph", &graph), ("waits", &graph), ("table", &graph), ("agent", &shown)] {
        let links = region(shown, place).split("href=\"/rooms/").skip(1).filter_map(|rest| rest.split('"').next());
        for link in links.filter(|link| link.contains("/agents/") || link.contains("JOB-")) {
            let address = format!("/rooms/{}", link.replace("&amp;", "&"));
            let answer = world.ask(Ask::get(&address)).await;
            assert!(answer.status < 400, "on {place}: {address}: {}", answer.status);
        }
    }
    world.call("ana", "jobs.cancel", json!({ "room_id": room, "job": "JOB-001", "reason": "It is dry." }));
    waiting.join().unwrap().unwrap();
    assert!(!page(&world, &format!("/rooms/{room}/graph")).await.contains("data-wait=\"call\""));
}
