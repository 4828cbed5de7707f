//! What becomes of a job's result: its patch is looked at, applied, made a branch, or the job is sent back.
#![expect(clippy::unwrap_used, reason = "these are tests; a failed step ends the test")]

use std::{fs, path::PathBuf, process::Command};

use baton_app::{
    artifacts::{Keeping, Proof},
    doctor,
};
use baton_core::{
    lease::Fence,
    library::{ArtifactKind, PatchOrigin},
};
use baton_testkit::{Agent, TestApp, job_agent, on_every_backend};
use serde_json::{Value, json};

const JOB: &str = "JOB-001";

/// A repository with a room, in which a manager has a job and a runner has claimed it.
struct Scene<'a> {
    app: &'a TestApp,
    manager: Agent<'a>,
    runner: Agent<'a>,
    revision: u64,
    /// The answer to the claim.
    claimed: Value,
}

/// A diff that nobody made of anything.
const FORGED: &str = "diff --git a/b b/b\n--- a/b\n+++ b/b\n@@ -1 +1 @@\n-old\n+evil\n";

fn scene<'a>(app: &'a TestApp, room_at: &str) -> Scene<'a> {
    scene_in(app, room_at, "worktree")
}

fn scene_in<'a>(app: &'a TestApp, room_at: &str, isolation: &str) -> Scene<'a> {
    app.workspace().repository("repo");
    for (file, text) in [("repo/sub/a", "old\n"), ("repo/b", "old\n")] {
        app.workspace().file(file, text);
    }
    app.workspace().git("repo", &["add", "--all"]);
    app.workspace().git("repo", &["commit", "--quiet", "--message=files"]);
    let (manager, runner) = (app.agent("manager"), app.agent("runner"));
    let path = app.workspace().at(room_at);
    if room_at != "repo" {
        app.agent("outer").join_at("repo");
    }
    manager.does("room.join", json!({"context_path": path, "force_new": true}));
    runner.enter(&manager.room());
    manager.does("jobs.create", json!({"title": "Mend it", "prompt": "Do it.", "isolation": isolation}));
    let mut scene = Scene { app, manager, runner, revision: 0, claimed: Value::Null };
    scene.claim();
    scene
}

impl Scene<'_> {
    fn top(&self) -> PathBuf {
        self.app.workspace().at("repo")
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.top().join(file)).unwrap()
    }

    fn git(&self, arguments: &[&str]) -> Vec<u8> {
        let ran = Command::new("git").arg("-C").arg(self.top()).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&ran.stderr));
        ran.stdout
    }

    fn claim(&mut self) {
        let claimed = self.runner.does("jobs.claim", json!({"job": JOB}));
        self.revision = claimed["job"]["revision"].as_u64().unwrap();
        self.claimed = claimed;
    }

    /// Has the job's own agent keep a file that looks like a diff.
    fn agent_keeps_a_diff(&self) {
        let agent = self.app.calling(job_agent(self.runner.caller(), &self.claimed));
        agent.enter(&self.manager.room());
        agent.does("tasks.artifact.keep", json!({"kind": "diff", "name": "diff.patch", "text": FORGED}));
    }

    fn begin_turn(&self) -> String {
        let begun = self.runner.does("context.turn.begin", json!({"job": JOB, "claim_revision": self.revision}));
        begun["turn"].as_str().unwrap().to_owned()
    }

    fn end_turn(&self, turn: &str) {
        let ended = json!({"turn": turn, "claim_revision": self.revision, "outcome": "completed"});
        self.runner.does("context.turn.end", ended);
    }

    fn base(&self) -> String {
        String::from_utf8(self.git(&["rev-parse", "HEAD"])).unwrap().trim().to_owned()
    }

    /// The patch that writes these files, as it would be made in a worktree.
    fn patch(&self, files: &[(&str, &[u8])]) -> Vec<u8> {
        for (file, content) in files {
            fs::create_dir_all(self.top().join(file).parent().unwrap()).unwrap();
            fs::write(self.top().join(file), content).unwrap();
        }
        self.git(&["add", "--intent-to-add", "--all"]);
        let patch = self.git(&["diff", "--no-renames", "--binary", "--full-index"]);
        self.git(&["reset", "--quiet", "--hard"]);
        patch
    }

    /// Plays a slice that leaves this behind.
    fn slice(&self, content: &[u8], patch: Option<&PatchOrigin>) -> String {
        let turn = self.begin_turn();
        let (proof, id) = (self.proof(), turn.parse().ok());
        let (kind, name) = (ArtifactKind::Diff, "diff.patch");
        let kept = self.runner.keeps(&Keeping { kind, name, content, proof: Some(&proof), turn: id, patch });
        self.end_turn(&turn);
        kept
    }

    fn origin(&self) -> PatchOrigin {
        PatchOrigin { base: self.base(), repository: "/repo".to_owned(), ..PatchOrigin::default() }
    }

    fn proof(&self) -> Proof {
        Proof { job: JOB.parse().unwrap(), runner: self.runner.id(), revision: Fence(self.revision) }
    }

    fn complete(&self) -> Result<Value, Value> {
        let input = json!({"job": JOB, "claim_revision": self.revision, "status": "DONE", "summary": "Mended."});
        self.runner.call("jobs.complete", input).map_err(|failure| failure.to_json())
    }

    /// Plays a slice that changes both files, and ends the job.
    fn done(&self) -> String {
        let kept = self.slice(&self.patch(&[("sub/a", b"new\n"), ("b", b"new\n")]), Some(&self.origin()));
        self.complete().unwrap();
        kept
    }

    fn clean(&self) {
        let examined = doctor::examine(self.app.app()).unwrap();
        assert!(examined.is_clean(), "{examined:?}");
    }
}

