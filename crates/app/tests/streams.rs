//! How agents are connected, and all that is on record about a turn.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::{
    App, Caller,
    artifacts::{Keeping, Proof},
    connection::StreamNote,
    doctor,
};
use baton_core::{
    ids::{AgentId, RoomId},
    lease::Fence,
    library::ArtifactKind,
    time::Ttl,
    turn::StreamStatus,
};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

const RUNNER: &str = "runner:one";

/// A room with `ana`, a job of hers, and the runner that has it.
fn at_work(test: &TestApp) -> (Agent<'_>, Agent<'_>, AgentId) {
    let ana = test.agent("ana");
    ana.join();
    ana.does("jobs.create", json!({ "title": "Mend it", "prompt": "It rains in." }));
    let runner = test.agent(RUNNER);
    runner.enter(&ana.room());
    runner.does("jobs.claim", json!({ "job": "JOB-001" }));
    let agent = baton_core::job::agent_of(&ana.room(), "JOB-001".parse().unwrap());
    (ana, runner, agent)
}

fn begins(runner: &Agent<'_>, revision: u64) -> Value {
    let input = json!({ "job": "JOB-001", "claim_revision": revision, "executor": "codex" });
    runner.does("context.turn.begin", input)["turn"].clone()
}

fn ends(runner: &Agent<'_>, turn: &Value, outcome: &str, more: Value) {
    let mut input = json!({ "turn": turn, "claim_revision": 1, "outcome": outcome });
    input.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    runner.does("context.turn.end", input);
}

fn notes(app: &App, caller: &Caller, room: &RoomId, agent: &AgentId, status: StreamStatus) {
    let note = StreamNote { status, provider: Some("codex"), session: Some("s-1") };
    app.note_stream(caller, room, agent, &note).unwrap();
}

/// How a job's agent is connected, as `state stream: why`.
fn of_job(ana: &Agent<'_>) -> String {
    told(&ana.does("jobs.open", json!({ "job": "JOB-001" }))["agent"]["connection"])
}

fn told(connection: &Value) -> String {
    let text = |key: &str| connection[key].as_str().unwrap().to_owned();
    format!("{} {}: {}", text("state"), text("stream"), text("why"))
}

fn is_sound(test: &TestApp) {
    let report = doctor::examine(test.app()).unwrap();
    assert!(report.is_clean(), "{:?}", report.checks);
}

#[test]
fn a_jobs_agent_is_as_connected_as_its_turn_and_its_claim() {
    on_every_backend(|test| {
        let (ana, runner, agent) = at_work(&test);
        assert_eq!(of_job(&ana), "idle reading: it waits for its next turn");
        let turn = begins(&runner, 1);
        assert_eq!(of_job(&ana), "connected reading: TURN-1 goes on");
        let events = test.log(&ana.room()).len();
        notes(test.app(), runner.caller(), &ana.room(), &agent, StreamStatus::Writing);
        assert_eq!(test.log(&ana.room()).len(), events, "a note is no event");
        assert_eq!(of_job(&ana), "connected writing: TURN-1 goes on");
        let shown = ana.does("jobs.open", json!({ "job": "JOB-001" }))["agent"].clone();
        assert_eq!([&shown["connection"]["provider"], &shown["connection"]["session"]], ["codex", "s-1"]);
        assert_eq!(shown["connection"]["last_activity_at"], json!(test.now()));
        assert_eq!((&shown["connection"]["turn"], &shown["turns"]), (&json!("TURN-1"), &json!(1)));
        notes(test.app(), runner.caller(), &ana.room(), &agent, StreamStatus::Closed);
        assert_eq!(of_job(&ana), "idle closed: TURN-1 ends: its stream is closed");
        ends(&runner, &turn, "completed", json!({ "session": "s-2" }));
        assert_eq!(of_job(&ana), "idle reading: it waits for its next turn");
        test.later(Ttl::from_secs(1));
        let turn = begins(&runner, 1);
        assert_eq!(of_job(&ana), "connected reading: TURN-2 goes on", "what was noted is about the turn before");
        ends(&runner, &turn, "failed", json!({ "why": "No ladder.\nNone at all." }));
        assert_eq!(of_job(&ana), "disconnected closed: TURN-2 failed: No ladder.");
        begins(&runner, 1);
        test.later_minutes(10);
        assert_eq!(of_job(&ana), "disconnected closed: its runner fell silent: the claim on JOB-001 ran out");
        ana.does("jobs.requeue", json!({ "job": "JOB-001", "reason": "Again." }));
        let lost = "TURN-3 was lost: JOB-001 was put back into the queue: Again.";
        assert_eq!(of_job(&ana), format!("disconnected closed: {lost}"));
        ana.does("jobs.cancel", json!({ "job": "JOB-001", "reason": "It is dry." }));
        assert_eq!(of_job(&ana), "gone closed: JOB-001 is CANCELED");
        ana.does("jobs.create", json!({ "title": "Paint it", "prompt": "It is grey." }));
        let queued = ana.does("jobs.open", json!({ "job": "JOB-002" }))["agent"]["connection"].clone();
        assert_eq!(told(&queued), "disconnected closed: no runner has JOB-002");
        is_sound(&test);
    });
}

