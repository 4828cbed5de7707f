//! Hooks in made-up homes and repositories, read back.

use std::{fs, os::unix::fs::symlink, path::PathBuf};

use super::*;
use crate::{
    Harness,
    install::{
        Package, Part, Places, Registration, Wake, install,
        tests::home::{FILES, Home, registration, registration_with_store},
        wakes,
    },
};

/// The file of each program's hooks, at both levels.
const USER: [&str; 4] = [
    ".claude/skills/baton/hooks/hooks.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".config/opencode/plugins/baton.js",
];
const PROJECT: [&str; 4] = [
    ".claude/skills/baton/hooks/hooks.json",
    ".codex/hooks.json",
    ".gemini/settings.json",
    ".opencode/plugins/baton.js",
];

fn project(home: &Home) -> Places {
    Places { project: Some(home.path("repo")), ..home.places() }
}

fn look_with(home: &Home, harness: Harness, places: &Places, variables: &[(&str, &str)]) -> Option<InstalledHooks> {
    let root = home.path("repo");
    let variable = |name: &str| variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned());
    inspect(harness, places, &Workspace { root: &root, variable: &variable }).unwrap()
}

fn look(home: &Home, harness: Harness, places: &Places) -> Option<InstalledHooks> {
    look_with(home, harness, places, &[])
}

#[test]
fn hooks_are_read_back_with_the_choices_of_their_installation() {
    for (harness, _) in FILES {
        let ways: Vec<Option<Wake>> = std::iter::once(None).chain(wakes(harness).iter().copied().map(Some)).collect();
        for wake in ways {
            for strict in [false, true] {
                let home = Home::new();
                let places = home.places();
                assert!(look(&home, harness, &places).is_none());
                let package = Package { wake, strict, confine: !strict, trust_hooks: true, ..Package::default() };
                let registration = registration_with_store();
                install(harness, &places, &registration, &package).unwrap();
                let found = look(&home, harness, &places).unwrap();
                assert_eq!(found.integrity, Integrity::Intact, "{harness}");
                assert_eq!(found.package, Package { trust_hooks: false, ..package }, "{harness}");
                assert_eq!((found.consent, found.off_switch), (Consent::Given, None), "{harness}");
                let words = found.guard.unwrap().words().unwrap();
                assert_eq!(words, ["/opt/baton", "--store", "/data/b", "hook", harness.slug()]);
                assert_eq!(words, hook_words(harness, &registration));
            }
        }
    }
}

#[test]
fn parts_that_were_left_out_do_not_make_hooks_look_modified() {
    for (harness, _) in FILES {
        for without in [vec![Part::Commands], vec![Part::Wake], vec![Part::Mcp, Part::Skill]] {
            let home = Home::new();
            let package = Package { without, ..Package::default() };
            install(harness, &home.places(), &registration(), &package).unwrap();
            let found = look(&home, harness, &home.places()).unwrap();
            assert!(matches!(found.integrity, Integrity::Intact), "{harness}: {found:?}");
        }
    }
}

#[test]
fn an_edit_of_any_hook_is_seen() {
    let edits = [
        ("/opt/baton", "/opt/other; /opt/baton"),
        ("hook codex", "--confine hook codex"),
        ("hook gemini", "--confine hook gemini"),
        ("10", "11"),
        ("PreToolUse", "PreToolUsage"),
        ("BeforeTool", "BeforeTools"),
        ("SessionEnd", "SessionEnds"),
    ];
    for ((harness, _), file) in FILES.into_iter().zip(USER) {
        let home = Home::new();
        install(harness, &home.places(), &registration(), &Package::default()).unwrap();
        let text = home.read(file);
        // In OpenCode another program is another installation: it has one command for all hooks.
        let skipped = if harness == Harness::OpenCode { 1 } else { 0 };
        for (from, to) in edits.into_iter().skip(skipped) {
            // The last, as a server's entry may come before the hooks.
            let Some((before, after)) = text.rsplit_once(from) else { continue };
            home.write(file, &format!("{before}{to}{after}"));
            let found = look(&home, harness, &home.places()).unwrap();
            assert_eq!(found.integrity, Integrity::Modified(home.path(file)), "{harness}: {from}");
        }
    }
    let home = Home::new();
    install(Harness::ClaudeCode, &home.places(), &registration(), &Package::default()).unwrap();
    let manifest = home.path(".claude/skills/baton/.claude-plugin/plugin.json");
    fs::remove_file(&manifest).unwrap();
    let found = look(&home, Harness::ClaudeCode, &home.places()).unwrap();
    assert_eq!(found.integrity, Integrity::Modified(manifest));
}

