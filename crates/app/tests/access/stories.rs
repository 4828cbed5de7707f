//! Limits within a command: for each, that what is beyond is refused and what is within is not.

use std::process::Command;

use baton_app::{
    artifacts::{Keeping, Proof},
    table::Role,
};
use baton_core::{
    lease::Fence,
    library::{ArtifactKind, PatchOrigin},
};
use baton_testkit::{Agent, TestApp, handoff};
use serde_json::{Value, json};

use super::scene::{OTHER_JOB, OWN_JOB, Scene};

/// Shows that a limit holds for a role. A limit without a story fails.
pub(crate) fn play(app: &TestApp, command: &str, role: Role, limit: &str) {
    let scene = Scene::of(app, role);
    match limit {
        "as owner" => as_owner(&scene, command),
        "unless another holds it" => unless_another_holds_it(&scene, command),
        "unless it is held" => unless_it_is_held(&scene, command, role),
        "timings" => timings(&scene, command),
        "timings, as owner" => timings_as_owner(&scene, command),
        "itself" => itself(&scene, command),
        "no messages" => no_messages(&scene, command),
        "its own turns" => its_own_turns(&scene, command),
        "no reply" => no_reply(&scene, command),
        "no reply to its own job" => no_reply_to_its_own_job(&scene, command),
        "other jobs" => other_jobs(&scene, command),
        "no more than itself" => no_more_than_itself(&scene, command),
        "if granted" => if_granted(&scene, command, role),
        "its claim" => its_claim(&scene, command, role),
        "not its own job" => not_its_own_job(&scene, command),
        "its own actions" => its_own_actions(&scene, command),
        "with the stick or scopes" => with_the_stick_or_scopes(&scene, command, role),
        _ => panic!("{command} as {}: the limit {limit:?} has no story here", role.as_str()),
    }
}

fn code(refusal: &Value) -> &str {
    refusal["error"].as_str().unwrap()
}

fn ending(scene: &Scene<'_>, command: &str) -> Value {
    match command {
        "stick.heartbeat" => json!({}),
        "stick.release" => json!({"handoff": handoff("done")}),
        "stick.pass" => json!({"handoff": handoff("done"), "to_agent_id": scene.founder.id()}),
        _ => panic!("{command} is an owner's, and this story does not know it"),
    }
}

fn as_owner(scene: &Scene<'_>, command: &str) {
    let before = scene.app.everything();
    let stolen = scene.turn.showing(ending(scene, command));
    assert_eq!(code(&scene.caller.refused(command, stolen)), "stale_lease", "{command}: possession is not identity");
    assert_eq!(scene.app.everything(), before);
    let turn = scene.hand_over();
    scene.caller.does(command, turn.showing(ending(scene, command)));
}

fn unless_another_holds_it(scene: &Scene<'_>, command: &str) {
    let close = json!({"expected_turn_id": scene.turn.turn_id});
    assert_eq!(code(&scene.caller.refused(command, close.clone())), "stale_lease");
    let stolen = scene.turn.showing(json!({}));
    assert_eq!(code(&scene.caller.refused(command, stolen)), "stale_lease");
    scene.founder.release(&scene.turn);
    scene.caller.does(command, close);
}

fn unless_it_is_held(scene: &Scene<'_>, command: &str, role: Role) {
    assert_eq!(code(&scene.caller.refused(command, json!({}))), "stale_lease");
    let holder = if role == Role::Owner { &scene.caller } else { &scene.founder };
    holder.release(&scene.turn);
    scene.caller.does(command, json!({}));
}

fn timings(scene: &Scene<'_>, command: &str) {
    let change = json!({"policy": {"claim_ttl_ms": 60_000}});
    scene.caller.does(command, change.clone());
    scene.caller.does(command, scene.turn.showing(change));
    assert_steering_is_refused(scene, command);
}

fn timings_as_owner(scene: &Scene<'_>, command: &str) {
    let change = json!({"policy": {"claim_ttl_ms": 60_000}});
    let refused = scene.caller.refused(command, change.clone());
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("owner")));
    let turn = scene.hand_over();
    scene.caller.does(command, turn.showing(change));
    assert_steering_is_refused(scene, command);
}

fn assert_steering_is_refused(scene: &Scene<'_>, command: &str) {
    for policy in [json!({"spawn": "auto"}), json!({"edges": "explicit"})] {
        let refused = scene.caller.refused(command, json!({"policy": policy}));
        assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
    }
}

