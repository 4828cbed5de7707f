//! Whatever a ref points to can be opened, bounded, and says how to get the rest.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::fs;

use baton_app::artifacts::Keeping;
use baton_core::{library::ArtifactKind, limits};
use baton_store::{StoreError, engine::Changes};
use baton_testkit::{Agent, Backend, TestApp, on_every_backend};
use serde_json::{Value, json};

/// A room with something of every kind.
struct Scene<'a> {
    codex: Agent<'a>,
    runner: Agent<'a>,
}

impl<'a> Scene<'a> {
    fn set(app: &'a TestApp) -> Self {
        let [codex] = app.joined(["codex"]);
        let runner = app.agent("runner");
        runner.enter(&codex.room());
        codex.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core", "text": "the rules"}));
        codex.does("tasks.create", json!({"title": "Fix it", "definition_of_done": "it works"}));
        codex.does(
            "jobs.create",
            json!({"title": "Look", "prompt": "Look closely.", "task": "TASK-001", "anchor": "a:core"}),
        );
        Self { codex, runner }
    }

    fn open(&self, id: &str) -> Value {
        self.codex.does("open", json!({"id": id}))
    }

    fn claim(&self) -> u64 {
        self.runner.does("jobs.claim", json!({"job": "JOB-001", "runner_id": "r1"}))["job"]["revision"]
            .as_u64()
            .unwrap()
    }

    fn report(&self, revision: u64, message: &str) -> String {
        let input = json!({
            "job": "JOB-001", "runner_id": "r1", "claim_revision": revision, "kind": "checkpoint", "message": message,
            "refs": ["TASK-001"], "meta": {"branch": "fix"},
        });
        self.runner.does("jobs.report", input)["ref"].as_str().unwrap().to_owned()
    }
}

fn list<'a>(opened: &'a Value, list: &str, field: &str) -> Vec<&'a str> {
    opened[list].as_array().unwrap().iter().map(|entry| entry[field].as_str().unwrap()).collect()
}

fn keep(app: &TestApp, agent: &Agent<'_>, kind: ArtifactKind, content: &str) -> String {
    let keeping = Keeping { kind, name: "out", content: content.as_bytes(), proof: None, turn: None, patch: None };
    app.app().keep_artifact(agent.caller(), &agent.room(), &keeping).unwrap().to_string()
}

#[test]
fn a_job_is_opened_with_its_newest_events_and_what_it_left() {
    on_every_backend(|app| {
        let scene = Scene::set(&app);
        let revision = scene.claim();
        for number in 0..12 {
            scene.report(revision, &format!("step {number}"));
        }
        scene.codex.does("tasks.card.create", json!({"title": "found", "text": "x", "job": "JOB-001"}));
        let opened = scene.open("JOB-001");
        assert_eq!([&opened["kind"], &opened["ref"]], ["job", "JOB-001"]);
        assert_eq!([&opened["job"]["status"], &opened["job"]["title"]], ["RUNNING", "Look"]);
        let events = list(&opened, "events", "message");
        assert_eq!((events.len(), events[0], events[9]), (10, "step 11", "step 2"));
        assert_eq!(list(&opened, "cards", "card"), ["CARD-1"]);
        let more: Vec<_> = opened["more"].as_array().unwrap().iter().map(|more| more.as_str().unwrap()).collect();
        assert!(more[0].starts_with("older events: jobs open job=JOB-001 before="), "{more:?}");
        let prompt = more.last().unwrap().rsplit_once("open id=").unwrap().1;
        assert_eq!(scene.open(prompt)["text"], "Look closely.");
    });
}

