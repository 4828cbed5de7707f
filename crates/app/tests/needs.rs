//! What waits for a person: each sort is found, says what it needs, and is gone when it was seen to.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_core::time::Ttl;
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

/// Ana at a page. She is a member of nothing.
fn ana(app: &TestApp) -> Agent<'_> {
    app.person("human:ana:http")
}

fn needs(agent: &Agent<'_>) -> Vec<Value> {
    let found = agent.does("agent.needs", json!({}));
    let needs = found["needs"].as_array().unwrap().clone();
    let counted: u64 = found["counts"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
    assert_eq!((counted as usize, &found["has_more"]), (needs.len(), &json!(false)));
    needs
}

/// Kinds and refs, in their order.
fn outline(agent: &Agent<'_>) -> Vec<String> {
    needs(agent).iter().map(|need| format!("{} {}", word(&need["kind"]), word(&need["ref"]))).collect()
}

fn only(agent: &Agent<'_>) -> Value {
    let mut found = needs(agent);
    assert_eq!(found.len(), 1, "{found:?}");
    found.remove(0)
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap()
}

fn claimed_job(agent: &Agent<'_>, title: &str) -> String {
    let made = agent.does("jobs.create", json!({"title": title, "prompt": "x"}));
    let job = word(&made["job"]).to_owned();
    agent.does("jobs.claim", json!({"job": job}));
    job
}

fn report(agent: &Agent<'_>, job: &str, kind: &str, message: &str) {
    agent.does("jobs.report", json!({"job": job, "claim_revision": 1, "kind": kind, "message": message}));
}

#[test]
fn a_question_waits_with_its_words_until_somebody_answers() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let person = ana(&app);
        assert_eq!(outline(&person), Vec::<String>::new());
        let job = claimed_job(&codex, "Cache");
        report(&codex, &job, "question", "Evict or grow?");
        app.later_minutes(1);
        report(&codex, &job, "progress", "Looking meanwhile.");
        let need = only(&person);
        assert_eq!([&need["kind"], &need["ref"], &need["title"]], ["question", "JOB-001", "Cache"]);
        assert_eq!([&need["words"], &need["since"]], ["Evict or grow?", "2026-01-01T00:00:00.000Z"]);
        assert_eq!([&need["who"]["name"], &need["status"]], ["JOB-001", "RUNNING"]);
        assert_eq!(need["canonical_path"], json!(app.workspace().text("")));
        assert!(word(&need["command"]).starts_with("baton job message JOB-001 "), "{need}");
        person.enter(&codex.room());
        person.does("jobs.message", json!({"job": job, "message": "Grow."}));
        assert_eq!(outline(&person), Vec::<String>::new());
    });
}

#[test]
fn errors_missing_proofs_failures_and_silent_runners_wait_once_each() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let person = ana(&app);
        for title in ["Broken", "Unproven", "Failed", "Silent"] {
            claimed_job(&codex, title);
            app.later(Ttl::from_secs(1));
        }
        report(&codex, "JOB-001", "error", "It does not compile.");
        report(&codex, "JOB-001", "progress", "Trying again.");
        app.later(Ttl::from_secs(1));
        report(&codex, "JOB-002", "proof_gate", "Nothing shows it.");
        app.later(Ttl::from_secs(1));
        let ended = json!({"job": "JOB-003", "claim_revision": 1, "status": "FAILED", "summary": "No network."});
        codex.does("jobs.complete", ended);
        for job in ["JOB-001", "JOB-002"] {
            codex.does(
                "jobs.report",
                json!({"job": job, "claim_revision": 1, "kind": "heartbeat", "lease_ttl_ms": 7_200_000}),
            );
        }
        app.later_minutes(60);
        let found = needs(&person);
        let told = |need: &Value| format!("{} {}: {}", word(&need["kind"]), word(&need["ref"]), word(&need["words"]));
        insta::allow_duplicates! {
        insta::assert_snapshot!(found.iter().map(told).collect::<Vec<_>>().join("\n"), @r"
        failed JOB-001: It does not compile.
        proof JOB-002: Nothing shows it.
        failed JOB-003: No network.
        stuck JOB-004: Its runner codex fell silent: the claim ran out, and nobody has taken it up.
        ");
        }
        assert_eq!([&found[2]["status"], &found[0]["status"]], ["FAILED", "RUNNING"]);
        assert_eq!(found[3]["evidence"]["liveness"], "unknown");
        assert!(found[3]["evidence"]["basis"].is_null());
        person.enter(&codex.room());
        person.does("jobs.requeue", json!({"job": "JOB-003", "reason": "again"}));
        person.does("jobs.cancel", json!({"job": "JOB-004", "reason": "enough"}));
        assert_eq!(outline(&person), ["failed JOB-001", "proof JOB-002", "blocked JOB-003"]);
    });
}

