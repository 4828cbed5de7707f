//! What happens on disk.

use std::{
    fs,
    os::unix::fs::{PermissionsExt, symlink},
};

use super::super::{InstallError, plan_install, plan_uninstall};
use super::home::{CLAUDE, CLAUDE_SKILL, CODEX, FILES, Home, registration, registration_only};
use crate::Harness;

fn mode(home: &Home, path: &str) -> u32 {
    fs::metadata(home.path(path)).unwrap().permissions().mode() & 0o7777
}

#[test]
fn a_plan_shows_the_entry_and_writes_nothing() {
    for (harness, file) in FILES {
        let home = Home::new();
        let plan = plan_install(harness, &home.places(), &registration(), &registration_only()).unwrap();
        assert!(home.everything().is_empty());
        home.install(harness);
        assert_eq!(plan.snippet, home.read(file));

        let before = home.everything();
        let plan = plan_uninstall(harness, &home.places()).unwrap();
        assert!(plan.outcome.changed());
        assert_eq!(home.everything(), before);
    }
}

#[test]
fn a_printed_plan_says_what_would_become_of_each_file() {
    let home = Home::with(CODEX, "model = \"m\"\n");
    let plan = plan_install(Harness::Codex, &home.places(), &registration(), &registration_only()).unwrap();
    let at_home = |text: String| text.replace(home.path("").to_str().unwrap(), "~/");
    assert_eq!(
        at_home(plan.to_string()),
        r#"Codex: would add to ~/.codex/config.toml

[mcp_servers.baton]
command = "/opt/baton"
args = ["mcp"]

Codex: would install the skill as ~/.agents/skills/baton/SKILL.md"#
    );
    home.install(Harness::Codex);
    let plan = plan_uninstall(Harness::Codex, &home.places()).unwrap();
    assert_eq!(
        at_home(plan.to_string()),
        "Codex: would remove /opt/baton mcp from ~/.codex/config.toml\n\
         Codex: would remove the skill ~/.agents/skills/baton/SKILL.md"
    );
}

#[test]
fn a_linked_configuration_is_changed_at_its_target() {
    let home = Home::with("dotfiles/codex.toml", "model = \"m\"\n");
    fs::create_dir(home.path(".codex")).unwrap();
    symlink("../dotfiles/codex.toml", home.path(CODEX)).unwrap();
    home.install(Harness::Codex);
    assert!(fs::symlink_metadata(home.path(CODEX)).unwrap().is_symlink());
    assert!(home.read("dotfiles/codex.toml").contains("[mcp_servers.baton]"));
    home.uninstall(Harness::Codex);
    assert!(fs::symlink_metadata(home.path(CODEX)).unwrap().is_symlink());
    assert_eq!(home.read("dotfiles/codex.toml"), "model = \"m\"\n");
}

#[test]
fn a_link_to_nothing_gets_its_target() {
    let home = Home::new();
    symlink("dotfiles/claude.json", home.path(CLAUDE)).unwrap();
    home.install(Harness::ClaudeCode);
    assert!(home.read("dotfiles/claude.json").contains("/opt/baton"));
}

#[test]
fn links_in_a_circle_are_an_error() {
    let home = Home::new();
    symlink(CLAUDE, home.path(CLAUDE)).unwrap();
    let error = home.try_install(Harness::ClaudeCode).unwrap_err();
    assert!(matches!(error, InstallError::Io { doing: "read", .. }), "{error}");
}

#[test]
fn the_mode_of_the_file_is_kept_and_a_new_one_is_private() {
    for (harness, file) in FILES {
        let home = Home::new();
        home.install(harness);
        assert_eq!(mode(&home, file), 0o600);
        home.uninstall(harness);
        home.write(file, "");
        fs::set_permissions(home.path(file), fs::Permissions::from_mode(0o640)).unwrap();
        home.install(harness);
        home.uninstall(harness);
        assert_eq!(mode(&home, file), 0o640);
    }
    let home = Home::new();
    home.install(Harness::ClaudeCode);
    assert_eq!(mode(&home, CLAUDE_SKILL), 0o644);
}

#[test]
fn a_file_that_changed_after_the_plan_is_not_overwritten() {
    let home = Home::with(CLAUDE, "{}");
    let plan = plan_install(Harness::ClaudeCode, &home.places(), &registration(), &registration_only()).unwrap();
    home.write(CLAUDE, "{\"numStartups\": 2}");
    assert_eq!(plan.apply().unwrap_err().code(), "config_changed");
    assert_eq!(home.read(CLAUDE), "{\"numStartups\": 2}");
}

#[test]
fn nothing_is_left_beside_the_files() {
    let home = Home::with(CODEX, "model = \"m\"\n");
    home.install(Harness::Codex);
    home.uninstall(Harness::Codex);
    let files: Vec<_> = home.everything().into_keys().collect();
    assert_eq!(files, [home.path(CODEX)]);
}

#[test]
fn a_link_to_a_file_that_is_not_there_yet_is_there_again_after_a_removal() {
    let home = Home::new();
    home.write(".codex/mine", "");
    symlink(home.path("dotfiles/config.toml"), home.path(CODEX)).unwrap();
    home.install(Harness::Codex);
    assert!(home.has("dotfiles/config.toml"));
    home.uninstall(Harness::Codex);
    assert!(home.path(CODEX).is_symlink() && !home.has("dotfiles/config.toml"));
}

#[test]
fn a_directory_in_the_way_is_an_error_that_names_it() {
    let home = Home::new();
    fs::create_dir(home.path(CLAUDE)).unwrap();
    let error = home.try_install(Harness::ClaudeCode).unwrap_err();
    assert_eq!(error.code(), "config_io");
    assert!(error.message().contains(CLAUDE), "{}", error.message());
}
