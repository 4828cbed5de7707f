//! `baton start`: one question, everything in its place, and nobody a member because of it.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
    path::PathBuf,
    process::Command,
    thread,
};

use baton_app::{environment::Environment, programs::find_on_path};
use rustix::process::{Pid, PidfdFlags, Signal, getpgid, kill_process, pidfd_open};
use serde_json::{Value, json};

use crate::support::{Ran, World, ready};

const HERE: &str = "127.0.0.1:0";

/// A repository, a home where Claude Code and Codex have been, and a path with nothing but git and a shell.
fn world() -> World {
    let world = World::new().with_repository();
    fs::create_dir(world.home().join(".claude")).unwrap();
    fs::create_dir(world.home().join(".codex")).unwrap();
    fs::create_dir(world.root().join("bin")).unwrap();
    let search = Environment::read().var_os("PATH").unwrap().to_owned();
    for program in ["git", "bash"] {
        symlink(find_on_path(program, &search).unwrap(), world.root().join("bin").join(program)).unwrap();
    }
    world
}

fn command(world: &World, arguments: &[&str]) -> Command {
    let mut command = world.baton(arguments);
    command.env("PATH", world.root().join("bin"));
    command
}

fn run(world: &World, arguments: &[&str]) -> Ran {
    Ran::of(command(world, arguments))
}

/// The `data` of `baton start` with these flags, which must succeed.
fn start(world: &World, flags: &[&str]) -> Value {
    let ran = run(world, &[&["start", "--json"], flags].concat());
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.json()["data"].clone()
}

/// Every file that an installation could have touched, and whether there is a store.
fn files(world: &World) -> (Vec<(PathBuf, Vec<u8>)>, bool) {
    let places = [world.home(), world.workspace()];
    (places.iter().flat_map(|place| World::files(place)).collect(), world.data().exists())
}

fn members(world: &World, room: &Value) -> Vec<Value> {
    let state = world.data_of(&["room", "state", "--room", room.as_str().unwrap()]);
    state["members"].as_array().unwrap().iter().map(|member| member["agent_id"].clone()).collect()
}

/// The server of a world in the background, if there is one. It ends with the test.
struct Server(PathBuf);

impl Server {
    fn of(world: &World) -> Self {
        Self(world.data().join("up.json"))
    }

