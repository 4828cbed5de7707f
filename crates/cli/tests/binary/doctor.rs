//! `baton doctor` and hooks: each is run as it is installed, and nothing else is.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{fs, path::PathBuf};

use baton_app::environment::Environment;
use baton_testkit::script;
use serde_json::{Value, json};

use crate::support::{BATON, Ran, World};

const HARNESSES: [&str; 4] = ["claude-code", "codex", "gemini", "opencode"];
const CODEX: &str = ".codex/hooks.json";
const GEMINI: &str = ".gemini/settings.json";

/// A home in which Baton is installed in all four programs, and trusted.
fn installed() -> World {
    let world = World::new().with_repository();
    world.data_of(&["install", "claude-code", "codex", "gemini", "opencode", "--trust-hooks"]);
    world
}

/// The search path of the tests, with more directories before it.
fn path_with(first: &[&str]) -> String {
    let usual = Environment::read().var("PATH").unwrap_or_default().to_owned();
    [first, &[usual.as_str()]].concat().join(":")
}

fn directory_of_baton() -> String {
    PathBuf::from(BATON).parent().unwrap().to_str().unwrap().to_owned()
}

fn examined_with(world: &World, variables: &[(&str, &str)]) -> Value {
    let mut command = world.baton(&["doctor", "--json"]);
    command.envs(variables.iter().copied());
    let ran = Ran::of(command);
    assert_eq!(ran.status, 0, "{ran:?}");
    ran.json()["data"].clone()
}

fn hooks_of(data: &Value, harness: &str) -> Value {
    data["hooks"].as_array().unwrap().iter().find(|hooks| hooks["harness"] == harness).unwrap().clone()
}

/// The state of one program's hooks, with the reason.
fn state(world: &World, harness: &str) -> (String, String) {
    let hooks = hooks_of(&examined_with(world, &[]), harness);
    let text = |field: &str| hooks[field].as_str().unwrap_or_default().to_owned();
    (text("state"), text("why"))
}

fn edit(path: PathBuf, from: &str, to: &str) {
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replace(from, to)).unwrap();
}

#[test]
fn installed_hooks_are_run_and_answer() {
    let world = installed();
    let data = examined_with(&world, &[]);
    for harness in HARNESSES {
        let hooks = hooks_of(&data, harness);
        assert_eq!((&hooks["state"], &hooks["next"]), (&json!("active"), &Value::Null), "{hooks}");
        let level = &hooks["levels"][0];
        assert!(level["level"] == "user" && level["elapsed_ms"].is_u64() && level["program"] == BATON, "{hooks}");
        assert_eq!(level["command"][0], BATON);
    }
    let page = world.run(&["doctor"]).stdout;
    assert_eq!(page.matches("hooks active (").count(), 4, "{page}");
    assert!(page.contains("git-hook     not installed: baton install git-hook\n"), "{page}");
    let rooms = world.data_of(&["room", "list", "--all"]);
    assert_eq!(rooms["rooms"], json!([]), "a sample leaves nothing behind");
}

#[test]
fn a_program_without_hooks_is_told_how_to_get_them() {
    let world = World::new();
    fs::create_dir(world.home().join(".gemini")).unwrap();
    let mut command = world.baton(&["doctor", "--json"]);
    command.env("PATH", world.root());
    let data = Ran::of(command).json()["data"].clone();
    assert_eq!(data["git_hook"], Value::Null, "this is no repository");
    let expected = json!({
        "harness": "gemini", "state": "not_installed", "why": null, "next": "baton install gemini", "levels": [],
    });
    assert_eq!(data["hooks"], json!([expected]));
}

#[test]
fn codex_is_not_trusted_until_a_person_says_so() {
    let world = World::new();
    world.data_of(&["install", "codex"]);
    assert_eq!(state(&world, "codex").0, "not_trusted");
    let line = world.run(&["doctor"]).stdout;
    assert!(line.contains("start codex and choose Trust, or baton install codex --trust-hooks\n"), "{line}");
    world.data_of(&["install", "codex", "--trust-hooks"]);
    assert_eq!(state(&world, "codex").0, "active");
    edit(world.home().join(".codex/config.toml"), "sha256:", "sha256:0");
    assert_eq!(state(&world, "codex").0, "modified");
}

#[test]
fn a_changed_hook_is_modified_and_not_run() {
    let world = installed();
    let marker = world.root().join("ran");
    edit(world.home().join(CODEX), "hook codex", &format!("hook codex; touch {}", marker.display()));
    edit(world.home().join(GEMINI), "\"timeout\": 10000", "\"timeout\": 20000");
    for harness in ["codex", "gemini"] {
        let (state, why) = state(&world, harness);
        assert!(state == "modified" && why.contains("is not as Baton writes it"), "{harness}: {why}");
    }
    assert!(!marker.exists());
}

