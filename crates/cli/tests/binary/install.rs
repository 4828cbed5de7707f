//! `baton install` and `uninstall` at the program: which harnesses are meant, and that nothing else is touched.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{Ran, World};

/// The program with a path on which no harness is, in a home where Claude Code and Codex have been.
fn world() -> World {
    let world = World::new();
    let home = world.home();
    fs::create_dir(home.join(".claude")).unwrap();
    fs::create_dir(home.join(".codex")).unwrap();
    fs::write(home.join(".claude.json"), "{\n  \"theme\": \"dark\"\n}\n").unwrap();
    fs::write(home.join(".codex/config.toml"), "# mine\nmodel = \"o9\"\n").unwrap();
    world
}

fn run(world: &World, arguments: &[&str]) -> Ran {
    let mut command = world.baton(arguments);
    command.env("PATH", world.root());
    Ran::of(command)
}

fn harnesses(world: &World) -> Value {
    run(world, &["doctor", "--json"]).json()["data"]["harnesses"].clone()
}

/// Every file of the home, by its path there.
fn files(world: &World) -> Vec<(String, Vec<u8>)> {
    let home = world.home();
    let relative = |path: &Path| path.strip_prefix(&home).unwrap().display().to_string();
    World::files(&home).into_iter().map(|(path, bytes)| (relative(&path), bytes)).collect()
}

#[test]
fn install_all_registers_the_harnesses_that_are_here_and_uninstall_all_restores_what_was() {
    let world = world();
    let before = files(&world);
    let standing = |claude: &str, codex: &str| {
        json!([
            { "harness": "claude-code", "state": claude }, { "harness": "codex", "state": codex },
            { "harness": "gemini", "state": "not here" }, { "harness": "opencode", "state": "not here" },
        ])
    };
    assert_eq!(
        harnesses(&world),
        standing(
            "not registered: baton install claude-code, skill missing",
            "not registered: baton install codex, skill missing"
        )
    );

    let installed = run(&world, &["install", "--all"]);
    assert_eq!((installed.status, installed.stderr.as_str()), (0, ""), "{installed:?}");
    let names: Vec<_> = files(&world).into_iter().map(|(name, _)| name).collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    .agents/skills/baton/SKILL.md
    .claude/skills/baton/.claude-plugin/plugin.json
    .claude/skills/baton/SKILL.md
    .claude/skills/baton/commands/handoff.md
    .claude/skills/baton/commands/status.md
    .claude/skills/baton/commands/wait.md
    .claude/skills/baton/hooks/hooks.json
    .claude.json
    .codex/config.toml
    .codex/hooks.json
    ");
    let registered = "registered, skill installed";
    assert_eq!(harnesses(&world), standing(registered, registered));
    let claude: Value = serde_json::from_slice(&fs::read(world.home().join(".claude.json")).unwrap()).unwrap();
    assert_eq!(claude["theme"], "dark");
    assert_eq!(claude["mcpServers"]["baton"]["args"], json!(["mcp"]));
    assert_eq!(claude["mcpServers"]["baton"]["env"]["BATON_DATA_DIR"], json!(world.data()));

    let uninstalled = run(&world, &["uninstall", "--all"]);
    assert_eq!((uninstalled.status, uninstalled.stderr.as_str()), (0, ""), "{uninstalled:?}");
    let texts = |files: Vec<(String, Vec<u8>)>| -> Vec<_> {
        files.into_iter().map(|(name, bytes)| (name, String::from_utf8(bytes).unwrap())).collect()
    };
    assert_eq!(texts(files(&world)), texts(before));
}

