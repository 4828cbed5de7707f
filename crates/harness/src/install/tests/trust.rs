//! The trust that Codex keeps in its configuration, and hooks that share a group with those of others.

use serde_json::{Value, json};
use toml_edit::{DocumentMut, Item};

use super::super::{InstallError, Package, Places, install, plan_install, uninstall};
use super::home::{CODEX, GEMINI, Home, registration};
use crate::Harness;

const HOOKS: &str = ".codex/hooks.json";
const SLUGS: [(Harness, &str, &str); 2] =
    [(Harness::Codex, HOOKS, "PreToolUse"), (Harness::Gemini, GEMINI, "BeforeTool")];

fn trusting() -> Package {
    Package { trust_hooks: true, ..Package::default() }
}

/// The number of trusted hooks in a text that Codex can read.
fn trusted(text: &str) -> usize {
    let document: DocumentMut = text.parse().unwrap_or_else(|error| panic!("{error}\n{text}"));
    let states = document["hooks"]["state"].as_table_like().unwrap();
    states.iter().filter(|(_, state)| state.get("trusted_hash").is_some_and(Item::is_str)).count()
}

fn json_of(home: &Home, path: &str) -> Value {
    serde_json::from_str(&home.read(path)).unwrap()
}

/// Commands in all hooks of an event.
fn commands(home: &Home, path: &str, event: &str) -> Vec<String> {
    let value = json_of(home, path);
    let groups = value["hooks"][event].as_array().cloned().unwrap_or_default();
    let handlers = groups.iter().flat_map(|group| group["hooks"].as_array().cloned().unwrap_or_default());
    handlers.map(|handler| handler["command"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn trust_is_written_as_toml_and_taken_back_to_the_byte_however_the_tables_are_written() {
    let befores = [
        "hooks = {}\n",
        "hooks = { state = {} }\n",
        "hooks = { state = {} } # mine\nmodel = \"m\"\n",
        "hooks.state = {}\n",
        "hooks.other = 1\n\n[a]\nb = 1\n",
        "hooks.state.x.enabled = true\n",
        "[hooks]\nstate = {}\n",
        "[hooks]\nstate = { \"x\" = { enabled = true } }\n[a]\n",
        "[hooks.state]\nx = { enabled = true }\n",
        "hooks = { other = 1 }",
        "hooks = {other=1}\r\nmcp_servers = {}\r\n",
        "mcp_servers = {}\n",
        "mcp_servers = {} # none\n",
        "\u{feff}hooks = {}\n",
        "\u{feff}hooks = {}\r\n",
    ];
    for before in befores {
        let home = Home::with(CODEX, before);
        install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap();
        assert_eq!(trusted(&home.read(CODEX)), 9, "{before}");
        let installed = home.everything();
        assert!(!install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap().changed(), "{before}");
        assert_eq!(home.everything(), installed);
        home.uninstall(Harness::Codex);
        assert_eq!(home.read(CODEX), before);
    }
}

#[test]
fn an_entry_that_is_not_a_table_of_its_own_goes_without_a_trace() {
    for entry in [
        "mcp_servers.baton = { command = \"/opt/baton\", args = [\"mcp\"] }\n",
        "mcp_servers.baton.command = \"/opt/baton\"\nmcp_servers.baton.args = [\"mcp\"]\n",
    ] {
        let home = Home::with(CODEX, &format!("x = 1\n{entry}"));
        home.uninstall(Harness::Codex);
        assert_eq!(home.read(CODEX), "x = 1\n");
    }
}

#[test]
fn a_path_of_any_letters_is_a_key_on_one_line() {
    for name in ["it's \"here\"", "two\nlines", "tab\t\u{7f}", "back\\slash", "caf\u{e9}"] {
        for before in ["", "hooks = {}\n"] {
            let home = Home::new();
            let config = format!("{name}/config.toml");
            home.write(&config, before);
            let places = Places { codex_home: Some(home.path(name)), ..home.places() };
            install(Harness::Codex, &places, &registration(), &trusting()).unwrap();
            let text = home.read(&config);
            assert_eq!(trusted(&text), 9, "{name}");
            let document: DocumentMut = text.parse().unwrap();
            let key = format!("{}:stop:0:0", home.path(name).join("hooks.json").display());
            assert!(document["hooks"]["state"].get(&key).is_some(), "{text}");
            assert!(!text.contains("\"\"\"") && !text.contains("'''"), "{text}");
            uninstall(Harness::Codex, &places).unwrap();
            assert_eq!(home.read(&config), before);
        }
    }
}

#[test]
fn hooks_of_another_shape_are_refused_before_anything_is_written() {
    for before in ["hooks = 1\n", "[[hooks]]\na = 1\n", "hooks = { state = [] }\n", "[hooks]\nstate = \"x\"\n"] {
        let home = Home::with(CODEX, before);
        let everything = home.everything();
        let error = install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap_err();
        assert!(matches!(error, InstallError::WrongShape { .. }), "{before}: {error}");
        assert_eq!(home.everything(), everything);
    }
}

#[test]
fn a_hook_in_a_group_with_those_of_others_is_recognised_and_goes_alone() {
    for (harness, file, event) in SLUGS {
        for is_first in [true, false] {
            let home = Home::new();
            install(harness, &home.places(), &registration(), &trusting()).unwrap();
            let mut value = json_of(&home, file);
            let handlers = value["hooks"][event][0]["hooks"].as_array_mut().unwrap();
            let theirs = json!({ "type": "command", "command": "theirs" });
            handlers.insert(usize::from(is_first), theirs.clone());
            home.write(file, &serde_json::to_string_pretty(&value).unwrap());

            install(harness, &home.places(), &registration(), &trusting()).unwrap();
            let ours = |command: &&String| command.contains(&format!("hook {harness}"));
            assert_eq!(commands(&home, file, event).iter().filter(ours).count(), 1, "{}", home.read(file));
            install(harness, &home.places(), &registration(), &Package { strict: true, ..trusting() }).unwrap();
            assert_eq!(commands(&home, file, event).iter().filter(ours).count(), 1, "{}", home.read(file));
            assert!(commands(&home, file, event).contains(&"theirs".to_owned()));

            home.uninstall(harness);
            assert_eq!(commands(&home, file, event), ["theirs"], "{}", home.read(file));
            assert!(!home.read(file).contains("/opt/baton"));
        }
    }
}

#[test]
fn trust_goes_with_the_hook_also_where_its_place_has_moved() {
    let home = Home::with(CODEX, "model = \"m\"\n");
    install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap();
    let mut value = json_of(&home, HOOKS);
    let groups = value["hooks"]["PreToolUse"].as_array_mut().unwrap();
    groups.insert(0, json!({ "hooks": [{ "type": "command", "command": "theirs" }] }));
    home.write(HOOKS, &value.to_string());
    home.uninstall(Harness::Codex);
    assert_eq!(home.read(CODEX), "model = \"m\"\n");
    assert_eq!(commands(&home, HOOKS, "PreToolUse"), ["theirs"]);
}

#[test]
fn a_plan_shows_the_trust_that_it_would_write() {
    let home = Home::new();
    let plan = plan_install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap().to_string();
    install(Harness::Codex, &home.places(), &registration(), &trusting()).unwrap();
    let written = home.read(CODEX);
    let lines: Vec<&str> =
        written.lines().filter(|line| line.contains("hooks.state") || line.contains("hash")).collect();
    assert_eq!(lines.len(), 18);
    assert!(lines.iter().all(|line| plan.contains(line)), "{plan}");
}
