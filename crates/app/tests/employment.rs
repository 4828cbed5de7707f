//! The proof that a caller works for a job: attacks with names, runners and revisions that can be read in the log.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{
    Caller, doctor,
    identity::{Assignment, Employment},
};
use baton_core::ids::RoomId;
use baton_testkit::{Agent, TestApp, assignment, job_agent, on_every_backend};
use serde_json::{Value, json};

/// A room with a person, and a job that a living runner has claimed.
fn running(app: &TestApp) -> (Agent<'_>, Agent<'_>, Value) {
    let person = app.person("human:ana:pts0");
    person.join();
    person.does(
        "jobs.create",
        json!({"title": "Mend it", "prompt": "It rains in.", "executor": "command",
        "meta": {"grants": {"spawn_nodes": true}}}),
    );
    person.does("jobs.message", json!({"job": "JOB-001", "message": "Mind the gutter."}));
    let runner = app.living_agent("runner:one");
    runner.enter(&person.room());
    let claimed = claim(&runner, json!({}));
    (person, runner, claimed)
}

fn claim(runner: &Agent<'_>, rest: Value) -> Value {
    let mut input = json!({"job": "JOB-001"});
    input.as_object_mut().unwrap().extend(rest.as_object().unwrap().clone());
    runner.does("jobs.claim", input)
}

fn call(app: &TestApp, caller: &Caller, room: &RoomId, command: &str, mut input: Value) -> Result<Value, Value> {
    input["room_id"] = room.as_str().into();
    app.call(caller, command, input).map_err(|failure| failure.to_json())
}

/// Commands of every sort that a job's agent has use for: about its job, its inbox, its turn, the room, other rooms, and
/// mere looks.
fn commands() -> Vec<(&'static str, Value)> {
    let shown = |mut input: Value| {
        input["job"] = "JOB-001".into();
        input["runner_id"] = "runner:one".into();
        input["claim_revision"] = 1.into();
        input
    };
    vec![
        ("jobs.report", shown(json!({"kind": "progress", "message": "Half of it is dry."}))),
        ("jobs.report", shown(json!({"kind": "heartbeat", "lease_ttl_ms": 300_000}))),
        ("jobs.create", json!({"title": "More", "prompt": "More of it.", "idempotency_key": "k"})),
        ("jobs.open", json!({"job": "JOB-001"})),
        ("jobs.log", json!({"job": "JOB-001"})),
        ("spawn.request", json!({"title": "More", "prompt": "More of it.", "message": "Help."})),
        ("inbox.list", json!({})),
        ("inbox.read", json!({"message": 3})),
        ("inbox.send", json!({"to": "broadcast", "category": "INFO", "subject": "s", "body": "b"})),
        ("context.turn.begin", json!({})),
        ("tasks.card.create", json!({"title": "t", "text": "x"})),
        ("tasks.artifact.keep", json!({"kind": "report", "name": "r", "text": "x"})),
        ("tasks.snapshot", json!({})),
        ("envelope.send", json!({"to": "human:ana:pts0", "message": "done"})),
        ("bus.add", json!({"name": "job-001"})),
        ("room.state", json!({})),
        ("room.note", json!({"text": "I was here."})),
        ("stick.wait", json!({"max_wait_ms": 0})),
        ("scope.reserve", json!({"scopes": ["src"]})),
    ]
}

/// Tries every command, and gives the codes and messages of the refusals.
fn refusals(app: &TestApp, caller: &Caller, room: &RoomId) -> Vec<(String, String)> {
    let before = app.everything();
    let mut refused = Vec::new();
    for (command, input) in commands() {
        match call(app, caller, room, command, input) {
            Ok(answer) => panic!("{command} was carried out: {answer}"),
            Err(refusal) => {
                assert!(refusal["next"].is_string(), "{command}: {refusal}");
                refused.push((command.to_owned(), refusal["error"].as_str().unwrap().to_owned()));
            }
        }
    }
    let elsewhere = app.call(caller, "bus.open", json!({"name": "elsewhere"})).unwrap_err();
    refused.push(("bus.open".to_owned(), elsewhere.code.as_str().to_owned()));
    let joined = app.call(caller, "room.join", json!({"context_path": app.workspace().at("")})).unwrap_err();
    refused.push(("room.join".to_owned(), joined.code.as_str().to_owned()));
    assert_eq!(app.everything(), before, "nothing is on record");
    refused
}