#[test]
fn an_event_of_a_job_is_opened_whole() {
    on_every_backend(|app| {
        let scene = Scene::set(&app);
        let revision = scene.claim();
        let checkpoint = scene.report(revision, "half way");
        let opened = scene.open(&checkpoint);
        assert_eq!([&opened["kind"], &opened["text"]], ["job_event", "half way"]);
        let event = &opened["event"];
        assert_eq!((&event["kind"], &event["refs"]), (&json!("checkpoint"), &json!(["TASK-001"])));
        assert_eq!(event["meta"], json!({"branch": "fix"}));
        let summary = "long ".repeat(3000);
        let ended = scene.runner.does(
            "jobs.complete",
            json!({
                "job": "JOB-001", "runner_id": "r1", "claim_revision": revision, "status": "DONE", "summary": summary,
                "refs": ["TASK-001"],
            }),
        );
        let ended = ended["ref"].as_str().unwrap();
        let first = scene.open(ended);
        let next = first["next_offset"].as_u64().unwrap();
        let second = scene.codex.does("open", json!({"ref": ended, "offset": next}));
        assert_eq!(second.get("next_offset"), None);
        let whole = [&first, &second].map(|part| part["text"].as_str().unwrap()).concat();
        assert_eq!((whole.as_str(), &first["bytes"]), (summary.trim(), &json!(summary.trim().len())));
        // In the row of events it is only begun, and says where it is.
        let row = &scene.open("JOB-001")["events"][0];
        assert!(row["message"].as_str().unwrap().ends_with(&format!("… [open {ended}]")), "{row}");
        let (job, _) = ended.split_once('@').unwrap();
        assert_eq!(scene.codex.refused("open", json!({"id": format!("{job}@1")}))["error"], "UNKNOWN_ID");
    });
}

#[test]
fn tasks_anchors_plans_and_notes_are_opened_with_what_belongs_to_them() {
    on_every_backend(|app| {
        let scene = Scene::set(&app);
        let codex = &scene.codex;
        codex.does("tasks.card.create", json!({"title": "c", "text": "x", "task": "TASK-001", "anchor": "a:core"}));
        codex.does("tasks.plan.create", json!({"title": "p", "text": "why", "tasks": ["TASK-001"]}));
        let note = codex.does("room.note", json!({"text": "remember"}))["event_seq"].as_u64().unwrap();
        let task = scene.open("task-1");
        assert_eq!([&task["ref"], &task["task"]["definition_of_done"]], ["TASK-001", "it works"]);
        assert_eq!((list(&task, "cards", "card"), list(&task, "jobs", "job")), (vec!["CARD-1"], vec!["JOB-001"]));
        let anchor = scene.open("a:core");
        assert_eq!([&anchor["text"], &anchor["anchor"]["title"]], ["the rules", "Core"]);
        assert_eq!((list(&anchor, "cards", "card"), list(&anchor, "jobs", "job")), (vec!["CARD-1"], vec!["JOB-001"]));
        let plan = scene.open("PLAN-1");
        assert_eq!((&plan["text"], &plan["tasks"]), (&json!("why"), &json!(["TASK-001"])));
        let opened = scene.open(&format!("notes_doc@{note}"));
        assert_eq!((&opened["ref"], &opened["text"]), (&json!(format!("notes@{note}")), &json!("remember")));
        assert_eq!(opened["by"], "codex");
    });
}

#[test]
fn a_runner_is_opened_with_how_it_stands_and_what_it_is_at() {
    on_every_backend(|app| {
        let scene = Scene::set(&app);
        let capabilities = json!({"executors": [{"executor": "codex", "profiles": ["fast"]}], "max_parallel": 2});
        scene.claim();
        scene.runner.does(
            "jobs.runner.heartbeat",
            json!({"runner_id": "r1", "status": "live", "active_job_id": "JOB-001", "capabilities": capabilities}),
        );
        let opened = scene.open("runner:r1");
        assert_eq!([&opened["standing"], &opened["agent_id"]], ["live", "runner"]);
        assert_eq!(
            (list(&opened, "jobs", "job"), &opened["capabilities"]["max_parallel"]),
            (vec!["JOB-001"], &json!(2))
        );
        app.later_minutes(1);
        assert_eq!(scene.open("runner:r1")["standing"], "offline");
    });
}

#[test]
fn a_file_is_opened_by_a_part_a_log_from_its_end_and_all_else_from_its_beginning() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let lines: String = (0..3000).map(|number| format!("line {number}\n")).collect();
        let diff = keep(&app, &codex, ArtifactKind::Diff, &lines);
        let log = keep(&app, &codex, ArtifactKind::Log, &lines);
        let open =
            |id: &str, offset: Option<i64>| codex.does("open", json!({"id": id, "offset": offset}))["content"].clone();
        let head = open(&diff, None);
        assert!(head["text"].as_str().unwrap().starts_with("line 0\n"));
        assert_eq!((&head["next_offset"], &head["bytes"]), (&json!(limits::ARTIFACT_SHOWN_BYTES), &json!(lines.len())));
        let tail = open(&log, None);
        assert!(tail["text"].as_str().unwrap().ends_with("line 2999\n"));
        assert_eq!(tail.get("next_offset"), None);
        assert_eq!(open(&log, Some(-5))["text"], "2999\n");
        let (mut read, mut offset) = (String::new(), Some(0));
        while let Some(from) = offset {
            let part = open(&diff, Some(from));
            read.push_str(part["text"].as_str().unwrap());
            offset = part["next_offset"].as_i64();
        }
        assert_eq!(read, lines);
    });
}

