//! Looking at a room's agents: the graph, and one of them in full. Looking changes nothing.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

fn graph(agent: &Agent<'_>) -> Value {
    agent.does("agent.graph", json!({}))
}

fn inspect(agent: &Agent<'_>, whom: &str) -> Value {
    agent.does("agent.inspect", json!({ "agent": whom }))
}

fn name(agent: &Agent<'_>) -> String {
    agent.entry()["display_name"].as_str().unwrap().to_owned()
}

fn node<'a>(graph: &'a Value, id: &str) -> &'a Value {
    graph["nodes"].as_array().unwrap().iter().find(|node| node["agent_id"] == id).unwrap_or(&Value::Null)
}

/// Waits as `kind: from -> to, why (pending)`.
fn waits(graph: &Value) -> Vec<String> {
    let told = |wait: &Value| {
        let text = |field: &str| wait[field].as_str().unwrap_or("-").to_owned();
        let (from, to) = (text("from_agent_id"), wait["to_agent_id"].as_str().unwrap_or(&text("to")).to_owned());
        format!("{}: {from} -> {to}, {} ({})", text("kind"), text("why"), text("pending"))
    };
    graph["waits"].as_array().unwrap().iter().map(told).collect()
}

/// What is stored, presence and deliveries included.
fn stored(app: &TestApp, agent: &Agent<'_>) -> String {
    format!("{:?} {:?}", app.stored(&agent.room()), app.everything())
}

#[test]
fn the_graph_tells_who_is_there_what_is_on_its_way_and_who_waits_for_whom() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined_living(["ana", "bo", "cy"]);
        ana.does("envelope.send", json!({"to": "bo", "message": "Please look", "response": "required", "id": "p-1"}));
        ana.does("inbox.send", json!({"to": name(&cy), "category": "INFO", "subject": "By the way", "body": "x"}));
        let turn = cy.claim();
        cy.does("tasks.create", json!({"title": "Mend <b>it</b>"}));
        cy.does("tasks.start", json!({"task": "TASK-001"}));
        let seen = graph(&ana);
        let (of_bo, of_cy) = (node(&seen, "bo"), node(&seen, "cy"));
        assert_eq!([&of_bo["kind"], &of_bo["connection"]["state"]], ["agent", "idle"]);
        assert_eq!(of_cy["connection"]["state"], "connected", "it holds the stick");
        assert_eq!((&of_bo["queued"], &of_cy["queued"]), (&json!(1), &json!(1)));
        assert_eq!((&of_cy["holds_stick"], &of_cy["does"]), (&json!(true), &json!("TASK-001: Mend <b>it</b>")));
        assert_eq!(seen["policy"], "mesh");
        let edges: Vec<_> = seen["edges"]
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| (&edge["from_agent_id"], &edge["to_agent_id"]))
            .collect();
        assert_eq!(edges, [(&json!("ana"), &json!("bo"))], "a mesh has the edges that were used");
        let flights: Vec<_> = seen["flights"]
            .as_array()
            .unwrap()
            .iter()
            .map(|flight| json!([flight["kind"], flight["id"], flight["subject"], flight["state"]]))
            .collect();
        assert_eq!(flights[0], json!(["envelope", "p-1", "Please look", "queued"]));
        assert_eq!([&flights[1][0], &flights[1][2]], ["message", "By the way"]);
        assert_eq!(waits(&seen), ["response: ana -> bo, a response to: Please look (has one input queued)"]);
        cy.pass(&turn, &ana);
        let seen = graph(&bo);
        assert_eq!(seen["flights"][0]["kind"], "stick");
        assert_eq!([&seen["flights"][0]["from_agent_id"], &seen["flights"][0]["to_agent_id"]], ["cy", "ana"]);
        assert!(waits(&seen)[1].starts_with("stick: cy -> ana, that the stick is claimed (kept until "), "{seen}");
        bo.dies();
        let seen = graph(&ana);
        assert_eq!(node(&seen, "bo")["connection"]["state"], "gone");
        assert_eq!(seen["waits"][0]["over"], true, "{seen}");
    });
}