fn apply() -> Value {
    json!({"job": JOB})
}

#[test]
fn a_patch_is_applied_by_the_holder_of_the_stick_and_the_thread_tells() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        let kept = scene.done();
        let other = app.agent("other");
        other.join_at("repo");
        let manager = &scene.manager;
        let refused = manager.refused("jobs.apply", apply());
        assert_eq!((&refused["error"], &refused["paths"]), (&json!("STICK_NEEDED"), &json!(["b", "sub/a"])));
        let turn = other.claim();
        let refused = manager.refused("jobs.apply", apply());
        assert_eq!(refused["holder"], "other");
        assert!(
            refused["held_until"].is_string() && refused["next"].as_str().unwrap().contains("wait_for_turn"),
            "{refused}"
        );
        let checked = manager.does("jobs.apply", json!({"job": JOB, "check": true}));
        assert_eq!((&checked["applied"], &checked["changed"]), (&json!(false), &json!(2)));
        assert!(checked["needs"].as_str().unwrap().contains("other holds the stick"), "{checked}");
        assert_eq!((scene.read("b"), scene.read("sub/a")), ("old\n".to_owned(), "old\n".to_owned()));
        other.pass(&turn, manager);
        manager.claim();
        let applied = manager.does("jobs.apply", apply());
        assert_eq!(
            (&applied["applied"], &applied["changed"], &applied["patch"]),
            (&json!(true), &json!(2), &json!(kept))
        );
        assert_eq!((scene.read("b"), scene.read("sub/a")), ("new\n".to_owned(), "new\n".to_owned()));
        let again = manager.does("jobs.apply", apply());
        assert_eq!((&again["changed"], again.get("ref")), (&json!(0), None), "nothing is left to do");
        let opened = manager.does("jobs.open", json!({"job": JOB, "limit": 1}));
        let event = &opened["events"][0];
        assert_eq!(
            (&event["kind"], &event["refs"], &event["ref"]),
            (&json!("applied"), &json!([kept]), &applied["ref"])
        );
        assert_eq!((&event["meta"]["files"], &event["meta"]["base"]), (&json!(2), &json!(scene.base())));
        assert_eq!(opened["job"]["status"], "DONE");
        scene.clean();
    });
}

