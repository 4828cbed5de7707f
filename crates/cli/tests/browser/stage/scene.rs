//! A room with something of everything in it, in words of the test's own.
#![expect(clippy::unwrap_used, reason = "a scene that cannot be set ends the test")]

use std::fs;

use serde_json::{Value, json};

use crate::support::{Agent, World};

/// A room, and what is in it.
pub(crate) struct Scene {
    pub(crate) room: String,
    /// Holds the stick.
    pub(crate) ana: Agent,
    /// Had it, and passed it on.
    _bo: Agent,
    /// Every page that there is to see.
    pub(crate) pages: Vec<String>,
}

/// Words that a page has to show as words: elements, scripts, and the ends of what text may stand in.
pub(crate) const HOSTILE: &str =
    r#"</textarea></title></script><img src=x onerror=alert(1)><b class=evil>&amp;"'</b><script>alert(2)</script>"#;
/// The same in a name of a file, which has no slash in it.
const HOSTILE_FILE: &str = r#"<img src=x onerror=alert(3)><b class=evil>&amp;"'.rs"#;

/// Sets the scene with these words wherever an agent can say something.
pub(crate) fn set(world: &World, words: &str) -> Scene {
    let (mut ana, mut bo) = (world.agent("ana"), world.agent("bo"));
    let room = ana.room_id.clone();
    let file = if words.starts_with(HOSTILE) { HOSTILE_FILE } else { "parser.rs" };
    fs::create_dir(world.workspace().join("src")).unwrap();
    fs::write(world.workspace().join("src").join(file), words).unwrap();
    let path = format!("src/{file}");

    exchange(&mut ana, &mut bo, words, &path);
    world.join_as("cy");
    library(world, words, &path);
    let jobs = jobs(world, &room, words);
    let granted = world.at_terminal(&["agent", "grant", &bo.id, "--spawn"]);
    assert_eq!(granted.status, 0, "{granted:?}");
    let asked = bo.ok("spawn_node", json!({ "title": words, "prompt": words, "message": words, "role": "reader" }));
    assert_eq!(asked["status"], "pending", "{asked}");

    let agent = |agent: &Agent| format!("/rooms/{room}/agents/{}", agent.id.replace(':', "%3A"));
    let mut pages: Vec<String> =
        ["/", "/rooms", "/jobs", "/agents", "/approvals", "/search?q=evil", "/doctor", "/keys"]
            .map(str::to_owned)
            .to_vec();
    pages.extend([format!("/rooms/{room}"), format!("/rooms/{room}/graph"), format!("/rooms/{room}/jobs")]);
    pages.extend([agent(&ana), agent(&bo)]);
    pages.extend(jobs.iter().map(|job| format!("/rooms/{room}/jobs/{job}")));
    let refs = ["CARD-1", "TASK-001", "PLAN-1", "APPROVAL-1", "artifact://report/1", "log@5"];
    pages.extend(refs.iter().map(|of| {
        format!("/rooms/{room}/open?ref={}", of.replace(':', "%3A").replace('/', "%2F").replace('@', "%40"))
    }));
    pages.push(format!("/rooms/{room}?panel=delegate&task=TASK-001"));
    Scene { room, ana, _bo: bo, pages }
}

/// Two agents pass the stick, write to each other, and are in each other's way.
fn exchange(ana: &mut Agent, bo: &mut Agent, words: &str, path: &str) {
    bo.claim();
    bo.ok("append_note", json!({ "text": words }));
    bo.ok("scope", json!({ "op": "reserve", "args": { "scopes": [path] } }));
    ana.refused("scope", json!({ "op": "reserve", "args": { "scopes": [path] } }));
    let handoff = json!({
        "status": words, "next_action": words, "open_questions": [words], "do_not": [words], "artifacts": [{ "path": path, "role": "review", "note": words }],
    });
    let passed = bo.fenced(json!({ "to_agent_id": ana.id, "handoff": handoff }));
    bo.ok("pass_stick", passed);
    ana.claim();
    let info = json!({ "to": bo.id, "category": "INFO", "subject": words, "body": words });
    ana.ok("inbox", json!({ "op": "send", "args": info }));
    let blocked = json!({ "to": "broadcast", "category": "BLOCKED", "subject": words, "blocker": words, "requested_action": words });
    bo.ok("inbox", json!({ "op": "send", "args": blocked }));
    ana.ok("send_handoff", json!({ "to": bo.id, "message": words, "structured": { words: words } }));
}

/// What is kept in the room.
fn library(world: &World, words: &str, path: &str) {
    let does = |arguments: &[&str]| does(world, arguments);
    does(&["task", "create", words]);
    does(&["plan", "create", words, "--text", words]);
    does(&[
        "card",
        "create",
        words,
        "--kind",
        "evidence",
        "--text",
        words,
        "--ref",
        "LINK: https://example.org/?<b+class=evil>",
        "--ref",
        &format!("CMD: echo {words}"),
    ]);
    does(&["artifact", "keep", path]);
    does(&["brief", "edit", "--goal", words, "--done", words]);
}

/// A job with a question, one that failed, one with a gate, and one that nobody took.
fn jobs(world: &World, room: &str, words: &str) -> Vec<String> {
    let reports = |assignment: &str, more: &[&str]| {
        let arguments = [&["job", "report", "--kind"], more].concat();
        let ran = world.run_on(assignment, &arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
    };
    for _ in 0..4 {
        does(world, &["job", "delegate", words, "--prompt", words]);
    }
    for (number, kind) in (1..).zip(["question", "error", "proof_gate"]) {
        let claimed = does(world, &["job", "claim", &number.to_string(), "--runner", "r1"]);
        let capability = claimed["capability"].as_str().unwrap();
        let assignment = format!("{room}/JOB-{number:03}/1/r1/{capability}");
        let evidence = format!("CMD: echo {words}");
        reports(&assignment, &["progress", words, "--percent", "20", "--ref", &evidence]);
        reports(&assignment, &[kind, words]);
    }
    does(world, &["job", "complete", "2", words, "--failed", "--runner", "r1", "--revision", "1"]);
    (1..=4).map(|number| format!("JOB-{number:03}")).collect()
}

/// Runs a command as a member of the room, which must succeed.
fn does(world: &World, arguments: &[&str]) -> Value {
    let ran = world.run_as("cy", &[arguments, &["--json"]].concat());
    assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
    ran.json()["data"].clone()
}