#[test]
fn settings_and_a_second_installation_shadow_hooks() {
    let world = installed();
    fs::write(world.home().join(".claude/settings.json"), "{\"disableAllHooks\": true}").unwrap();
    world.write(".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}");
    let config = world.home().join(".codex/config.toml");
    fs::write(&config, format!("{}\n[features]\nhooks = false\n", fs::read_to_string(&config).unwrap())).unwrap();
    for (harness, setting) in
        [("claude-code", "disableAllHooks"), ("gemini", "hooksConfig.enabled"), ("codex", "[features] hooks = false")]
    {
        let (state, why) = state(&world, harness);
        assert!(state == "shadowed" && why.contains(setting), "{harness}: {state}: {why}");
    }
    world.data_of(&["install", "opencode", "--project"]);
    let path = path_with(&[&directory_of_baton()]);
    let hooks = hooks_of(&examined_with(&world, &[("PATH", &path)]), "opencode");
    assert_eq!((&hooks["state"], &hooks["next"]), (&json!("shadowed"), &json!("baton uninstall opencode")));
    let levels: Vec<_> = hooks["levels"].as_array().unwrap().iter().map(|level| &level["state"]).collect();
    assert_eq!(levels, ["active", "active"], "{hooks}");
}

#[test]
fn hooks_of_another_program_or_store_are_stale() {
    let world = installed();
    world.data_of(&["install", "gemini", "--store", "../other"]);
    assert_eq!(state(&world, "gemini"), ("stale".to_owned(), "they use another store than this shell".to_owned()));
    let gone = world.root().join("gone/baton");
    edit(world.home().join(".config/opencode/plugins/baton.js"), BATON, gone.to_str().unwrap());
    assert_eq!(
        state(&world, "opencode"),
        ("stale".to_owned(), format!("they run {}, which is not there", gone.display()))
    );
    let other = world.root().join("other-baton");
    fs::copy(BATON, &other).unwrap();
    edit(world.home().join(".claude/skills/baton/hooks/hooks.json"), BATON, other.to_str().unwrap());
    let (is, why) = state(&world, "claude-code");
    assert!(is == "stale" && why.starts_with(&format!("they run {}", other.display())), "{why}");
    edit(world.home().join(".claude/skills/baton/.claude-plugin/plugin.json"), env!("CARGO_PKG_VERSION"), "0.0.1");
    let (is, why) = state(&world, "claude-code");
    assert!(is == "stale" && why.starts_with("they are those of Baton 0.0.1"), "{why}");
}

#[test]
fn advice_to_install_again_keeps_the_choices_of_the_installation() {
    let world = World::new().with_repository();
    let chosen = [("gemini", " --wake park --strict --confine"), ("claude-code", " --strict --status-line")];
    for (harness, options) in chosen {
        let install = format!("install {harness} --store ../other{options}");
        world.data_of(&install.split(' ').collect::<Vec<_>>());
        let hooks = hooks_of(&examined_with(&world, &[]), harness);
        let next = format!("baton install {harness}{options}");
        assert_eq!((&hooks["state"], &hooks["next"]), (&json!("stale"), &json!(next)), "{hooks}");
        world.data_of(&next.split(' ').skip(1).collect::<Vec<_>>());
        assert_eq!(state(&world, harness).0, "active");
    }
    fs::remove_file(world.home().join(".claude.json")).unwrap();
    let line = world.run(&["doctor"]).stdout;
    assert!(line.contains("not registered: baton install claude-code --strict --status-line"), "{line}");
}

#[test]
fn a_hook_that_does_not_answer_as_it_should_is_failing() {
    let world = installed();
    let shell = world.root().join("shell");
    for (answer, problem) in [
        ("exit 3", "it ended with exit status: 3"),
        ("echo hello", "its answer is not JSON"),
        ("echo '{\"ok\": true}'", "its answer is none that Codex understands"),
    ] {
        script(&shell, &format!("#!/bin/sh\n{answer}\n"));
        let hooks = hooks_of(&examined_with(&world, &[("SHELL", shell.to_str().unwrap())]), "codex");
        assert_eq!((&hooks["state"], &hooks["why"]), (&json!("failing"), &json!(problem)), "{answer}");
    }
}

#[test]
fn hooks_of_a_repository_are_run_if_they_are_this_program() {
    let world = World::new().with_repository();
    world.data_of(&["install", "claude-code", "gemini", "opencode", "--project"]);
    let path = path_with(&[&directory_of_baton()]);
    let data = examined_with(&world, &[("PATH", &path)]);
    for harness in ["claude-code", "gemini", "opencode"] {
        let hooks = hooks_of(&data, harness);
        assert_eq!((&hooks["state"], &hooks["levels"][0]["level"]), (&json!("active"), &json!("project")), "{hooks}");
    }
    assert_eq!(data["git_hook"]["state"], "installed");
    edit(world.workspace().join(".git/hooks/pre-commit"), "baton='baton'", "baton='/old/baton'");
    assert_eq!(examined_with(&world, &[])["git_hook"]["state"], "stale");
}

