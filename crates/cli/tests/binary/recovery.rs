//! Owners and recipients that die, stop, or come back: seen from other processes, at once.
//!
//! The leases here are the default ones (45 minutes, claims 20), so that no timeout can be what opened a takeover,
//! unless a test says that it makes them short.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Agent, Ran, World, handoff};

#[test]
fn kill_9_of_the_owner_answers_a_pending_wait_with_owner_gone_at_once() {
    let world = World::new();
    let (mut ana, mut bo) = (world.agent("ana"), world.agent("bo"));
    ana.claim();
    let waiting = bo.start_wait();
    ana.kill();
    let (_, answer) = bo.finish(waiting);
    assert_eq!(
        answer,
        json!({
            "status": "takeover_available", "room_id": bo.room_id, "turn_id": 1, "room_state": "owner_gone",
            "reason": "owner_gone", "current_owner": ana.id, "cursor": answer["cursor"], "next": answer["next"],
        })
    );
    let taken = take_over(&mut bo, &answer, "its process is gone");
    assert_eq!((&taken["turn_id"], &taken["revoked_agent_id"]), (&json!(2), &json!(ana.id)));
    bo.release();
    world.assert_sound();
}

#[test]
fn kill_9_of_a_reserved_recipient_answers_a_pending_wait_with_recipient_gone_at_once() {
    let world = World::new();
    let (mut ana, mut bo, mut cy) = (world.agent("ana"), world.agent("bo"), world.agent("cy"));
    ana.claim();
    assert_eq!(ana.release()["reserved_for"], json!(bo.id));
    let waiting = cy.start_wait();
    bo.kill();
    let (_, answer) = cy.finish(waiting);
    assert_eq!(
        answer,
        json!({
            "status": "takeover_available", "room_id": cy.room_id, "turn_id": 1, "room_state": "recipient_gone",
            "reason": "recipient_gone", "reserved_for": bo.id, "cursor": answer["cursor"], "next": answer["next"],
        })
    );
    assert_eq!(take_over(&mut cy, &answer, "its process is gone")["turn_id"], 2);
    world.assert_sound();
}

#[test]
fn what_is_left_of_a_dead_owner_cannot_heartbeat_release_pass_or_reclaim() {
    let world = World::new();
    let (mut ana, mut bo) = (world.agent("ana"), world.agent("bo"));
    ana.claim();
    // The harness dies; its server lives on, and its connection is still open.
    ana.kill();
    let stale = json!({ "error": "stale_lease", "current_owner": ana.id, "current_turn_id": 1 });
    for (tool, arguments) in [
        ("heartbeat", json!({})),
        ("release_stick", json!({ "handoff": handoff("not quite done", "finish it") })),
        ("pass_stick", json!({ "to_agent_id": bo.id, "handoff": handoff("not quite done", "finish it") })),
    ] {
        let arguments = ana.fenced(arguments);
        assert_eq!(whose(&ana.refused(tool, arguments)), stale, "{tool}");
    }
    let (_, answer) = ana.ask("wait_for_turn", json!({ "max_wait_ms": 0 }));
    assert_eq!(answer["status"], "not_yet", "{answer}");
    let answer = bo.ok("wait_for_turn", json!({ "max_wait_ms": 0 }));
    assert_eq!(answer["reason"], "owner_gone", "{answer}");
}

#[test]
fn a_stopped_owner_is_alive_and_once_its_lease_ran_out_it_can_be_taken_over_and_its_release_is_refused() {
    let world = World::new();
    let (mut ana, mut bo) = (world.agent("ana"), world.agent("bo"));
    world.set_policy(&ana.room_id, &["--lease", "300ms", "--heartbeat", "100ms"]);
    ana.claim();
    ana.signal(Signal::STOP);
    let waiting = bo.start_wait();
    let (_, answer) = bo.finish(waiting);
    let why = ["status", "room_state", "reason"].map(|key| &answer[key]);
    assert_eq!(why, ["takeover_available", "stale_owner", "owner_timeout"], "a stopped process is not a dead one");
    assert_eq!(take_over(&mut bo, &answer, "its lease ran out")["turn_id"], 2);

    ana.signal(Signal::CONT);
    let release = ana.fenced(json!({ "handoff": handoff("back again", "never mind") }));
    let by_turn = ana.refused("release_stick", release.clone());
    // The turn is judged before the lease, so the old fence as a whole is a turn mismatch, ...
    assert_eq!(whose(&by_turn), json!({ "error": "turn_mismatch", "current_owner": bo.id, "current_turn_id": 2 }));
    // ... and the old lease with the turn that is current now is a stale lease.
    let mut caught_up = release;
    caught_up["expected_turn_id"] = by_turn["current_turn_id"].clone();
    let by_lease = ana.refused("release_stick", caught_up);
    assert_eq!(whose(&by_lease), json!({ "error": "stale_lease", "current_owner": bo.id, "current_turn_id": 2 }));
    bo.release();
    world.assert_sound();
}

