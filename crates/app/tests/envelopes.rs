//! Envelopes: who may send them to whom, in which order they arrive, and what is owed for them.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::thread;

use baton_app::doctor;
use baton_testkit::{Agent, TestApp, job_agent, on_every_backend};
use serde_json::{Value, json};

fn saying(to: &str, message: &str) -> Value {
    json!({"to": to, "message": message})
}

fn asking(to: &str, message: &str) -> Value {
    json!({"to": to, "message": message, "response": "required"})
}

fn with(mut input: Value, field: &str, value: impl Into<Value>) -> Value {
    input[field] = value.into();
    input
}

fn subjects(agent: &Agent<'_>) -> Vec<String> {
    let listed = agent.does("inbox.list", json!({"state": "all", "limit": 200}));
    let subject = |item: &Value| item["subject"].as_str().unwrap().to_owned();
    listed["items"].as_array().unwrap().iter().map(subject).collect()
}

fn clean(app: &TestApp) {
    let report = doctor::examine(app.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}

/// The contract's envelope as a whole, from one agent to another.
fn whole(from: &str, to: &str) -> Value {
    json!({"envelope": {
        "kind": "handoff", "id": "payload-uuid", "fromNodeId": from, "toNodeId": to,
        "createdAt": "2026-01-01T00:00:00Z",
        "payload": {
            "message": "Short human-readable summary", "structured": {"key": "value"},
            "artifacts": [{"type": "card", "ref": "CARD-1"}], "status": {"ok": true, "reason": "tests-pass"},
            "response": {"expectation": "optional", "replyTo": from},
        },
        "meta": {"priority": "normal"},
    }})
}

#[test]
fn an_envelope_arrives_as_it_was_written_and_can_be_opened() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        bo.does("agent.register", json!({"name": "amber-otter"}));
        ana.does("tasks.card.create", json!({"title": "t", "text": "x"}));
        let sent = ana.does("envelope.send", whole("ana", "bo"));
        assert_eq!([&sent["id"], &sent["ref"]], ["payload-uuid", "payload://payload-uuid"]);
        assert_eq!((&sent["to"], &sent["awaits_response"]), (&json!("amber-otter"), &json!(false)));
        let read = bo.does("inbox.read", json!({"message": sent["message"]}));
        assert_eq!(read["envelope"].to_string(), whole("ana", "bo")["envelope"].to_string(), "byte for byte");
        let opened = ana.does("open", json!({"id": "payload://payload-uuid"}));
        assert_eq!((&opened["kind"], &opened["envelope"]), (&json!("envelope"), &read["envelope"]));
        assert_eq!([&opened["to"], &opened["state"]], ["amber-otter", "seen"]);
        assert_eq!(ana.story(), "create join join register card.create envelope.send see");
        clean(&app);
    });
}

