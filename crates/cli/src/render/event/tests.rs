//! A whole story, as the timeline tells it.

use baton_app::{
    commands::room::{Events, EventsInput},
    table::UseCase,
};
use baton_core::ids::Seq;
use baton_testkit::{Agent, Backend, TestApp};
use serde_json::json;

use super::{Names, event_line};

/// The timeline that somebody reads, oldest first.
fn timeline(app: &TestApp, reader: &Agent<'_>) -> String {
    let input = EventsInput { after: Some(Seq(0)), limit: Some(200), ..EventsInput::in_room(&reader.room()) };
    let page = Events::run(app.app(), reader.caller(), input).unwrap();
    assert!(!page.has_more);
    let text: String = page.events.iter().map(|event| event_line(event, &Names::new())).collect();
    text.replace(&app.workspace().text(""), "WORKSPACE")
}

#[test]
fn the_timeline_tells_a_story_of_scopes_messages_tasks_and_identities_in_plain_words() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana] = app.joined(["codex:ana"]);
    let [bo] = app.joined_living(["claude:bo"]);
    let name = |agent: &Agent<'_>| agent.entry()["display_name"].as_str().unwrap().to_owned();
    let (ana_name, bo_name) = (name(&ana), name(&bo));
    ana.does("tasks.create", json!({ "title": "write the parser", "scopes": ["src/*"], "assignee": bo_name }));
    bo.does("tasks.start", json!({ "task": "TASK-001" }));
    bo.does("scope.reserve", json!({ "scopes": ["src/*"] }));
    app.later_minutes(1);
    ana.refused("scope.reserve", json!({ "scopes": ["src/lexer.rs"] }));
    let blocked = json!({
        "to": bo_name, "category": "BLOCKED", "subject": "I need src/lexer.rs", "blocker": "it is in your scope src/*",
        "requested_action": "release it", "urgency": "high",
    });
    let message = ana.does("inbox.send", blocked)["message"].clone();
    bo.does("inbox.list", json!({}));
    bo.does("inbox.read", json!({ "message": message }));
    bo.does("inbox.ack", json!({ "message": message, "note": "in an hour" }));
    let to_all = json!({ "to": "broadcast", "category": "DECISION", "subject": "tabs it is", "body": "after all" });
    ana.does("inbox.send", to_all);
    bo.claim();
    bo.dies();
    app.later_minutes(1);
    let [cy] = app.joined(["gemini:cy"]);
    cy.does("agent.adopt", json!({ "agent": bo_name }));
    ana.take();
    ana.does("agent.register", json!({ "name": "amber-otter", "role": "reviewer" }));
    ana.does("scope.reserve", json!({ "scopes": ["docs"], "ttl_minutes": 60 }));
    app.later_minutes(16);
    cy.does("scope.reserve", json!({ "scopes": ["docs/api.md"], "ttl_minutes": 5, "takeover_stale": true }));
    let handed = json!({
        "to": "amber-otter", "category": "HANDOFF", "subject": "the parser is done",
        "summary": "it parses", "next_action": "review it", "scope": "src/parser.rs",
    });
    cy.does("inbox.send", handed);
    cy.does("tasks.done", json!({ "task": "TASK-001" }));
    cy.does("tasks.create", json!({ "title": "read the docs" }));
    cy.does("tasks.assign", json!({ "task": "TASK-002", "assignee": "amber-otter" }));
    cy.does("tasks.assign", json!({ "task": "TASK-002" }));
    cy.does("scope.release", json!({ "scopes": ["src/*"] }));
    app.later_minutes(5);
    cy.does("scope.status", json!({}));
    assert_ne!(ana_name, bo_name);
    insta::assert_snapshot!(timeline(&app, &cy), @r"
     1  2026-01-01T00:00:00.000Z  turn 0    codex:ana opened the room
     2  2026-01-01T00:00:00.000Z  turn 0    codex:ana joined as sunny-raven
     3  2026-01-01T00:00:00.000Z  turn 0    claude:bo joined as fond-kestrel
     4  2026-01-01T00:00:00.000Z  turn 0    codex:ana wrote down TASK-001 for claude:bo: write the parser
     5  2026-01-01T00:00:00.000Z  turn 0    claude:bo began TASK-001
     6  2026-01-01T00:00:00.000Z  turn 0    claude:bo reserved src/*: for TASK-001
     7  2026-01-01T00:01:00.000Z  turn 0    Incursion: sunny-raven came upon fond-kestrel in src/*
          overlap   partial
          owner     fond-kestrel, active
          next      baton block --to fond-kestrel --subject 'I need src/lexer.rs' --blocker 'src/lexer.rs is in your scope src/*' --request 'Release src/*, or tell me when you are done there'
          about     TASK-001
     8  2026-01-01T00:01:00.000Z  turn 0    Needs input: sunny-raven asks fond-kestrel: I need src/lexer.rs
          blocker   it is in your scope src/*
          request   release it
          urgency   high
     9  2026-01-01T00:01:00.000Z  turn 0    claude:bo was told of message 8
    10  2026-01-01T00:01:00.000Z  turn 0    Seen by claude:bo: message 8 from codex:ana
    11  2026-01-01T00:01:00.000Z  turn 0    Accepted by claude:bo: message 8 from codex:ana: in an hour
    12  2026-01-01T00:01:00.000Z  turn 0    Decided by sunny-raven, for everybody: tabs it is
          text      after all
    13  2026-01-01T00:01:00.000Z  turn 1    claude:bo took up the stick
    14  2026-01-01T00:02:00.000Z  turn 1    claude:bo is gone: its process has exited
    15  2026-01-01T00:02:00.000Z  turn 1    gemini:cy joined as rustic-heron
    16  2026-01-01T00:02:00.000Z  turn 1    Resumed: gemini:cy goes on as fond-kestrel
          before    claude:bo
          reason    work of its own in progress
          evidence  in progress: TASK-001
          about     TASK-001, src/*
    17  2026-01-01T00:02:00.000Z  turn 1    the reservation of src/* went on from claude:bo to gemini:cy
    18  2026-01-01T00:02:00.000Z  turn 1    gemini:cy took on TASK-001
    19  2026-01-01T00:02:00.000Z  turn 1    message 12 went on to gemini:cy
    20  2026-01-01T00:02:00.000Z  turn 2    codex:ana took the stick over from claude:bo: no answer
    21  2026-01-01T00:02:00.000Z  turn 2    codex:ana is called amber-otter from now on: was sunny-raven
    22  2026-01-01T00:02:00.000Z  turn 2    codex:ana reserved docs
    23  2026-01-01T00:18:00.000Z  turn 2    claude:bo is gone: its process has exited
    24  2026-01-01T00:18:00.000Z  turn 2    Incursion: fond-kestrel came upon amber-otter in docs
          overlap   partial
          owner     amber-otter, stale
          next      baton scope status
    25  2026-01-01T00:18:00.000Z  turn 2    gemini:cy reserved docs/api.md in place of codex:ana: the owner was stale, for TASK-001
    26  2026-01-01T00:18:00.000Z  turn 2    Passed to amber-otter by fond-kestrel: the parser is done
          summary   it parses
          next      review it
          about     TASK-001, src/parser.rs
    27  2026-01-01T00:18:00.000Z  turn 2    gemini:cy finished TASK-001
    28  2026-01-01T00:18:00.000Z  turn 2    gemini:cy wrote down TASK-002: read the docs
    29  2026-01-01T00:18:00.000Z  turn 2    gemini:cy gave TASK-002 to codex:ana
    30  2026-01-01T00:18:00.000Z  turn 2    gemini:cy put TASK-002 back: it is nobody's
    31  2026-01-01T00:18:00.000Z  turn 2    gemini:cy gave back src/*
    32  2026-01-01T00:23:00.000Z  turn 2    the reservation of docs/api.md by gemini:cy ran out
    ");
}

#[test]
fn what_an_agent_wrote_stays_within_its_row() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana, _bo] = app.joined(["codex:ana", "claude:bo"]);
    let hostile = "a\u{1b}[2J\n    9  fake \u{202e}row";
    ana.does("room.note", json!({ "text": hostile }));
    ana.does("tasks.create", json!({ "title": "fake \u{202e}row" }));
    let info = json!({ "to": "broadcast", "category": "INFO", "subject": hostile, "body": hostile });
    ana.does("inbox.send", info);
    let text = timeline(&app, &ana);
    insta::assert_snapshot!(text.split_inclusive('\n').skip(3).collect::<String>(), @r"
    4  2026-01-01T00:00:00.000Z  turn 0    codex:ana noted: a[2J
             9  fake row
    5  2026-01-01T00:00:00.000Z  turn 0    codex:ana wrote down TASK-001: fake row
    6  2026-01-01T00:00:00.000Z  turn 0    Told to everybody by sunny-raven: a[2J 9 fake row
         text      a[2J
                       9  fake row
    ");
}

#[test]
fn the_timeline_tells_what_became_of_a_job_and_what_was_kept() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana, bo] = app.joined(["codex:ana", "claude:bo"]);
    ana.does("tasks.anchor.set", json!({ "anchor": "a:core", "title": "The rules" }));
    ana.does("tasks.macro.delegate", json!({ "title": "write the parser", "prompt": "all of it", "anchor": "a:core" }));
    ana.does("tasks.focus", json!({ "task": "TASK-001" }));
    ana.does("tasks.focus", json!({ "clear": true }));
    bo.does("jobs.runner.heartbeat", json!({ "runner_id": "r1", "status": "idle" }));
    bo.does("jobs.claim", json!({ "runner_id": "r1" }));
    let report = |kind: &str, message: &str| json!({ "job": "JOB-001", "runner_id": "r1", "claim_revision": 1, "kind": kind, "message": message });
    for (kind, message) in [
        ("progress", "reading"),
        ("checkpoint", "the lexer works"),
        ("question", "tabs or\nspaces?"),
        ("error", "no compiler"),
        ("proof_gate", "no evidence"),
    ] {
        bo.does("jobs.report", report(kind, message));
    }
    ana.does("jobs.message", json!({ "job": "JOB-001", "message": "tabs" }));
    bo.does("tasks.card.create", json!({ "title": "all green", "text": "7 tests", "kind": "evidence" }));
    bo.does("tasks.card.pin", json!({ "card": "CARD-1" }));
    ana.does("tasks.plan.create", json!({ "title": "first this", "tasks": ["TASK-001"] }));
    ana.does("jobs.claim", json!({ "job": "JOB-001", "runner_id": "r2", "force": true }));
    let ended =
        json!({ "job": "JOB-001", "runner_id": "r2", "claim_revision": 2, "status": "FAILED", "summary": "too hard" });
    ana.does("jobs.complete", ended);
    ana.does("jobs.requeue", json!({ "job": "JOB-001", "reason": "once more" }));
    ana.does("jobs.cancel", json!({ "job": "JOB-001", "reason": "never mind" }));
    bo.does("jobs.runner.retire", json!({ "runner_id": "r1" }));
    let told = timeline(&app, &ana);
    let told: Vec<_> =
        told.lines().skip(3).map(|line| line.replace("2026-01-01T00:00:00.000Z  turn 0    ", "")).collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
     4  codex:ana described a:core: The rules
     5  codex:ana wrote down TASK-001: write the parser
     6  codex:ana asked for JOB-001: write the parser
     7  codex:ana turned to TASK-001
     8  codex:ana turned to no task in particular
     9  claude:bo offers a runner: r1
    10  claude:bo claimed JOB-001 for a runner: r1
    11  claude:bo goes on with JOB-001: reading
    12  claude:bo reached something in JOB-001: the lexer works
    13  claude:bo asks about JOB-001: tabs or
          spaces?
    14  claude:bo met an error in JOB-001: no compiler
    15  claude:bo lacks proof that JOB-001 is done: no evidence
    16  codex:ana told JOB-001: tabs
    17  claude:bo kept CARD-1: all green
    18  claude:bo changed CARD-1: pinned
    19  codex:ana made PLAN-1: first this
    20  codex:ana took JOB-001 over for a runner: r2
    21  codex:ana could not do JOB-001: too hard
    22  codex:ana wants JOB-001 done again: once more
    23  codex:ana withdrew JOB-001: never mind
    24  claude:bo signed off a runner: r1
    "#);
}

#[test]
fn the_timeline_tells_of_briefs_and_of_agents_that_are_asked_for_in_plain_words() {
    let app = TestApp::open(Backend::Sqlite);
    let [ana] = app.joined(["codex:ana"]);
    let person = app.person("human:pat");
    person.join();
    person.does("context.brief.edit", json!({ "goal": "trust" }));
    person.does("agent.grant", json!({ "agent": "codex:ana", "spawn_nodes": true }));
    let asked = json!({ "title": "Read the logs", "prompt": "All of them.", "message": "Here they are." });
    ana.does("spawn.request", asked.clone());
    person.does("agent.approval.resolve", json!({ "approval": "APPROVAL-1", "decision": "deny", "reason": "not now" }));
    ana.does("spawn.request", asked);
    let digest = person.does("open", json!({ "id": "APPROVAL-2" }))["digest"].clone();
    let approve = json!({ "approval": "APPROVAL-2", "decision": "approve", "digest": digest });
    person.does("agent.approval.resolve", approve);
    let told = timeline(&app, &ana);
    let told = |kind: &str| told.lines().filter(|line| line.contains(kind)).count();
    assert_eq!(told("said what the room is for: trust"), 1);
    assert_eq!(told("human:pat decided what codex:ana may do: may spawn"), 1);
    assert_eq!(told("codex:ana asked for another agent, APPROVAL-1: Read the logs"), 1);
    assert_eq!(told("human:pat denied APPROVAL-1: not now"), 1);
    assert_eq!(told("human:pat approved APPROVAL-2, which is JOB-001"), 1);
    for kind in ["brief.set", "agent.grant", "spawn."] {
        assert_eq!(told(kind), 0, "{kind} is told in words");
    }
}
