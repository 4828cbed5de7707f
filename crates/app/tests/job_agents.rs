//! Agents of jobs on the bus: what they are asked waits for the next runner as long as the job goes on, and no longer.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{App, Caller, bus::Ending, table};
use baton_core::{code::ErrorCode, ids::RoomId, process::SessionKind, room::Actor};
use baton_testkit::{Sleeper, TestApp, assignment, job_agent, on_every_backend};
use serde_json::{Value, json};

fn caller(id: &str, process: Option<&Sleeper>) -> Caller {
    let actor = Actor::found(id.parse().unwrap(), process.map(Sleeper::identity), SessionKind::McpHarness);
    Caller::new(actor, "/".into())
}

fn call(app: &App, caller: &Caller, command: &str, input: Value) -> Value {
    table::find(command).unwrap().run(app, caller, input).unwrap_or_else(|failure| panic!("{command}: {failure}"))
}

/// A session with `ana`, and a job of this kind whose agent is in it by a process of its own.
fn session(test: &TestApp, kind: &str) -> (RoomId, Caller, Caller, Sleeper) {
    let (app, ana, process) = (test.app(), caller("test:ana", None), Sleeper::start());
    let room: RoomId = call(app, &ana, "bus.open", json!({}))["session"]["id"].as_str().unwrap().parse().unwrap();
    call(app, &ana, "bus.add", json!({ "room_id": room }));
    let job = json!({ "room_id": room, "title": "Mend it", "prompt": "It rains in.", "kind": kind });
    call(app, &ana, "jobs.create", job);
    let job = job_agent(&caller("program", Some(&process)), &claims(test, &room, "runner:zero"));
    call(app, &job, "bus.add", json!({ "room_id": room, "name": "job-001" }));
    (room, ana, job, process)
}

/// Has a runner take the job, from whomever has it.
fn claims(test: &TestApp, room: &RoomId, name: &str) -> Value {
    let claim = json!({ "room_id": room, "job": "JOB-001", "force": true });
    call(test.app(), &caller(name, None), "jobs.claim", claim)
}

fn ask(test: &TestApp, room: &RoomId, by: &Caller, name: &str) {
    let action = json!({ "type": "message", "kind": "user", "text": "Well?", "dst": "job-001", "action_id": name,
        "action_index": 0 });
    call(test.app(), by, "bus.submit", json!({ "room_id": room, "group_id": name, "actions": [action] }));
}

/// How far an action is, and why.
fn result(test: &TestApp, room: &RoomId, by: &Caller, name: &str) -> String {
    let found = call(test.app(), by, "bus.await", json!({ "room_id": room, "group_id": name }));
    let text = |key: &str| found["actions"][0][key].as_str().unwrap_or("nothing yet").to_owned();
    format!("{}: {}", text("status"), text("detail"))
}

fn is_member(test: &TestApp, room: &RoomId) -> bool {
    test.stored(room).members.iter().any(|member| member.display_name == "job-001")
}

#[test]
fn a_job_whose_process_is_gone_still_owes_what_it_was_asked() {
    on_every_backend(|test| {
        let (room, ana, _, mut process) = session(&test, "conversation");
        ask(&test, &room, &ana, "before");
        process.kill();
        ask(&test, &room, &ana, "after");
        for name in ["before", "after"] {
            assert_eq!(result(&test, &room, &ana, name), "nothing yet: nothing yet");
        }
        let cancel = json!({ "room_id": room, "job": "JOB-001", "reason": "It is dry." });
        call(test.app(), &ana, "jobs.cancel", cancel);
        for name in ["before", "after"] {
            assert_eq!(result(&test, &room, &ana, name), "error: its target's job has ended");
        }
        assert!(!is_member(&test, &room));
        assert_eq!(test.folded(&room), test.stored(&room));
    });
}

#[test]
fn what_is_asked_of_a_job_that_has_ended_ends_at_once() {
    on_every_backend(|test| {
        let (room, ana, _, _process) = session(&test, "task");
        ask(&test, &room, &ana, "before");
        let runner = caller("runner:one", None);
        let claim = claims(&test, &room, "runner:one");
        let done = json!({ "room_id": room, "job": "JOB-001", "claim_revision": claim["job"]["revision"],
            "status": "DONE", "summary": "It is dry." });
        call(test.app(), &runner, "jobs.complete", done);
        assert!(is_member(&test, &room), "it was there for more than the bus");
        ask(&test, &room, &ana, "after");
        for name in ["before", "after"] {
            assert_eq!(result(&test, &room, &ana, name), "error: its target's job has ended");
        }
    });
}