#[test]
fn a_missing_field_is_refused_by_name_in_either_form_and_nothing_is_sent() {
    on_every_backend(|app| {
        let [ana, _bo] = app.joined(["ana", "bo"]);
        ana.does("tasks.card.create", json!({"title": "t", "text": "x"}));
        let before = app.everything();
        for field in ["kind", "id", "fromNodeId", "toNodeId", "createdAt", "payload"] {
            let mut input = whole("ana", "bo");
            input["envelope"].as_object_mut().unwrap().remove(field);
            let refused = ana.refused("envelope.send", input);
            assert_eq!((&refused["error"], &refused["field"]), (&json!("INVALID_ENVELOPE"), &json!(field)));
        }
        for (input, code, field) in [
            (json!({"message": "x"}), "INVALID_ENVELOPE", "to"),
            (json!({"to": "bo"}), "INVALID_ENVELOPE", "message"),
            (saying("bo", " "), "INVALID_ENVELOPE", "message"),
            (with(saying("bo", "x"), "id", "two words"), "INVALID_ENVELOPE", "id"),
            (with(saying("bo", "x"), "meta", json!({"priority": "now"})), "INVALID_ENVELOPE", "meta.priority"),
            (with(saying("bo", "x"), "meta", json!({"inReplyTo": "none"})), "INVALID_ENVELOPE", "meta.inReplyTo"),
            (with(saying("bo", "x"), "context_ref", "CARD-1"), "INVALID_ENVELOPE", "context_ref"),
            (with(saying("bo", "x"), "context_ref", "contextpack://pack/1"), "UNKNOWN_ID", "context_ref"),
            (
                with(saying("bo", "x"), "artifacts", json!([{"type": "x", "ref": "y"}])),
                "INVALID_ENVELOPE",
                "artifacts[0].ref",
            ),
            (with(saying("bo", "x"), "artifacts", json!([{"type": "x", "ref": "CARD-2"}])), "UNKNOWN_ID", "artifacts"),
            (with(whole("ana", "bo"), "to", "bo"), "INVALID_ENVELOPE", "to"),
            (whole("bo", "bo"), "UNKNOWN_RECIPIENT", "toNodeId"),
            (saying("ana", "x"), "UNKNOWN_RECIPIENT", "to"),
            (saying("cy", "x"), "UNKNOWN_RECIPIENT", "to"),
            (saying("JOB-009", "x"), "UNKNOWN_RECIPIENT", "to"),
            (with(asking("bo", "x"), "reply_to", "bo"), "UNKNOWN_RECIPIENT", "reply_to"),
        ] {
            let refused = ana.refused("envelope.send", input.clone());
            if input["envelope"]["fromNodeId"] == "bo" {
                continue;
            }
            assert_eq!((&refused["error"], &refused["field"]), (&json!(code), &json!(field)), "{input} {refused}");
        }
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn an_envelope_in_anothers_name_is_refused() {
    on_every_backend(|app| {
        let [ana, bo, _cy] = app.joined(["ana", "bo", "cy"]);
        ana.does("tasks.card.create", json!({"title": "t", "text": "x"}));
        let refused = bo.refused("envelope.send", whole("ana", "cy"));
        assert_eq!([&refused["error"], &refused["field"]], ["SOURCE_MISMATCH", "fromNodeId"]);
        let stranger = app.agent("stranger");
        stranger.enter(&ana.room());
        assert_eq!(stranger.refused("envelope.send", saying("bo", "x"))["error"], "UNKNOWN_SENDER");
    });
}

#[test]
fn the_same_id_again_is_the_same_message_and_other_content_is_refused() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let input = with(asking("bo", "once"), "id", "p-1");
        let first = ana.does("envelope.send", input.clone());
        app.later_minutes(1);
        let again = ana.does("envelope.send", input.clone());
        assert_eq!((&again["message"], &again["again"]), (&first["message"], &json!(true)));
        let refused = ana.refused("envelope.send", with(asking("bo", "twice"), "id", "p-1"));
        assert_eq!((&refused["error"], &refused["message_id"]), (&json!("CONFLICT"), &first["message"]));
        bo.does("room.leave", json!({}));
        assert_eq!(ana.does("envelope.send", input)["again"], true, "also when its recipient has left");
        let keyed = with(saying("ana", "x"), "idempotency_key", "k");
        let cy = app.agent("cy");
        cy.join();
        assert_eq!(cy.does("envelope.send", keyed.clone()), cy.does("envelope.send", keyed));
        assert_eq!(subjects(&ana), ["x"]);
        clean(&app);
    });
}

#[test]
fn what_several_send_at_once_arrives_in_one_order_each_senders_own_kept() {
    on_every_backend(|app| {
        let [ana, bo, cy, dee] = app.joined(["ana", "bo", "cy", "dee"]);
        thread::scope(|scope| {
            for sender in [&ana, &bo, &cy] {
                scope.spawn(move || {
                    for number in 0..10 {
                        sender.does("envelope.send", saying("dee", &format!("{} {number}", sender.id())));
                    }
                });
            }
        });
        let told = subjects(&dee);
        assert_eq!(told.len(), 30);
        for sender in ["ana", "bo", "cy"] {
            let own: Vec<_> = told.iter().filter(|subject| subject.starts_with(sender)).cloned().collect();
            let expected: Vec<_> = (0..10).map(|number| format!("{sender} {number}")).collect();
            assert_eq!(own, expected);
        }
        let sent: Vec<_> = app
            .log(&ana.room())
            .into_iter()
            .filter(|recorded| recorded.event.kind() == "envelope.send")
            .map(|recorded| recorded.seq.0)
            .collect();
        let items = dee.does("inbox.list", json!({"state": "all", "limit": 200}))["items"].clone();
        let listed: Vec<_> = items.as_array().unwrap().iter().map(|item| item["message"].as_u64().unwrap()).collect();
        assert_eq!(listed, sent, "the order of the log");
        clean(&app);
    });
}

#[test]
fn secrets_are_not_stored() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let key: String = "ghp_".chars().chain("a1B2c3D4".chars().cycle().take(24)).collect();
        let input = with(saying("bo", &format!("use {key}")), "structured", json!({"password": "hunter2!", "at": key}));
        let sent = ana.does("envelope.send", input);
        let read = bo.does("inbox.read", json!({"message": sent["message"]}));
        assert_eq!(read["envelope"]["payload"]["message"], "use [redacted:github]");
        let stored = format!("{:?}", app.log(&ana.room()));
        assert!(!stored.contains(&key) && !stored.contains("hunter2"), "{stored}");
    });
}

