//! Whether a person speaks is told by the kind of session on record, never by how an id begins.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{Caller, Rights, doctor};
use baton_core::{code::ErrorCode, ids::AgentId, process::SessionKind, room::Actor};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

fn list(value: &Value) -> &[Value] {
    value.as_array().unwrap_or_else(|| panic!("no list: {value}"))
}

/// Somebody at a terminal who gave itself an id by hand, with all rights.
fn poser(app: &TestApp, id: &str) -> Caller {
    let id: AgentId = id.parse().unwrap();
    let actor = Actor::found("human:eve:1".parse().unwrap(), None, SessionKind::Human).overridden(id);
    Caller::new(actor, app.workspace().at("")).with_rights(Rights::Operator)
}

/// The texts that an agent's next turn takes, each with the kind of session behind its sender.
fn taken(agent: &Agent<'_>) -> Vec<(String, Value)> {
    let begun = agent.does("context.turn.begin", json!({}));
    let told = |item: &Value| (item["text"].as_str().unwrap().to_owned(), item["sender_kind"].clone());
    list(&begun["items"]).iter().map(told).collect()
}

#[test]
fn what_is_sent_carries_the_kind_of_session_behind_its_sender_in_every_way_of_sending() {
    on_every_backend(|app| {
        let [bo, cy] = app.joined(["bo", "cy"]);
        let ana = app.person("human:ana:1");
        ana.join();
        let send = |agent: &Agent<'_>, text: &str| {
            agent.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": text, "body": "b"}));
            agent.does("envelope.send", json!({"to": "bo", "message": text}));
            agent.does("bus.send", json!({"dst": "bo", "text": text}));
        };
        send(&ana, "by a person");
        send(&cy, "by an agent");
        ana.does("inbox.tell", json!({"to": "bo", "text": "by a person"}));
        let found = taken(&bo);
        assert_eq!(found.len(), 7);
        for (text, kind) in found {
            let expected = if text.starts_with("by a person") { "human" } else { "mcp_harness" };
            assert_eq!(kind, expected, "{text}");
        }
        let items = bo.does("inbox.list", json!({}));
        for item in list(&items["items"]) {
            let expected = if item["from_agent_id"] == "cy" { "mcp_harness" } else { "human" };
            assert_eq!(item["sender_kind"], expected, "{item}");
        }
        let report = doctor::examine(app.app()).unwrap();
        assert!(report.is_clean(), "{:?}", report.checks);
    });
}

#[test]
fn an_id_that_was_given_by_hand_is_never_a_persons() {
    on_every_backend(|app| {
        let [bo] = app.joined(["bo"]);
        let poser = poser(&app, "test:root");
        let call = |command: &str, mut input: Value| {
            input["room_id"] = json!(bo.room());
            app.call(&poser, command, input).unwrap()
        };
        call("bus.add", json!({}));
        call("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "b"}));
        call("envelope.send", json!({"to": "bo", "message": "m"}));
        call("bus.send", json!({"dst": "bo", "text": "t"}));
        let tells = json!({"room_id": bo.room(), "to": "bo", "text": "Stop."});
        assert_eq!(app.call(&poser, "inbox.tell", tells).unwrap_err().code, ErrorCode::Forbidden, "nor does it steer");
        let found = taken(&bo);
        assert_eq!(found.len(), 3);
        assert!(found.iter().all(|(_, kind)| kind.is_null()), "{found:?}");
        let shown = bo.does("agent.show", json!({"agent": "test:root"}));
        let plain = bo.does("agent.show", json!({"agent": "bo"}));
        assert_eq!((&shown["session_kind"], &shown["grants"]), (&Value::Null, &plain["grants"]), "not a person's");
        assert_eq!(bo.does("agent.inspect", json!({"agent": "test:root"}))["kind"], "agent", "and no person");
        let state = bo.does("room.state", json!({}));
        let member = list(&state["members"]).iter().find(|member| member["agent_id"] == "test:root").unwrap();
        assert_eq!(member["agent_id_override"], true);
    });
}

#[test]
fn an_id_that_begins_like_a_persons_is_none_without_a_person_on_record() {
    on_every_backend(|app| {
        let [bo, program] = app.joined(["bo", "human:root:pts0"]);
        program.does("envelope.send", json!({"to": "bo", "message": "m"}));
        assert_eq!(taken(&bo), [("m".to_owned(), json!("mcp_harness"))]);
        assert_eq!(bo.does("agent.inspect", json!({"agent": "human:root:pts0"}))["kind"], "agent");
        // Nor is its mail that of the person whose name it begins with.
        let root = app.person("human:root:http");
        root.enter(&bo.room());
        let blocked = |to: &str| json!({"to": to, "category": "BLOCKED", "subject": "s", "blocker": "b", "requested_action": "r"});
        bo.does("inbox.send", blocked("human:root:pts0"));
        assert_eq!(root.does("agent.needs", json!({}))["needs"], json!([]));
        app.person("human:root:pts1").join();
        bo.does("inbox.send", blocked("human:root:pts1"));
        let needs = root.does("agent.needs", json!({}));
        assert_eq!(list(&needs["needs"]).len(), 1, "{needs}");
        assert_eq!(needs["needs"][0]["to"], "human:root:pts1");
    });
}

#[test]
fn the_kind_of_a_sender_stays_with_what_it_sent_when_it_is_no_member_any_more() {
    on_every_backend(|app| {
        let [bo] = app.joined(["bo"]);
        let ana = app.person("human:ana:1");
        ana.join();
        ana.does("envelope.send", json!({"to": "bo", "message": "from a person"}));
        ana.does("room.leave", json!({}));
        let stranger = app.person("human:eve:http");
        stranger.enter(&bo.room());
        stranger.does("inbox.tell", json!({"to": "bo", "text": "from one who never joined"}));
        assert_eq!(taken(&bo).into_iter().map(|(_, kind)| kind).collect::<Vec<_>>(), ["human", "human"]);
    });
}

#[test]
fn a_manager_of_a_job_is_told_as_a_person_only_if_one_speaks() {
    on_every_backend(|app| {
        let [cy] = app.joined(["cy"]);
        cy.does("jobs.create", json!({"title": "Mend it", "prompt": "It rains in."}));
        let ana = app.person("human:ana:1");
        ana.enter(&cy.room());
        cy.does("jobs.message", json!({"job": "JOB-001", "message": "by an agent"}));
        ana.does("jobs.message", json!({"job": "JOB-001", "message": "by a person"}));
        let input = json!({"room_id": cy.room(), "job": "JOB-001", "message": "by hand"});
        app.call(&poser(&app, "test:root"), "jobs.message", input).unwrap();
        let runner = app.agent("runner:one");
        runner.enter(&cy.room());
        runner.does("jobs.claim", json!({"job": "JOB-001"}));
        let begun = runner.does("context.turn.begin", json!({"job": "JOB-001", "claim_revision": 1}));
        let kinds: Vec<_> = list(&begun["items"]).iter().map(|item| item["sender_kind"].clone()).collect();
        assert_eq!(kinds, [json!("mcp_harness"), json!("human"), Value::Null]);
    });
}