#[test]
fn a_stream_is_noted_by_its_agent_or_by_who_claimed_its_job() {
    on_every_backend(|test| {
        let (ana, runner, agent) = at_work(&test);
        let note = StreamNote { status: StreamStatus::Writing, provider: None, session: None };
        let notes = |caller: &Agent<'_>, whose: &AgentId, note: &StreamNote<'_>| {
            test.app().note_stream(caller.caller(), &ana.room(), whose, note).map_err(|failure| failure.code.as_str())
        };
        assert_eq!(notes(&runner, &agent, &note), Ok(()));
        assert_eq!(notes(&ana, &ana.id(), &note), Ok(()));
        assert_eq!(notes(&ana, &agent, &note), Err("CONFLICT"));
        assert_eq!(notes(&runner, &ana.id(), &note), Err("CONFLICT"));
        let long = "x".repeat(300);
        let odd = [StreamNote { session: Some("a\0b"), ..note }, StreamNote { provider: Some(&long), ..note }];
        for note in odd {
            assert_eq!(notes(&runner, &agent, &note), Err("INVALID_INPUT"));
        }
        ana.does("jobs.requeue", json!({ "job": "JOB-001", "reason": "Again." }));
        assert_eq!(notes(&runner, &agent, &note), Err("CONFLICT"), "it has the job no more");
    });
}

#[test]
fn a_member_is_connected_in_a_turn_idle_while_it_is_there_and_gone_with_its_process() {
    on_every_backend(|test| {
        let bo = test.living_agent("bo");
        bo.join();
        let ana = test.person("human:ana:1");
        ana.join();
        let of = |name: &str| {
            let shown = ana.does("agent.show", json!({ "agent": name }));
            (told(&shown["connection"]), shown["connection"]["turn"].clone())
        };
        assert_eq!(of("bo").0, "idle reading: it is there and waits");
        test.later_minutes(15);
        let silent = "idle reading: its process runs, and it has been silent for 15m or more";
        assert_eq!(of("bo").0, silent);
        let turn = bo.does("context.turn.begin", json!({}))["turn"].clone();
        test.later_minutes(5);
        assert_eq!(of("bo"), ("connected writing: TURN-1 goes on".to_owned(), turn.clone()));
        bo.does("context.turn.end", json!({ "turn": turn, "outcome": "completed" }));
        test.later_minutes(100);
        assert_eq!(of("bo").0, silent, "its process lives");
        bo.dies();
        assert_eq!(of("bo").0, "gone closed: its process has exited");
        let cy = test.agent("cy");
        cy.join();
        test.later_minutes(15);
        let unknown = "nothing is known of its process, and it has been silent for 15m or more";
        assert_eq!(of("cy").0, format!("disconnected closed: {unknown}"));
        cy.does("room.leave", json!({}));
        assert_eq!(of("cy").0, "gone closed: it is no longer a member");
        let listed = ana.does("agent.list", json!({}))["agents"].clone();
        assert!(listed.as_array().unwrap().iter().all(|agent| agent["connection"]["state"].is_string()));
        is_sound(&test);
    });
}

