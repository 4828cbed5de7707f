//! Proof of a job, as the store's facts give it: who made something, when, and which commands were seen to run.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use baton_app::artifacts::{Keeping, Proof};
use baton_core::{ids::RoomId, job::JobId, lease::Fence, library::ArtifactKind, time::Ttl};
use baton_testkit::{Agent, TestApp, job_agent, on_every_backend};
use serde_json::{Value, json};

const RUNNER: &str = "runner:one";

/// A manager, a runner that has claimed `JOB-001` for `TASK-001`, and the job's agent.
struct Scene<'a> {
    app: &'a TestApp,
    ana: Agent<'a>,
    runner: Agent<'a>,
    agent: Agent<'a>,
}

impl<'a> Scene<'a> {
    fn new(app: &'a TestApp, executor: &str) -> Self {
        let ana = app.person("human:ana:pts0");
        ana.join();
        ana.does("tasks.create", json!({"title": "Mend the cache"}));
        ana.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        Self::begun(app, ana, executor)
    }

    fn begun(app: &'a TestApp, ana: Agent<'a>, executor: &str) -> Self {
        ana.does(
            "jobs.create",
            json!({"title": "Mend it", "prompt": "It grows.", "executor": executor, "task": "TASK-001",
            "anchor": "a:core", "meta": {"grants": {"spawn_nodes": true}}}),
        );
        let runner = app.living_agent(RUNNER);
        runner.enter(&ana.room());
        let claimed = runner.does("jobs.claim", json!({"job": "JOB-001"}));
        let agent = app.calling(job_agent(runner.caller(), &claimed));
        agent.enter(&ana.room());
        Self { app, ana, runner, agent }
    }

    fn room(&self) -> RoomId {
        self.ana.room()
    }

    /// What the gate says of an answer with these refs: how they stand, or why they are no proof.
    fn gate(&self, refs: &[&str]) -> Result<Vec<String>, Vec<String>> {
        let refs = refs.iter().map(|text| text.parse().unwrap()).collect();
        let (verdict, _) = self.app.app().weigh(&self.room(), JobId(1), refs).unwrap();
        if verdict.is_proven() {
            Ok(verdict.proof().iter().map(|proven| format!("{} {}", proven.reference, proven.standing)).collect())
        } else {
            Err(verdict.doubts().collect())
        }
    }

    /// The one reason why a reference is no proof.
    fn doubt(&self, reference: &str) -> String {
        let doubts = self.gate(&[reference]).unwrap_err();
        assert_eq!(doubts.len(), 1, "{doubts:?}");
        doubts[0].clone()
    }

    fn shown(&self, mut input: Value) -> Value {
        input["job"] = "JOB-001".into();
        input["runner_id"] = RUNNER.into();
        input["claim_revision"] = 1.into();
        input
    }

    /// Has the runner report.
    fn report(&self, kind: &str, refs: Value) {
        self.runner.does("jobs.report", self.shown(json!({"kind": kind, "message": "How it is.", "refs": refs})));
    }

    /// A turn in which the agent's program used its shell.
    fn turn(&self, executor: &str, uses: &[(&str, &str, &str)]) {
        let begun = self.runner.does("context.turn.begin", self.shown(json!({"executor": executor})));
        let uses: Vec<Value> =
            uses.iter().map(|(name, detail, state)| json!({"name": name, "detail": detail, "state": state})).collect();
        let told = json!({"turn": begun["turn"], "runner_id": RUNNER, "claim_revision": 1});
        if !uses.is_empty() {
            let mut used = told.clone();
            used["uses"] = json!(uses);
            self.runner.does("context.turn.tools", used);
        }
        let mut end = told;
        end["outcome"] = "completed".into();
        self.runner.does("context.turn.end", end);
    }

    fn done(&self, refs: Value) -> Value {
        let input = self.shown(json!({"status": "DONE", "summary": "Mended.", "refs": refs}));
        self.runner.does("jobs.complete", input)
    }
}