#[test]
fn scopes_over_every_file_are_enough_and_a_foreign_one_refuses_even_the_holder() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        scene.done();
        let other = app.agent("other");
        other.join_at("repo");
        let manager = &scene.manager;
        manager.does("scope.reserve", json!({"scopes": ["sub"]}));
        assert_eq!(manager.refused("jobs.apply", apply())["paths"], json!(["b"]));
        other.does("scope.reserve", json!({"scopes": ["b"]}));
        manager.claim();
        let refused = manager.refused("jobs.apply", apply());
        assert_eq!([&refused["error"], &refused["owner"]], ["RESERVATION_CONFLICT", "other"]);
        assert_eq!(scene.read("sub/a"), "old\n");
        other.does("scope.release", json!({"all": true}));
        assert_eq!(manager.does("jobs.apply", apply())["applied"], true);
        scene.clean();
    });
}

#[test]
fn a_reservation_of_every_file_applies_without_the_stick() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        scene.done();
        scene.manager.does("scope.reserve", json!({"scopes": ["sub", "b"]}));
        assert_eq!(scene.manager.does("jobs.apply", apply())["applied"], true);
        assert_eq!(scene.read("sub/a"), "new\n");
    });
}

#[test]
fn a_patch_that_is_not_whole_is_never_applied_nor_made_a_branch() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        scene.manager.claim();
        let plain = scene.patch(&[("b", b"new\n")]);
        let key = format!("key = \"ghp_{}\"\n", "a1B2".repeat(10));
        let secret = scene.patch(&[("b", key.as_bytes())]);
        let cut = PatchOrigin { cut: true, ..scene.origin() };
        let large = PatchOrigin { too_large: vec!["film.mp4".to_owned()], ..scene.origin() };
        for (content, origin, error, words) in [
            (&secret, Some(scene.origin()), "PATCH_UNUSABLE", "looks like a secret"),
            (&plain, Some(cut), "PATCH_UNUSABLE", "was cut"),
            (&plain, Some(large), "PATCH_UNUSABLE", "too large for a patch"),
        ] {
            scene.slice(content, origin.as_ref());
            let seen = scene.manager.does("jobs.diff", json!({"job": JOB}));
            assert_eq!(seen["usable"], false);
            assert!(seen["why_not"].as_str().unwrap().contains(words), "{seen}");
            assert!(!seen["text"]["text"].as_str().unwrap().contains("ghp_a1B2"), "{seen}");
            for command in ["jobs.apply", "jobs.branch"] {
                let refused = scene.manager.refused(command, apply());
                assert_eq!(refused["error"], error, "{refused}");
                assert!(refused["message"].as_str().unwrap().contains(words), "{refused}");
            }
        }
        // A patch for a commit that is not here.
        scene.slice(&plain, Some(&PatchOrigin { base: "1".repeat(40), ..scene.origin() }));
        assert_eq!(scene.manager.refused("jobs.apply", apply())["error"], "PATCH_UNUSABLE");
        // One that changed nothing in the end.
        scene.slice(b"", Some(&scene.origin()));
        let refused = scene.manager.refused("jobs.apply", apply());
        assert!(refused["message"].as_str().unwrap().contains("changed nothing"), "{refused}");
        assert_eq!(scene.read("b"), "old\n");
        scene.clean();
    });
}

#[test]
fn a_diff_of_a_shared_workspace_is_shown_and_not_applied() {
    on_every_backend(|app| {
        let scene = scene_in(&app, "repo", "workspace");
        scene.manager.claim();
        assert_eq!(scene.manager.refused("jobs.diff", apply())["error"], "UNKNOWN_ID");
        let kept = scene.slice(&scene.patch(&[("b", b"new\n")]), None);
        scene.agent_keeps_a_diff();
        let seen = scene.manager.does("jobs.diff", json!({"job": JOB}));
        assert_eq!((&seen["ref"], &seen["usable"], seen.get("base")), (&json!(kept), &json!(false), None));
        let refused = scene.manager.refused("jobs.apply", apply());
        assert_eq!(refused["error"], "PRECONDITION_FAILED");
        assert!(refused["message"].as_str().unwrap().contains("worked in the workspace itself"), "{refused}");
    });
}