fn itself(scene: &Scene<'_>, command: &str) {
    let refused = scene.caller.refused(command, json!({"id": scene.founder.id()}));
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
    let own = scene.caller.call(command, json!({}));
    assert!(!own.is_err_and(|failure| failure.to_json()["error"] == "FORBIDDEN"));
}

fn no_messages(scene: &Scene<'_>, command: &str) {
    let refused = scene.caller.refused(command, json!({"query": "x", "kinds": ["message"]}));
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
    scene.caller.does(command, json!({"query": "x"}));
}

fn its_own_turns(scene: &Scene<'_>, command: &str) {
    let foreign = scene.founder.does("context.turn.begin", json!({}))["turn"].clone();
    let keep = json!({"kind": "log", "name": "l", "text": "x"});
    let mut of_another = keep.clone();
    of_another["turn"] = foreign;
    let refused = scene.caller.refused(command, of_another);
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
    scene.caller.does(command, keep);
}

fn no_reply(scene: &Scene<'_>, command: &str) {
    scene.caller.does(command, json!({}));
    let refused = scene.caller.refused(command, json!({"reply_job": OTHER_JOB, "reply_message": "go on"}));
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("agent")));
}

fn no_reply_to_its_own_job(scene: &Scene<'_>, command: &str) {
    let reply = |job: &str| json!({"reply_job": job, "reply_message": "go on"});
    assert_eq!(code(&scene.caller.refused(command, reply(OWN_JOB))), "PRECONDITION_FAILED");
    scene.caller.does(command, reply(OTHER_JOB));
}

fn other_jobs(scene: &Scene<'_>, command: &str) {
    let input = |job: &str| match command {
        "jobs.message" | "jobs.send_back" => json!({"job": job, "message": "go on"}),
        "jobs.cancel" | "jobs.requeue" => json!({"job": job, "reason": "it must be"}),
        _ => panic!("{command} is not for a job's own agent, and this story does not know it"),
    };
    let refused = scene.caller.refused(command, input(OWN_JOB));
    assert_eq!(code(&refused), "PRECONDITION_FAILED");
    assert!(refused["message"].as_str().unwrap().contains("the caller's own job"), "{refused}");
    if command == "jobs.requeue" {
        scene.founder.does("jobs.cancel", json!({"job": OTHER_JOB, "reason": "to be done again"}));
    }
    scene.caller.does(command, input(OTHER_JOB));
}

/// In a room with a workspace, in which a job left a patch.
fn with_the_stick_or_scopes(scene: &Scene<'_>, command: &str, role: Role) {
    let place = format!("repository-{}", role.as_str());
    let (file, app) = (scene.app.workspace().repository(&place).join("file"), scene.app);
    app.workspace().file(&format!("{place}/file"), "old\n");
    app.workspace().git(&place, &["add", "file"]);
    app.workspace().git(&place, &["commit", "--quiet", "--message=file"]);
    let runner = app.agent("runner");
    runner.join_at(&place);
    runner.does("jobs.create", json!({"title": "one", "prompt": "Do it.", "isolation": "worktree"}));
    keep_patch(&runner, &file);
    let caller = &scene.caller;
    caller.join_at(&place);
    assert_eq!(code(&caller.refused(command, json!({"job": "JOB-001"}))), "STICK_NEEDED");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "old\n");
    caller.claim();
    caller.does(command, json!({"job": "JOB-001"}));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "new\n");
}

/// Keeps a patch for a file as the runner of the first job.
fn keep_patch(runner: &Agent<'_>, file: &std::path::Path) {
    let git = |arguments: &[&str]| {
        let ran = Command::new("git").arg("-C").arg(file.parent().unwrap()).args(arguments).output().unwrap();
        assert!(ran.status.success(), "{arguments:?}");
        ran.stdout
    };
    std::fs::write(file, "new\n").unwrap();
    let content = git(&["diff", "--binary", "--full-index"]);
    git(&["checkout", "--quiet", "--", "file"]);
    let base = String::from_utf8(git(&["rev-parse", "HEAD"])).unwrap().trim().to_owned();
    let origin = PatchOrigin { base, ..PatchOrigin::default() };
    runner.does("jobs.claim", json!({"job": "JOB-001"}));
    let turn = runner.does("context.turn.begin", json!({"job": "JOB-001", "claim_revision": 1}));
    let turn = turn["turn"].as_str().unwrap().parse().ok();
    let proof = Proof { job: "JOB-001".parse().unwrap(), runner: runner.id(), revision: Fence(1) };
    let (kind, patch) = (ArtifactKind::Diff, Some(&origin));
    let keeping = Keeping { kind, name: "diff.patch", content: &content, proof: Some(&proof), turn, patch };
    runner.keeps(&keeping);
}