fn card(agent: &Agent<'_>) -> Value {
    agent.does("tasks.card.create", json!({"kind": "evidence", "title": "It holds", "text": "See."}))["card"].clone()
}

#[test]
fn all_that_a_jobs_agent_makes_during_its_job_is_proof() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "command");
        let agent = &scene.agent;
        card(agent);
        let file = agent.does("tasks.artifact.keep", json!({"kind": "report", "name": "r.md", "text": "It holds."}));
        let note = agent.does("room.note", json!({"text": "It holds."}))["event_seq"].clone();
        agent.does("tasks.create", json!({"title": "The rest"}));
        agent.does("tasks.plan.create", json!({"title": "What comes next"}));
        let (file, note) = (file["ref"].as_str().unwrap(), format!("notes@{note}"));
        for reference in ["CARD-1", file, &note, "TASK-002", "PLAN-1"] {
            assert_eq!(scene.gate(&[reference]).unwrap(), [format!("{reference} made")]);
        }
        let empty = agent.does("tasks.artifact.keep", json!({"kind": "report", "name": "none.md", "text": ""}));
        let empty = empty["ref"].as_str().unwrap();
        assert_eq!(scene.doubt(empty), format!("{empty} is no result of work"));
    });
}

#[test]
fn what_was_there_before_a_job_or_came_from_others_is_no_proof() {
    on_every_backend(|app| {
        let ana = app.person("human:ana:pts0");
        ana.join();
        ana.does("tasks.create", json!({"title": "Mend the cache"}));
        ana.does("tasks.create", json!({"title": "Another"}));
        ana.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        card(&ana);
        let note = format!("notes@{}", ana.does("room.note", json!({"text": "Old."}))["event_seq"]);
        ana.does("tasks.artifact.keep", json!({"kind": "report", "name": "old", "text": "Old."}));
        ana.does("tasks.plan.create", json!({"title": "The plan", "tasks": ["TASK-001"]}));
        let scene = Scene::begun(&app, ana, "command");
        card(&scene.ana);
        for reference in ["CARD-1", &note, "artifact://report/1", "PLAN-1"] {
            assert_eq!(scene.doubt(reference), format!("{reference} is older than the work on this job"));
        }
        assert_eq!(scene.doubt("CARD-2"), "CARD-2 was made by human:ana:pts0, not by this job's agent");
        assert_eq!(scene.doubt("TASK-001"), "TASK-001 is this job's own task");
        assert_eq!(scene.doubt("TASK-002"), "TASK-002 was not made or closed by this job's agent");
        assert_eq!(scene.doubt("a:core"), "a:core is no result of work");
        assert_eq!(scene.doubt("JOB-001"), "JOB-001 is this job itself");
        assert_eq!(scene.doubt("CARD-9"), "CARD-9 does not exist");
        let all = ["TASK-001", "CARD-1", "CARD-9", "a:core"];
        assert_eq!(scene.gate(&all).unwrap_err().len(), all.len(), "each is named");
    });
}

#[test]
fn a_task_that_a_jobs_agent_closed_is_proof() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "command");
        scene.ana.does("tasks.create", json!({"title": "A part of it"}));
        assert!(scene.gate(&["TASK-002"]).is_err());
        scene.agent.does("tasks.done", json!({"task": "TASK-002"}));
        assert_eq!(scene.gate(&["TASK-002"]).unwrap(), ["TASK-002 made"]);
        scene.ana.does("tasks.create", json!({"title": "Somebody else's"}));
        scene.ana.does("tasks.done", json!({"task": "TASK-003"}));
        assert!(scene.gate(&["TASK-003"]).is_err());
        scene.agent.does("tasks.done", json!({"task": "TASK-001"}));
        assert_eq!(scene.doubt("TASK-001"), "TASK-001 is this job's own task");
    });
}

