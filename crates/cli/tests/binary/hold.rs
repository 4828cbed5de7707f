//! `baton hold`: a person owns the stick through a guardian process.
//!
//! A person's commands must not look like an agent's, also when the tests are run by one: every command here is an
//! orphan, with no harness above it.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs,
    process::{Command, Stdio},
    thread,
};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Agent, Ran, World, ready};

/// Runs the arguments as an orphan without a terminal, and tells its exit status behind its output. The loop waits for
/// the parent to be collected.
const ORPHANED: &str =
    r#"parent=$$; (while kill -0 $parent 2>/dev/null; do :; done; setsid --wait "$@"; echo "exit $?") &"#;

fn person(world: &World, arguments: &[&str]) -> Command {
    orphan(world, &[&[env!("CARGO_BIN_EXE_baton")], arguments].concat())
}

fn orphan(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command("sh");
    command.args(["-c", ORPHANED, "sh"]).args(arguments);
    command
}

/// The `data` that a person's command answered, and its exit status.
fn as_person(world: &World, arguments: &[&str]) -> (Value, i32) {
    answered(person(world, &[arguments, &["--json"]].concat()))
}

fn answered(command: Command) -> (Value, i32) {
    let ran = Ran::of(command);
    let (answer, exit) = ran.stdout.rsplit_once("exit ").unwrap_or_else(|| panic!("{ran:?}"));
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    (
        if answer["error"].is_null() { answer["data"].clone() } else { answer["error"].clone() },
        exit.trim().parse().unwrap(),
    )
}

fn guardian_pid(held: &Value) -> Pid {
    pid(&held["guardian_pid"])
}

fn pid(number: &Value) -> Pid {
    Pid::from_raw(number.as_i64().unwrap().try_into().unwrap()).unwrap()
}

/// The entry of the person, as `agent` sees it.
fn person_seen_by(agent: &mut Agent) -> Option<Value> {
    let state = agent.ok("get_room_state", json!({}));
    let members = state["members"].as_array().unwrap();
    members.iter().find(|member| member["agent_id"] == "human:ana:notty").cloned()
}

#[test]
fn the_guardian_is_the_process_behind_the_person_and_release_ends_it() {
    let world = World::new();
    let mut bo = world.agent("bo");
    let (held, exit) = as_person(&world, &["hold"]);
    assert_eq!((exit, &held["turn"]["status"]), (0, &Value::from("your_turn")), "{held}");
    let state = bo.ok("get_room_state", json!({}));
    let person = person_seen_by(&mut bo).unwrap();
    assert_eq!(person["session_kind"], "human_guardian");
    assert_eq!(person["process"], "alive");
    assert_eq!(person["pid"], held["guardian_pid"]);
    assert_eq!(state["room"]["owner"], "human:ana:notty");

    let ended = end_of(guardian_pid(&held));
    let (released, exit) = as_person(&world, &["release", "--status", "read it all", "--next", "go on"]);
    assert_eq!((exit, &released["reserved_for"]), (0, &Value::from(bo.id.as_str())), "{released}");
    ended.wait();
    assert_eq!(bo.claim()["handoff"]["status"], "read it all");
    world.assert_sound();
}