#[test]
fn a_failure_waits_for_a_day() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let job = claimed_job(&codex, "Failed");
        codex.does("jobs.complete", json!({"job": job, "claim_revision": 1, "status": "FAILED", "summary": "No."}));
        app.later_minutes(24 * 60);
        assert_eq!(outline(&ana(&app)), ["failed JOB-001"]);
        app.later(Ttl::from_secs(1));
        assert_eq!(outline(&ana(&app)), Vec::<String>::new());
    });
}

#[test]
fn a_request_for_an_agent_waits_until_it_is_decided_on() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let person = ana(&app);
        person.enter(&codex.room());
        person.does("agent.grant", json!({"agent": "codex", "spawn_nodes": true}));
        codex.does("spawn.request", json!({"title": "Read logs", "prompt": "Read them all.", "message": "Here."}));
        let need = only(&person);
        assert_eq!([&need["kind"], &need["ref"]], ["approval", "APPROVAL-1"]);
        assert_eq!([&need["title"], &need["words"]], ["Read logs", "Read them all."]);
        assert_eq!(need["who"]["agent_id"], "codex");
        person.does("agent.approval.resolve", json!({"approval": "APPROVAL-1", "decision": "deny"}));
        assert_eq!(outline(&person), Vec::<String>::new());
    });
}

#[test]
fn what_a_person_has_to_accept_or_to_answer_waits_under_each_of_their_names() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let (page, terminal, other) = (ana(&app), app.person("human:ana:pts1"), app.person("human:anabel:pts1"));
        terminal.join();
        other.join();
        let block = |to: &Agent<'_>| {
            json!({"to": to.entry()["display_name"], "category": "BLOCKED", "subject": "Port", "blocker": "It is taken.",
                   "requested_action": "Free it.", "urgency": "high"})
        };
        let message = codex.does("inbox.send", block(&terminal))["message"].clone();
        codex.does("inbox.send", block(&other));
        app.later_minutes(1);
        let ask = json!({"to": terminal.entry()["display_name"], "message": "Which port?", "response": "required"});
        let sent = codex.does("envelope.send", ask);
        let before = app.everything();
        let found = needs(&page);
        assert_eq!(app.everything(), before, "a look delivers nothing");
        let [ack, response] = &found[..] else { panic!("{found:?}") };
        assert_eq!((&ack["kind"], word(&ack["ref"])), (&json!("ack"), message.to_string().as_str()));
        assert_eq!([&ack["title"], &ack["to"]], ["Port", "human:ana:pts1"]);
        assert_eq!(ack["words"], "blocker: It is taken.\nrequest: Free it.\nurgency: high");
        assert_eq!([&response["kind"], &response["words"]], ["response", "Which port?"]);
        assert_eq!((&response["envelope"], &response["other"]["agent_id"]), (&sent["id"], &json!("codex")));
        assert_eq!(needs(&terminal), found);
        terminal.does("inbox.ack", json!({"message": message}));
        let answer = json!({"to": "codex", "message": "80", "meta": {"inReplyTo": sent["id"]}});
        terminal.does("envelope.send", answer);
        assert_eq!(outline(&page), Vec::<String>::new());
        assert_eq!(outline(&other).len(), 1);
    });
}

#[test]
fn a_stick_that_nobody_moves_waits_with_the_evidence() {
    on_every_backend(|app| {
        let [claude, codex] = app.joined_living(["claude", "codex"]);
        let turn = claude.claim();
        let person = ana(&app);
        assert_eq!(outline(&person), Vec::<String>::new());
        claude.dies();
        let need = only(&person);
        let evidence = &need["evidence"];
        assert_eq!([&need["kind"], &need["who"]["agent_id"]], ["stuck", "claude"]);
        assert_eq!((&evidence["basis"], &evidence["turn_id"]), (&json!("owner_gone"), &json!(turn.turn_id)));
        assert_eq!(evidence["liveness"], json!({"gone": "exited"}));
        assert_eq!(evidence["words"], "It holds the stick. Its process is gone: it has exited.");
        assert_eq!(evidence["pid"], claude.process().pid);
        let gemini = app.living_agent("gemini");
        gemini.join();
        codex.release(&codex.take());
        assert_eq!(outline(&person), Vec::<String>::new());
        gemini.dies();
        assert_eq!(only(&person)["evidence"]["words"], "The stick is kept for it. Its process is gone: it has exited.");
    });
}

