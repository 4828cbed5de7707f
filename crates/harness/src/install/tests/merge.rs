//! Harnesses that have a configuration already: the rest of it is none of our business.

use super::super::ConfigChange;
use super::home::{CLAUDE, CODEX, FILES, GEMINI, Home, OPENCODE};
use crate::Harness;

const CLAUDE_BEFORE: &str = r#"{
  "numStartups": 12,
  "big": 12345678901234567890.10,
  "projects": {"/w": {"allowedTools": [], "mcpServers": {"baton": 1}}},
  "mcpServers": {
    "other": { "command": "x",   "args": [ ] }
  },
  "userID": "caf\u00e9"
}"#;

const CODEX_BEFORE: &str = r#"# my settings
model = "m"   # the good one

[mcp_servers.other] # not ours
command = 'x'
env = { "TOKEN" = "secret" }

[projects."/w"]
trust_level = "trusted"
# sandbox = "off"
"#;

const GEMINI_BEFORE: &str = r#"{
    // four spaces here
    "theme": "Default", /* really */

    "mcpServers": {
        "other": {"httpUrl": "http://localhost:1"} // last
    }
}
"#;

const OPENCODE_BEFORE: &str = "{\n\t\"$schema\": \"https://opencode.ai/config.json\",\n\t// servers\n\t\"mcp\": {\n\t\t\"other\": { \"type\": \"remote\", \"url\": \"http://localhost:1\", }, // keep\n\t},\n\t\"theme\": \"x\",\n}\n";

const BEFORE: [&str; 4] = [CLAUDE_BEFORE, CODEX_BEFORE, GEMINI_BEFORE, OPENCODE_BEFORE];

/// The lines that `after` has and `before` has not; every line of `before` must be there, in order, less a comma
/// that may be new at the end of the last property.
fn added(before: &str, after: &str) -> String {
    let mut expected = before.lines().peekable();
    let mut added = Vec::new();
    for line in after.lines() {
        let is_next = expected.peek().is_some_and(|next| *next == line || with_comma(next).contains(&line.to_owned()));
        if is_next {
            expected.next();
        } else {
            added.push(line);
        }
    }
    assert_eq!(expected.next(), None, "a line is missing from\n{after}");
    added.join("\n")
}

fn with_comma(line: &str) -> [String; 2] {
    [format!("{line},"), line.replacen(" //", ", //", 1)]
}

#[test]
fn a_merge_adds_our_lines_and_keeps_every_other() {
    let expected = [
        r#"    "baton": {
      "type": "stdio",
      "command": "/opt/baton",
      "args": ["mcp"],
      "env": {}
    }"#,
        r#"
[mcp_servers.baton]
command = "/opt/baton"
args = ["mcp"]"#,
        r#"        "baton": {
            "command": "/opt/baton",
            "args": ["mcp"],
            "timeout": 60000
        }"#,
        "\t\t\"baton\": {\n\t\t\t\"type\": \"local\",\n\t\t\t\"command\": [\"/opt/baton\", \"mcp\"],\n\t\t\t\"enabled\": true,\n\t\t\t\"timeout\": 120000\n\t\t},",
    ];
    for (((harness, file), before), expected) in FILES.into_iter().zip(BEFORE).zip(expected) {
        let home = Home::with(file, before);
        let outcome = home.install(harness);
        assert_eq!(outcome.config[0].change, ConfigChange::Added);
        assert_eq!(added(before, &home.read(file)), expected, "{harness}:\n{}", home.read(file));
    }
}

#[test]
fn removing_gives_back_the_configuration_byte_for_byte() {
    for ((harness, file), before) in FILES.into_iter().zip(BEFORE) {
        let home = Home::with(file, before);
        home.install(harness);
        let outcome = home.uninstall(harness);
        assert_eq!(outcome.config[0].change, ConfigChange::Removed { command: "/opt/baton mcp".to_owned() });
        assert_eq!(home.read(file), before, "{harness}");
    }
}