#[test]
fn a_diff_that_an_agent_kept_is_never_the_change_of_its_job() {
    for isolation in ["worktree", "workspace"] {
        on_every_backend(|app| {
            let scene = scene_in(&app, "repo", isolation);
            scene.manager.claim();
            scene.agent_keeps_a_diff();
            let turn = scene.begin_turn();
            scene.agent_keeps_a_diff();
            scene.end_turn(&turn);
            let told = json!({"kind": "diff", "name": "diff.patch", "text": FORGED, "job": JOB});
            scene.manager.does("tasks.artifact.keep", told);
            let refused = scene.manager.refused("jobs.diff", apply());
            assert_eq!([&refused["error"], &refused["message"]], ["UNKNOWN_ID", "JOB-001 left no diff yet."]);
            scene.complete().unwrap();
            for command in ["jobs.diff", "jobs.apply", "jobs.branch"] {
                let refused = scene.manager.refused(command, apply());
                assert_eq!(refused["error"], "UNKNOWN_ID", "{refused}");
                let said = refused["message"].as_str().unwrap();
                assert_eq!(said.contains("changed nothing in its worktree"), isolation == "worktree", "{refused}");
                assert!(!said.contains("workspace itself"), "{refused}");
            }
            assert!(scene.app.app().job_patch(&scene.manager.room(), JOB.parse().unwrap(), None).is_err());
            scene.manager.does("jobs.send_back", json!({"job": JOB, "message": "Again."}));
            let prior = scene.app.app().continuation(&scene.manager.room(), JOB.parse().unwrap()).unwrap().unwrap();
            assert!(prior.patch.is_none(), "{prior:?}");
            scene.clean();
        });
    }
}

#[test]
fn a_branch_has_a_name_that_git_and_a_reader_can_use() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        scene.done();
        let secret = format!("ghp_{}", "a1B2".repeat(10));
        for name in ["HEAD", "-x", "--help", "a..b", "x/", "@{-1}", "a b", "", "baton/x.lock", "a\nb", &secret] {
            let refused = scene.manager.refused("jobs.branch", json!({"job": JOB, "branch": name}));
            assert_eq!([&refused["error"], &refused["field"]], ["INVALID_INPUT", "branch"], "{name:?}");
            assert!(refused["next"].as_str().unwrap().contains("baton/JOB-001"), "{refused}");
            assert!(!refused.to_string().contains(&secret), "{refused}");
        }
        let branches = String::from_utf8(scene.git(&["for-each-ref", "--format=%(refname)", "refs/heads"])).unwrap();
        assert_eq!(branches.lines().count(), 1, "{branches}");
        let made = scene.manager.does("jobs.branch", json!({"job": JOB, "branch": "fix/HEAD"}));
        assert_eq!(made["branch"], "fix/HEAD");
        scene.clean();
    });
}