#[test]
fn a_job_is_proof_once_it_is_done_and_if_this_jobs_agent_delegated_it() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "command");
        let ask = |agent: &Agent<'_>| {
            agent.does("jobs.create", json!({"title": "A part", "prompt": "Do it.", "executor": "command"}));
        };
        ask(&scene.agent);
        ask(&scene.ana);
        assert_eq!(scene.doubt("JOB-002"), "JOB-002 is QUEUED");
        assert_eq!(scene.doubt("JOB-003"), "JOB-003 is QUEUED");
        for job in ["JOB-002", "JOB-003"] {
            let claimed = scene.runner.does("jobs.claim", json!({ "job": job }));
            assert_eq!(scene.doubt(job), format!("{job} is RUNNING"));
            let revision = &claimed["job"]["revision"];
            let done = json!({"job": job, "claim_revision": revision, "status": "DONE", "summary": "Done."});
            scene.runner.does("jobs.complete", done);
        }
        assert_eq!(scene.gate(&["JOB-002"]).unwrap(), ["JOB-002 made"]);
        assert_eq!(scene.doubt("JOB-003"), "JOB-003 was not delegated by this job's agent");
    });
}

#[test]
fn a_file_that_a_runner_keeps_of_a_slice_is_no_proof() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "command");
        let proof = Proof { job: JobId(1), runner: RUNNER.parse().unwrap(), revision: Fence(1) };
        for kind in [ArtifactKind::Log, ArtifactKind::Diff, ArtifactKind::Transcript, ArtifactKind::Report] {
            let keeping =
                Keeping { kind, name: "log.txt", content: b"It ran.", proof: Some(&proof), turn: None, patch: None };
            let kept = app.app().keep_artifact(scene.runner.caller(), &scene.room(), &keeping).unwrap().to_string();
            assert_eq!(scene.doubt(&kept), format!("{kept} is a file that the runner keeps of every slice"));
        }
    });
}

#[test]
fn a_receipt_is_seen_in_the_turns_of_every_claim_or_it_is_no_receipt() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "codex");
        scene.turn("codex", &[("shell", "/bin/bash -lc 'cd core && cargo test'", "started")]);
        card(&scene.agent);
        let said = scene.gate(&["CARD-1", "CMD: cargo test"]).unwrap_err();
        assert_eq!(said, ["no such command was run in this job: cargo test"], "it did not end");
        scene.turn("codex", &[("shell", "/bin/bash -lc 'cd core && cargo test'", "failed")]);
        let said = scene.gate(&["CARD-1", "CMD: cargo test"]).unwrap_err();
        assert_eq!(said, ["this command failed in this job: cargo test"]);
        scene.turn("claude_code", &[("Bash", "cargo test", "done"), ("Read", "make", "done")]);
        assert_eq!(scene.gate(&["CARD-1", "CMD: cargo test"]).unwrap(), ["CARD-1 made", "CMD: cargo test seen"]);
        assert!(scene.gate(&["CARD-1", "CMD: make"]).is_err(), "only a shell runs commands");
        assert_eq!(scene.gate(&["CARD-1"]).unwrap(), ["CARD-1 made"]);

        let done = scene.done(json!(["CARD-1", "CMD: cargo test", "CMD: make", "LINK: https://example.org"]));
        let proof = json!([{"ref": "CARD-1", "standing": "made"}, {"ref": "CMD: cargo test", "standing": "seen"},
            {"ref": "CMD: make", "standing": "claimed"}, {"ref": "LINK: https://example.org", "standing": "claimed"}]);
        assert_eq!(done["proof"], proof, "{done}");
        assert_eq!(scene.ana.does("jobs.open", json!({"job": "JOB-001"}))["job"]["proof"], proof);
        assert_eq!(scene.ana.does("open", json!({"id": "JOB-001"}))["job"]["proof"], proof);
        let report = scene.ana.does("tasks.macro.merge_report", json!({"jobs": ["JOB-001"]}))["text"].clone();
        let report = report.as_str().unwrap();
        for line in ["CMD: cargo test (seen)", "CMD: make (claimed)", "LINK: https://example.org (claimed)", "CARD-1"] {
            assert!(report.lines().any(|known| known == format!("- JOB-001: {line}")), "{line}: {report}");
        }
    });
}