#[test]
fn a_jobs_agent_gets_envelopes_before_it_is_claimed_and_sends_under_its_claim() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        ana.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        let sent = ana.does("envelope.send", asking("JOB-001", "begin here"));
        assert_eq!(sent["to"], "JOB-001");
        let room = ana.room();
        let agent_id = format!("job:JOB-001@{}", room.as_str().strip_prefix("room_").unwrap());
        assert_eq!(sent["to_agent_id"], json!(agent_id));
        ana.does("envelope.send", saying(&agent_id, "and go on"));
        let claimed = ana.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}));
        let own = job_agent(ana.caller(), &claimed);
        let call = |command: &str, mut input: Value| {
            input["room_id"] = json!(room);
            app.call(&own, command, input)
        };
        let items = call("inbox.list", json!({})).unwrap()["items"].clone();
        assert_eq!([&items[0]["subject"], &items[1]["subject"]], ["begin here", "and go on"]);
        let read = call("inbox.read", json!({"message": sent["message"]})).unwrap();
        assert_eq!(read["envelope"]["payload"]["message"], "begin here");
        let answer = call("envelope.send", saying("ana", "done")).unwrap();
        assert_eq!(answer["answers"], sent["message"]);
        let told = ana.does("inbox.list", json!({}))["items"][0].clone();
        assert_eq!((&told["from_agent"], &told["from_agent_id"]), (&json!("JOB-001"), &json!(agent_id)));
        // Who lost the claim does not speak for the job any more.
        ana.does("jobs.requeue", json!({"job": "JOB-001", "reason": "again"}));
        for (command, input) in
            [("envelope.send", saying("ana", "x")), ("inbox.list", json!({})), ("inbox.read", json!({"message": 1}))]
        {
            assert_eq!(call(command, input).unwrap_err().to_json()["error"], "CONFLICT", "{command}");
        }
        ana.does("jobs.cancel", json!({"job": "JOB-001", "reason": "no"}));
        let refused = ana.refused("envelope.send", saying("JOB-001", "x"));
        assert_eq!(refused["error"], "UNKNOWN_RECIPIENT");
        assert!(refused["message"].as_str().unwrap().contains("CANCELED"), "{refused}");
        clean(&app);
    });
}

#[test]
fn an_envelope_ends_its_recipients_wait() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.claim();
        thread::scope(|scope| {
            let waiting = bo.waits_in(scope, json!({"max_wait_ms": 50_000}));
            ana.does("envelope.send", saying("bo", "look"));
            let told = waiting.join().unwrap().unwrap();
            assert_eq!((&told["status"], &told["new_message"]), (&json!("not_yet"), &json!(true)), "{told}");
        });
    });
}

fn names(agent: &Agent<'_>, name: &str) {
    agent.does("agent.register", json!({"name": name}));
}

#[test]
fn where_the_policy_is_explicit_an_operator_says_who_may_write_to_whom() {
    on_every_backend(|app| {
        let [ana, bo, cy] = app.joined(["ana", "bo", "cy"]);
        for (agent, name) in [(&ana, "ana-otter"), (&bo, "bob-otter"), (&cy, "cyd-otter")] {
            names(agent, name);
        }
        let person = app.person("human:x");
        person.enter(&ana.room());
        ana.does("envelope.send", saying("bob-otter", "a mesh"));
        app.set_policy(&ana.room(), json!({"edges": "explicit"}));
        let refused = ana.refused("envelope.send", saying("bob-otter", "x"));
        assert_eq!((&refused["error"], &refused["may_write_to"]), (&json!("NO_EDGE"), &json!([])));
        assert!(refused["next"].as_str().unwrap().contains("baton edge add ana-otter bob-otter"), "{refused}");
        let edge = |from: &str, to: &str, both_ways: bool| json!({"from": from, "to": to, "both_ways": both_ways});
        let refused = ana.refused("agent.edge.add", edge("ana-otter", "bob-otter", false));
        assert_eq!([&refused["error"], &refused["needs"]], ["FORBIDDEN", "operator"]);
        person.does("agent.edge.add", edge("ana-otter", "bob-otter", false));
        person.does("agent.edge.add", edge("ana-otter", "bob-otter", false));
        person.does("agent.edge.add", edge("bob-otter", "cyd-otter", true));
        ana.does("envelope.send", saying("bob-otter", "one way"));
        assert_eq!(bo.refused("envelope.send", saying("ana-otter", "x"))["error"], "NO_EDGE");
        assert_eq!(ana.refused("envelope.send", saying("cyd-otter", "x"))["may_write_to"], json!(["bob-otter"]));
        cy.does("envelope.send", saying("bob-otter", "the other way"));
        let listed = cy.does("agent.edge.list", json!({"agent": "cyd-otter"}));
        assert_eq!([&listed["policy"], &listed["edges"][0]["from"]], ["explicit", "bob-otter"]);
        assert_eq!(listed["edges"].as_array().unwrap().len(), 1);
        // Who asks for a response opens the way back, once.
        ana.does("envelope.send", asking("bob-otter", "and?"));
        bo.does("envelope.send", saying("ana-otter", "so"));
        assert_eq!(bo.refused("envelope.send", saying("ana-otter", "x"))["error"], "NO_EDGE");
        person.does("agent.edge.remove", edge("bob-otter", "cyd-otter", false));
        cy.does("envelope.send", saying("bob-otter", "still"));
        assert_eq!(bo.refused("envelope.send", saying("cyd-otter", "x"))["error"], "NO_EDGE");
        let left = person.does("agent.edge.remove", edge("cyd-otter", "bob-otter", true));
        assert_eq!(left["edges"].as_array().unwrap().len(), 1);
        let refused = person.refused("agent.edge.remove", edge("cyd-otter", "bob-otter", false));
        assert_eq!(refused["error"], "UNKNOWN_ID");
        clean(&app);
    });
}