#[test]
fn a_diff_is_told_slice_by_slice_with_its_files_and_in_parts_if_it_is_long() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        let one = scene.slice(&scene.patch(&[("b", b"new\n")]), Some(&scene.origin()));
        let long: String = (0..4_000).map(|number| format!("line {number}\n")).collect();
        let patch = scene.patch(&[("long", long.as_bytes()), ("latin", b"caf\xe9\n"), ("pixel", b"\0\x01")]);
        let two = scene.slice(&patch, Some(&scene.origin()));
        // The diff of an agent does not take the place of what its runner keeps.
        let told = json!({"kind": "diff", "name": "diff.patch", "text": "diff --git a/x b/x\n", "job": JOB});
        scene.manager.does("tasks.artifact.keep", told);
        let seen = scene.manager.does("jobs.diff", json!({"job": JOB, "stat": true}));
        let facts = (&seen["ref"], &seen["slice"], &seen["base"], seen.get("text"), &seen["usable"]);
        assert_eq!(facts, (&json!(two), &json!(2), &json!(scene.base()), None, &json!(true)));
        let files: Vec<_> = seen["files"].as_array().unwrap().iter().map(|file| file["path"].clone()).collect();
        assert_eq!(files, ["latin", "long", "pixel"]);
        assert_eq!((&seen["additions"], &seen["files"][2]["binary"]), (&json!(4_001), &json!(true)));
        let first = scene.manager.does("jobs.diff", json!({"job": JOB, "slice": 1}));
        assert_eq!(
            (&first["ref"], &first["text"]["text"]),
            (&json!(one), &json!(String::from_utf8(scene.patch(&[("b", b"new\n")])).unwrap()))
        );
        assert_eq!(scene.manager.refused("jobs.diff", json!({"job": JOB, "slice": 3}))["error"], "UNKNOWN_ID");
        let (mut text, mut offset) = (String::new(), 0);
        loop {
            let part = scene.manager.does("jobs.diff", json!({"job": JOB, "offset": offset}));
            assert!(part.to_string().len() < 14_000, "{}", part.to_string().len());
            text += part["text"]["text"].as_str().unwrap();
            let Some(next) = part["text"]["next_offset"].as_u64() else { break };
            assert_eq!(part["more"][0], format!("more of the text: jobs diff job={JOB} offset={next}"));
            offset = next;
        }
        assert_eq!(text, String::from_utf8_lossy(&patch));
        let whole = scene.app.app().job_patch(&scene.manager.room(), JOB.parse().unwrap(), None).unwrap();
        assert_eq!(whole, patch, "to the byte");
        scene.manager.claim();
        scene.manager.does("jobs.apply", apply());
        assert_eq!(fs::read(scene.top().join("latin")).unwrap(), b"caf\xe9\n");
        scene.clean();
    });
}

#[test]
fn a_room_below_the_top_of_its_repository_gets_what_is_in_it_and_nothing_outside() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo/sub");
        scene.manager.claim();
        scene.slice(&scene.patch(&[("sub/a", b"new\n"), ("b", b"new\n")]), Some(&scene.origin()));
        let refused = scene.manager.refused("jobs.apply", apply());
        assert_eq!((&refused["error"], &refused["files"]), (&json!("PATCH_CONFLICT"), &json!(["b"])));
        assert_eq!((scene.read("sub/a"), scene.read("b")), ("old\n".to_owned(), "old\n".to_owned()));
        scene.slice(&scene.patch(&[("sub/a", b"new\n"), ("sub/n", b"new\n")]), Some(&scene.origin()));
        assert_eq!(scene.manager.does("jobs.apply", apply())["changed"], 2);
        assert_eq!((scene.read("sub/a"), scene.read("sub/n")), ("new\n".to_owned(), "new\n".to_owned()));
    });
}

#[test]
fn a_conflict_and_changes_that_are_not_committed_refuse_the_whole_patch_and_name_the_files() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        scene.done();
        scene.manager.claim();
        app.workspace().file("repo/b", "mine\n");
        let refused = scene.manager.refused("jobs.apply", apply());
        assert_eq!((&refused["error"], &refused["files"]), (&json!("PATCH_CONFLICT"), &json!(["b"])));
        app.workspace().git("repo", &["commit", "--quiet", "--all", "--message=mine"]);
        let refused = scene.manager.refused("jobs.apply", apply());
        assert_eq!((&refused["error"], &refused["files"]), (&json!("PATCH_CONFLICT"), &json!(["b"])));
        assert_eq!((scene.read("sub/a"), scene.read("b")), ("old\n".to_owned(), "mine\n".to_owned()));
        let kinds = scene.manager.story();
        assert!(!kinds.contains("job.applied"), "{kinds}");
    });
}