#[test]
fn configurations_without_any_server_are_given_back_too() {
    let befores = [
        (Harness::ClaudeCode, CLAUDE, "{\n  \"numStartups\": 1\n}"),
        (Harness::Codex, CODEX, "model = \"m\"\n"),
        (Harness::Codex, CODEX, "[a]\nb = 1\n# the end\n"),
        (Harness::Gemini, GEMINI, "{\n  \"theme\": \"x\" // dark\n}\n"),
        (Harness::OpenCode, OPENCODE, "// mine\n{\n  \"theme\": \"x\",\n}\n"),
    ];
    for (harness, file, before) in befores {
        let home = Home::with(file, before);
        home.install(harness);
        home.uninstall(harness);
        assert_eq!(home.read(file), before, "{harness}");
    }
}

#[test]
fn windows_line_endings_and_a_byte_order_mark_survive() {
    for ((harness, file), before) in FILES.into_iter().zip(BEFORE) {
        let before = format!("\u{feff}{}", before.replace('\n', "\r\n"));
        let home = Home::with(file, &before);
        home.install(harness);
        let between = home.read(file);
        assert!(between.starts_with('\u{feff}') && between.contains("/opt/baton"), "{between}");
        assert_eq!(between.matches('\n').count(), between.matches("\r\n").count(), "{between:?}");
        home.uninstall(harness);
        assert_eq!(home.read(file), before);
    }
}

#[test]
fn an_empty_file_is_a_configuration_that_says_nothing() {
    for (harness, file) in FILES {
        let home = Home::with(file, "\n");
        assert_eq!(home.install(harness).config[0].change, ConfigChange::Added);
        assert_eq!(home.install(harness).config[0].change, ConfigChange::Already);
    }
}

#[test]
fn codex_servers_written_inline_or_with_dots_are_merged_where_they_are() {
    let befores = [
        "mcp_servers = { z = { command = \"q\" } } # all\n",
        "mcp_servers.z.command = \"q\"\n\n[w]\n",
        "[mcp_servers]\nz = { command = \"q\" }\n",
    ];
    for before in befores {
        let home = Home::with(CODEX, before);
        home.install(Harness::Codex);
        assert_eq!(home.install(Harness::Codex).config[0].change, ConfigChange::Already);
        home.uninstall(Harness::Codex);
        assert_eq!(home.read(CODEX), before);
    }
}

#[test]
fn removing_an_entry_in_the_middle_leaves_its_neighbours_and_their_comments() {
    let before = "[mcp_servers.a]\ncommand = 'a'\n\n# ours\n[mcp_servers.baton]\ncommand = \"/opt/baton\" # c\n\
                  args = [\n  \"mcp\",\n]\n# b is next\n\n[mcp_servers.b]\ncommand = 'b'\n\n[mcp_servers.baton.env]\n\
                  X = '1'\n";
    let home = Home::with(CODEX, before);
    home.uninstall(Harness::Codex);
    let after = "[mcp_servers.a]\ncommand = 'a'\n\n# ours\n# b is next\n\n[mcp_servers.b]\ncommand = 'b'\n";
    assert_eq!(home.read(CODEX), after);
}

#[test]
fn opencode_is_edited_in_the_file_that_has_the_entry_and_removed_from_all() {
    let home = Home::with(".config/opencode/opencode.json", "{}");
    let outcome = home.install(Harness::OpenCode);
    assert_eq!(outcome.config[0].path, home.path(".config/opencode/opencode.json"));

    home.write(OPENCODE, "{\"mcp\": {\"baton\": {\"type\": \"local\", \"command\": [\"/old\", \"mcp\"]}}}");
    let outcome = home.install(Harness::OpenCode);
    assert_eq!(outcome.config[0].path, home.path(OPENCODE));
    assert!(matches!(outcome.config[0].change, ConfigChange::Updated { .. }));

    let outcome = home.uninstall(Harness::OpenCode);
    assert_eq!(outcome.config.len(), 2);
    assert!(!home.read(OPENCODE).contains("baton"));
    assert!(!home.read(".config/opencode/opencode.json").contains("baton"));
}