#[test]
fn a_response_that_is_required_shows_until_it_comes() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        names(&ana, "ana-otter");
        names(&bo, "bob-otter");
        let first = ana.does("envelope.send", with(asking("bob-otter", "first\nin detail"), "id", "p-1"));
        let second = ana.does("envelope.send", with(asking("bob-otter", "second"), "id", "p-2"));
        assert_eq!(second["awaits_response"], true);
        let whole =
            with(saying("bob-otter", "third"), "response", json!({"expectation": "optional", "replyTo": "ana"}));
        let optional = ana.does("envelope.send", whole);
        assert_eq!(optional["awaits_response"], false, "the contract's form of it is taken, too");
        let wrong = with(saying("bob-otter", "x"), "response", json!({"expectation": "soon"}));
        assert_eq!(ana.refused("envelope.send", wrong)["field"], "response");
        let attention = |agent: &Agent<'_>| {
            json!(baton_app::attention::attention(app.app(), agent.caller(), &agent.room()).unwrap())
        };
        let (owes, awaits) = (attention(&bo), attention(&ana));
        assert_eq!(owes["owed"].as_array().unwrap().len(), 2);
        assert_eq!(owes["owed"], awaits["awaited"]);
        let told = &owes["owed"][0];
        assert_eq!([&told["subject"], &told["ref"]], ["first", "payload://p-1"]);
        assert_eq!([&told["from_agent"], &told["to_agent"]], ["ana-otter", "bob-otter"]);
        assert_eq!(bo.state()["requests"], json!({"owed": 2, "awaited": 0, "approvals": 0}));
        assert_eq!(ana.state()["requests"]["awaited"], 2);
        // Reading it says how to answer, and accepting it is no answer.
        let read = bo.does("inbox.read", json!({"message": second["message"]}));
        let next = read["next"].as_str().unwrap();
        assert!(next.contains("send_handoff") && next.contains("p-2") && next.contains("ana"), "{next}");
        bo.does("inbox.ack", json!({"message": second["message"]}));
        let listed = bo.does("inbox.list", json!({}));
        assert_eq!((listed["items"].as_array().unwrap().len(), listed["owed"].as_array().unwrap().len()), (2, 2));
        let reply = with(saying("ana-otter", "of the second"), "meta", json!({"inReplyTo": "p-2"}));
        assert_eq!(bo.does("envelope.send", reply)["answers"], second["message"]);
        let opened = bo.does("open", json!({"id": "payload://p-2"}));
        assert_eq!((&opened["awaits_response"], opened["answered_by"].is_string()), (&json!(false), true));
        bo.dies();
        let left = attention(&ana)["awaited"].clone();
        assert_eq!((left.as_array().unwrap().len(), &left[0]["message"]), (1, &first["message"]));
        assert_eq!(left[0]["over"], "it is gone: its process has exited");
        clean(&app);
    });
}

#[test]
fn an_answer_takes_on_what_it_answers() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let asked = ana.does("envelope.send", asking("bo", "well?"));
        bo.does("envelope.send", saying("ana", "well"));
        assert_eq!(bo.does("inbox.list", json!({}))["items"], json!([]));
        let sent = ana.does("inbox.sent", json!({}))["messages"][0].clone();
        assert_eq!((&sent["message"], &sent["deliveries"][0]["state"]), (&asked["message"], &json!("accepted")));
        assert_eq!(bo.state().get("requests"), None, "nothing is owed");
    });
}