#[test]
fn a_lease_that_ran_out_waits_for_others_and_not_for_its_holder() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let (person, holder) = (ana(&app), app.person("human:ana:pts1"));
        holder.join();
        holder.claim();
        app.later_minutes(46);
        assert_eq!(only(&person)["evidence"]["basis"], "owner_timeout");
        assert_eq!(outline(&codex).len(), 1);
        assert_eq!(outline(&holder), Vec::<String>::new());
    });
}

#[test]
fn a_collision_waits_once_while_both_are_there_and_for_an_hour() {
    on_every_backend(|app| {
        let [otter, harbor] = app.joined_living(["otter", "harbor"]);
        let person = ana(&app);
        otter.does("scope.reserve", json!({"scopes": ["src/*"]}));
        let want = || harbor.refused("scope.reserve", json!({"scopes": ["src/lib.rs"]}));
        want();
        let first = app.log(&otter.room()).len();
        app.later_minutes(1);
        want();
        let need = only(&person);
        assert_eq!((&need["kind"], word(&need["ref"])), (&json!("incursion"), first.to_string().as_str()));
        assert_eq!([&need["who"]["agent_id"], &need["other"]["agent_id"]], ["harbor", "otter"]);
        assert!(word(&need["title"]).ends_with(" wants src/lib.rs"), "{need}");
        assert!(need["count"] == 2 && word(&need["words"]).ends_with(" That was 2 times."), "{need}");
        app.later_minutes(59);
        assert_eq!(outline(&person).len(), 1);
        app.later_minutes(2);
        assert_eq!(outline(&person), Vec::<String>::new());
        want();
        assert_eq!(outline(&person).len(), 1);
        otter.does("scope.release", json!({"all": true}));
        assert_eq!(outline(&person), Vec::<String>::new(), "the way is free");
        otter.does("scope.reserve", json!({"scopes": ["src/*"]}));
        want();
        assert_eq!(outline(&person).len(), 1);
        harbor.dies();
        assert_eq!(outline(&person), Vec::<String>::new(), "nobody wants it any more");
    });
}

#[test]
fn needs_of_all_open_rooms_are_told_oldest_first_and_page_by_page() {
    on_every_backend(|app| {
        let (codex, claude) = (app.agent("codex"), app.agent("claude"));
        codex.join();
        claude.does("room.join", json!({"context_path": app.workspace().dir("other"), "force_new": true}));
        for number in 0..3 {
            for agent in [&codex, &claude] {
                let job = claimed_job(agent, "Ask");
                report(agent, &job, "question", &format!("Question {number}?"));
                app.later(Ttl::from_secs(1));
            }
        }
        let person = ana(&app);
        let all = needs(&person);
        let order: Vec<_> = all.iter().map(|need| (word(&need["since"]), word(&need["room_id"]))).collect();
        assert!(order.is_sorted_by_key(|(since, _)| since.to_owned()) && order.len() == 6, "{order:?}");
        let (mut read, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = person.does("agent.needs", json!({"limit": 4, "after": after}));
            read.extend(page["needs"].as_array().unwrap().clone());
            assert_eq!(page["counts"], json!({"question": 6}));
            assert_eq!(page["has_more"], json!(!page["cursor"].is_null()));
            after = page["cursor"].clone();
            if after.is_null() {
                break;
            }
        }
        assert_eq!(read, all);
        let one = person.does("agent.needs", json!({"room_id": claude.room()}));
        assert_eq!(one["needs"].as_array().unwrap().len(), 3);
        claude.does("room.close", json!({"expected_turn_id": 0}));
        assert_eq!(needs(&person).len(), 3, "nothing becomes of what was asked in a room that is over");
    });
}

#[test]
fn more_than_fits_is_said() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for _ in 0..27 {
            let job = claimed_job(&codex, "Ask");
            report(&codex, &job, "question", "What?");
        }
        let page = ana(&app).does("agent.needs", json!({"limit": 200}));
        assert_eq!((&page["counts"]["question"], &page["has_more"]), (&json!(25), &json!(true)));
    });
}