#[test]
fn a_file_that_is_gone_or_on_another_machine_says_so() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let kept = keep(&app, &codex, ArtifactKind::Report, "the report");
        let opened = codex.does("open", json!({"id": kept}));
        let sha256 = opened["artifact"]["sha256"].as_str().unwrap();
        let data = match app.place().backend() {
            Backend::Sqlite => app.place().data_directory(),
            Backend::Postgres => app.workspace().at("home/.local/share/baton"),
        };
        let [store] = fs::read_dir(data.join("artifacts")).unwrap().collect::<Vec<_>>().try_into().unwrap();
        let file = store.unwrap().path().join(&sha256[..2]).join(sha256);
        fs::write(&file, "changed").unwrap();
        let changed = codex.does("open", json!({"id": kept}));
        assert!(changed["unavailable"].as_str().unwrap().contains("was changed"), "{changed}");
        fs::remove_file(&file).unwrap();
        let gone = codex.does("open", json!({"id": kept}));
        assert!(gone["unavailable"].as_str().unwrap().contains("is gone"), "{gone}");
        assert_eq!((gone.get("content"), &gone["artifact"]["bytes"]), (None, &json!(10)));
        // As if it had been kept somewhere else.
        let moved = "UPDATE artifacts SET host = 'host_far'";
        app.place().open().write::<_, StoreError>(|tx| tx.execute(moved, &[], Changes::Any)).unwrap();
        let elsewhere = codex.does("open", json!({"id": kept}));
        let why = "It is kept on another machine, host_far: open it there.";
        assert_eq!((&elsewhere["unavailable"], &elsewhere["artifact"]["host"]), (&json!(why), &json!("host_far")));
    });
}

#[test]
fn what_leads_nowhere_is_no_ref_or_is_a_receipt_cannot_be_opened() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let unknown = [
            "JOB-001",
            "JOB-001@3",
            "TASK-001",
            "CARD-1",
            "PLAN-1",
            "notes@1",
            "a:core",
            "runner:r1",
            "artifact://log/1",
        ];
        for id in unknown {
            assert_eq!(codex.refused("open", json!({"id": id}))["error"], "UNKNOWN_ID", "{id}");
        }
        for id in ["", "task-force", "CMD: make", "LINK: https://example.org", "../../etc/passwd"] {
            let refusal = codex.refused("open", json!({"id": id}));
            assert_eq!([&refusal["error"], &refusal["field"]], ["INVALID_INPUT", "id"], "{id}");
        }
    });
}

#[test]
fn without_a_room_the_one_around_the_caller_is_meant_and_another_can_be_named() {
    on_every_backend(|app| {
        app.workspace().dir("other");
        let [codex] = app.joined(["codex"]);
        codex.does("tasks.create", json!({"title": "here"}));
        let here = codex.room();
        let title = |caller: &Agent<'_>, input: Value| {
            app.call(caller.caller(), "open", input).unwrap()["task"]["title"].as_str().unwrap().to_owned()
        };
        let newcomer = app.agent("newcomer");
        assert_eq!(title(&newcomer, json!({"id": "TASK-001"})), "here");
        newcomer.does("room.join", json!({"context_path": app.workspace().text("other"), "force_new": true}));
        newcomer.does("tasks.create", json!({"title": "there"}));
        assert_eq!(title(&newcomer, json!({"id": "TASK-001"})), "there");
        assert_eq!(title(&newcomer, json!({"id": "TASK-001", "workspace": here})), "here");
        assert_eq!(title(&newcomer, json!({"id": "TASK-001", "workspace": app.workspace().text("")})), "here");
        assert_eq!(title(&newcomer, json!({"id": "TASK-001", "room_id": here})), "here");
    });
}