#[test]
fn a_request_to_a_job_that_ended_says_so() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        ana.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        ana.does("envelope.send", asking("JOB-001", "well?"));
        ana.does("jobs.cancel", json!({"job": "JOB-001", "reason": "no"}));
        let attention = json!(baton_app::attention::attention(app.app(), ana.caller(), &ana.room()).unwrap());
        assert_eq!(attention["awaited"][0]["over"], "JOB-001 has ended: CANCELED");
    });
}

#[test]
fn what_is_owed_and_edges_go_on_with_an_adopted_identity() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        let agents = ["ana", "bo"].map(|name| app.agent(name));
        for agent in &agents {
            agent.join_at("repo");
        }
        let [ana, bo] = &agents;
        names(bo, "bob-otter");
        let person = app.person("human:x");
        person.enter(&ana.room());
        app.set_policy(&ana.room(), json!({"edges": "explicit"}));
        person.does("agent.edge.add", json!({"from": "bo", "to": "ana", "both_ways": true}));
        let asked = ana.does("envelope.send", asking("bob-otter", "well?"));
        bo.does("tasks.create", json!({"title": "x"}));
        bo.does("tasks.start", json!({"task": "TASK-001"}));
        let cy = app.agent("cy");
        cy.join_at("repo");
        app.later_minutes(15);
        cy.does("agent.adopt", json!({"agent": "bob-otter"}));
        assert!(cy.story().contains("envelope.forward"), "{}", cy.story());
        assert_eq!(cy.state()["requests"]["owed"], 1);
        assert_eq!(cy.does("inbox.list", json!({}))["items"][0]["message"], asked["message"]);
        assert_eq!(cy.does("envelope.send", saying("ana", "well"))["answers"], asked["message"]);
        cy.does("envelope.send", saying("ana", "and along the edge"));
        assert_eq!(ana.state().get("requests"), None);
        clean(&app);
    });
}

#[test]
fn a_persons_word_waits_or_interrupts_and_is_only_a_persons() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        names(&ana, "ana-otter");
        let person = app.person("human:x");
        person.enter(&ana.room());
        let word = |text: &str, mode: &str| json!({"to": "ana-otter", "text": text, "mode": mode});
        let refused = ana.refused("inbox.tell", word("x", "queue"));
        assert_eq!(refused["error"], "FORBIDDEN");
        assert_eq!(person.refused("inbox.tell", word(" ", "queue"))["field"], "text");
        let queued = person.does("inbox.tell", word("when you have time\nplease", "queue"));
        let now = person.does("inbox.tell", word("stop that", "interrupt"));
        assert_eq!([&queued["mode"], &now["mode"]], ["queue", "interrupt"]);
        let items = ana.does("inbox.list", json!({}))["items"].clone();
        assert_eq!([&items[0]["category"], &items[0]["subject"]], ["USER", "when you have time"]);
        assert_eq!((&items[1]["interrupts"], &items[1]["from_agent_id"]), (&json!(true), &json!("human:x")));
        let read = ana.does("inbox.read", json!({"message": queued["message"]}));
        assert_eq!([&read["text"], &read["from_agent"]], ["when you have time\nplease", "human:x"]);
        let events = ana.does("room.events", json!({"limit": 4}))["events"].clone();
        let told = events.as_array().unwrap().iter().find(|event| event["note"] == "stop that").unwrap();
        assert_eq!([&told["event_type"], &told["reason"]], ["tell", "interrupt"]);
        ana.does("jobs.create", json!({"title": "x", "prompt": "x"}));
        ana.does("jobs.message", json!({"job": "JOB-001", "message": "look at a.rs"}));
        person.does("inbox.tell", json!({"to": "JOB-001", "text": "begin"}));
        let claimed = ana.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}));
        let own = job_agent(ana.caller(), &claimed);
        let listed = app.call(&own, "inbox.list", json!({"room_id": ana.room()})).unwrap()["items"].clone();
        assert_eq!([&listed[0]["category"], &listed[1]["category"]], ["MANAGER", "USER"]);
        assert_eq!([&listed[0]["from_agent"], &listed[0]["subject"]], ["ana-otter", "look at a.rs"]);
        let manager = json!({"room_id": ana.room(), "message": listed[0]["message"]});
        assert_eq!(app.call(&own, "inbox.read", manager).unwrap()["text"], "look at a.rs");
        clean(&app);
    });
}