#[test]
fn a_lease_that_ended_with_its_release_is_stale_though_its_turn_is_still_the_current_one() {
    let world = World::new();
    let (mut ana, bo) = (world.agent("ana"), world.agent("bo"));
    ana.claim();
    assert_eq!(ana.release()["reserved_for"], json!(bo.id));
    let again = ana.fenced(json!({ "handoff": handoff("once more", "never mind") }));
    let refused = ana.refused("release_stick", again);
    assert_eq!(whose(&refused), json!({ "error": "stale_lease", "current_owner": null, "current_turn_id": 1 }));
    assert_eq!(refused["room_state"], "reserved");
}

#[test]
fn a_stopped_owner_that_comes_back_before_anyone_took_over_still_holds_the_stick() {
    let world = World::new();
    let (mut ana, mut bo) = (world.agent("ana"), world.agent("bo"));
    world.set_policy(&ana.room_id, &["--lease", "300ms", "--heartbeat", "100ms"]);
    ana.claim();
    ana.signal(Signal::STOP);
    let waiting = bo.start_wait();
    assert_eq!(bo.finish(waiting).1["reason"], "owner_timeout");
    ana.signal(Signal::CONT);
    let beat = ana.fenced(json!({}));
    assert_eq!(ana.ok("heartbeat", beat)["turn_id"], 1);
    assert_eq!(ana.release()["reserved_for"], json!(bo.id));
    assert_eq!(bo.claim()["turn_id"], 2);
}

/// A process namespace lets the test choose the next pid, so a pid is really used again: by `cat`, which lives.
const REUSE_A_PID: &str = r#"
set -e
room=$(BATON_AGENT_ID=test:bo "$1" join --json | sed 's/.*"room_id":"\([^"]*\)".*/\1/')
mkfifo asked answered again
# The owner: a harness, and the server that speaks for it. It joins, claims, and then waits to be killed.
BATON_AGENT_ID=test:ana sh -c '"$0" mcp; :' "$1" <asked >answered &
owner=$!
exec 8>asked 9<answered
hello='{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"ana-test","version":"1"}}'
ask() { printf '{"jsonrpc":"2.0","id":%s,"method":"%s","params":%s}\n' "$@" >&8; read -r answer <&9; echo "$answer" >&2; }
ask 1 initialize "$hello"
echo '{"jsonrpc":"2.0","method":"notifications/initialized"}' >&8
ask 2 tools/call '{"name":"join_path","arguments":{"context_path":"."}}'
ask 3 tools/call '{"name":"wait_for_turn","arguments":{"room_id":"'"$room"'"}}'
BATON_AGENT_ID=test:bo "$1" status >&2
kill -9 $owner
wait $owner || :
echo $((owner - 1)) >/proc/sys/kernel/ns_last_pid
cat again &
test $! = $owner
BATON_AGENT_ID=test:bo "$1" wait --timeout 0 --json || echo "exit $?"
"#;

#[test]
fn a_reused_pid_is_not_mistaken_for_the_owner() {
    let world = World::new();
    let attempt = |flags: &[&str]| {
        let mut command = world.command("unshare");
        command.args(flags).args(["--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.args(["sh", "-c", REUSE_A_PID, "sh", env!("CARGO_BIN_EXE_baton")]);
        Ran::of(command)
    };
    let privileged = attempt(&[]);
    let ran = if privileged.stderr.contains("unshare") { attempt(&["--user", "--map-root-user"]) } else { privileged };
    if ran.stderr.contains("unshare") {
        panic!("this machine grants no process namespace, so no pid can be chosen; run as root: {}", ran.stderr);
    }
    let (answer, exit) = ran.stdout.split_once('\n').unwrap_or_else(|| panic!("{ran:?}"));
    let answer: Value = serde_json::from_str(answer).unwrap_or_else(|error| panic!("{error}: {ran:?}"));
    assert_eq!(exit, "exit 11\n", "{ran:?}");
    let why = ["status", "reason", "current_owner"].map(|key| &answer["data"][key]);
    assert_eq!(why, ["takeover_available", "owner_gone", "test:ana"], "{ran:?}");
}

fn take_over(agent: &mut Agent, open: &Value, reason: &str) -> Value {
    agent.ok("takeover_stick", json!({ "expected_turn_id": open["turn_id"], "reason": reason }))
}

/// The parts of a refusal that tell a stale owner where the stick is now.
fn whose(refusal: &Value) -> Value {
    ["error", "current_owner", "current_turn_id"]
        .into_iter()
        .map(|key| (key.to_owned(), refusal[key].clone()))
        .collect()
}
