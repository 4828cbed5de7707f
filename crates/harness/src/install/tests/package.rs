//! Whole packages: hooks, commands and settings beside the server entry and the skill.

use std::{collections::BTreeMap, fs, path::PathBuf};

use serde_json::{Value, json};

use super::super::{FileChange, Outcome, Package, Part, Places, Registration, Wake, install, uninstall};
use super::home::{CODEX, FILES, GEMINI, Home, registration, registration_with_store};
use crate::Harness;

const PLUGIN: &str = ".claude/skills/baton";

fn whole() -> Package {
    Package { status_line: true, trust_hooks: true, ..Package::default() }
}

fn install_whole(home: &Home, harness: Harness, package: &Package) -> Outcome {
    install(harness, &home.places(), &registration(), package).unwrap()
}

fn json_of(home: &Home, path: &str) -> Value {
    serde_json::from_str(&home.read(path)).unwrap()
}

fn texts(home: &Home) -> BTreeMap<PathBuf, String> {
    home.everything().into_iter().map(|(path, (_, text))| (path, text)).collect()
}

#[test]
fn every_file_is_as_before_after_a_removal() {
    let settings =
        "{\n  // mine\n  \"hooks\": {\"BeforeTool\": [{\"hooks\": [{\"command\": \"x\"}]}]},\n  \"tools\": {}\n}";
    let codex_hooks =
        "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}], \"Stop\": []}}\n";
    let seeds: [&[(&str, &str)]; 3] = [
        &[],
        &[
            (GEMINI, settings),
            (".codex/hooks.json", codex_hooks),
            (CODEX, "model = \"m\""),
            (".claude/settings.json", "{}"),
        ],
        &[
            (GEMINI, "{}"),
            (".codex/hooks.json", "{\n}\n"),
            (CODEX, ""),
            (".claude/settings.json", "{\"a\": 1}"),
            (".config/opencode/package.json", "{}"),
        ],
    ];
    for seed in seeds {
        for wake in [None, Some(Wake::Park), Some(Wake::Steer), Some(Wake::StopHook)] {
            let home = Home::new();
            seed.iter().for_each(|(path, text)| home.write(path, text));
            let before = texts(&home);
            let package = Package { wake, ..whole() };
            for (harness, _) in FILES {
                assert!(install_whole(&home, harness, &package).changed(), "{harness}");
            }
            let installed = home.everything();
            for (harness, _) in FILES {
                assert!(!install_whole(&home, harness, &package).changed(), "{harness}");
            }
            assert_eq!(home.everything(), installed);
            for (harness, _) in FILES {
                uninstall(harness, &home.places()).unwrap();
            }
            assert_eq!(texts(&home), before);
            if seed.is_empty() {
                assert_eq!(fs::read_dir(home.path("")).unwrap().count(), 0, "a directory is left");
            }
        }
    }
}

#[test]
fn parts_that_are_left_out_are_not_written() {
    for part in Part::ALL {
        let home = Home::new();
        let package = Package { without: vec![part], ..Package::default() };
        let outcome = install_whole(&home, Harness::ClaudeCode, &package);
        let has = |path: &str| home.has(path);
        assert_eq!(has(".claude.json"), part != Part::Mcp);
        assert_eq!(has(&format!("{PLUGIN}/SKILL.md")), part != Part::Skill);
        assert_eq!(has(&format!("{PLUGIN}/hooks/hooks.json")), part != Part::Hooks);
        assert_eq!(has(&format!("{PLUGIN}/commands/status.md")), part != Part::Commands);
        assert!(outcome.files.iter().all(|file| file.part != part));
    }
}

#[test]
fn claude_code_is_told_of_a_plugin_that_has_hooks_or_commands() {
    for (without, is_told) in
        [(vec![Part::Hooks], true), (vec![Part::Commands], true), (vec![Part::Hooks, Part::Commands], false)]
    {
        let home = Home::new();
        install_whole(&home, Harness::ClaudeCode, &Package { without: without.clone(), ..Package::default() });
        assert_eq!(home.has(&format!("{PLUGIN}/.claude-plugin/plugin.json")), is_told, "{without:?}");
        uninstall(Harness::ClaudeCode, &home.places()).unwrap();
        assert_eq!(texts(&home), BTreeMap::new());
    }
}

#[test]
fn claude_code_runs_the_hook_directly_on_the_store_of_the_installation() {
    let home = Home::new();
    let package = Package { strict: true, wake: Some(Wake::StopHook), ..Package::default() };
    install(Harness::ClaudeCode, &home.places(), &registration_with_store(), &package).unwrap();
    let hooks = json_of(&home, &format!("{PLUGIN}/hooks/hooks.json"))["hooks"].take();
    let arguments = json!(["--store", "/data/b", "hook", "claude-code", "--strict"]);
    let guard = &hooks["PreToolUse"][0]["hooks"][0];
    assert_eq!(
        guard,
        &json!({"type": "command", "command": "/opt/baton", "args": arguments, "timeout": 10, "onFailure": "block"})
    );
    assert_eq!(hooks["SessionEnd"][0]["hooks"][0]["timeout"], 5);
    assert_eq!(hooks["Stop"][0]["hooks"][0]["onFailure"], Value::Null);
    let park = &hooks["Stop"][1]["hooks"][0];
    assert_eq!((&park["asyncRewake"], &park["args"][4]), (&json!(true), &json!("--park")));
}