#[test]
fn a_turn_is_opened_with_all_that_is_on_record_about_it() {
    on_every_backend(|test| {
        let (ana, runner, _) = at_work(&test);
        ana.does("jobs.message", json!({ "job": "JOB-001", "message": "Mind the gutter." }));
        let turn = begins(&runner, 1);
        let proof = Proof { job: "JOB-001".parse().unwrap(), runner: RUNNER.parse().unwrap(), revision: Fence(1) };
        let keep = |kind, name: &str| {
            let turn = turn.as_str().unwrap().parse().ok();
            let keeping = Keeping { kind, name, content: b"x", proof: Some(&proof), turn, patch: None };
            test.app().keep_artifact(runner.caller(), &ana.room(), &keeping).unwrap().to_string()
        };
        let prompt = keep(ArtifactKind::Prompt, "prompt.full.txt");
        let telling = json!({ "turn": turn, "claim_revision": 1, "mode": "full", "role": "implementer", "tokens": 40,
            "sent_tokens": 40, "refs": [prompt] });
        runner.does("context.turn.prompt", telling);
        let nowhere = json!({ "turn": turn, "claim_revision": 1, "mode": "full", "tokens": 1, "sent_tokens": 1,
            "refs": ["artifact://prompt/99"] });
        assert_eq!(runner.refused("context.turn.prompt", nowhere)["error"], "UNKNOWN_ID");
        let secret = format!("curl -H 'Authorization: Bearer {}'", "a1B2".repeat(10));
        for (name, detail, state) in
            [("Bash", "cargo test", "started"), ("Bash", "cargo test", "done"), ("Bash", secret.as_str(), "started")]
        {
            let uses = json!([{ "name": name, "detail": detail, "state": state }]);
            runner.does("context.turn.tools", json!({ "turn": turn, "claim_revision": 1, "uses": uses }));
        }
        let diff = keep(ArtifactKind::Diff, "changes.diff");
        let usage = json!({ "input_tokens": 90, "cached_tokens": 30, "output_tokens": 12, "cost_microusd": 5 });
        ends(&runner, &turn, "completed", json!({ "session": "s-1", "usage": usage, "refs": [diff] }));

        let opened = ana.does("open", json!({ "id": "turn-1" }));
        assert_eq!([&opened["kind"], &opened["ref"]], ["turn", "TURN-1"]);
        assert_eq!(opened["turn"]["outcome"], "completed");
        assert_eq!((&opened["turn"]["usage"], &opened["turn"]["session"]), (&usage, &json!("s-1")));
        assert_eq!(opened["inputs"][0]["text"], "Mind the gutter.");
        assert_eq!(opened["inputs"][0]["ref"], format!("JOB-001@{}", opened["consumed"][0]));
        assert_eq!(opened["prompts"][0]["refs"], json!([prompt]));
        let used = |key: &str| {
            let tools = opened["tools"].as_array().unwrap().iter();
            tools.map(|used| used[key].as_str().unwrap().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(used("state"), ["started", "done", "started"]);
        assert!(!used("detail")[2].contains("a1B2a1B2"), "{:?}", used("detail"));
        assert_eq!(opened["turn"]["tools"], 2);
        let names = opened["artifacts"].as_array().unwrap().iter().map(|file| file["name"].as_str().unwrap());
        assert_eq!(names.collect::<Vec<_>>(), ["prompt.full.txt", "changes.diff"]);
        assert_eq!(opened["refs"], json!([diff]));
        let job = ana.does("jobs.open", json!({ "job": "JOB-001" }))["agent"].clone();
        assert_eq!((&job["usage"], &job["turn"]["turn"]), (&usage, &json!("TURN-1")));
        assert_eq!(ana.refused("open", json!({ "id": "TURN-9" }))["error"], "UNKNOWN_ID");
        is_sound(&test);
    });
}

#[test]
fn many_tools_are_read_on_where_the_last_page_ended() {
    on_every_backend(|test| {
        let bo = test.agent("bo");
        bo.join();
        let turn = bo.does("context.turn.begin", json!({}))["turn"].clone();
        for page in 0..30 {
            let used =
                |number: u32| json!({ "name": "Read", "detail": format!("{page}-{number}"), "state": "started" });
            let uses: Vec<Value> = (0..20).map(used).collect();
            bo.does("context.turn.tools", json!({ "turn": turn, "uses": uses }));
        }
        let (mut read, mut offset, mut pages) = (Vec::new(), None, 0);
        loop {
            let opened = bo.does("open", json!({ "id": turn, "offset": offset }));
            let tools = opened["tools"].as_array().unwrap().iter();
            read.extend(tools.map(|used| used["detail"].as_str().unwrap().to_owned()));
            pages += 1;
            offset = opened["next_offset"].as_u64();
            if offset.is_none() {
                break;
            }
        }
        let all: Vec<String> = (0..30).flat_map(|page| (0..20).map(move |number| format!("{page}-{number}"))).collect();
        assert_eq!(read, all);
        assert!(pages > 1);
        is_sound(&test);
    });
}
