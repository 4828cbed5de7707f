//! Harnesses that have no configuration yet.

use super::super::{ConfigChange, SkillChange, Status, install, status};
use super::home::{
    CLAUDE, CODEX, FILES, GEMINI, Home, OPENCODE, registration, registration_only, registration_with_store,
};
use crate::Harness;

#[test]
fn a_new_claude_code_configuration_has_the_shape_that_claude_itself_writes() {
    let home = Home::new();
    home.install(Harness::ClaudeCode);
    assert_eq!(
        home.read(CLAUDE),
        r#"{
  "mcpServers": {
    "baton": {
      "type": "stdio",
      "command": "/opt/baton",
      "args": ["mcp"],
      "env": {}
    }
  }
}
"#
    );
}

#[test]
fn a_new_codex_configuration_has_the_shape_that_codex_itself_writes() {
    let home = Home::new();
    install(Harness::Codex, &home.places(), &registration_with_store(), &registration_only()).unwrap();
    assert_eq!(
        home.read(CODEX),
        r#"[mcp_servers.baton]
command = "/opt/baton"
args = ["mcp", "--tools", "full"]

[mcp_servers.baton.env]
BATON_DATA_DIR = "/data/b"
"#
    );
}

#[test]
fn a_new_gemini_configuration_has_the_shape_that_gemini_itself_writes() {
    let home = Home::new();
    install(Harness::Gemini, &home.places(), &registration_with_store(), &registration_only()).unwrap();
    assert_eq!(
        home.read(GEMINI),
        r#"{
  "mcpServers": {
    "baton": {
      "command": "/opt/baton",
      "args": ["mcp", "--tools", "full"],
      "timeout": 60000,
      "env": {
        "BATON_DATA_DIR": "/data/b"
      }
    }
  }
}
"#
    );
}

#[test]
fn a_new_opencode_configuration_has_one_list_for_the_whole_command() {
    let home = Home::new();
    install(Harness::OpenCode, &home.places(), &registration_with_store(), &registration_only()).unwrap();
    assert_eq!(
        home.read(OPENCODE),
        r#"{
  "mcp": {
    "baton": {
      "type": "local",
      "command": ["/opt/baton", "mcp", "--tools", "full"],
      "enabled": true,
      "timeout": 120000,
      "environment": {
        "BATON_DATA_DIR": "/data/b"
      }
    }
  }
}
"#
    );
}

#[test]
fn a_second_installation_says_already_and_touches_nothing() {
    for (harness, file) in FILES {
        let home = Home::new();
        let first = home.install(harness);
        assert_eq!(first.config[0].change, ConfigChange::Created, "{harness}");
        assert_eq!(first.config[0].path, home.path(file));
        assert_eq!(first.skill.as_ref().unwrap().change, SkillChange::Installed);
        let before = home.everything();

        let second = home.install(harness);

        assert_eq!(second.config[0].change, ConfigChange::Already, "{harness}");
        assert_eq!(second.skill.as_ref().unwrap().change, SkillChange::Already);
        assert!(first.changed() && !second.changed());
        assert_eq!(home.everything(), before);
    }
}

#[test]
fn removing_what_is_not_there_says_so_and_touches_nothing() {
    for (harness, _) in FILES {
        let home = Home::new();
        let outcome = home.uninstall(harness);
        assert_eq!(outcome.config[0].change, ConfigChange::NotRegistered);
        assert_eq!(outcome.skill.as_ref().unwrap().change, SkillChange::NotInstalled);
        assert!(home.everything().is_empty());
    }
}

#[test]
fn the_status_follows_installation_and_removal() {
    for (harness, file) in FILES {
        let home = Home::new();
        let look = |home: &Home| status(harness, &home.places(), &registration());
        assert_eq!(look(&home), Status::Absent);
        home.install(harness);
        assert_eq!(look(&home), Status::Registered { path: home.path(file) });
        let elsewhere = status(harness, &home.places(), &registration_with_store());
        assert_eq!(
            elsewhere,
            Status::RegisteredElsewhere { path: home.path(file), command: "/opt/baton mcp".to_owned() }
        );
        home.uninstall(harness);
        assert_eq!(look(&home), Status::Absent);
        std::fs::create_dir_all(harness.client().directory(&home.places())).unwrap();
        assert_eq!(look(&home), Status::NotRegistered { path: home.path(file) });
        home.write(file, "[ {");
        assert!(matches!(look(&home), Status::Unreadable { .. }));
    }
}