#[test]
fn a_branch_takes_no_stick_and_is_made_once() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        let kept = scene.done();
        let made = scene.manager.does("jobs.branch", apply());
        assert_eq!(
            (&made["branch"], &made["created"], &made["patch"]),
            (&json!("baton/JOB-001"), &json!(true), &json!(kept))
        );
        assert_eq!(scene.git(&["show", "baton/JOB-001:b"]), b"new\n");
        let message = String::from_utf8(scene.git(&["log", "-1", "--format=%B", "baton/JOB-001"])).unwrap();
        assert!(message.starts_with("Mend it\n\nJOB-001 in room_"), "{message}");
        assert_eq!(scene.read("b"), "old\n");
        assert_eq!(scene.git(&["status", "--porcelain"]), b"");
        let again = scene.manager.does("jobs.branch", apply());
        assert_eq!((&again["commit"], &again["created"]), (&made["commit"], &json!(false)));
        scene.manager.does("jobs.branch", json!({"job": JOB, "branch": "other/name"}));
        scene.git(&["branch", "taken"]);
        let refused = scene.manager.refused("jobs.branch", json!({"job": JOB, "branch": "taken"}));
        assert_eq!(refused["error"], "PATCH_CONFLICT");
        assert_eq!(scene.manager.story().matches("job.branched").count(), 2);
        scene.clean();
    });
}

#[test]
fn a_job_that_is_sent_back_is_queued_with_the_review_and_keeps_its_result_in_view() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        let kept = scene.done();
        let sent = scene.manager.does("jobs.send_back", json!({"job": JOB, "message": "A test is missing."}));
        assert_eq!([&sent["status"], &sent["summary"]], ["QUEUED", "Mended."]);
        assert_eq!(
            (&sent["meta"]["goes_on_from"], &sent["last"]["message"]),
            (&json!(kept), &json!("A test is missing."))
        );
        let opened = scene.manager.does("jobs.open", json!({"job": JOB, "limit": 2}));
        assert_eq!([&opened["events"][0]["kind"], &opened["events"][1]["kind"]], ["manager", "requeued"]);
        let from = scene.app.app().continuation(&scene.manager.room(), JOB.parse().unwrap()).unwrap().unwrap();
        let patch = from.patch.unwrap();
        assert_eq!((from.summary.as_deref(), patch.reference.to_string()), (Some("Mended."), kept));
        assert_eq!(patch.content.unwrap().0, scene.base());
        // Done anew, it begins with nothing.
        scene.manager.does("jobs.cancel", json!({"job": JOB, "reason": "no"}));
        let refused = scene.manager.refused("jobs.send_back", json!({"job": JOB, "message": "Once more."}));
        assert_eq!(refused["error"], "PRECONDITION_FAILED");
        assert!(refused["next"].as_str().unwrap().contains("jobs requeue"), "{refused}");
        scene.manager.does("jobs.requeue", json!({"job": JOB, "reason": "anew"}));
        assert!(scene.app.app().continuation(&scene.manager.room(), JOB.parse().unwrap()).unwrap().is_none());
        scene.clean();
    });
}

#[test]
fn a_job_does_not_end_before_a_slice_was_told_the_review() {
    on_every_backend(|app| {
        let scene = scene(&app, "repo");
        let turn = scene.begin_turn();
        let sent = scene.manager.does("jobs.send_back", json!({"job": JOB, "message": "Mind the gutter."}));
        assert_eq!((&sent["status"], sent["meta"].get("goes_on_from")), (&json!("RUNNING"), None));
        scene.end_turn(&turn);
        let refused = scene.complete().unwrap_err();
        assert_eq!((&refused["error"], &refused["review"]), (&json!("PRECONDITION_FAILED"), &sent["ref"]));
        let failed = json!({"job": JOB, "claim_revision": 1, "status": "FAILED", "summary": "It burned down."});
        let turn = scene.begin_turn();
        scene.end_turn(&turn);
        assert_eq!(scene.complete().unwrap()["status"], "DONE");
        // A failure is an end at any time: there may be nobody left to hear a review.
        scene.manager.does("jobs.send_back", json!({"job": JOB, "message": "Paint it."}));
        let mut scene = scene;
        scene.claim();
        let turn = scene.begin_turn();
        scene.manager.does("jobs.send_back", json!({"job": JOB, "message": "Blue, please."}));
        scene.end_turn(&turn);
        let mut failed = failed;
        failed["claim_revision"] = json!(scene.revision);
        assert_eq!(scene.runner.does("jobs.complete", failed)["status"], "FAILED");
        scene.clean();
    });
}