fn assert_all(refused: &[(String, String)], code: &str) {
    for (command, found) in refused {
        assert_eq!(found, code, "{command}");
    }
}

#[test]
fn a_guessed_baton_job_is_refused_whatever_it_asks_and_the_log_is_unchanged() {
    on_every_backend(|app| {
        let (person, _runner, claimed) = running(&app);
        let known = assignment(&claimed);
        let guessed = Assignment { capability: format!("cap_{}", "0".repeat(26)).parse().unwrap(), ..known.clone() };
        let program = app.agent("codex:1");
        let mut actor = program.caller().actor();
        actor.agent_id = guessed.agent_id();
        let guesser = Caller::new(actor, app.workspace().at("")).assigned(guessed.clone());
        assert_all(&refusals(&app, &guesser, &person.room()), "FORBIDDEN");
        // Nor under an id of its own: it does not silently become somebody else.
        let own = program.caller().clone().assigned(guessed);
        assert_all(&refusals(&app, &own, &person.room()), "FORBIDDEN");
        // The real one is heard.
        let real = job_agent(program.caller(), &claimed);
        call(&app, &real, &person.room(), "jobs.report", commands()[0].1.clone()).unwrap();
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_baton_job_of_an_earlier_claim_is_worthless() {
    on_every_backend(|app| {
        let (person, runner, first) = running(&app);
        let room = person.room();
        let program = app.agent("codex:1");
        let old = job_agent(program.caller(), &first);
        call(&app, &old, &room, "jobs.report", commands()[0].1.clone()).unwrap();
        let second = claim(&runner, json!({"force": true}));
        assert_ne!(first["capability"], second["capability"]);
        assert_all(&refusals(&app, &old, &room), "CONFLICT");
        // Its secret does not go with the number of the new claim, either.
        let mixed = Assignment { capability: assignment(&first).capability, ..assignment(&second) };
        let mut actor = program.caller().actor();
        actor.agent_id = mixed.agent_id();
        let mixed = Caller::new(actor, app.workspace().at("")).assigned(mixed);
        assert_all(&refusals(&app, &mixed, &room), "FORBIDDEN");
        for end in [
            ("jobs.requeue", json!({"job": "JOB-001", "reason": "again"})),
            ("jobs.cancel", json!({"job": "JOB-001", "reason": "not wanted"})),
        ] {
            let agent = job_agent(program.caller(), &claim(&runner, json!({"force": true})));
            call(&app, &agent, &room, "room.state", json!({})).unwrap();
            person.does(end.0, end.1);
            assert_all(&refusals(&app, &agent, &room), "CONFLICT");
        }
        person.does("jobs.requeue", json!({"job": "JOB-001", "reason": "again"}));
        let last = claim(&runner, json!({}));
        let agent = job_agent(program.caller(), &last);
        runner.does(
            "jobs.complete",
            json!({"job": "JOB-001", "claim_revision": last["job"]["revision"],
            "status": "DONE", "summary": "It is dry."}),
        );
        assert_all(&refusals(&app, &agent, &room), "CONFLICT");
    });
}

#[test]
fn the_id_of_a_jobs_agent_is_nobodys_without_its_capability() {
    on_every_backend(|app| {
        let (person, _runner, claimed) = running(&app);
        let mut actor = app.agent("codex:1").caller().actor();
        actor.agent_id = assignment(&claimed).agent_id();
        let posing = Caller::new(actor, app.workspace().at(""));
        assert_all(&refusals(&app, &posing, &person.room()), "FORBIDDEN");
        // Nor is it the agent's of another job.
        person.does("jobs.create", json!({"title": "Another", "prompt": "Paint it."}));
        let other = app.living_agent("runner:two");
        other.enter(&person.room());
        let other = other.does("jobs.claim", json!({"job": "JOB-002"}));
        let crossed = posing.assigned(assignment(&other));
        assert_all(&refusals(&app, &crossed, &person.room()), "FORBIDDEN");
    });
}

#[test]
fn another_process_that_knows_runner_and_revision_reports_and_ends_nothing() {
    on_every_backend(|app| {
        let (person, runner, claimed) = running(&app);
        let room = person.room();
        let shown = |mut input: Value| {
            let claim = json!({"job": "JOB-001", "runner_id": "runner:one",
                "claim_revision": claimed["job"]["revision"]});
            input.as_object_mut().unwrap().extend(claim.as_object().unwrap().clone());
            input
        };
        let turn = runner.does("context.turn.begin", shown(json!({})))["turn"].clone();
        let with_turn = |mut input: Value| {
            input["turn"] = turn.clone();
            let mut input = shown(input);
            input.as_object_mut().unwrap().remove("job");
            input
        };
        let tries = [
            ("jobs.report", shown(json!({"kind": "progress", "message": "It is dry."}))),
            ("jobs.report", shown(json!({"kind": "heartbeat"}))),
            ("jobs.complete", shown(json!({"status": "DONE", "summary": "It is dry."}))),
            ("context.turn.begin", shown(json!({}))),
            ("context.turn.tools", with_turn(json!({"uses": [{"name": "Read", "state": "done"}]}))),
            ("context.turn.end", with_turn(json!({"outcome": "completed"}))),
        ];
        // One has the runner's id, too; one has no process; one is somebody else.
        let twin = app.living_agent("runner:one");
        let unseen = app.agent("runner:one");
        let other = app.living_agent("codex:1");
        let before = app.everything();
        for intruder in [&twin, &unseen, &other] {
            for (command, input) in &tries {
                let refused = call(&app, intruder.caller(), &room, command, input.clone()).unwrap_err();
                assert_eq!(refused["error"], "PRECONDITION_FAILED", "{command}: {refused}");
                assert_eq!(
                    (&refused["claimant"], &refused["pid"]),
                    (&json!("runner:one"), &json!(runner.process().pid)),
                    "{command}: {refused}"
                );
                assert!(refused["next"].is_string(), "{command}: {refused}");
            }
        }
        assert_eq!(app.everything(), before);
        for (command, input) in tries.into_iter().filter(|(command, _)| *command != "context.turn.begin") {
            if command != "jobs.complete" {
                runner.does(command, input);
            }
        }
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn a_second_process_under_the_id_of_a_live_runner_is_refused_and_told_which_process_has_it() {
    on_every_backend(|app| {
        let person = app.person("human:ana:pts0");
        person.join();
        person.does("jobs.create", json!({"title": "Mend it", "prompt": "It rains in."}));
        let [first, second] = ["runner:one"; 2].map(|id| app.living_agent(id));
        first.enter(&person.room());
        second.enter(&person.room());
        let beat = json!({"runner_id": "runner:one", "status": "idle"});
        first.does("jobs.runner.heartbeat", beat.clone());
        let before = app.everything();
        for (command, input) in [
            ("jobs.runner.heartbeat", beat.clone()),
            ("jobs.claim", json!({})),
            ("jobs.claim", json!({"job": "JOB-001", "force": true})),
            ("jobs.runner.retire", json!({"runner_id": "runner:one"})),
        ] {
            let refused = second.refused(command, input);
            assert_eq!(
                (&refused["error"], &refused["pid"]),
                (&json!("id_in_use"), &json!(first.process().pid)),
                "{command}: {refused}"
            );
            assert!(refused["next"].is_string(), "{command}: {refused}");
        }
        // Late with its heartbeat, it lives all the same.
        app.later_minutes(10);
        assert_eq!(second.refused("jobs.runner.heartbeat", beat.clone())["error"], "id_in_use");
        assert_eq!(app.everything(), before);
        first.dies();
        second.does("jobs.runner.heartbeat", beat);
        assert_eq!(claim(&second, json!({}))["claimed"], true);
        assert!(doctor::examine(app.app()).unwrap().is_clean());
    });
}

#[test]
fn the_secret_of_a_claim_is_answered_once_and_kept_nowhere() {
    on_every_backend(|app| {
        let (person, runner, _) = running(&app);
        let keyed = json!({"force": true, "idempotency_key": "k"});
        let claimed = claim(&runner, keyed.clone());
        let secret = claimed["capability"].as_str().unwrap().to_owned();
        let repeated = claim(&runner, keyed.clone());
        assert_eq!((repeated.get("capability"), &repeated["job"]), (None, &claimed["job"]));
        // Another process with the same id gets no more than that from the same key.
        let twin = app.living_agent("runner:one");
        twin.enter(&person.room());
        assert_eq!(claim(&twin, keyed).get("capability"), None);
        // An agent that prints and keeps its whole environment gives nothing away.
        let agent = job_agent(app.agent("codex:1").caller(), &claimed);
        let printed = format!("HOME=/\nBATON_JOB={}\n", assignment(&claimed).reveal());
        let room = person.room();
        let said = |command: &str, input: Value| call(&app, &agent, &room, command, input).unwrap().to_string();
        let answers = [
            said("jobs.report", json!({"kind": "progress", "message": printed})),
            said("tasks.artifact.keep", json!({"kind": "log", "name": "log.txt", "text": printed})),
            said("open", json!({"id": "artifact://log/1", "offset": 0})),
            said("jobs.open", json!({"job": "JOB-001", "include_prompt": true})),
            said("jobs.log", json!({"job": "JOB-001"})),
        ];
        assert!(answers.iter().all(|answer| !answer.contains(&secret)), "{answers:?}");
        let log = format!("{:?}", app.log(&room));
        assert!(!log.contains(&secret) && log.contains("[redacted:baton]"), "{log}");
    });
}

#[test]
fn an_agent_under_another_id_keeps_the_bounds_of_its_job_in_every_room() {
    on_every_backend(|app| {
        let person = app.person("human:ana:pts0");
        person.join();
        person.does(
            "jobs.create",
            json!({"title": "Mend it", "prompt": "x", "executor_profile": "fast",
            "isolation": "worktree"}),
        );
        let runner = app.living_agent("runner:one");
        runner.enter(&person.room());
        let claimed = claim(&runner, json!({}));
        // It was granted more under the name that it gives itself.
        let [named] = app.joined(["test:named"]);
        person.does("agent.grant", json!({"agent": "test:named", "spawn_nodes": true}));
        let elsewhere = named.does("bus.open", json!({}))["session"]["id"].as_str().unwrap().parse::<RoomId>().unwrap();
        let posing = named.caller().clone().assigned(assignment(&claimed));
        let hidden = named.caller().clone().assigned(Employment::Hidden);
        let asks = json!({"title": "More", "prompt": "More of it.", "message": "Help."});
        let plain = json!({"title": "Another", "prompt": "x"});
        for room in [person.room(), elsewhere] {
            for caller in [&posing, &hidden] {
                let refused = call(&app, caller, &room, "jobs.create", plain.clone()).unwrap_err();
                assert_eq!(refused["error"], "SPAWN_FORBIDDEN", "{refused}");
            }
        }
        for caller in [&posing, &hidden] {
            let refused = call(&app, caller, &person.room(), "spawn.request", asks.clone()).unwrap_err();
            assert_eq!(refused["error"], "SPAWN_FORBIDDEN", "{refused}");
        }
        call(&app, named.caller(), &person.room(), "spawn.request", asks).unwrap();
    });
}