#[test]
fn jobs_at_work_are_nodes_and_what_they_ask_is_waited_for() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        let person = app.person("pia");
        person.join();
        ana.does("jobs.create", json!({"title": "Mend it", "prompt": "It rains in."}));
        ana.does("jobs.create", json!({"title": "Later", "prompt": "Not yet."}));
        assert_eq!(graph(&ana)["nodes"].as_array().unwrap().len(), 2, "nobody is at a job yet");
        let runner = app.agent("runner:one");
        runner.enter(&ana.room());
        let revision = runner.does("jobs.claim", json!({"job": "JOB-001"}))["job"]["revision"].clone();
        runner.does("context.turn.begin", json!({"job": "JOB-001", "claim_revision": revision}));
        runner.does(
            "jobs.report",
            json!({"job": "JOB-001", "claim_revision": revision, "kind": "question", "message": "Which roof?"}),
        );
        person.does("agent.grant", json!({"agent": "ana", "spawn_nodes": true}));
        ana.does("spawn.request", json!({"title": "A reader", "prompt": "Read.", "message": "Here."}));
        let seen = graph(&person);
        let job = seen["nodes"].as_array().unwrap().iter().find(|node| node["job"] == "JOB-001").unwrap();
        assert_eq!([&job["kind"], &job["name"], &job["does"]], ["job", "JOB-001", "JOB-001: Mend it"]);
        assert_eq!([&job["connection"]["state"], &job["connection"]["turn"]], ["connected", "TURN-1"]);
        assert_eq!(node(&seen, person.id().as_str())["kind"], "person");
        let told = waits(&seen);
        assert!(
            told.iter().any(|wait| wait.starts_with("answer: ") && wait.contains(" -> ana, an answer: Mend it")),
            "{told:?}"
        );
        assert!(
            told.contains(&"approval: ana -> an operator, a decision on another agent: A reader (-)".to_owned()),
            "{told:?}"
        );
        assert!(!told.iter().any(|wait| wait.contains("Later")), "{told:?}");
    });
}

#[test]
fn explicit_edges_are_shown_whether_or_not_they_are_used() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined(["ana", "bo", "cy"]);
        let person = app.person("pia");
        person.join();
        person.does("room.policy", json!({"policy": {"edges": "explicit"}}));
        person.does("agent.edge.add", json!({"from": "ana", "to": "bo", "both_ways": true}));
        person.does("agent.edge.add", json!({"from": "bo", "to": "cy"}));
        bo.does("envelope.send", json!({"to": name(&ana), "message": "back"}));
        let seen = graph(&cy);
        assert_eq!(seen["policy"], "explicit");
        let edges = seen["edges"].as_array().unwrap();
        assert_eq!(edges.len(), 2);
        assert_eq!((&edges[0]["both_ways"], edges[0]["used_at"].is_string()), (&json!(true), true));
        assert_eq!((&edges[1]["both_ways"], &edges[1]["used_at"]), (&Value::Null, &Value::Null));
    });
}

#[test]
fn a_graph_that_does_not_fit_says_what_is_missing_and_gives_it_when_asked() {
    on_every_backend(|app| {
        let names: [String; 60] = std::array::from_fn(|number| format!("agent-{number}"));
        let agents = app.joined(std::array::from_fn::<_, 60, _>(|number| names[number].as_str()));
        let some = graph(&agents[0]);
        assert!(some["nodes"].as_array().unwrap().len() < 60 && some.to_string().len() < 13_000);
        assert!(some["more"][0].as_str().unwrap().ends_with("more agents: agent graph limit=100"), "{}", some["more"]);
        let all = agents[0].does("agent.graph", json!({"limit": 100}));
        assert_eq!((all["nodes"].as_array().unwrap().len(), &all["more"]), (60, &Value::Null));
        assert_eq!(agents[0].refused("agent.graph", json!({"limit": 0}))["error"], "INVALID_LIMIT");
    });
}

