//! Where each harness keeps its things, and whether it is here at all.

use std::{collections::HashMap, fs, os::unix::fs::PermissionsExt, path::Path};

use super::super::{InstallError, Places, Registration, absence, install, plan_install};
use super::home::{Home, registration, registration_only};
use crate::Harness;

fn places(variables: &[(&str, &str)]) -> Places {
    let variables: HashMap<_, _> = variables.iter().copied().collect();
    Places::look_up(|name| variables.get(name).map(|value| (*value).to_owned())).unwrap()
}

/// Where the entry and the skill would go.
fn paths(harness: Harness, places: &Places) -> [String; 2] {
    let outcome = plan_install(harness, places, &registration(), &registration_only()).unwrap().outcome;
    [&outcome.config[0].path, &outcome.skill.as_ref().unwrap().path].map(|path| path.to_str().unwrap().to_owned())
}

#[test]
fn variables_of_the_harnesses_move_their_files() {
    let home = ("HOME", "/nowhere");
    let claude = places(&[home, ("CLAUDE_CONFIG_DIR", "/elsewhere/c")]);
    let expected = ["/elsewhere/c/.claude.json", "/elsewhere/c/skills/baton/SKILL.md"];
    assert_eq!(paths(Harness::ClaudeCode, &claude), expected);
    let codex = places(&[home, ("CODEX_HOME", "/elsewhere/x")]);
    let expected = ["/elsewhere/x/config.toml", "/nowhere/.agents/skills/baton/SKILL.md"];
    assert_eq!(paths(Harness::Codex, &codex), expected);
    let gemini = places(&[home, ("GEMINI_CLI_HOME", "/elsewhere/g")]);
    let expected = ["/elsewhere/g/.gemini/settings.json", "/elsewhere/g/.agents/skills/baton/SKILL.md"];
    assert_eq!(paths(Harness::Gemini, &gemini), expected);
    let opencode = places(&[home, ("XDG_CONFIG_HOME", "/elsewhere/o")]);
    let expected = ["/elsewhere/o/opencode/opencode.jsonc", "/nowhere/.agents/skills/baton/SKILL.md"];
    assert_eq!(paths(Harness::OpenCode, &opencode), expected);
    let opencode = places(&[home, ("OPENCODE_CONFIG", "/elsewhere/own.json")]);
    assert_eq!(paths(Harness::OpenCode, &opencode)[0], "/elsewhere/own.json");
}

#[test]
fn empty_and_relative_variables_count_as_unset() {
    let usual = places(&[("HOME", "/nowhere")]);
    let odd = [("HOME", "/nowhere"), ("CODEX_HOME", ""), ("XDG_CONFIG_HOME", "relative"), ("CLAUDE_CONFIG_DIR", "")];
    assert_eq!(places(&odd), usual);
    assert_eq!(Places::look_up(|_| None).unwrap_err().code(), "no_home");
}

#[test]
fn a_harness_is_here_by_its_program_its_directory_or_its_configuration() {
    let home = Home::new();
    let here =
        |places: &Places| Harness::ALL.into_iter().filter(|it| absence(*it, places).is_none()).collect::<Vec<_>>();
    assert_eq!(here(&home.places()), []);
    let why = absence(Harness::Gemini, &home.places()).unwrap();
    assert_eq!(
        why,
        format!("Gemini CLI: skipped, as there is no gemini on the path and no {}", home.path(".gemini").display())
    );

    home.write(".claude.json", "{}");
    fs::create_dir(home.path(".gemini")).unwrap();
    home.write("bin/codex", "#!/bin/sh\n");
    let places = Places { path: vec![home.path("bin")], ..home.places() };
    assert_eq!(here(&places), [Harness::ClaudeCode, Harness::Gemini], "a file that cannot be run is no program");
    fs::set_permissions(home.path("bin/codex"), fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(here(&places), [Harness::ClaudeCode, Harness::Codex, Harness::Gemini]);
}

#[test]
fn names_are_slugs_or_programs() {
    for harness in Harness::ALL {
        assert_eq!(harness.slug().parse::<Harness>().unwrap(), harness);
        assert_eq!(harness.program().parse::<Harness>().unwrap(), harness);
    }
    let error = InstallError::from("cursor".parse::<Harness>().unwrap_err());
    assert_eq!(error.code(), "unknown_harness");
    assert_eq!(error.hint(), "Name one of claude-code, codex, gemini, opencode, git-hook, or use --all.");
}

#[test]
fn a_command_must_be_an_absolute_path() {
    assert_eq!(Registration::new(Path::new("baton"), [], []).unwrap_err().code(), "unusable_command");
}

#[test]
fn a_path_with_odd_characters_comes_back_as_it_went_in() {
    let odd = Registration::new(Path::new("/opt/a \"b\"\\c\té\u{7f}/baton"), [], []).unwrap();
    for harness in Harness::ALL {
        let home = Home::new();
        install(harness, &home.places(), &odd, &registration_only()).unwrap();
        assert!(!install(harness, &home.places(), &odd, &registration_only()).unwrap().changed(), "{harness}");
    }
}
