//! What a program gets of the runner's variables.

use std::fs;

use baton_app::environment::Environment;

use crate::executor::{Agent, CommandLine, Executor, Profiles, VariableName};

/// All that a runner may have around it, secrets and the marks of other harnesses included.
const AROUND: [(&str, &str); 34] = [
    ("PATH", ":/usr/bin:.:bin:/opt/tools/bin:"),
    ("HOME", "/home/ana"),
    ("LC_ALL", "C"),
    ("XDG_RUNTIME_DIR", "/run/user/1"),
    ("HTTPS_PROXY", "http://proxy"),
    ("BATON_MINDER", "1:2:3"),
    ("BATON_STORE", "postgres://ana:secret@db/team"),
    ("BATON_AGENT_ID", "me"),
    ("BATON_JOB", "another"),
    ("PGPASSWORD", "secret"),
    ("GITHUB_TOKEN", "secret"),
    ("AWS_SECRET_ACCESS_KEY", "secret"),
    ("GOOGLE_APPLICATION_CREDENTIALS", "secret"),
    ("SSH_AUTH_SOCK", "/agent"),
    ("LD_PRELOAD", "/evil.so"),
    ("BASH_ENV", "/evil.sh"),
    ("NODE_OPTIONS", "--require /evil.js"),
    ("GIT_DIR", "/elsewhere"),
    ("GIT_CONFIG_COUNT", "1"),
    ("CLAUDECODE", "1"),
    ("CLAUDE_CODE_SESSION_ID", "s"),
    ("CLAUDE_CODE_MESSAGING_TOKEN", "s"),
    ("CLAUDE_PROJECT_DIR", "/repo"),
    ("CLAUDE_CONFIG_DIR", "/claude"),
    ("ANTHROPIC_API_KEY", "key"),
    ("CODEX_THREAD_ID", "t"),
    ("CODEX_SANDBOX", "seatbelt"),
    ("CODEX_HOME", "/nowhere"),
    ("OPENAI_API_KEY", "key"),
    ("GEMINI_API_KEY", "key"),
    ("OPENCODE", "1"),
    ("ROUTER_KEY", "key"),
    ("ROUTER_KEY_OLD", "key"),
    ("EMPTY", ""),
];

fn names(executor: &Executor, around: &[(&str, &str)], named: &[&str]) -> String {
    let named: Vec<_> = named.iter().map(|name| VariableName::parse(name).unwrap()).collect();
    let inherited = executor.inherited(&Environment::of(around.iter().copied(), "/"), &named);
    let names: Vec<_> = inherited.iter().map(|(name, _)| name.into_string().unwrap()).collect();
    names.join(" ")
}

fn codex() -> Executor {
    Executor::Codex("/c".into(), Agent::default())
}

fn claude() -> Executor {
    Executor::ClaudeCode("/c".into(), Agent::default())
}

#[test]
fn a_program_gets_what_it_needs_and_none_of_the_runners_secrets() {
    let common = "BATON_MINDER";
    assert_eq!(
        names(&codex(), &AROUND, &[]),
        format!("{common} CODEX_HOME HOME HTTPS_PROXY LC_ALL OPENAI_API_KEY PATH XDG_RUNTIME_DIR")
    );
    assert_eq!(
        names(&claude(), &AROUND, &[]),
        format!("ANTHROPIC_API_KEY {common} CLAUDE_CONFIG_DIR HOME HTTPS_PROXY LC_ALL PATH XDG_RUNTIME_DIR")
    );
    let line = CommandLine { argv: vec!["x".to_owned()], profiles: Profiles::default(), env: Vec::new() };
    let command = Executor::Command("/x".into(), line);
    assert_eq!(names(&command, &AROUND, &[]), format!("{common} HOME HTTPS_PROXY LC_ALL PATH XDG_RUNTIME_DIR"));
    let inherited = codex().inherited(&Environment::of(AROUND, "/"), &[]);
    let path = inherited.iter().find(|(name, _)| name == "PATH").unwrap().1;
    assert_eq!(path, "/usr/bin:/opt/tools/bin", "nothing is found in the working directory");
    assert!(!format!("{inherited:?}").contains("key"), "{inherited:?}");
}

#[test]
fn the_user_names_more_for_one_program_or_for_all() {
    let own = Agent { env: vec![VariableName::parse("GITHUB_TOKEN").unwrap()], ..Agent::default() };
    let got = names(&Executor::Codex("/c".into(), own.clone()), &AROUND, &["ROUTER_*", "EMPTY"]);
    assert_eq!(
        got,
        "BATON_MINDER CODEX_HOME GITHUB_TOKEN HOME HTTPS_PROXY LC_ALL OPENAI_API_KEY PATH ROUTER_KEY ROUTER_KEY_OLD \
         XDG_RUNTIME_DIR"
    );
    // The mark of a harness around the runner is let in by its whole name only.
    assert!(!names(&codex(), &AROUND, &["CLAUDE_*"]).contains("CLAUDE_CODE_SESSION_ID"));
    assert!(names(&codex(), &AROUND, &["CLAUDE_CODE_SESSION_ID"]).contains("CLAUDE_CODE_SESSION_ID"));
    for wrong in ["", "*", "A B", "1A", "A*B", "A=", "**"] {
        assert_eq!(VariableName::parse(wrong), None, "{wrong}");
    }
}

#[test]
fn a_clouds_login_goes_to_claude_only_where_it_uses_that_cloud() {
    let with = |switch: (&'static str, &'static str)| names(&claude(), &[&AROUND[..], &[switch]].concat(), &[]);
    assert!(with(("CLAUDE_CODE_USE_BEDROCK", "1")).contains("AWS_SECRET_ACCESS_KEY"));
    assert!(!with(("CLAUDE_CODE_USE_BEDROCK", "1")).contains("GOOGLE_"));
    assert!(with(("CLAUDE_CODE_USE_VERTEX", "1")).contains("GOOGLE_APPLICATION_CREDENTIALS"));
    assert!(!with(("CLAUDE_CODE_USE_BEDROCK", "0")).contains("AWS_"));
}

#[test]
fn codex_gets_the_keys_that_its_own_configuration_names_for_a_provider() {
    let home = tempfile::tempdir().unwrap();
    let configured = r#"
        model_provider = "router"
        [model_providers.router]
        env_key = "ROUTER_KEY"
        env_http_headers = { "X-Key" = "GEMINI_API_KEY" }
        [model_providers.wide]
        env_key = "AWS_*"
        [mcp_servers.x]
        bearer_token_env_var = "GITHUB_TOKEN"
    "#;
    fs::write(home.path().join("config.toml"), configured).unwrap();
    let mut around = AROUND.to_vec();
    around.retain(|(name, _)| *name != "CODEX_HOME");
    around.push(("CODEX_HOME", home.path().to_str().unwrap()));
    assert_eq!(
        names(&codex(), &around, &[]),
        "BATON_MINDER CODEX_HOME GEMINI_API_KEY HOME HTTPS_PROXY LC_ALL OPENAI_API_KEY PATH ROUTER_KEY XDG_RUNTIME_DIR"
    );
    assert!(!names(&claude(), &around, &[]).contains("ROUTER_KEY"));
    fs::write(home.path().join("config.toml"), "model_provider = \"amazon-bedrock\"\n").unwrap();
    assert!(names(&codex(), &around, &[]).contains("AWS_SECRET_ACCESS_KEY"));
}