#[test]
fn the_choices_of_an_installation_are_read_from_modified_hooks_too() {
    for ((harness, _), file) in FILES.into_iter().zip(USER) {
        let ways = wakes(harness).iter().copied().map(Some).chain([None]);
        for wake in ways {
            let home = Home::new();
            let status_line = harness == Harness::ClaudeCode;
            let package = Package { wake, strict: true, confine: true, status_line, ..Package::default() };
            install(harness, &home.places(), &registration(), &package).unwrap();
            home.write(file, &home.read(file).replacen("SessionStart", "SessionStarts", 1).replacen("// ", "//", 1));
            let found = look(&home, harness, &home.places()).unwrap();
            assert_eq!(found.integrity, Integrity::Modified(home.path(file)), "{harness}");
            assert_eq!(found.package, package, "{harness}");
        }
    }
}

#[test]
fn options_ask_for_the_package_that_they_were_made_from() {
    let whole = Package {
        without: vec![Part::Commands],
        wake: Some(Wake::Park),
        strict: true,
        confine: true,
        status_line: true,
        trust_hooks: false,
    };
    assert_eq!(whole.options(), " --without commands --wake park --strict --confine --status-line");
    assert_eq!(Package::default().options(), "");
}

#[test]
fn a_file_without_the_mark_is_nobodys_but_the_persons() {
    for (index, (harness, _)) in FILES.into_iter().enumerate().filter(|(index, _)| [0, 3].contains(index)) {
        let home = Home::with(USER[index], "{}");
        assert!(look(&home, harness, &home.places()).is_none(), "{harness}");
    }
}

#[test]
fn of_a_repository_only_the_command_that_baton_writes_is_intact() {
    for ((harness, _), file) in FILES.into_iter().zip(PROJECT) {
        let home = Home::new();
        let places = project(&home);
        install(harness, &places, &Registration::shared(), &Package::default()).unwrap();
        let found = look(&home, harness, &places).unwrap();
        assert!(matches!(found.integrity, Integrity::Intact), "{harness}: {found:?}");
        assert_eq!(found.guard.unwrap().words().unwrap(), ["baton", "hook", harness.slug()]);
        let strangers = [
            Registration::new(&home.path("repo/baton"), [], []).unwrap(),
            Registration::new(&PathBuf::from("/opt/baton"), [], []).unwrap(),
        ];
        for stranger in strangers {
            install(harness, &places, &stranger, &Package::default()).unwrap();
            let found = look(&home, harness, &places).unwrap();
            assert_eq!(found.integrity, Integrity::Modified(home.path("repo").join(file)), "{harness}");
        }
    }
    let home = Home::new();
    let line = "command -v baton >/dev/null 2>&1 || exit 0; exec baton --store postgres://x@y/z hook gemini";
    let group = format!("{{\"hooks\": {{\"BeforeTool\": [{{\"hooks\": [{{\"command\": \"{line}\"}}]}}]}}}}");
    home.write("repo/.gemini/settings.json", &group);
    let found = look(&home, Harness::Gemini, &project(&home)).unwrap();
    assert!(matches!(found.integrity, Integrity::Modified(_)), "a store is no choice of a repository: {found:?}");
}

#[test]
fn codex_is_believed_about_the_trust_that_it_was_given() {
    let home = Home::new();
    let consent = |places: &Places| look(&home, Harness::Codex, places).unwrap().consent;
    install(Harness::Codex, &home.places(), &registration(), &Package::default()).unwrap();
    assert_eq!(consent(&home.places()), Consent::Missing);
    let trusted = Package { trust_hooks: true, ..Package::default() };
    install(Harness::Codex, &home.places(), &registration(), &trusted).unwrap();
    assert_eq!(consent(&home.places()), Consent::Given);
    let config = home.read(".codex/config.toml");
    home.write(".codex/config.toml", &config.replacen("sha256:", "sha256:0", 1));
    assert_eq!(consent(&home.places()), Consent::OfAnotherText);

    let places = project(&home);
    install(Harness::Codex, &places, &Registration::shared(), &trusted).unwrap();
    assert_eq!(consent(&places), Consent::UntrustedRepository);
    let root = home.path("repo");
    let config = home.read(".codex/config.toml");
    let project = format!("{config}\n[projects.\"{}\"]\ntrust_level = \"trusted\"\n", root.display());
    home.write(".codex/config.toml", &project);
    assert_eq!(consent(&places), Consent::Given);
}

