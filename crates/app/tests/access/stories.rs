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
use baton_testkit::{Agent, TestApp, handoff, job_agent};
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
        "itself" => itself(&scene, command),
        "no messages" => no_messages(&scene, command),
        "its own turns" => its_own_turns(&scene, command),
        "no reply" => no_reply(&scene, command),
        "jobs it created" | "replies to jobs it created" => jobs_it_created(&scene, command),
        "controls jobs it created" => controls_jobs_it_created(&scene, command),
        "from itself" => from_itself(&scene, command),
        "no adoption" => no_adoption(&scene, command),
        "no more than itself" => no_more_than_itself(&scene, command),
        "if granted, no more than itself" => if_granted_no_more_than_itself(&scene, command),
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

fn assert_steering_is_refused(scene: &Scene<'_>, command: &str) {
    for policy in [json!({"spawn": "auto"}), json!({"edges": "explicit"})] {
        let refused = scene.caller.refused(command, json!({"policy": policy}));
        assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
    }
}

fn itself(scene: &Scene<'_>, command: &str) {
    let (field, mut input) = match command {
        "agent.wake" => ("agent", json!({"wake": "off"})),
        _ => ("id", json!({})),
    };
    let own = scene.caller.call(command, input.clone());
    input[field] = json!(scene.founder.id());
    let refused = scene.caller.refused(command, input);
    assert_eq!((code(&refused), &refused["needs"]), ("FORBIDDEN", &json!("operator")));
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

/// What steers a job.
fn steering(command: &str, job: &str) -> Value {
    match command {
        "jobs.message" | "jobs.send_back" => json!({"job": job, "message": "go on"}),
        "jobs.radar" => json!({"reply_job": job, "reply_message": "go on"}),
        "jobs.cancel" | "jobs.requeue" => json!({"job": job, "reason": "it must be"}),
        _ => panic!("{command} steers a job, and this story does not know it"),
    }
}

fn jobs_it_created(scene: &Scene<'_>, command: &str) {
    let own = scene.caller.refused(command, steering(command, OWN_JOB));
    assert_eq!(code(&own), "PRECONDITION_FAILED");
    assert!(own["message"].as_str().unwrap().contains("the caller's own job"), "{own}");
    if command == "jobs.requeue" {
        scene.founder.does("jobs.cancel", json!({"job": OTHER_JOB, "reason": "to be done again"}));
    }
    let before = scene.app.everything();
    for job in [OTHER_JOB, "JOB-999"] {
        let refused = scene.caller.refused(command, steering(command, job));
        let known = if job == OTHER_JOB { "FORBIDDEN" } else { "UNKNOWN_ID" };
        assert_eq!(code(&refused), known, "{refused}");
    }
    assert_eq!(scene.app.everything(), before, "and nothing is written");
    // The agent of a job that may create others manages those, and no more.
    let (lead, own) = scene.granted_job();
    let child = lead.does("jobs.create", json!({"title": "Part", "prompt": "A part of it."}));
    let child = child["job"].as_str().unwrap();
    for job in [OTHER_JOB, OWN_JOB] {
        let refused = lead.refused(command, steering(command, job));
        assert_eq!((code(&refused), &refused["role"]), ("FORBIDDEN", &json!("job_agent")), "{refused}");
    }
    assert_eq!(code(&lead.refused(command, steering(command, &own))), "PRECONDITION_FAILED");
    assert_eq!(code(&scene.caller.refused(command, steering(command, child))), "FORBIDDEN", "nor is it another's");
    if command == "jobs.requeue" {
        lead.does("jobs.cancel", json!({"job": child, "reason": "to be done again"}));
    }
    lead.does(command, steering(command, child));
    assert_eq!(code(&lead.refused("jobs.claim", json!({"job": child}))), "FORBIDDEN", "a manager is no runner");
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

fn controls_jobs_it_created(scene: &Scene<'_>, command: &str) {
    let (lead, _) = scene.granted_job();
    let control = |group: &str, dst: &str| match command {
        "bus.submit" => json!({"group_id": group, "actions": [
            {"type": "control", "command": "interrupt", "action_id": group, "action_index": 0, "dst": dst},
        ]}),
        "bus.relay" => {
            let action = json!({"type": "control", "command": "interrupt", "dst": dst});
            json!({"task_id": group, "output": json!({"type": "relay_actions", "actions": [action]}).to_string()})
        }
        _ => panic!("{command} controls agents, and this story does not know it"),
    };
    for (number, by, other) in [("1", &lead, &scene.caller), ("2", &scene.caller, &lead)] {
        let refused = by.refused(command, control(number, other.id().as_str()));
        assert_eq!((code(&refused), &refused["role"]), ("FORBIDDEN", &json!("job_agent")), "{refused}");
    }
    scene.caller.does(command, control("3", scene.founder.id().as_str()));
}

fn from_itself(scene: &Scene<'_>, command: &str) {
    scene.app.later_minutes(60);
    let before = scene.app.everything();
    let refused = scene.caller.refused(command, scene.caller.taking());
    assert_eq!((code(&refused), &refused["role"]), ("FORBIDDEN", &json!("job_agent")), "{refused}");
    assert_eq!(scene.app.everything(), before, "and nothing is written");
    // A turn that an earlier slice left behind is its own.
    let claimed = scene.claims(OTHER_JOB);
    let [first, second] = ["codex:1", "codex:2"].map(|program| scene.app.living_agent(program));
    let [slice, next] = [&first, &second].map(|program| scene.app.calling(job_agent(program.caller(), &claimed)));
    slice.enter(&scene.room);
    slice.does("bus.add", json!({}));
    scene.founder.pass(&scene.turn, &slice);
    slice.claim();
    first.dies();
    next.enter(&scene.room);
    next.does(command, next.taking());
}

fn no_adoption(scene: &Scene<'_>, command: &str) {
    let refused = scene.caller.refused(command, json!({"adopt": scene.founder.id()}));
    assert_eq!((code(&refused), &refused["role"]), ("FORBIDDEN", &json!("job_agent")), "{refused}");
    scene.caller.does(command, json!({"register": "mender"}));
}

fn if_granted_no_more_than_itself(scene: &Scene<'_>, command: &str) {
    let mut input = creating(scene, command);
    let before = scene.app.everything();
    let refused = scene.caller.refused(command, input.clone());
    assert_eq!(code(&refused), "SPAWN_FORBIDDEN");
    assert!(refused["next"].as_str().unwrap().contains("spawn_nodes"), "{refused}");
    assert_eq!(scene.app.everything(), before, "and nothing is written");
    let (lead, _) = scene.granted_job();
    lead.does(command, input.clone());
    input["executor_profile"] = json!("audit");
    assert_eq!(code(&lead.refused(command, input.clone())), "SPAWN_FORBIDDEN", "it is no more than its own job");
    scene.operator().does("room.policy", json!({"policy": {"spawn": "off"}}));
    input.as_object_mut().unwrap().remove("executor_profile");
    assert_eq!(code(&lead.refused(command, input)), "SPAWN_FORBIDDEN", "the policy is that nobody does");
}

fn creating(scene: &Scene<'_>, command: &str) -> Value {
    match command {
        "jobs.create" | "tasks.macro.delegate" => json!({"title": "Read", "prompt": "Read it."}),
        "tasks.macro.fanout_jobs" => {
            scene.founder.does("tasks.anchor.set", json!({"anchor": "a:core", "title": "Core"}));
            json!({"anchors": ["a:core"], "prompt": "Read it."})
        }
        _ => panic!("{command} makes jobs, and this story does not know it"),
    }
}

fn no_more_than_itself(scene: &Scene<'_>, command: &str) {
    let mut input = creating(scene, command);
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
    let claimed = scene.founder.does("jobs.claim", json!({"job": OTHER_JOB, "runner_id": "r7"}));
    let foreign = json!({"runner_id": "r7", "claim_revision": claimed["job"]["revision"]});
    let refused = scene.caller.refused(command, claim_input(command, OTHER_JOB, &foreign));
    assert_eq!(code(&refused), "PRECONDITION_FAILED", "nor has it a claim on another: {refused}");
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
