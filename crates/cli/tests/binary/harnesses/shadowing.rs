//! Settings that keep hooks from running: doctor says so where the real program runs none, and only there.
#![expect(clippy::unwrap_used, reason = "these helpers are part of tests, where a failed step ends the test")]

use std::{fs, io::Write as _, path::PathBuf};

use baton_testkit::{Client, clients::left_out, model::Step};

use super::{
    for_each_client,
    scene::{Scene, harness, text},
};
use crate::support::Ran;

/// A way to keep a program from running its hooks.
enum Switch {
    /// Text at the end of a file of the workspace.
    Workspace(&'static str, &'static str),
    /// Text at the end of Codex's own configuration.
    Codex(&'static str),
    Variable(&'static str, &'static str),
}

const fn switches(client: Client) -> &'static [Switch] {
    match client {
        Client::Claude => &[
            Switch::Workspace(".claude/settings.json", "{\"disableAllHooks\": true}"),
            Switch::Workspace(".claude/settings.json", "{\"enabledPlugins\": {\"baton@skills-dir\": false}}"),
            Switch::Variable("CLAUDE_CODE_SIMPLE", "1"),
        ],
        Client::Codex => {
            &[Switch::Codex("\n[features]\nhooks = false\n"), Switch::Codex("\n[features]\ncodex_hooks = false\n")]
        }
        Client::Gemini => &[
            Switch::Workspace(".gemini/settings.json", "{\"hooksConfig\": {\"enabled\": false}}"),
            Switch::Workspace(".gemini/settings.json", "{\"hooksConfig\": {\"disabled\": [\"baton-guard\"]}}"),
        ],
        Client::OpenCode => &[Switch::Variable("OPENCODE_PURE", "1")],
    }
}

fn doctor_says_shadowed_where_no_hook_runs(client: Client) {
    if left_out() {
        return;
    }
    let is_stopped = |switch: Option<&Switch>| {
        let scene = Scene::new(client);
        scene.ana(&["wait"]);
        let variable = switch.and_then(|switch| turn(&scene, switch));
        let mut doctor = scene.world.baton(&["doctor", "--json"]);
        doctor.envs(scene.home.environment()).envs(variable);
        let hooks = Ran::of(doctor).json()["data"]["hooks"].clone();
        let report = hooks.as_array().unwrap().iter().find(|report| report["harness"] == harness(client)).cloned();
        let script = scene.script(vec![Step::shell("echo x > b.txt"), Step::say("done")]);
        let launch = scene.launch();
        let launch = variable.into_iter().fold(launch, |launch, (name, value)| launch.env(name, value));
        let ended = launch.headless("Do it.").wait();
        assert_eq!(ended.code, Some(0), "{ended:#?}");
        script.finished();
        (report.unwrap()["state"].as_str().unwrap().to_owned(), text(&scene.file("b.txt")).is_none())
    };
    assert_eq!(is_stopped(None), ("active".to_owned(), true));
    for switch in switches(client) {
        assert_eq!(is_stopped(Some(switch)), ("shadowed".to_owned(), false), "{}", name(switch));
    }
}

/// Turns a switch, and tells the variable that has to be set for it.
fn turn(scene: &Scene, switch: &Switch) -> Option<(&'static str, &'static str)> {
    let (path, text): (PathBuf, &str) = match switch {
        Switch::Workspace(file, text) => (scene.file(file), text),
        Switch::Codex(text) => (codex_config(scene), text),
        Switch::Variable(name, value) => return Some((*name, *value)),
    };
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let mut file = fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(text.as_bytes()).unwrap();
    None
}

fn codex_config(scene: &Scene) -> PathBuf {
    let home = scene.home.environment().find(|(name, _)| *name == "CODEX_HOME");
    PathBuf::from(home.unwrap().1).join("config.toml")
}

fn name(switch: &Switch) -> &'static str {
    match switch {
        Switch::Workspace(_, text) | Switch::Codex(text) => text,
        Switch::Variable(name, _) => name,
    }
}

for_each_client!(doctor_says_shadowed_where_no_hook_runs);
