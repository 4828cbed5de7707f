//! `baton hold`: a person owns the stick through a guardian process.
//!
//! A person's commands must not look like an agent's, also when the tests are run by one: every command here is an
//! orphan, with no harness above it.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::process::Command;

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use crate::support::{Ran, World};

/// Runs the arguments as an orphan and tells its exit status behind its output. The loop waits for the parent to be
/// collected.
const ORPHANED: &str = r#"parent=$$; (while kill -0 $parent 2>/dev/null; do :; done; "$@"; echo "exit $?") &"#;

fn person(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.command("sh");
    command.args(["-c", ORPHANED, "sh", env!("CARGO_BIN_EXE_baton")]).args(arguments);
    command
}

/// The `data` that a person's command answered, and its exit status.
fn as_person(world: &World, arguments: &[&str]) -> (Value, i32) {
    let ran = Ran::of(person(world, &[arguments, &["--json"]].concat()));
    let (answer, exit) = ran.stdout.rsplit_once("exit ").unwrap_or_else(|| panic!("{ran:?}"));
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    (
        if answer["error"].is_null() { answer["data"].clone() } else { answer["error"].clone() },
        exit.trim().parse().unwrap(),
    )
}

fn guardian_pid(held: &Value) -> Pid {
    Pid::from_raw(held["guardian_pid"].as_i64().unwrap().try_into().unwrap()).unwrap()
}

#[test]
fn the_guardian_is_the_process_behind_the_person_and_release_ends_it() {
    let world = World::new();
    let mut bo = world.agent("bo");
    let (held, exit) = as_person(&world, &["hold"]);
    assert_eq!((exit, &held["turn"]["status"]), (0, &Value::from("your_turn")), "{held}");
    let state = bo.ok("get_room_state", serde_json::json!({}));
    let person =
        state["members"].as_array().unwrap().iter().find(|member| member["agent_id"] != bo.id.as_str()).unwrap();
    assert_eq!(person["agent_id"], "human:ana:notty");
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
    bo.set_policy(serde_json::json!({ "owner_lease_ttl_ms": 1500, "heartbeat_interval_ms": 100 }));
    let (held, exit) = as_person(&world, &["hold"]);
    assert_eq!(exit, 0, "{held}");
    // Twice the lease passes in this wait, and nothing opens.
    let answer = bo.ok("wait_for_turn", serde_json::json!({ "max_wait_ms": 3000 }));
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
    bo.set_policy(serde_json::json!({ "owner_lease_ttl_ms": 300, "heartbeat_interval_ms": 200 }));
    let (held, _) = as_person(&world, &["hold"]);
    let guardian = guardian_pid(&held);
    kill_process(guardian, Signal::STOP).unwrap();
    let waiting = bo.start_wait();
    let (_, open) = bo.finish(waiting);
    assert_eq!(open["reason"], "owner_timeout", "{open}");
    bo.ok("takeover_stick", serde_json::json!({ "expected_turn_id": open["turn_id"], "reason": "asleep" }));
    let ended = end_of(guardian);
    kill_process(guardian, Signal::CONT).unwrap();
    ended.wait();
}

#[test]
fn an_agent_is_told_to_wait_instead() {
    let world = World::new();
    let mut command = world.baton(&["hold", "--json"]);
    command.env("CLAUDECODE", "1");
    let ran = Ran::of(command);
    assert_eq!((ran.status, ran.code()), (2, "invalid_input".to_owned()), "{ran:?}");
    assert_eq!(ran.json()["error"]["next"], "Use `baton wait`.");
}

/// A handle on a process that is not our child, through which its end can be awaited.
struct Ending(rustix::fd::OwnedFd);

fn end_of(pid: Pid) -> Ending {
    Ending(rustix::process::pidfd_open(pid, rustix::process::PidfdFlags::empty()).unwrap())
}

impl Ending {
    fn wait(&self) {
        use rustix::event::{PollFd, PollFlags, Timespec, poll};
        let soon = Timespec { tv_sec: 60, tv_nsec: 0 };
        assert_eq!(poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&soon)), Ok(1), "it did not end");
    }
}
