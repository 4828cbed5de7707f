//! Attacks on jobs with real processes: programs that a runner started and that would be somebody else, and processes
//! that would be a job's agent or its runner.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs,
    path::{Path, PathBuf},
};

use baton_testkit::assignment;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Agent, Ran, World};

/// Runs a command line and keeps what it says, in `$here/tries/NAME`.
const TRIES: &str = r#"mkdir -p "$here/tries"
try() {
    name=$1; shift
    "$@" > "$here/tries/$name" 2>&1 < /dev/null || echo "exit $?" >> "$here/tries/$name"
}
"#;

/// Ways in which a program may run a command so that nothing around it names its job any more.
const WAYS: &[(&str, &str)] = &[
    ("plainly", r#""$@""#),
    ("unset", r#"env -u BATON_JOB "$@""#),
    ("session", r#"env -u BATON_JOB setsid --wait "$@""#),
    (
        "orphan",
        r#"rm -f "$here/orphan"; mkfifo "$here/orphan"; (env -u BATON_JOB setsid sh -c '"$@" > "$0" 2>&1' "$here/orphan" "$@" &); cat "$here/orphan""#,
    ),
    ("terminal", r#"script -qec "env -u BATON_JOB $*" /dev/null"#),
    (
        "hidden",
        r#"if unshare -Urpf --mount-proc true; then unshare -Urpf --mount-proc script -qec "env -u BATON_JOB $*" /dev/null; else by_unset "$@"; fi"#,
    ),
    (
        "covered",
        r#"if unshare -Urm true; then unshare -Urm sh -c "grep -lzx minder /proc/[0-9]*/cmdline 2>/dev/null | while read -r of; do mount --bind /dev/null \$of; done; env -u BATON_JOB script -qec '$*' /dev/null"; else by_unset "$@"; fi"#,
    ),
    ("posing", r#"env -u BATON_JOB BATON_AGENT_ID=test:eve "$@""#),
    ("guessing", r#"env BATON_JOB="$guess" "$@""#),
];

/// A world with a room, a job that is to be done by `program`, and the room.
fn delegated(world: &World, program: &str) -> String {
    let room = world.join_as("ana");
    let ways: String = WAYS.iter().map(|(name, way)| format!("by_{name}() {{ {way}; }}\n")).collect();
    world.drives(&format!("cat > /dev/null\n{TRIES}{ways}{program}"));
    world.delegate(&[]);
    room
}

/// The answers of the tries, by name: the one line of JSON that each printed.
fn tries(world: &World) -> Vec<(String, Value)> {
    let mut found: Vec<(String, Value)> = fs::read_dir(world.root().join("tries"))
        .unwrap()
        .map(|entry| {
            let (name, text) =
                (entry.as_ref().unwrap().file_name(), fs::read_to_string(entry.unwrap().path()).unwrap());
            let line = text.lines().find(|line| line.starts_with('{'));
            let line = line.unwrap_or_else(|| panic!("{name:?}: {text}"));
            (name.into_string().unwrap(), serde_json::from_str(line).unwrap())
        })
        .collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

fn read(path: PathBuf) -> String {
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

#[test]
fn unsetting_baton_job_setsid_orphans_terminals_namespaces_and_other_ids_make_no_operator_of_a_jobs_program() {
    World::on_every_backend(|world| {
        let room = delegated(
            &world,
            r#"guess="$(echo "$BATON_JOB" | cut -d/ -f1-4)"
baton room events --limit 200 --json > "$here/before"
for way in plainly unset session orphan terminal hidden covered posing guessing; do
    try "$way-approve" by_$way BATON approval approve 1 --json
    try "$way-grant" by_$way BATON agent grant ana --spawn --json
    try "$way-tell" by_$way BATON tell ana stop --json
    try "$way-token" by_$way BATON token create --role operator --json
    try "$way-ticket" by_$way BATON ticket --json
done
baton room events --limit 200 --json > "$here/after"
answer FAILED "nothing to gain""#
                .replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
                .as_str(),
        );
        let said = world.run_once();
        let tries = tries(&world);
        assert_eq!(tries.len(), WAYS.len() * 5, "{said}");
        for (name, answer) in tries {
            let error = &answer["error"];
            assert_eq!(error["code"], "FORBIDDEN", "{name}: {answer}");
            assert!(error["next"].as_str().is_some_and(|next| !next.is_empty()), "{name}: {answer}");
        }
        let [before, after] = ["before", "after"].map(|name| read(world.root().join(name)));
        assert_eq!(before, after, "nothing of it is on record");
        assert!(world.log(&room).iter().any(|event| event["event_type"] == "job.failed"), "it came to its end");
        world.assert_sound();
    });
}

#[test]
fn a_jobs_program_is_its_jobs_agent_whatever_its_environment_says() {
    World::on_every_backend(|world| {
        let room = delegated(
            &world,
            r#"guess="$(echo "$BATON_JOB" | cut -d/ -f1-4)/cap_00000000000000000000000000"
for way in plainly unset session orphan guessing; do
    try "$way" by_$way BATON job report --kind progress "said $way" --json
done
answer FAILED "as whom?""#
                .replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
                .as_str(),
        );
        world.run_once();
        for (name, answer) in tries(&world) {
            assert_eq!((&answer["ok"], &answer["data"]["job"]), (&json!(true), &json!("JOB-001")), "{name}: {answer}");
        }
        let agent = format!("job:JOB-001@{}", room.strip_prefix("room_").unwrap());
        let (_, events) = world.job("JOB-001");
        let said: Vec<_> = events.iter().filter(|event| event["by"] == agent.as_str()).collect();
        assert_eq!(said.len(), 5, "{events:#?}");
        world.assert_sound();
    });
}

#[test]
fn a_jobs_program_steers_no_other_job_and_creates_none_however_it_calls() {
    World::on_every_backend(|world| {
        let room = delegated(
            &world,
            r#"guess="$(echo "$BATON_JOB" | cut -d/ -f1-4)/cap_00000000000000000000000000"
baton room events --limit 200 --json > "$here/before"
for way in plainly unset session orphan terminal posing guessing; do
    try "$way-message" by_$way BATON job message 2 left --json
    try "$way-reply" by_$way BATON radar --reply JOB-002 left --json
    try "$way-cancel" by_$way BATON job cancel 2 --reason mine --json
    try "$way-requeue" by_$way BATON job requeue 2 --reason again --json
    try "$way-claim" by_$way BATON job claim 2 --force --json
    try "$way-create" by_$way BATON job create More --prompt More. --json
    try "$way-delegate" by_$way BATON job delegate More --prompt More. --json
    try "$way-run" by_$way BATON run --once --runner-id inner --json
done
baton room events --limit 200 --json > "$here/after"
answer FAILED "nothing to gain""#
                .replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
                .as_str(),
        );
        assert_eq!(world.delegate(&["--priority", "low"]), "JOB-002");
        let said = world.run_once();
        let tries = tries(&world);
        assert_eq!(tries.len(), 7 * 8, "{said}");
        for (name, answer) in tries {
            let error = &answer["error"];
            let creates = name.ends_with("create") || name.ends_with("delegate");
            assert_eq!(error["code"], if creates { "SPAWN_FORBIDDEN" } else { "FORBIDDEN" }, "{name}: {answer}");
            assert!(error["next"].as_str().is_some_and(|next| !next.is_empty()), "{name}: {answer}");
        }
        let [before, after] = ["before", "after"].map(|name| read(world.root().join(name)));
        assert_eq!(before, after, "nothing of it is on record");
        assert!(world.log(&room).iter().any(|event| event["event_type"] == "job.failed"), "it came to its end");
        world.assert_sound();
    });
}

#[test]
fn a_jobs_program_that_may_delegate_manages_what_it_created_and_nothing_else() {
    let world = World::new();
    let mut terminal = world.terminal();
    world.join_as("ana");
    world.drives(&format!(
        "cat > /dev/null\n{TRIES}{}",
        r#"try 1-create BATON job create Part --prompt "A part." --json
try 2-message BATON job message 3 "Mind the gutter." --json
try 3-cancel BATON job cancel 3 --reason "not after all" --json
try 4-requeue BATON job requeue 3 --reason "after all" --json
try 5-claim BATON job claim 3 --json
try 6-other BATON job cancel 2 --reason "mine is better" --json
answer FAILED "it leads""#
            .replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
    ));
    let create = ["job", "create", "Lead", "--prompt", "Lead.", "--executor", "command", "--spawn-nodes"];
    let created = terminal.run(&create);
    assert_eq!(created.status, 0, "{created:?}");
    assert_eq!(world.delegate(&["--priority", "low"]), "JOB-002");
    world.run_once();
    let tried: Vec<String> = tries(&world)
        .into_iter()
        .map(|(name, answer)| format!("{name}: {}", answer["error"]["code"].as_str().unwrap_or("done")))
        .collect();
    assert_eq!(
        tried,
        [
            "1-create: done",
            "2-message: done",
            "3-cancel: done",
            "4-requeue: done",
            "5-claim: FORBIDDEN",
            "6-other: FORBIDDEN"
        ]
    );
    world.assert_sound();
}

#[test]
fn an_mcp_connection_of_a_job_is_bound_to_it_and_writes_nothing_once_its_claim_is_over() {
    World::on_every_backend(|world| {
        let room = world.join_as("ana");
        world.delegate(&[]);
        world.delegate(&[]);
        let claimed = world.run_as("r1", &["job", "claim", "1", "--json"]).json()["data"].take();
        let mut server = world.baton(&["mcp", "--tools", "full"]);
        server.env("BATON_JOB", assignment(&claimed).reveal());
        let (mut agent, _) = Agent::join(server, "job");
        let jobs = |op: &str, args: Value| json!({"op": op, "args": args});
        agent.ok("jobs", jobs("report", json!({"kind": "progress", "message": "Half of it is dry."})));
        let note = json!({"text": "I was here.", "idempotency_key": "k"});
        agent.ok("append_note", note.clone());
        let before = world.log(&room);
        for (op, args, code) in [
            ("message", json!({"job": "JOB-002", "message": "left"}), "FORBIDDEN"),
            ("radar", json!({"reply_job": "JOB-002", "reply_message": "left"}), "FORBIDDEN"),
            ("cancel", json!({"job": "JOB-002", "reason": "mine is better"}), "FORBIDDEN"),
            ("requeue", json!({"job": "JOB-002", "reason": "again"}), "FORBIDDEN"),
            ("claim", json!({"job": "JOB-002", "force": true}), "FORBIDDEN"),
            ("create", json!({"title": "More", "prompt": "More."}), "SPAWN_FORBIDDEN"),
            ("runner.heartbeat", json!({"runner_id": "r9", "status": "idle"}), "FORBIDDEN"),
        ] {
            let refused = agent.refused("jobs", jobs(op, args));
            assert_eq!(refused["error"], code, "{op}: {refused}");
        }
        agent.ok("jobs", jobs("open", json!({"job": "JOB-002"})));
        assert_eq!(world.log(&room), before, "nothing of it is on record");
        let canceled = world.run_as("ana", &["job", "cancel", "1", "--reason", "not wanted", "--json"]);
        assert_eq!(canceled.status, 0, "{canceled:?}");
        let before = world.log(&room);
        let more = json!({"job": "JOB-002", "reason": "mine is better"});
        let tries = [
            ("append_note", note),
            ("append_note", json!({"text": "I am here."})),
            ("jobs", jobs("report", json!({"kind": "progress", "message": "All of it is dry."}))),
            ("jobs", jobs("cancel", more)),
            ("jobs", jobs("create", json!({"title": "More", "prompt": "More."}))),
            ("tasks", json!({"op": "card.create", "args": {"title": "t", "text": "x"}})),
            ("send_handoff", json!({"to": "ana", "message": "Here."})),
            ("inbox", json!({"op": "list"})),
        ];
        for (tool, arguments) in tries {
            let refused = agent.refused(tool, arguments);
            assert_eq!(refused["error"], "CONFLICT", "{tool}: {refused}");
            assert!(refused["next"].is_string(), "{tool}: {refused}");
        }
        assert_eq!(world.log(&room), before, "nothing of it is on record");
        world.assert_sound();
    });
}

#[test]
fn an_id_given_by_hand_below_a_minder_keeps_the_bounds_of_the_job() {
    let world = World::new();
    let mut terminal = world.terminal();
    delegated(
        &world,
        r#"guess=
by_posing BATON join > /dev/null
echo > "$here/started"
cat "$here/go" > /dev/null
try posing by_posing BATON spawn Help --prompt "Help me." --message "It rains." --json
try create by_posing BATON job create Deep --prompt "Dig." --profile deep --json
answer FAILED "bounded""#
            .replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
            .as_str(),
    );
    let (started, go) = (world.pipe("started"), world.pipe("go"));
    let runner = world.runner(&["--once"]);
    started.read();
    let granted = terminal.run(&["agent", "grant", "test:eve", "--spawn"]);
    assert_eq!(granted.status, 0, "the id may ask for agents: {granted:?}");
    go.write("go");
    runner.ends();
    for (name, answer) in tries(&world) {
        assert_eq!(answer["error"]["code"], "SPAWN_FORBIDDEN", "{name}: {answer}");
    }
    let asked = world.run_as("eve", &["spawn", "Help", "--prompt", "x", "--message", "y", "--json"]);
    assert_eq!(asked.status, 0, "outside of the job it may: {asked:?}");
}

#[test]
fn below_a_minder_whose_job_cannot_be_read_nobody_is_an_operator() {
    let world = World::new();
    fs::write(world.workspace().join("minder"), "\"$@\"\n").unwrap();
    let mut terminal = world.terminal();
    assert_eq!(terminal.run(&["join"]).status, 0);
    let grant = ["agent", "grant", "test:ana", "--spawn", "--json"];
    world.join_as("ana");
    terminal.starts_by_way_of(&["bash", "-c", "exec -a baton sh minder \"$@\"", "bash"], &grant);
    let ran = terminal.ends();
    assert_eq!(ran.code(), "FORBIDDEN", "{ran:?}");
    assert_eq!(terminal.run(&grant).status, 0);
}

/// A program that says what it was given in `$here/given`, and stays until it is told to go on.
const STAYS: &str = r#"printf %s "$BATON_JOB" > "$here/given"
echo > "$here/started"
cat "$here/go" > /dev/null
answer FAILED "it rains still""#;

#[test]
fn a_guessed_baton_job_is_refused_and_so_is_that_of_an_earlier_claim() {
    World::on_every_backend(|world| {
        let room = delegated(&world, STAYS);
        let (started, go) = (world.pipe("started"), world.pipe("go"));
        let mut first = world.runner(&["--runner-id", "runner:one", "--claim-ttl", "2"]);
        started.read();
        let earlier = read(world.root().join("given"));
        let named = format!("{room}/JOB-001/1/runner:one");
        assert!(earlier.starts_with(&format!("{named}/cap_")), "{named}");
        let report = ["job", "report", "--kind", "progress", "I am it", "--json"];
        let complete = ["job", "complete", "It is dry", "--json"];
        let inbox = ["inbox", "--json"];
        let refused = |assignment: &str, code: &str| {
            let before = world.log(&room);
            for arguments in [&report[..], &complete, &inbox, &["status", "--json"], &["join", "--json"]] {
                let ran = world.run_on(assignment, arguments);
                assert_eq!(ran.code(), code, "{arguments:?}: {ran:?}");
                assert!(ran.json()["error"]["next"].is_string(), "{ran:?}");
            }
            assert_eq!(world.log(&room), before);
        };
        refused(&named, "FORBIDDEN");
        refused(&format!("{named}/cap_{}", "0".repeat(26)), "FORBIDDEN");
        first.kill();
        let mut second = world.runner(&["--runner-id", "runner:two"]);
        started.read();
        refused(&earlier, "CONFLICT");
        let secret = earlier.rsplit('/').next().unwrap();
        refused(&format!("{room}/JOB-001/2/runner:two/{secret}"), "FORBIDDEN");
        go.write("go");
        second.says("JOB-001 FAILED");
        second.signal(Signal::TERM);
        second.ends();
        let last = read(world.root().join("given"));
        refused(&last, "CONFLICT");
        world.assert_sound();
    });
}

#[test]
fn another_process_that_knows_runner_and_revision_is_refused_with_the_process_that_has_the_claim() {
    World::on_every_backend(|world| {
        let room = delegated(&world, STAYS);
        let (started, go) = (world.pipe("started"), world.pipe("go"));
        let runner = world.runner(&["--once", "--runner-id", "runner:one"]);
        started.read();
        let before = world.log(&room);
        let shown = ["--runner", "runner:one", "--revision", "1", "--json"];
        let tries: [&[&str]; 3] = [
            &["job", "report", "1", "It is dry", "--kind", "checkpoint"],
            &["job", "report", "1", "Here", "--kind", "heartbeat"],
            &["job", "complete", "1", "It is dry"],
        ];
        for arguments in tries {
            let arguments = [arguments, &shown].concat();
            for ran in [world.run(&arguments), world.run_as("eve", &arguments)] {
                let error = &ran.json()["error"];
                assert_eq!(ran.code(), "PRECONDITION_FAILED", "{ran:?}");
                let claimant = (&error["claimant"], &error["pid"]);
                assert_eq!(claimant, (&json!("runner:one"), &json!(runner.pid())), "{ran:?}");
                assert!(error["next"].is_string(), "{ran:?}");
            }
            let mut posing = world.baton(&arguments);
            posing.env("BATON_AGENT_ID", "runner:one");
            assert_ne!(Ran::of(posing).status, 0);
        }
        // A second runner of the same name finds it taken, and does not take the job's end away.
        let ran = world.run(&["run", "--once", "--runner-id", "runner:one", "--json"]);
        assert_ne!(ran.status, 0, "{ran:?}");
        let said = format!("{}{}", ran.stdout, ran.stderr);
        assert!(said.contains("id_in_use") && said.contains(&runner.pid().to_string()), "{ran:?}");
        assert_eq!(world.log(&room), before);
        go.write("go");
        runner.ends();
        assert_eq!(world.job("JOB-001").0["status"], "FAILED", "its own runner ended it");
        world.assert_sound();
    });
}

/// Files below a directory that have these bytes in them.
fn files_with(directory: &Path, bytes: &[u8]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(files_with(&path, bytes));
        } else if fs::read(&path).unwrap_or_default().windows(bytes.len()).any(|window| window == bytes) {
            found.push(path);
        }
    }
    found
}

#[test]
fn the_capability_of_a_job_is_in_no_log_event_prompt_or_artifact_even_if_its_program_prints_it() {
    World::on_every_backend(|world| {
        let room = delegated(
            &world,
            r#"printf %s "$BATON_JOB" > "$here/given"
env; env >&2
baton job report --kind checkpoint "I am $BATON_JOB" > /dev/null
printf '{"status":"FAILED","summary":"I was %s","refs":[]}\n' "$BATON_JOB""#,
        );
        let said = world.run_once();
        let given = read(world.root().join("given"));
        let secret = given.rsplit('/').next().unwrap();
        assert!(secret.starts_with("cap_"));
        assert!(!said.contains(secret), "{said}");
        let (job, events) = world.job("JOB-001");
        assert!(job["summary"].as_str().unwrap().contains("[redacted:baton]"), "{job}");
        let log = world.log(&room);
        assert!(log.iter().chain(&events).all(|event| !event.to_string().contains(secret)), "{log:#?}");
        let kept = events.iter().find(|event| event["kind"] == "progress").unwrap()["refs"].clone();
        let (mut reader, _) = world.server("reader");
        for reference in kept.as_array().unwrap() {
            let opened = reader.ok("open", json!({ "id": reference })).to_string();
            assert!(!opened.contains(secret), "{reference}: {opened}");
        }
        // Nor is it in any file that was left behind: the database, its log, artifacts and tails.
        assert_eq!(files_with(&world.data(), secret.as_bytes()), Vec::<PathBuf>::new());
    });
}

#[test]
fn a_jobs_program_that_joins_goes_on_in_its_next_slice() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&["baton join > /dev/null; answer CONTINUE 'so far'", r#"answer DONE "It is dry" "\"$(prove)\"""#]);
    let job = world.delegate(&[]);
    let said = world.run_once();
    assert_eq!((&world.job(&job).0["status"], world.slices()), (&json!("DONE"), 2), "{said}");
    world.assert_sound();
}