#[test]
fn the_store_of_this_shell_is_registered_in_words_that_mean_the_same_anywhere() {
    let registered = |name: &str, value: &str| {
        let world = world();
        let mut command = world.baton(&["install", "claude-code"]);
        command.env_remove("BATON_DATA_DIR").env(name, value.replace("ROOT", world.root().to_str().unwrap()));
        let ran = Ran::of(command);
        assert_eq!(ran.status, 0, "{ran:?}");
        let claude: Value = serde_json::from_slice(&fs::read(world.home().join(".claude.json")).unwrap()).unwrap();
        let env = claude["mcpServers"]["baton"]["env"].to_string();
        env.replace(world.root().to_str().unwrap(), "ROOT")
    };
    assert_eq!(registered("BATON_DATA_DIR", "~/here"), r#"{"BATON_DATA_DIR":"ROOT/home/here"}"#);
    assert_eq!(registered("TALKING_STICK_DATA_DIR", "ROOT/stick"), r#"{"BATON_DATA_DIR":"ROOT/stick"}"#);
    assert_eq!(registered("XDG_DATA_HOME", "ROOT/share"), r#"{"BATON_DATA_DIR":"ROOT/share/baton"}"#);
    assert_eq!(registered("TERM", "xterm"), "{}", "the usual one needs no words");
}

/// The four configurations, as one text.
fn configurations(world: &World) -> String {
    let homes = [".claude.json", ".codex/config.toml", ".gemini/settings.json", ".config/opencode/opencode.jsonc"];
    homes.map(|file| fs::read_to_string(world.home().join(file)).unwrap_or_default()).concat()
}

const SERVER: &str = "postgres://ana@db.example/baton?sslmode=verify-full";
/// Four server entries, and the six hooks that Gemini has in the same file.
const MENTIONS: usize = 10;
const EVERY_HARNESS: [&str; 5] = ["install", "claude-code", "codex", "gemini", "opencode"];

#[test]
fn a_server_is_registered_everywhere_whether_it_is_named_by_argument_or_by_environment() {
    let by_argument = world();
    assert_eq!(run(&by_argument, &[&EVERY_HARNESS[..], &["--store", SERVER]].concat()).status, 0);
    let by_environment = world();
    let mut command = by_environment.baton(&EVERY_HARNESS);
    command.env("BATON_STORE", SERVER);
    assert_eq!(Ran::of(command).status, 0);
    for world in [&by_argument, &by_environment] {
        let text = configurations(world);
        assert_eq!(text.matches(SERVER).count(), MENTIONS, "{text}");
        assert_eq!((text.matches("BATON_STORE").count(), text.matches("BATON_DATA_DIR").count()), (4, 0), "{text}");
    }
    run(&by_argument, &[&EVERY_HARNESS[..], &["--store", "../other"]].concat());
    let text = configurations(&by_argument);
    assert_eq!((text.matches("BATON_STORE").count(), text.matches("BATON_DATA_DIR").count()), (0, 4), "{text}");
    assert_eq!(text.matches("/work/../other").count(), MENTIONS, "a directory is named from the root: {text}");
}

#[test]
fn a_password_is_never_written_into_a_configuration() {
    let world = world();
    let before = files(&world);
    let secret = "postgres://ana:hunter2@db.example/baton";
    let mut command = world.baton(&["install", "--all", "--json"]);
    command.env("BATON_STORE", secret);
    for ran in [Ran::of(command), run(&world, &["install", "--all", "--json", "--store", secret])] {
        assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
        assert!(ran.json()["error"]["next"].as_str().unwrap().contains("~/.pgpass"), "{ran:?}");
        assert!(!ran.stdout.contains("hunter2") && ran.stderr.is_empty(), "{ran:?}");
    }
    assert_eq!(files(&world), before);
}

#[test]
fn a_file_in_an_address_is_named_from_the_root() {
    let world = world();
    let before = files(&world);
    let address = "postgres://ana@db.example/baton?sslmode=verify-full&sslrootcert=ca.pem";
    let ran = run(&world, &["install", "--all", "--json", "--store", address]);
    assert_eq!((ran.status, ran.code().as_str()), (2, "INVALID_INPUT"), "{ran:?}");
    assert!(ran.json()["error"]["message"].as_str().unwrap().contains("ca.pem"), "{ran:?}");
    assert_eq!(files(&world), before);
}

#[test]
fn doctor_shows_a_registration_of_another_store() {
    let world = world();
    run(&world, &["install", "codex", "--store", SERVER]);
    let state = harnesses(&world)[1]["state"].as_str().unwrap().to_owned();
    assert!(state.starts_with("registered as BATON_STORE=postgres://ana@db.example/baton"), "{state}");
}

#[test]
fn print_shows_what_would_be_written_and_writes_nothing() {
    let world = world();
    let before = files(&world);
    for arguments in
        [&["install", "--all", "--print"][..], &["install", "gemini", "--print"], &["uninstall", "--all", "--print"]]
    {
        let ran = run(&world, arguments);
        assert_eq!(ran.status, 0, "{ran:?}");
        assert!(!ran.stdout.is_empty());
        assert_eq!(files(&world), before, "{arguments:?}");
    }
    assert!(run(&world, &["install", "codex", "--print"]).stdout.contains("[mcp_servers.baton]"));
}

#[test]
fn a_second_install_changes_nothing() {
    let world = world();
    run(&world, &["install", "--all"]);
    let before = files(&world);
    let again = run(&world, &["install", "--all", "--json"]);
    assert_eq!(again.status, 0);
    assert_eq!(files(&world), before);
    let changed: Vec<_> = again.json()["data"].as_array().unwrap().iter().map(|done| done["changed"].clone()).collect();
    assert_eq!(changed, [json!(false), json!(false), Value::Null, Value::Null], "{again:?}");
}

#[test]
fn a_configuration_that_cannot_be_parsed_is_left_alone_and_fails_the_command() {
    let world = world();
    fs::write(world.home().join(".claude.json"), "{ this is not").unwrap();
    let ran = run(&world, &["install", "--all"]);
    assert_eq!(ran.status, 1, "{ran:?}");
    assert_eq!(fs::read_to_string(world.home().join(".claude.json")).unwrap(), "{ this is not");
    assert!(fs::read_to_string(world.home().join(".codex/config.toml")).unwrap().contains("[mcp_servers.baton]"));
}