#[test]
fn heartbeats_of_the_guardian_keep_a_short_lease_alive_past_its_time() {
    let world = World::new();
    let mut bo = world.agent("bo");
    bo.set_policy(json!({ "owner_lease_ttl_ms": 1500, "heartbeat_interval_ms": 100 }));
    let (held, exit) = as_person(&world, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    // Twice the lease passes in this wait, and nothing opens.
    let answer = bo.ok("wait_for_turn", json!({ "max_wait_ms": 3000 }));
    assert_eq!((&answer["status"], &answer["room_state"]), (&"not_yet".into(), &"owned".into()), "{answer}");
    let log = world.log(&bo.room_id);
    assert!(log.iter().all(|event| event["event_type"] != "heartbeat"));
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
}

#[test]
fn killing_the_guardian_leaves_the_stick_visibly_without_an_owner() {
    let world = World::new();
    let mut bo = world.agent("bo");
    let (held, exit) = as_person(&world, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    let waiting = bo.start_wait();
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
    let (_, answer) = bo.finish(waiting);
    let why = ["status", "reason", "current_owner"].map(|key| &answer[key]);
    assert_eq!(why, ["takeover_available", "owner_gone", "human:ana:notty"]);
}

#[test]
fn a_takeover_ends_the_guardian() {
    let world = World::new();
    let mut bo = world.agent("bo");
    bo.set_policy(json!({ "owner_lease_ttl_ms": 2000, "heartbeat_interval_ms": 1000 }));
    let (held, _) = as_person(&world, &["hold"]);
    let guardian = guardian_pid(&held);
    // Between two heartbeats: one that is stopped inside a transaction would hold up everybody.
    while bo.ok("get_room_state", json!({}))["room"]["lease_expires_at"] == held["turn"]["lease_expires_at"] {
        thread::yield_now();
    }
    kill_process(guardian, Signal::STOP).unwrap();
    let waiting = bo.start_wait();
    let (_, open) = bo.finish(waiting);
    assert_eq!(open["reason"], "owner_timeout", "{open}");
    bo.ok("takeover_stick", json!({ "expected_turn_id": open["turn_id"], "reason": "asleep" }));
    let ended = end_of(guardian);
    kill_process(guardian, Signal::CONT).unwrap();
    ended.wait();
}

#[test]
fn a_hold_that_was_interrupted_while_it_waited_claims_nothing_later() {
    let world = World::new();
    let mut bo = world.agent("bo");
    bo.claim();
    assert!(person(&world, &["hold"]).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap().success());
    let guardian = loop {
        match person_seen_by(&mut bo).filter(|person| person["session_kind"] == "human_guardian") {
            Some(person) => break pid(&person["pid"]),
            None => thread::yield_now(),
        }
    };
    let ended = end_of(guardian);
    kill_process(parent_of(guardian), Signal::TERM).unwrap();
    ended.wait();
    bo.release();
    let mut words = world.log(&bo.room_id).into_iter().map(|event| event["event_type"].clone());
    assert_eq!(words.next_back(), Some("release".into()));
    assert_eq!(words.filter(|word| word == "claim").count(), 1, "only bo's own");
}

#[test]
fn a_guardian_takes_over_from_the_shell_that_waited_and_the_shell_may_end() {
    let world = World::new();
    let mut bo = world.agent("bo");
    // In a terminal of its own, whose shell is the process behind the wait.
    let session = format!(r#"{0} join && {0} wait && {0} hold --json >held; :"#, env!("CARGO_BIN_EXE_baton"));
    let ran = Ran::of(orphan(&world, &["script", "--quiet", "--return", "--command", &session, "/dev/null"]));
    assert!(ran.stdout.ends_with("exit 0\n"), "{ran:?}");
    let held: Value = serde_json::from_slice(&fs::read(world.workspace().join("held")).unwrap()).unwrap();
    assert_eq!(held["data"]["turn"]["resumed"], true, "{held}");
    let state = bo.ok("get_room_state", json!({}));
    assert_eq!(state["room"]["state"], "owned", "{state}");
    world.assert_sound();

    let waiting = bo.start_wait();
    kill_process(guardian_pid(&held["data"]), Signal::KILL).unwrap();
    assert_eq!(bo.finish(waiting).1["reason"], "owner_gone", "so it is the guardian that holds");
}

#[test]
fn nobody_becomes_the_guardian_of_somebody_else_by_naming_them() {
    let world = World::new();
    let bo = world.agent("bo");
    let before = world.log(&bo.room_id);
    let (refused, exit) = as_person(&world, &["hold", "--room", &bo.room_id, "--guardian-of", &bo.id]);
    assert_eq!((exit, &refused["error"]), (3, &Value::from("INVALID_INPUT")), "{refused}");
    assert_eq!(world.log(&bo.room_id), before);

    let mut overridden = person(&world, &["hold", "--json"]);
    overridden.env("BATON_AGENT_ID", "test:ana");
    let (held, exit) = answered(overridden);
    assert_eq!(exit, 0, "{held}");
    let joins = world.log(&bo.room_id).into_iter().filter(|event| event["to_agent_id"] == "test:ana");
    let mut joins = joins.filter(|event| event["event_type"] == "join").peekable();
    assert!(joins.peek().is_some() && joins.all(|join| join["agent_id_override"] == true));
    kill_process(guardian_pid(&held), Signal::KILL).unwrap();
}

#[test]
fn what_the_guardian_is_refused_is_told_with_its_facts_and_the_next_step() {
    let world = World::new();
    let (refused, exit) = as_person(&world, &["hold", "--room", "room_0000000000000000"]);
    assert_eq!(exit, 4);
    assert_eq!(
        refused,
        json!({
            "code": "unknown_room", "error": "unknown_room", "message": "There is no room room_0000000000000000.",
            "room_id": "room_0000000000000000", "next": "Call `baton room list`, or `baton join` to open one.",
        })
    );
}

#[test]
fn an_agent_is_told_to_wait_instead() {
    let world = World::new();
    let mut command = world.baton(&["hold", "--json"]);
    command.env("CLAUDECODE", "1");
    let ran = Ran::of(command);
    assert_eq!((ran.status, ran.code()), (2, "INVALID_INPUT".to_owned()), "{ran:?}");
    assert_eq!(ran.json()["error"]["next"], "Use `baton wait`.");
}

fn parent_of(pid: Pid) -> Pid {
    let status = fs::read_to_string(format!("/proc/{}/status", pid.as_raw_nonzero())).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap();
    Pid::from_raw(parent.trim().parse().unwrap()).unwrap()
}

/// A handle on a process that is not our child, through which its end can be awaited.
struct Ending(rustix::fd::OwnedFd);

fn end_of(pid: Pid) -> Ending {
    Ending(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap())
}

impl Ending {
    fn wait(&self) {
        assert!(ready(&self.0), "it did not end");
    }
}