/// A room in which `bo` had a turn in which everything happened.
fn worked(app: &TestApp) -> [Agent<'_>; 3] {
    let [ana, bo] = app.joined(["ana", "bo"]);
    let person = app.person("pia");
    person.join();
    ana.does("envelope.send", json!({"to": "bo", "message": "Please mend it", "response": "required", "id": "p-1"}));
    person.does("inbox.tell", json!({"to": "bo", "text": "And hurry"}));
    let begun = bo.does("context.turn.begin", json!({}));
    let turn = begun["turn"].clone();
    let keep = |kind: &str, name: &str, text: &str| {
        bo.does("tasks.artifact.keep", json!({"kind": kind, "name": name, "text": text}))["ref"].clone()
    };
    let full = keep("prompt", "prompt.full.txt", "Mend it.");
    let blocks = keep("prompt", "prompt.blocks.json", "[]");
    bo.does(
        "context.turn.prompt",
        json!({"turn": turn, "mode": "full", "tokens": 12, "sent_tokens": 12, "refs": [full, blocks]}),
    );
    bo.does("context.turn.tools", json!({"turn": turn, "uses": [{"name": "Read", "detail": "roof.rs", "state": "started"}, {"name": "Read", "state": "done"}]}));
    bo.does(
        "context.turn.tools",
        json!({"turn": turn, "uses": [{"name": "Edit", "detail": "<roof>", "state": "failed"}]}),
    );
    keep("diff", "roof.diff", "--- a/roof\n+++ b/roof\n@@ -1 +1 @@\n-hole\n+tile\n");
    bo.does("envelope.send", json!({"to": name(&ana), "message": "It is mended", "id": "p-2"}));
    bo.does("context.turn.end", json!({"turn": turn, "outcome": "completed", "session": "s-9", "usage": {"input_tokens": 70, "cached_tokens": 20, "output_tokens": 5}}));
    let again = bo.does("context.turn.begin", json!({}))["turn"].clone();
    bo.does(
        "context.turn.end",
        json!({"turn": again, "outcome": "completed", "usage": {"input_tokens": 30, "output_tokens": 5}}),
    );
    [ana, bo, person]
}

#[test]
fn an_agent_is_shown_with_all_that_went_in_and_came_out() {
    on_every_backend(|app| {
        let [ana, bo, _] = worked(&app);
        let shown = inspect(&ana, &name(&bo));
        assert_eq!((&shown["agent_id"], &shown["kind"], &shown["queued"]), (&json!("bo"), &json!("agent"), &json!(0)));
        assert!(shown["connection"]["last_activity_at"].is_string() && shown["connection"]["stream"].is_string());
        let incoming = &shown["incoming"][0];
        assert_eq!(
            [&incoming["envelope"]["id"], &incoming["envelope"]["payload"]["message"]],
            ["p-1", "Please mend it"]
        );
        assert_eq!(
            (&incoming["state"], &incoming["turn"], &incoming["awaits_response"]),
            (&json!("accepted"), &json!("TURN-1"), &json!(false))
        );
        assert_eq!(shown["outgoing"][0]["envelope"]["id"], "p-2");
        assert_eq!(shown["outgoing"][0]["answers"], "payload://p-1");
        let ladder: Vec<_> = shown["inbox"]
            .as_array()
            .unwrap()
            .iter()
            .map(|item| json!([item["subject"], item["state"], item["turn"]]))
            .collect();
        assert_eq!(
            ladder,
            [json!(["And hurry", "accepted", "TURN-1"]), json!(["Please mend it", "accepted", "TURN-1"])]
        );
        let turns: Vec<_> = shown["turns"]
            .as_array()
            .unwrap()
            .iter()
            .map(|turn| json!([turn["turn"], turn["prompts"].as_array().unwrap().len()]))
            .collect();
        assert_eq!(turns, [json!(["TURN-2", 0]), json!(["TURN-1", 1])]);
        let told = &shown["turns"][1]["prompts"][0];
        assert_eq!(
            (&told["mode"], &told["refs"]),
            (&json!("full"), &json!(["artifact://prompt/1", "artifact://prompt/2"]))
        );
        assert_eq!(shown["turns"][1]["session"], "s-9");
        let tools: Vec<_> =
            shown["tools"].as_array().unwrap().iter().map(|tool| json!([tool["name"], tool["state"]])).collect();
        assert_eq!(tools, [json!(["Edit", "failed"]), json!(["Read", "done"]), json!(["Read", "started"])]);
        assert_eq!(shown["diffs"][0]["name"], "roof.diff");
        assert_eq!((shown["artifacts"].as_array().unwrap().len(), shown["diffs"].as_array().unwrap().len()), (3, 1));
        assert_eq!(
            (&shown["turn_count"], &shown["usage"]["input_tokens"], &shown["usage"]["output_tokens"]),
            (&json!(2), &json!(100), &json!(10))
        );
        assert_eq!(shown["connection"]["session"], "s-9", "the newest conversation that was told of");
        assert_eq!(shown["grants"], json!({}));
        assert_eq!(shown["older"], Value::Null);
    });
}