#[test]
fn a_receipt_of_a_program_that_shows_no_commands_or_of_nobodys_turns_is_claimed() {
    on_every_backend(|app| {
        let scene = Scene::new(&app, "command");
        card(&scene.agent);
        let claimed = ["CARD-1 made", "CMD: cargo test claimed"];
        assert_eq!(scene.gate(&["CARD-1", "CMD: cargo test"]).unwrap(), claimed, "nobody recorded a turn");
        scene.turn("codex", &[]);
        assert!(scene.gate(&["CARD-1", "CMD: cargo test"]).is_err());
        scene.turn("command", &[]);
        assert_eq!(scene.gate(&["CARD-1", "CMD: cargo test"]).unwrap(), claimed, "one of its programs hides them");
    });
}

#[test]
fn a_managers_reference_after_the_gate_is_proof_and_one_before_it_is_guidance() {
    on_every_backend(|app| {
        let ana = app.person("human:ana:pts0");
        ana.join();
        ana.does("tasks.create", json!({"title": "Mend the cache"}));
        ana.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        card(&ana);
        let scene = Scene::begun(&app, ana, "command");
        let say = |text: &str| scene.ana.does("jobs.message", json!({"job": "JOB-001", "message": text}));
        let needs_proof =
            || scene.ana.does("jobs.open", json!({"job": "JOB-001"}))["job"]["needs_proof"] == json!(true);
        say("Look at CARD-1 first.");
        assert!(scene.gate(&["CARD-1"]).is_err());
        scene.report("proof_gate", json!([]));
        assert!(scene.gate(&["CARD-1"]).is_err() && needs_proof());
        say("Good as it is.");
        assert!(scene.gate(&[]).is_err() && needs_proof(), "words without a reference");
        say("It is in CARD-1.");
        assert!(!needs_proof());
        assert_eq!(scene.gate(&[]).unwrap(), ["CARD-1 manager"]);
        app.later(Ttl::from_secs(1));
        scene.ana.does("jobs.requeue", json!({"job": "JOB-001", "reason": "Once more"}));
        assert!(scene.gate(&["CARD-1"]).is_err(), "a new start is a new proof");
    });
}

#[test]
fn a_checkpoint_satisfies_the_gate_by_the_same_rule() {
    on_every_backend(|app| {
        let ana = app.person("human:ana:pts0");
        ana.join();
        ana.does("tasks.create", json!({"title": "Mend the cache"}));
        ana.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "The core"}));
        card(&ana);
        let scene = Scene::begun(&app, ana, "command");
        let needs_proof =
            || scene.ana.does("jobs.open", json!({"job": "JOB-001"}))["job"]["needs_proof"] == json!(true);
        scene.report("proof_gate", json!([]));
        for refs in [json!(["TASK-001"]), json!(["CARD-1"]), json!(["a:core", "JOB-001"]), json!(["CMD: make"])] {
            scene.report("checkpoint", refs.clone());
            assert!(needs_proof(), "{refs}");
        }
        card(&scene.agent);
        scene.report("checkpoint", json!(["CARD-2"]));
        assert!(!needs_proof());
    });
}

#[test]
fn a_job_that_is_done_by_hand_is_proven_by_what_its_claimant_makes() {
    on_every_backend(|app| {
        let [bo] = app.joined(["bo"]);
        card(&bo);
        bo.does("jobs.create", json!({"title": "Mend it", "prompt": "It grows."}));
        bo.does("jobs.claim", json!({"job": "JOB-001"}));
        card(&bo);
        let done = json!({"job": "JOB-001", "claim_revision": 1, "status": "DONE", "summary": "Mended.",
            "refs": ["CARD-1", "CARD-2", "CMD: make"]});
        let done = bo.does("jobs.complete", done);
        let proof = json!([{"ref": "CARD-2", "standing": "made"}, {"ref": "CMD: make", "standing": "claimed"}]);
        assert_eq!(done["proof"], proof, "the older card is a pointer and no proof: {done}");
        assert_eq!(done["refs"], json!(["CARD-1", "CARD-2", "CMD: make"]));
    });
}