#[test]
fn settings_that_keep_hooks_from_running_are_found_wherever_they_are() {
    let off = "{\"disableAllHooks\": true}";
    let cases: [(Harness, &str, &str, &str); 11] = [
        (Harness::ClaudeCode, ".claude/settings.json", off, "disableAllHooks"),
        (Harness::ClaudeCode, "repo/.claude/settings.json", off, "disableAllHooks"),
        (Harness::ClaudeCode, "repo/.claude/settings.local.json", off, "disableAllHooks"),
        (
            Harness::ClaudeCode,
            ".claude/settings.json",
            "{\"enabledPlugins\": {\"baton@skills-dir\": false}}",
            "enabledPlugins.\"baton@skills-dir\" = false",
        ),
        (Harness::Codex, ".codex/config.toml", "[features]\nhooks = false\n", "[features] hooks = false"),
        (Harness::Codex, ".codex/config.toml", "features.codex_hooks = false\n", "[features] codex_hooks = false"),
        (
            Harness::Codex,
            ".codex/config.toml",
            "[hooks.state.\"HOME/.codex/hooks.json:stop:0:0\"]\nenabled = false\n",
            "[hooks.state.\"HOME/.codex/hooks.json:stop:0:0\"] enabled = false",
        ),
        (
            Harness::Gemini,
            "repo/.gemini/settings.json",
            "{\"hooksConfig\": {\"enabled\": false}}",
            "hooksConfig.enabled = false",
        ),
        (
            Harness::Gemini,
            "repo/.gemini/settings.json",
            "{\"hooksConfig\": {\"disabled\": [\"other\", \"baton-guard\"]}}",
            "hooksConfig.disabled has baton-guard",
        ),
        (
            Harness::Gemini,
            ".gemini/trustedFolders.json",
            "{\"HOME\": \"TRUST_FOLDER\", \"HOME/repo\": \"DO_NOT_TRUST\"}",
            "DO_NOT_TRUST for HOME/repo",
        ),
        (Harness::Codex, ".codex/config.toml", "[features]\nhooks = true\n", ""),
    ];
    for (harness, file, text, setting) in cases {
        let home = Home::new();
        install(harness, &home.places(), &registration(), &Package::default()).unwrap();
        let text = text.replace("HOME", home.path("").to_str().unwrap().trim_end_matches('/'));
        let before = if home.has(file) { home.read(file) } else { String::new() };
        home.write(file, &format!("{text}{before}"));
        let found = look(&home, harness, &home.places()).unwrap().off_switch;
        let setting = setting.replace("HOME", home.path("").to_str().unwrap().trim_end_matches('/'));
        let expected = OffSwitch::Setting { setting: setting.clone(), path: home.path(file) };
        assert_eq!(found, (!setting.is_empty()).then_some(expected), "{harness}: {text}");
    }
}

#[test]
fn the_most_local_setting_counts() {
    let home = Home::with(".claude/settings.json", "{\"disableAllHooks\": true}");
    home.write("repo/.claude/settings.json", "{\"disableAllHooks\": false}");
    install(Harness::ClaudeCode, &home.places(), &registration(), &Package::default()).unwrap();
    assert_eq!(look(&home, Harness::ClaudeCode, &home.places()).unwrap().off_switch, None);
}

#[test]
fn codex_listens_to_a_repository_only_if_it_trusts_it() {
    let home = Home::with("repo/.codex/config.toml", "[features]\nhooks = false\n");
    install(Harness::Codex, &home.places(), &registration(), &Package::default()).unwrap();
    let found = || look(&home, Harness::Codex, &home.places()).unwrap().off_switch;
    assert_eq!(found(), None);
    let trusted = format!("[projects.\"{}\"]\ntrust_level = \"trusted\"\n", home.path("repo").display());
    home.write(".codex/config.toml", &format!("{}{trusted}", home.read(".codex/config.toml")));
    let expected = OffSwitch::in_file("[features] hooks = false", &home.path("repo/.codex/config.toml"));
    assert_eq!(found(), Some(expected));
}

#[test]
fn variables_switch_hooks_off_too() {
    let cases = [
        (Harness::ClaudeCode, "CLAUDE_CODE_SIMPLE", "1"),
        (Harness::Gemini, "GEMINI_CLI_TRUST_WORKSPACE", "false"),
        (Harness::OpenCode, "OPENCODE_PURE", "true"),
    ];
    for (harness, name, value) in cases {
        let home = Home::new();
        install(harness, &home.places(), &registration(), &Package::default()).unwrap();
        let found = look_with(&home, harness, &home.places(), &[(name, value)]).unwrap();
        assert_eq!(found.off_switch, Some(OffSwitch::Variable { name }), "{harness}");
    }
}

#[test]
fn a_link_to_something_endless_is_no_configuration() {
    let home = Home::new();
    for ((harness, _), file) in FILES.into_iter().zip(PROJECT) {
        let path = home.path("repo").join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        symlink("/dev/zero", &path).unwrap();
        assert!(look(&home, harness, &project(&home)).is_none(), "{harness}");
    }
}
