//! Configurations that are refused, and left as they are.

use super::super::{ConfigChange, InstallError, uninstall};
use super::home::{CLAUDE, CODEX, GEMINI, Home, OPENCODE};
use crate::Harness;

/// Installing and removing are refused with this message, and nothing is written.
fn refused(harness: Harness, file: &str, text: &str, code: &str, message: &str) {
    let home = Home::with(file, text);
    let before = home.everything();
    let errors: [InstallError; 2] =
        [home.try_install(harness).unwrap_err(), uninstall(harness, &home.places()).unwrap_err()];
    for error in errors {
        assert_eq!(error.code(), code, "{error}");
        assert_eq!(error.message(), format!("{}{message}", home.path(file).display()));
        assert!(error.hint().contains("not touched"));
    }
    assert_eq!(home.everything(), before);
}

#[test]
fn a_mistake_is_named_with_its_line() {
    let code = "config_unparsable";
    refused(Harness::ClaudeCode, CLAUDE, "{\n  \"a\": 1\n  \"b\": 2\n}", code, ", line 2, column 9: Expected comma");
    refused(Harness::Codex, CODEX, "a = 1\nb = = 2\n", code, ", line 2, column 5: extra `=`, expected nothing");
    refused(Harness::Gemini, GEMINI, "{\n  \"a\": [1\n", code, ", line 2, column 8: Unterminated array");
    refused(Harness::OpenCode, OPENCODE, "{ a: 1 }", code, ", line 1, column 3: Expected string for object property");
}

#[test]
fn what_the_harness_itself_cannot_read_is_a_mistake() {
    let code = "config_unparsable";
    refused(Harness::ClaudeCode, CLAUDE, "{\n  // c\n}", code, ", line 2, column 3: Comments are not allowed");
    refused(Harness::Gemini, GEMINI, "{\"a\": 1,}", code, ", line 1, column 8: Trailing commas are not allowed");
}

#[test]
fn something_else_in_the_place_of_a_table_is_refused() {
    let code = "config_wrong_shape";
    let needs = "where an object is needed";
    refused(Harness::ClaudeCode, CLAUDE, "[]", code, &format!(": the whole file is a list, {needs}"));
    refused(Harness::ClaudeCode, CLAUDE, "{\"mcpServers\": []}", code, &format!(": mcpServers is a list, {needs}"));
    refused(Harness::Gemini, GEMINI, "{\"mcpServers\": null}", code, &format!(": mcpServers is null, {needs}"));
    let text = "{\"mcp\": {\"baton\": \"x\"}}";
    refused(Harness::OpenCode, OPENCODE, text, code, &format!(": mcp.baton is a string, {needs}"));
    let text = "{\"mcp\": {\"baton\": {\"environment\": 1}}}";
    refused(Harness::OpenCode, OPENCODE, text, code, &format!(": mcp.baton.environment is a number, {needs}"));
    let needs = "where a table is needed";
    refused(Harness::Codex, CODEX, "mcp_servers = 1\n", code, &format!(": mcp_servers is of type integer, {needs}"));
    let text = "[[mcp_servers]]\nbaton = 1\n";
    refused(Harness::Codex, CODEX, text, code, &format!(": mcp_servers is of type array of tables, {needs}"));
}

#[test]
fn a_key_that_is_there_twice_is_refused() {
    let message = ": mcpServers is there twice, where one object is needed";
    refused(Harness::Gemini, GEMINI, "{\"mcpServers\": {}, \"mcpServers\": {}}", "config_wrong_shape", message);
}

#[test]
fn a_file_that_is_not_text_is_refused() {
    let home = Home::new();
    std::fs::write(home.path(CLAUDE), [0xff, 0xfe, 0x00]).unwrap();
    assert_eq!(home.try_install(Harness::ClaudeCode).unwrap_err().code(), "config_not_text");
    assert_eq!(std::fs::read(home.path(CLAUDE)).unwrap(), [0xff, 0xfe, 0x00]);
}

#[test]
fn a_server_of_another_program_under_our_name_is_neither_replaced_nor_removed() {
    for (harness, file, text) in [
        (Harness::ClaudeCode, CLAUDE, r#"{"mcpServers": {"baton": {"command": "npx", "args": ["-y", "conductor"]}}}"#),
        (Harness::Codex, CODEX, "[mcp_servers.baton]\ncommand = \"conductor\"\n"),
        (Harness::Gemini, GEMINI, r#"{"mcpServers": {"baton": {"httpUrl": "http://localhost:1/music"}}}"#),
        (Harness::OpenCode, OPENCODE, r#"{"mcp": {"baton": {"type": "local", "command": ["conductor", "serve"]}}}"#),
    ] {
        let home = Home::with(file, text);
        let before = home.everything();
        let error = home.try_install(harness).unwrap_err();
        assert_eq!(error.code(), "config_foreign_entry", "{error}");
        assert!(error.hint().contains("--without mcp") && error.hint().contains("not touched"), "{}", error.hint());
        assert_eq!(home.everything(), before);
        let outcome = uninstall(harness, &home.places()).unwrap();
        assert!(matches!(outcome.config[0].change, ConfigChange::KeptForeign { .. }), "{outcome:?}");
        assert!(!outcome.changed(), "{outcome}");
        assert_eq!(home.everything(), before);
    }
}