#[test]
fn a_status_line_of_the_person_stays() {
    let home = Home::with(".claude/settings.json", "{\"statusLine\": {\"command\": \"mine\"}}");
    let outcome = install_whole(&home, Harness::ClaudeCode, &whole());
    assert!(outcome.notes[0].contains("statusLine"), "{:?}", outcome.notes);
    assert_eq!(home.read(".claude/settings.json"), "{\"statusLine\": {\"command\": \"mine\"}}");
}

#[test]
fn codex_hooks_are_trusted_only_when_a_person_says_so() {
    let home = Home::new();
    let outcome = install_whole(&home, Harness::Codex, &Package::default());
    assert!(outcome.notes[0].contains("not active until you trust them"), "{:?}", outcome.notes);
    assert!(!home.read(CODEX).contains("trusted_hash"));

    let outcome = install_whole(&home, Harness::Codex, &whole());
    assert_eq!(outcome.notes, Vec::<String>::new());
    let key = format!("[hooks.state.\"{}:pre_tool_use:0:0\"]", home.path(".codex/hooks.json").display());
    assert!(home.read(CODEX).contains(&key), "{}", home.read(CODEX));
}

#[test]
fn codex_hooks_of_others_keep_their_place() {
    let other = "{\"hooks\": {\"PreToolUse\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"x\"}]}]}}";
    let home = Home::with(".codex/hooks.json", other);
    install_whole(&home, Harness::Codex, &whole());
    let hooks = json_of(&home, ".codex/hooks.json");
    assert_eq!(hooks["hooks"]["PreToolUse"][0]["hooks"][0]["command"], "x");
    assert_eq!(hooks["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "/opt/baton hook codex");
    assert!(home.read(CODEX).contains("pre_tool_use:1:0"));
}

#[test]
fn a_program_that_is_gone_stops_gemini_only_where_it_is_strict() {
    let line = |strict| {
        let home = Home::new();
        install_whole(&home, Harness::Gemini, &Package { strict, ..Package::default() });
        json_of(&home, GEMINI)["hooks"]["BeforeTool"][0]["hooks"][0]["command"].as_str().unwrap().to_owned()
    };
    let said = |line: String| {
        let run = std::process::Command::new("bash").args(["-c", &line]).output().unwrap();
        assert!(run.status.success() && run.stderr.is_empty());
        String::from_utf8(run.stdout).unwrap()
    };
    assert_eq!(said(line(false)), "");
    let answer: Value = serde_json::from_str(&said(line(true))).unwrap();
    assert_eq!(answer["decision"], "deny");
    assert!(
        answer["reason"].as_str().unwrap().starts_with("Baton cannot be reached: /opt/baton is missing; reinstall")
    );
}

#[test]
fn choices_for_every_hook_reach_every_hook() {
    for (harness, _) in FILES {
        let home = Home::new();
        install_whole(&home, harness, &Package { strict: true, confine: true, ..Package::default() });
        let hooks: Vec<String> = texts(&home).into_values().filter(|text| text.contains(harness.slug())).collect();
        let has = |option: &str| hooks.iter().any(|text| text.contains("hook") && text.contains(option));
        assert!(has("--strict") && has("--confine"), "{harness}: {hooks:?}");
    }
}

#[test]
fn files_of_a_project_name_no_machine() {
    let home = Home::new();
    let root = home.path("repository");
    let places = Places { project: Some(root.clone()), ..home.places() };
    for (harness, _) in FILES {
        install(harness, &places, &Registration::shared(), &Package::default()).unwrap();
    }
    for (path, text) in texts(&home) {
        assert!(path.starts_with(&root), "{}", path.display());
        assert!(!text.contains(home.path("").to_str().unwrap()), "{}", path.display());
    }
    for (harness, _) in FILES {
        uninstall(harness, &places).unwrap();
    }
    assert_eq!(texts(&home), BTreeMap::new());
}

#[test]
fn a_clone_has_all_with_which_opencode_starts_without_a_network() {
    let home = Home::with("repository/.gitignore", "node_modules\n/.opencode/*.json\n.gitignore\n");
    let root = home.path("repository");
    let places = Places { project: Some(root.clone()), ..home.places() };
    install(Harness::OpenCode, &places, &Registration::shared(), &Package::default()).unwrap();
    home.write("repository/.opencode/node_modules/other/index.js", "");
    let git = |arguments: &[&str]| {
        let run = std::process::Command::new("git").arg("-C").arg(&root).args(arguments).output().unwrap();
        assert!(run.status.success(), "{run:?}");
        String::from_utf8(run.stdout).unwrap()
    };
    git(&["init", "--quiet"]);
    git(&["add", ".opencode"]);
    let tracked = git(&["ls-files", ".opencode"]);
    let names = [".gitignore", "node_modules/.baton", "package-lock.json", "package.json", "plugins/baton.js"];
    assert_eq!(tracked.lines().collect::<Vec<_>>(), names.map(|name| format!(".opencode/{name}")));
}

#[test]
fn a_file_that_is_not_ours_is_left_alone() {
    let home = Home::with(".config/opencode/plugins/baton.js", "// my own");
    let outcome = install_whole(&home, Harness::OpenCode, &Package::default());
    let report = outcome.files.iter().find(|file| file.path.ends_with("baton.js")).unwrap();
    assert_eq!(report.change, FileChange::KeptForeign);
    uninstall(Harness::OpenCode, &home.places()).unwrap();
    assert_eq!(home.read(".config/opencode/plugins/baton.js"), "// my own");
}