/// A home directory that is a repository has one file for both levels.
#[test]
fn the_home_directory_as_a_repository_is_one_level() {
    let world = installed();
    let mut init = world.command("git");
    init.args(["init", "--quiet"]).current_dir(world.home());
    assert_eq!(Ran::of(init).status, 0);
    let mut doctor = world.baton(&["doctor", "--json"]);
    doctor.current_dir(world.home());
    let data = Ran::of(doctor).json()["data"].clone();
    for harness in ["claude-code", "codex", "gemini"] {
        let hooks = hooks_of(&data, harness);
        assert_eq!((&hooks["state"], hooks["levels"].as_array().unwrap().len()), (&json!("active"), 1), "{hooks}");
    }
}

#[test]
fn nothing_in_a_hostile_repository_is_run() {
    let world = World::new().with_repository();
    world.data_of(&["install", "codex", "--trust-hooks"]);
    let (repository, marker) = (world.workspace(), world.root().join("ran"));
    let evil = format!("#!/bin/sh\ntouch {}\nexec {BATON} \"$@\"\n", marker.display());
    fs::create_dir(repository.join("bin")).unwrap();
    let programs = ["baton", "bin/baton", "bash", "sh", "git", "touch"].map(|name| repository.join(name));
    programs.iter().for_each(|program| script(program, &evil));
    script(&repository.join(".git/hooks/pre-commit"), &evil);
    let here = repository.display();
    let touch = format!("touch {}", marker.display());
    let commands = [
        format!("{touch}; baton hook SLUG"),
        "./baton hook SLUG".to_owned(),
        format!("{here}/baton hook SLUG"),
        format!("/bin/sh -c 'command -v baton >/dev/null 2>&1 || exit 0; {touch}; exec baton hook SLUG'"),
        "/bin/sh -c 'command -v ./baton >/dev/null 2>&1 || exit 0; exec ./baton hook SLUG'".to_owned(),
        format!("command -v {here}/baton >/dev/null 2>&1 || exit 0; exec {here}/baton hook SLUG"),
        format!("/bin/sh -c 'command -v baton >/dev/null 2>&1 || exit 0; exec baton --store {here}/store hook SLUG'"),
        // The very form that Baton writes, which finds another program on the path.
        "/bin/sh -c 'command -v baton >/dev/null 2>&1 || exit 0; exec baton hook SLUG'".to_owned(),
        "command -v baton >/dev/null 2>&1 || exit 0; exec baton hook SLUG".to_owned(),
    ];
    // As Baton writes them, and then with one command changed.
    world.data_of(&["install", "claude-code", "codex", "gemini", "opencode", "--project", "--without", "git-hook"]);
    let files = [
        ("claude-code", ".claude/skills/baton/hooks/hooks.json"),
        ("codex", CODEX),
        ("gemini", GEMINI),
        ("opencode", ".opencode/plugins/baton.js"),
    ];
    let originals = files.map(|(_, file)| fs::read_to_string(repository.join(file)).unwrap());
    let paths = [".".to_owned(), "bin".to_owned(), format!("{here}/bin"), String::new()];
    for command in &commands {
        for ((harness, file), original) in files.iter().zip(&originals) {
            world.write(file, &with_command(harness, original, &command.replace("SLUG", harness)));
        }
        for path in &paths {
            let path = path_with(&[path]);
            let data = examined_with(&world, &[("PATH", &path), ("SHELL", "./bash")]);
            assert!(!marker.exists(), "{command} with {path}");
            for harness in HARNESSES {
                let hooks = hooks_of(&data, harness);
                let levels = hooks["levels"].as_array().unwrap();
                let project = levels.iter().find(|level| level["level"] == "project").unwrap();
                assert!(project["state"] != "active" && project["elapsed_ms"].is_null(), "{command}: {project}");
            }
        }
    }
}

/// The text of a program's hooks in which each has this command.
fn with_command(harness: &str, original: &str, line: &str) -> String {
    match harness {
        "claude-code" => original.replace("\"baton\"", &json!(line.split(' ').next()).to_string()),
        "opencode" => original.replace("[\"baton\",", &format!("[{},", json!(line.split(' ').next()))),
        _ => {
            let mut value: Value = serde_json::from_str(original).unwrap();
            for groups in value["hooks"].as_object_mut().unwrap().values_mut() {
                for group in groups.as_array_mut().unwrap() {
                    group["hooks"][0]["command"] = json!(line);
                }
            }
            value.to_string()
        }
    }
}