#[test]
fn looking_delivers_nothing_and_shows_nobody_to_be_there() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.does("envelope.send", json!({"to": "bo", "message": "Please look"}));
        app.later_minutes(5);
        let before = stored(&app, &ana);
        for agent in [&ana, &bo] {
            graph(agent);
            assert_eq!(inspect(agent, "bo")["inbox"][0]["state"], "queued");
        }
        assert_eq!(stored(&app, &ana), before);
    });
}

#[test]
fn a_section_is_read_on_from_where_it_ended() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let to = name(&bo);
        for number in 0..7 {
            ana.does("envelope.send", json!({"to": to, "message": format!("number {number}")}));
            let turn = bo.does("context.turn.begin", json!({}))["turn"].clone();
            bo.does(
                "context.turn.tools",
                json!({"turn": turn, "uses": [{"name": format!("tool {number}"), "state": "done"}]}),
            );
            bo.does("tasks.artifact.keep", json!({"kind": "diff", "name": format!("{number}.diff"), "text": "x"}));
            bo.does("context.turn.end", json!({"turn": turn, "outcome": "completed"}));
        }
        let first = inspect(&ana, "bo");
        let older: Vec<_> =
            first["older"].as_array().unwrap().iter().map(|cursor| cursor["section"].as_str().unwrap()).collect();
        assert_eq!(older, ["incoming", "inbox", "turns", "tools", "artifacts", "diffs"]);
        for cursor in first["older"].as_array().unwrap() {
            let section = cursor["section"].as_str().unwrap();
            let rest =
                ana.does("agent.inspect", json!({"agent": "bo", "section": section, "before": cursor["before"]}));
            assert_eq!(rest[section].as_array().unwrap().len(), 2, "{section}: {rest}");
            assert_eq!(rest["older"], Value::Null, "{section}");
            let others = ["incoming", "outgoing", "inbox", "turns", "tools", "artifacts", "diffs"];
            assert!(others.iter().all(|other| *other == section || rest[other].is_null()), "{section}: {rest}");
        }
    });
}

#[test]
fn who_left_who_never_joined_and_a_jobs_agent_can_be_looked_at() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let was = name(&bo);
        bo.does("room.leave", json!({}));
        let left = inspect(&ana, &was);
        assert_eq!([&left["kind"], &left["connection"]["state"]], ["outside", "gone"]);
        ana.does("jobs.create", json!({"title": "Mend it", "prompt": "It rains in."}));
        ana.does("envelope.send", json!({"to": "JOB-001", "message": "Mind the cat"}));
        let job = inspect(&ana, "JOB-001");
        assert_eq!([&job["kind"], &job["connection"]["why"]], ["job", "no runner has JOB-001"]);
        assert_eq!(job["incoming"][0]["envelope"]["payload"]["message"], "Mind the cat");
        let person = app.person("pia");
        person.enter(&ana.room());
        person.does("inbox.tell", json!({"to": "ana", "text": "Hello"}));
        assert_eq!(inspect(&ana, person.id().as_str())["connection"]["why"], "it is no member of the room");
        assert_eq!(ana.refused("agent.inspect", json!({"agent": "nobody"}))["error"], "AGENT_NOT_FOUND");
        assert_eq!(ana.refused("agent.inspect", json!({"agent": "JOB-009"}))["error"], "UNKNOWN_ID");
    });
}