#[test]
fn only_the_claim_in_force_connects_a_job_and_it_needs_nobodys_leave() {
    on_every_backend(|test| {
        let (room, ana, _, process) = session(&test, "conversation");
        let program = caller("program", Some(&process));
        let connect = |claimed: &Value, shown: &Value| {
            test.app().connect_job(&job_agent(&program, claimed), &assignment(shown)).map_err(|failure| failure.code)
        };
        let first = claims(&test, &room, "runner:one");
        connect(&first, &first).unwrap();
        let second = claims(&test, &room, "runner:two");
        // The first one's connection is of a process that lives: this one. Its claim is over all the same.
        connect(&second, &second).unwrap();
        assert_eq!(connect(&first, &first), Err(ErrorCode::Conflict));
        assert_eq!(connect(&second, &first), Err(ErrorCode::Conflict));
        let job = job_agent(&program, &second);
        let told = call(test.app(), &ana, "bus.history", json!({ "room_id": room, "types": ["agent.updated"] }));
        let events = told["events"].as_array().unwrap().iter();
        let told: Vec<_> = events.filter_map(|event| event["payload"]["status"].as_str()).collect();
        assert_eq!(told, ["connected", "disconnected", "connected"]);
        test.app().disconnect(&job, &room, "it is over").unwrap();
        let told = call(test.app(), &ana, "bus.history", json!({ "room_id": room, "types": ["agent.updated"] }));
        assert_eq!(told["events"].as_array().unwrap().last().unwrap()["payload"]["status"], "disconnected");
    });
}

#[test]
fn a_task_is_over_when_it_is_done_or_the_session_is_closed() {
    on_every_backend(|test| {
        let (room, ana, _job, _process) = session(&test, "conversation");
        let (app, task) = (test.app(), "JOB-001".parse().unwrap());
        assert_eq!(app.ending(&room, &task).unwrap(), None);
        let done = json!({ "room_id": room, "task_id": task, "summary": "It is dry." });
        call(app, &ana, "bus.task_done", done);
        let summary = Some("It is dry.".to_owned());
        assert_eq!(app.ending(&room, &task).unwrap(), Some(Ending::Done { by: ana.actor().agent_id, summary }));
        call(app, &ana, "bus.close", json!({ "room_id": room }));
        assert_eq!(app.ending(&room, &task).unwrap(), Some(Ending::Closed));
    });
}

#[test]
fn what_follows_a_new_that_was_rejected_names_it_when_it_is_taken() {
    on_every_backend(|test| {
        let (room, ana, job, _process) = session(&test, "conversation");
        let new = json!({ "type": "control", "command": "new", "dst": "job-001", "action_id": "n", "action_index": 0 });
        let later = json!({ "type": "message", "kind": "user", "text": "And?", "dst": "job-001", "action_id": "b",
            "action_index": 1 });
        let group = json!({ "room_id": room, "group_id": "g", "actions": [new, later] });
        call(test.app(), &ana, "bus.submit", group);
        let take = |after: u64| {
            let taken = call(test.app(), &job, "bus.take", json!({ "room_id": room, "resume_after": after }));
            taken["deliveries"].as_array().unwrap().last().unwrap()["after_action_id"].clone()
        };
        assert_eq!(take(0), "n");
        let rejected = json!({ "room_id": room, "action_id": "n", "status": "rejected", "detail": "Not now." });
        call(test.app(), &job, "bus.result", rejected);
        assert_eq!(take(0), "n", "it does not belong to the conversation before");
    });
}

#[test]
fn a_result_is_told_as_from_its_target_or_from_the_bus_whoever_ended_the_action() {
    on_every_backend(|test| {
        let (room, ana, job, _process) = session(&test, "conversation");
        let runner = caller("runner:one", None);
        let claim = claims(&test, &room, "runner:one");
        let claimed = json!({ "room_id": room, "runner_id": "runner:one", "claim_revision": claim["job"]["revision"] });
        let with = |more: Value| {
            let mut input = claimed.clone();
            input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            input
        };
        ask(&test, &room, &ana, "by-turn");
        let turn = call(test.app(), &runner, "context.turn.begin", with(json!({ "job": "JOB-001" })))["turn"].clone();
        call(test.app(), &runner, "context.turn.end", with(json!({ "turn": turn, "outcome": "completed" })));
        ask(&test, &room, &ana, "by-job-turn");
        call(test.app(), &runner, "context.turn.begin", with(json!({ "job": "JOB-001" })));
        let done = with(json!({ "job": "JOB-001", "status": "DONE", "summary": "It is dry." }));
        call(test.app(), &runner, "jobs.complete", done);
        call(test.app(), &ana, "jobs.create", json!({ "room_id": room, "title": "Again", "prompt": "It rains." }));
        let bo = caller("bo", None);
        call(test.app(), &bo, "bus.add", json!({ "room_id": room }));
        let action = json!({ "type": "message", "kind": "user", "text": "Well?", "dst": "bo", "action_id": "by-removal",
            "action_index": 0 });
        call(test.app(), &ana, "bus.submit", json!({ "room_id": room, "group_id": "r", "actions": [action] }));
        call(test.app(), &ana, "bus.close", json!({ "room_id": room }));
        let told = call(test.app(), &ana, "bus.history", json!({ "room_id": room, "types": ["action.result"] }));
        let told: Vec<_> = told["events"].as_array().unwrap().iter().map(|event| event["src"].clone()).collect();
        assert!(told.len() >= 3, "{told:?}");
        let target = job.actor().agent_id.to_string();
        assert!(told.iter().all(|src| [target.as_str(), "bus"].contains(&src.as_str().unwrap())), "{told:?}");
    });
}