    fn pid(&self) -> Option<Pid> {
        let facts: Value = serde_json::from_slice(&fs::read(&self.0).ok()?).ok()?;
        Pid::from_raw(i32::try_from(facts["pid"].as_i64()?).ok()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        if let Some(pid) = self.pid() {
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

#[test]
fn without_a_terminal_nothing_is_written_and_all_of_it_is_named() {
    let world = world();
    let before = files(&world);
    let ran = run(&world, &["start", "--up", "--json"]);
    assert_eq!((ran.status, ran.code().as_str()), (3, "PRECONDITION_FAILED"), "{ran:?}");
    let error = &ran.json()["error"];
    assert_eq!(error["next"], "To have it done: baton start --yes --up");
    let would: Vec<_> = error["would"].as_array().unwrap().iter().map(|step| step.as_str().unwrap()).collect();
    for file in [".claude.json", ".claude/skills/baton/hooks/hooks.json", ".codex/config.toml", ".codex/hooks.json"] {
        let path = world.home().join(file);
        assert!(would.iter().any(|step| step.ends_with(path.to_str().unwrap())), "{file}: {would:?}");
    }
    let room = format!("open a room for {}", world.workspace().display());
    assert!(would.contains(&room.as_str()) && would.last().unwrap().starts_with("start a server"), "{would:?}");
    let page = run(&world, &["start"]);
    assert!(page.stdout.is_empty() && page.stderr.contains(&room), "{page:?}");
    assert_eq!(files(&world), before);
}

#[test]
fn a_second_run_changes_nothing_and_nobody_is_a_member() {
    let world = world();
    let ready = start(&world, &["--yes"]);
    assert_eq!(
        (&ready["changed"], &ready["room"]["opened"], &ready["is_repository"]),
        (&json!(true), &json!(true), &json!(true))
    );
    let agents: Vec<_> = ready["agents"].as_array().unwrap().iter().collect();
    let told: Vec<_> =
        agents.iter().map(|agent| (agent["program"].as_str(), agent["asks_for_trust"].as_bool())).collect();
    assert_eq!(told, [(Some("claude"), Some(false)), (Some("codex"), Some(true))]);
    assert_eq!(members(&world, &ready["room"]["room_id"]), Vec::<Value>::new());
    let before = files(&world);

    let again = start(&world, &[]);
    assert_eq!((&again["changed"], &again["room"]["opened"]), (&json!(false), &json!(false)), "{again}");
    assert_eq!(again["room"]["room_id"], ready["room"]["room_id"]);
    assert_eq!(files(&world), before);
    let page = run(&world, &["start"]);
    assert!(page.stdout.starts_with("Everything is ready: "), "{page:?}");
    for words in ["  claude  then: /baton:status\n", "baton start --trust-hooks", "baton room policy --guard off"] {
        assert!(page.stdout.contains(words), "{page:?}");
    }
    let hooks = run(&world, &["doctor", "--json"]).json()["data"]["hooks"].clone();
    assert_eq!((&hooks[0]["state"], &hooks[1]["state"]), (&json!("active"), &json!("not_trusted")));

    assert_eq!(start(&world, &["--yes", "--trust-hooks"])["agents"][1]["asks_for_trust"], json!(false));
    assert_eq!(start(&world, &["--trust-hooks"])["changed"], json!(false));
}

#[test]
fn a_person_is_asked_once_and_may_say_no() {
    let world = world();
    let before = files(&world);
    let path = format!("PATH={}", world.root().join("bin").display());
    let at_terminal = |typed: &str| {
        let mut terminal = world.terminal();
        terminal.starts_by_way_of(&["env", &path], &["start"]);
        terminal.types(typed);
        terminal.ends()
    };
    for no in ["n\n", "what?\n", "\u{4}"] {
        let refused = at_terminal(no);
        assert_eq!((refused.status, files(&world) == before), (3, true), "{refused:?}");
        assert!(refused.stdout.contains("baton start --no-install"), "{refused:?}");
    }
    let done = at_terminal("\n");
    assert_eq!((done.status, done.stdout.matches("Go on? [Y/n]").count()), (0, 1), "{done:?}");
    assert!(done.stdout.contains("Claude Code: write ") && done.stdout.contains("\nStart them here"), "{done:?}");
    let again = at_terminal("");
    assert!(again.stdout.starts_with("Everything is ready") && again.status == 0, "{again:?}");
}

#[test]
fn an_agent_that_is_alone_stays_alone_and_a_member_stays_one() {
    let world = world();
    let mut terminal = world.terminal();
    assert_eq!(terminal.run(&["start", "--yes", "--no-install"]).status, 0);
    let edit = json!({
        "session_id": "s1", "cwd": world.workspace(), "hook_event_name": "PreToolUse", "tool_name": "Write",
        "tool_input": { "file_path": world.workspace().join("a.txt"), "content": "x" }, "tool_use_id": "t1",
    });
    let answer = Ran::with_input(world.baton(&["hook", "claude-code"]), &edit.to_string());
    assert!(answer.stdout.contains("you are alone in this room"), "{answer:?}");

    assert_eq!(terminal.run(&["join"]).status, 0);
    let room = start(&world, &["--no-install"])["room"]["room_id"].clone();
    assert_eq!(terminal.run(&["start", "--no-install"]).status, 0);
    assert!(members(&world, &room).contains(&json!(terminal.person())));
}

#[test]
fn choices_of_an_earlier_installation_stay() {
    let world = world();
    let chosen = ["install", "claude-code", "gemini", "--strict", "--wake", "stop-hook", "--status-line"];
    assert_eq!(run(&world, &chosen).status, 0);
    assert_eq!(run(&world, &["install", "gemini", "--wake", "steer"]).status, 0);
    assert_eq!(run(&world, &["install", "codex", "--trust-hooks"]).status, 0);
    let before = files(&world).0;
    let ready = start(&world, &["--yes"]);
    assert_eq!(files(&world).0, before, "{ready}");
    fs::remove_file(world.home().join(".claude/skills/baton/SKILL.md")).unwrap();
    start(&world, &["--yes"]);
    assert_eq!(files(&world).0, before);
}

#[test]
fn without_an_installation_only_the_room_is_opened() {
    let world = world();
    let before = files(&world).0;
    let ready = start(&world, &["--no-install", "--yes"]);
    assert_eq!(files(&world).0, before);
    assert!(!ready["agents"][0]["missing"].as_array().unwrap().is_empty(), "{ready}");
    let page = run(&world, &["start", "--no-install"]).stdout;
    assert!(page.starts_with("The room is ready: ") && page.contains("baton install codex"), "{page}");
}

#[test]
fn outside_of_a_repository_it_is_for_the_directory_and_says_so() {
    let world = World::new();
    let mut start = world.baton(&["start", "--yes"]);
    start.env("PATH", world.root());
    let ran = Ran::of(start);
    assert_eq!(ran.status, 0, "{ran:?}");
    let place = format!("This is not a git repository, so the room is for {}", world.workspace().display());
    assert!(ran.stdout.contains(&place) && ran.stdout.contains("No agent program is here"), "{ran:?}");
}

#[test]
fn a_configuration_that_cannot_be_read_is_refused_before_anything_is_written() {
    let world = world();
    fs::write(world.home().join(".codex/config.toml"), "this is [not").unwrap();
    let before = files(&world);
    let ran = run(&world, &["start", "--yes", "--json"]);
    assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
    let error = ran.json()["error"].to_string();
    assert!(error.contains("config.toml, line 1") && error.contains("baton start --no-install"), "{error}");
    assert_eq!(files(&world), before);
}

#[test]
fn without_an_installation_a_configuration_that_cannot_be_read_stops_nothing() {
    let world = world();
    fs::write(world.home().join(".codex/config.toml"), "this is [not").unwrap();
    let ready = start(&world, &["--no-install", "--yes"]);
    assert_eq!(ready["room"]["opened"], true, "{ready}");
    let page = run(&world, &["start", "--no-install"]).stdout;
    assert!(page.contains("its configuration cannot be read: ") && page.contains("config.toml, line 1"), "{page}");
}

#[test]
fn a_repository_that_has_baton_needs_none_for_the_user() {
    let world = world();
    assert_eq!(run(&world, &["install", "--project", "claude-code", "codex", "--strict"]).status, 0);
    let before = files(&world).0;
    let ready = start(&world, &["--yes"]);
    assert_eq!(files(&world).0, before, "{ready}");
    let page = run(&world, &["doctor"]).stdout;
    assert_eq!(page.matches("registered in this repository, skill installed").count(), 2, "{page}");
    fs::remove_file(world.workspace().join(".codex/hooks.json")).unwrap();
    start(&world, &["--yes"]);
    assert!(world.home().join(".codex/hooks.json").exists() && !world.home().join(".claude.json").exists());
}

#[test]
fn a_server_comes_up_in_the_background_and_stays() {
    let world = world();
    let server = Server::of(&world);
    let first = start(&world, &["--yes", "--up", "--listen", HERE]);
    let pid = server.pid().unwrap();
    assert_eq!((&first["server"]["was_up"], first["server"]["login"].is_string()), (&json!(false), true), "{first}");
    assert_eq!(getpgid(Some(pid)).unwrap(), pid, "it has a process group of its own");
    let log = PathBuf::from(first["server"]["log"].as_str().unwrap());
    assert_eq!(fs::metadata(&log).unwrap().permissions().mode() & 0o777, 0o600);
    assert!(!fs::read_to_string(&log).unwrap().contains("ticket="), "the way in is not kept");
    let again = start(&world, &["--up"]);
    assert_eq!((&again["changed"], &again["server"]["was_up"]), (&json!(false), &json!(true)));
    assert_eq!(again["server"]["pid"], first["server"]["pid"]);
    assert_eq!(again["server"]["login"], Value::Null, "nobody sits at a terminal");
    let page = world.at_terminal(&["start", "--up", "--no-install"]).stdout;
    assert!(page.contains("Baton was up already.") && page.contains("/login?ticket="), "{page}");
    let ends = pidfd_open(pid, PidfdFlags::empty()).unwrap();
    kill_process(pid, Signal::TERM).unwrap();
    assert!(ready(&ends), "it ends when it is told to");
    assert!(!world.data().join("up.json").exists());
}

#[test]
fn two_at_once_bring_up_one_server() {
    let world = world();
    let _server = Server::of(&world);
    let servers = thread::scope(|scope| {
        let starting: Vec<_> = (0..4)
            .map(|_| scope.spawn(|| start(&world, &["--yes", "--no-install", "--up", "--listen", HERE])))
            .collect();
        starting.into_iter().map(|started| started.join().unwrap()).collect::<Vec<_>>()
    });
    let pid = &servers[0]["server"]["pid"];
    assert!(servers.iter().all(|started| started["server"]["pid"] == *pid), "{servers:?}");
    assert_eq!(servers.iter().filter(|started| started["server"]["was_up"] == false).count(), 1);
}

#[test]
fn a_server_that_cannot_listen_says_why() {
    let world = world();
    let taken = std::net::TcpListener::bind(HERE).unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let ran = run(&world, &["start", "--yes", "--up", "--listen", &address, "--json"]);
    assert!(ran.status != 0 && ran.json()["error"]["message"].as_str().unwrap().contains(&address), "{ran:?}");
}
