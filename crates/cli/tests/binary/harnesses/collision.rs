//! The collision that users report: two programs of different vendors change one file at once.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{
    fs,
    path::Path,
    sync::{Arc, Barrier},
};

use baton_testkit::{
    Client, ClientHome, Launch,
    clients::left_out,
    model::{Model, Script, Step},
};
use serde_json::json;

use super::scene::harness;
use crate::support::{Ran, World};

/// As often as the story must come out the same.
const RUNS: usize = 20;

const PROGRAMS: [Client; 2] = [Client::Claude, Client::Codex];

/// How a program writes the file.
#[derive(Clone, Copy)]
enum Way {
    /// By its tool for files. Claude Code's notices a file that changed since it was read.
    Tool,
    /// By a shell command, which notices nothing.
    Shell,
}

/// When a program writes, once both have read.
#[derive(Clone)]
enum Start {
    AtOnce,
    /// Only after the other program has ended, with what it read before.
    Late(Arc<Barrier>),
}

/// A script that ignores the skill: both read the file, and then both write it whole with a line more. Who is refused does what
/// the refusal says, as a model does: it waits for its turn, and begins again with what it reads then.
fn steps(
    file: &Path,
    room: &str,
    line: &'static str,
    way: Way,
    both_have_read: &Arc<Barrier>,
    start: Start,
) -> Vec<Step> {
    let with_line = {
        let file = file.to_owned();
        move || {
            let before = fs::read_to_string(&file).unwrap();
            match way {
                Way::Tool => Step::write_file(&file, &format!("{before}{line}\n")),
                Way::Shell => Step::shell(&format!("cat > shared.txt <<'END'\n{before}{line}\nEND")),
            }
        }
    };
    let (first, again, barrier, room) = (with_line.clone(), with_line, Arc::clone(both_have_read), room.to_owned());
    let waited_in = room.clone();
    // Claude Code notices by itself that a file changed since it was read, if that was before its own call.
    let is_refused = |said: &str| said.contains("Baton:") || said.contains("modified since read");
    vec![
        Step::decide(move |_| {
            let write = first();
            barrier.wait();
            if let Start::Late(other_has_ended) = &start {
                other_has_ended.wait();
            }
            write
        }),
        Step::decide(move |turn| match is_refused(turn.result_text(0)) {
            true => Step::call("wait_for_turn", json!({"room_id": waited_in, "max_wait_ms": 50_000})),
            false => Step::shell("true"),
        }),
        Step::decide(move |turn| {
            match is_refused(turn.result_text(0)) && turn.result_text(1).contains("takeover_available") {
                true => take_over(&room, turn.result_text(1)),
                false => Step::shell("true"),
            }
        }),
        Step::decide(move |turn| if is_refused(turn.result_text(0)) { again() } else { Step::shell("true") }),
        Step::decide(move |turn| {
            assert!(!is_refused(turn.result_text(3)), "{:?}", turn.results);
            Step::say("done")
        }),
    ]
}

/// A program whose exit cuts its hook off leaves the stick to be taken over.
fn take_over(room: &str, offer: &str) -> Step {
    let digits = offer.split("\"turn_id\":").nth(1).unwrap().trim_start();
    let turn: u64 = digits.split(|c: char| !c.is_ascii_digit()).next().unwrap().parse().unwrap();
    Step::call("takeover_stick", json!({"room_id": room, "expected_turn_id": turn, "reason": "its process is gone"}))
}

/// The lines that are in the file after both have written it, by a policy for the room. `late` is a program that writes only
/// after the other one has ended.
fn lines_left(guard: &str, way: Way, late: Option<Client>) -> Vec<String> {
    let (world, model) = (World::new(), Model::start());
    let homes = PROGRAMS.map(|client| {
        let name = harness(client);
        let home = ClientHome::new(&world.home().join(name)).all(&model.url(name));
        let mut install = world.baton(&["install", name]);
        install.args((client == Client::Codex).then_some("--trust-hooks")).envs(home.environment());
        let ran = Ran::of(install);
        assert_eq!(ran.status, 0, "{ran:?}");
        home
    });
    let terminal = world.terminal().run(&["join"]);
    assert_eq!(terminal.status, 0, "{terminal:?}");
    let policy = world.data_at_terminal(&["room", "policy", "--guard", guard]);
    let room = policy["room_id"].as_str().unwrap();
    let file = world.workspace().join("shared.txt");
    fs::write(&file, "").unwrap();
    let both_have_read = Arc::new(Barrier::new(PROGRAMS.len()));
    let other_has_ended = Arc::new(Barrier::new(2));
    let scripts: Vec<Script> = PROGRAMS
        .iter()
        .map(|client| {
            let start = if late == Some(*client) { Start::Late(Arc::clone(&other_has_ended)) } else { Start::AtOnce };
            let steps = steps(&file, room, harness(*client), way, &both_have_read, start);
            model.script(harness(*client), steps)
        })
        .collect();
    let mut started: Vec<_> = PROGRAMS
        .iter()
        .zip(&homes)
        .map(|(client, home)| (*client, Launch::new(*client, home, &world.workspace()).headless("Add your line.")))
        .collect();
    // The late one is waited for last.
    started.sort_by_key(|(client, _)| late == Some(*client));
    for (client, program) in started {
        if late == Some(client) {
            other_has_ended.wait();
        }
        let ended = program.wait();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
    }
    scripts.iter().for_each(Script::finished);
    let mut lines: Vec<String> = fs::read_to_string(&file).unwrap().lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

#[test]
fn no_edit_is_lost_however_often_two_programs_change_one_file_at_once() {
    if left_out() {
        return;
    }
    for run in 0..RUNS {
        let way = if run % 2 == 0 { Way::Tool } else { Way::Shell };
        assert_eq!(lines_left("on", way, None), ["claude-code", "codex"], "run {run}");
    }
}

#[test]
fn an_edit_that_was_read_before_a_turn_of_somebody_who_is_gone_by_now_is_not_lost() {
    if left_out() {
        return;
    }
    for late in PROGRAMS {
        for way in [Way::Tool, Way::Shell] {
            assert_eq!(lines_left("on", way, Some(late)), ["claude-code", "codex"], "{late:?} late");
        }
    }
}

#[test]
fn without_the_guard_an_edit_is_lost() {
    if left_out() {
        return;
    }
    // One overwrites the other, or both are mixed in one file.
    assert_ne!(lines_left("off", Way::Shell, None), ["claude-code", "codex"]);
}
