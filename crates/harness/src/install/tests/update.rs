//! An entry that says something else.

use super::super::{ConfigChange, Status, install, status};
use super::home::{CODEX, FILES, GEMINI, Home, OPENCODE, registration, registration_only, registration_with_store};
use crate::Harness;

#[test]
fn another_command_is_replaced_and_the_report_says_from_what_to_what() {
    for (harness, file) in FILES {
        let home = Home::new();
        home.install(harness);
        let fresh = home.read(file);
        let outcome = install(harness, &home.places(), &registration_with_store(), &registration_only()).unwrap();
        let expected = ConfigChange::Updated {
            from: "/opt/baton mcp".to_owned(),
            to: "BATON_DATA_DIR=/data/b /opt/baton mcp --tools full".to_owned(),
        };
        assert_eq!(outcome.config[0].change, expected, "{harness}");
        assert_eq!(outcome.config.len(), 1);

        // And back: a store that is not wanted any more would part the harness from the shell.
        home.install(harness);
        assert_eq!(home.read(file), fresh);
    }
}

#[test]
fn settings_of_the_person_inside_the_entry_survive_an_update() {
    let home = Home::with(
        GEMINI,
        r#"{"mcpServers": {"baton": {"command": "/old/baton", "trust": true, "env": {"TOKEN": "s"}, "args": ["mcp"]}}}"#,
    );
    let outcome = install(Harness::Gemini, &home.places(), &registration_with_store(), &registration_only()).unwrap();
    let ConfigChange::Updated { from, to } = &outcome.config[0].change else { panic!("{outcome:?}") };
    assert_eq!(from, "/old/baton mcp");
    assert!(!to.contains("TOKEN"), "a secret is not for the report");
    let text = home.read(GEMINI);
    assert!(text.contains(r#""command": "/opt/baton", "trust": true"#), "{text}");
    assert!(text.contains(r#""TOKEN": "s""#) && text.contains(r#""BATON_DATA_DIR": "/data/b""#), "{text}");
}

#[test]
fn a_codex_entry_keeps_its_comments_and_other_keys() {
    let before = "[mcp_servers.baton] # ours\n# where it is\ncommand = '/old' # for now\nargs = ['mcp']\n\
                  startup_timeout_sec = 20\nenabled = false\n\n[mcp_servers.baton.env]\nTOKEN = 's'\nBATON_STORE = 'p'\n";
    let home = Home::with(CODEX, before);
    let disabled = status(Harness::Codex, &home.places(), &registration());
    assert_eq!(disabled, Status::Disabled { path: home.path(CODEX) });
    home.install(Harness::Codex);
    assert_eq!(
        home.read(CODEX),
        "[mcp_servers.baton] # ours\n# where it is\ncommand = \"/opt/baton\" # for now\nargs = ['mcp']\n\
         startup_timeout_sec = 20\nenabled = true\n\n[mcp_servers.baton.env]\nTOKEN = 's'\n"
    );
}

#[test]
fn an_update_keeps_windows_line_endings_even_inside_strings() {
    let before = "a = \"\"\"\r\nx\r\n\"\"\"\r\n\r\n[mcp_servers.baton]\r\ncommand = \"/old\"\r\nargs = [\"mcp\"]\r\n";
    let home = Home::with(CODEX, before);
    home.install(Harness::Codex);
    assert_eq!(home.read(CODEX), before.replace("/old", "/opt/baton"));
}

#[test]
fn a_server_of_another_kind_under_our_name_is_replaced_whole() {
    let remote = r#"{"mcp": {"baton": {"type": "remote", "url": "http://u:p@host/mcp", "headers": {"A": "b"}}}}"#;
    let home = Home::with(OPENCODE, remote);
    let outcome = home.install(Harness::OpenCode);
    let expected = ConfigChange::Updated { from: "http://…".to_owned(), to: "/opt/baton mcp".to_owned() };
    assert_eq!(outcome.config[0].change, expected);
    assert!(!home.read(OPENCODE).contains("headers"));

    let home = Home::with(CODEX, "[mcp_servers.baton]\nurl = \"http://host/mcp\"\n\n[z]\n");
    home.install(Harness::Codex);
    assert!(!home.read(CODEX).contains("url"), "{}", home.read(CODEX));
    assert_eq!(home.install(Harness::Codex).config[0].change, ConfigChange::Already);
}

#[test]
fn a_disabled_entry_is_enabled_again() {
    let home = Home::with(
        OPENCODE,
        r#"{"mcp": {"baton": {"type": "local", "command": ["/opt/baton", "mcp"], "enabled": false}}}"#,
    );
    let outcome = home.install(Harness::OpenCode);
    assert!(outcome.to_string().contains("from /opt/baton mcp (disabled)"), "{outcome}");
    assert!(home.read(OPENCODE).contains(r#""enabled": true"#));
}