fn no_more_than_itself(scene: &Scene<'_>, command: &str) {
    let mut input = match command {
        "jobs.create" | "tasks.macro.delegate" => json!({"title": "Read", "prompt": "Read it."}),
        "tasks.macro.fanout_jobs" => {
            scene.founder.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
            json!({"anchors": ["a:core"], "prompt": "Read it."})
        }
        _ => panic!("{command} makes jobs, and this story does not know it"),
    };
    scene.caller.does(command, input.clone());
    input["meta"] = json!({"grants": {"spawn_nodes": true}});
    assert_eq!(code(&scene.caller.refused(command, input.clone())), "SPAWN_FORBIDDEN");
    scene.operator().does(command, input);
}

fn if_granted(scene: &Scene<'_>, command: &str, role: Role) {
    let ask = json!({"title": "Read", "prompt": "Read it.", "message": "Here."});
    assert_eq!(code(&scene.caller.refused(command, ask.clone())), "SPAWN_FORBIDDEN");
    // A job's agent is granted it with its job, when that is made.
    if role != Role::JobAgent {
        scene.operator().does("agent.grant", json!({"agent": scene.caller.id(), "spawn_nodes": true}));
        scene.caller.does(command, ask);
    }
}

fn claim_input(command: &str, job: &str, claim: &Value) -> Value {
    let mut input = match command {
        "jobs.report" => json!({"kind": "progress", "message": "half"}),
        "jobs.complete" => json!({"status": "FAILED", "summary": "It cannot be done."}),
        _ => panic!("{command} needs a claim, and this story does not know it"),
    };
    input["job"] = json!(job);
    input["runner_id"] = claim["runner_id"].clone();
    input["claim_revision"] = claim["claim_revision"].clone();
    input
}

fn its_claim(scene: &Scene<'_>, command: &str, role: Role) {
    let job = OTHER_JOB;
    let claimed = scene.founder.does("jobs.claim", json!({"job": job, "runner_id": "r7"}));
    let foreign = json!({"runner_id": "r7", "claim_revision": claimed["job"]["revision"]});
    assert_eq!(code(&scene.caller.refused(command, claim_input(command, job, &foreign))), "PRECONDITION_FAILED");
    if role == Role::JobAgent {
        scene.caller.does(command, json!({"kind": "progress", "message": "half"}));
        return;
    }
    let taken = scene.caller.does("jobs.claim", json!({"job": job, "runner_id": "r8", "force": true}));
    let own = json!({"runner_id": "r8", "claim_revision": taken["job"]["revision"]});
    scene.caller.does(command, claim_input(command, job, &own));
}

fn not_its_own_job(scene: &Scene<'_>, command: &str) {
    let refused = scene.caller.refused(command, json!({"status": "FAILED", "summary": "It cannot be done."}));
    assert_eq!(code(&refused), "PRECONDITION_FAILED", "its runner ends it: {refused}");
}

fn its_own_actions(scene: &Scene<'_>, command: &str) {
    let action = |number: u32, dst: &str| {
        json!({
            "type": "message", "kind": "user", "action_id": format!("a{number}"), "action_index": number, "dst": dst,
            "text": "do it",
        })
    };
    let (own, other) = (scene.caller.id(), scene.app.agent("other"));
    other.enter(&scene.room);
    other.does("bus.add", json!({}));
    let actions = [action(0, "other"), action(1, own.as_str())];
    scene.founder.does("bus.submit", json!({"group_id": "g", "actions": actions}));
    let refused = scene.caller.refused(command, json!({"action_id": "a0", "status": "completed"}));
    assert_eq!((code(&refused), &refused["next"]), ("FORBIDDEN", &json!("Leave it to other.")));
    scene.caller.does(command, json!({"action_id": "a1", "status": "completed"}));
}
