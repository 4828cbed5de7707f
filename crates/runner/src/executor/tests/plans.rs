//! How each program is started.

use std::fs;

use baton_app::environment::Environment;
use baton_core::job::Routing;
use baton_testkit::git_for_tests;
use serde_json::json;
use toml_edit::Document;

use crate::{
    executor::{Agent, Choice, CommandLine, Executor, Form, Plan, Profile, Profiles, Server, Session, Slice},
    process::StopSignal,
};

fn slice() -> Slice {
    Slice {
        prompt: "Do it.".to_owned(),
        form: Form::Answer,
        cwd: "/repo".into(),
        profile: Some(Profile::Deep),
        model: None,
        resume: None,
        scratch: "/scratch".into(),
        server: Some(Server {
            command: "/bin/baton".into(),
            args: vec!["mcp".to_owned(), "--tools".to_owned(), "a \"b\" \\c".to_owned()],
            env: vec![("BATON_JOB".to_owned(), "secret".to_owned())],
        }),
        read_only: false,
    }
}

fn bare() -> Slice {
    Slice { server: None, ..slice() }
}

fn agent() -> Agent {
    let choice = Choice { model: Some("big".to_owned()), effort: Some("high".to_owned()) };
    Agent {
        args: vec!["--more".to_owned()],
        profiles: Profiles::of(vec![(Profile::Deep, choice), (Profile::Fast, Choice::default())]),
        ..Agent::default()
    }
}

/// One argument a line, with what else there is.
fn shown(plan: &Plan) -> String {
    let mut lines: Vec<_> = plan.argv.iter().map(|word| word.display().to_string()).collect();
    lines.extend(plan.env.iter().map(|(name, value)| format!("env {}={}", name.display(), value.display())));
    lines.extend(plan.files.iter().map(|(path, text)| match text.contains("properties") {
        true => format!("file {}: the schema", path.display()),
        false => format!("file {}: {text}", path.display()),
    }));
    lines.join("\n")
}

#[test]
fn codex_plain() {
    let plan = Executor::Codex("/bin/codex".into(), Agent::default()).plan(&bare());
    assert_eq!(plan.stop_signal, StopSignal::Terminate);
    insta::assert_snapshot!(shown(&plan), @r#"
    /bin/codex
    exec
    --json
    --skip-git-repo-check
    --sandbox
    workspace-write
    --config
    approval_policy="never"
    --config
    projects={ "/" = { trust_level = "untrusted" }, "/repo" = { trust_level = "untrusted" } }
    --output-schema
    /scratch/answer.schema.json
    --output-last-message
    /scratch/last-message.txt
    -
    file /scratch/answer.schema.json: the schema
    "#);
}

#[test]
fn codex_with_all_there_is() {
    let slice = Slice { resume: Session::parse("01a1e3f1"), ..slice() };
    let plan = Executor::Codex("/bin/codex".into(), agent()).plan(&slice);
    insta::assert_snapshot!(shown(&plan), @r#"
    /bin/codex
    exec
    --json
    --skip-git-repo-check
    --sandbox
    workspace-write
    --config
    approval_policy="never"
    --config
    projects={ "/" = { trust_level = "untrusted" }, "/repo" = { trust_level = "untrusted" } }
    --output-schema
    /scratch/answer.schema.json
    --output-last-message
    /scratch/last-message.txt
    --model=big
    --config
    model_reasoning_effort="high"
    --config
    mcp_servers.baton.command="/bin/baton"
    --config
    mcp_servers.baton.args=["mcp", "--tools", 'a "b" \c']
    --config
    mcp_servers.baton.env_vars=["BATON_JOB"]
    --config
    mcp_servers.baton.tool_timeout_sec=600
    --config
    mcp_servers.baton.required=true
    --more
    resume
    01a1e3f1
    -
    env BATON_JOB=secret
    file /scratch/answer.schema.json: the schema
    "#);
    assert!(plan.argv.iter().all(|word| !word.display().to_string().contains("secret")));
}

#[test]
fn claude_plain() {
    let plan = Executor::ClaudeCode("/bin/claude".into(), Agent::default()).plan(&bare());
    assert_eq!(plan.stop_signal, StopSignal::Interrupt);
    insta::assert_snapshot!(shown(&plan), @r#"
    /bin/claude
    -p
    --output-format
    stream-json
    --verbose
    --permission-mode
    acceptEdits
    --setting-sources
    user
    --json-schema
    { "type": "object", "properties": { "status": {"type": "string", "enum": ["DONE", "FAILED", "CONTINUE"]}, "summary": {"type": "string"}, "refs": {"type": "array", "items": {"type": "string"}}, "events": { "type": "array", "items": { "type": "object", "properties": { "kind": {"type": "string", "enum": ["progress", "checkpoint", "question", "error"]}, "message": {"type": "string"}, "percent": {"type": ["integer", "null"]}, "refs": {"type": "array", "items": {"type": "string"}} }, "required": ["kind", "message", "percent", "refs"], "additionalProperties": false } } }, "required": ["status", "summary", "refs", "events"], "additionalProperties": false }
    --mcp-config
    /scratch/mcp.json
    --strict-mcp-config
    --disallowedTools
    Bash
    --allowedTools
    mcp__baton
    file /scratch/mcp.json: {"mcpServers":{}}
    "#);
}

#[test]
fn claude_with_all_there_is() {
    let slice = Slice { resume: Session::parse("655299a2"), model: Some("asked".to_owned()), ..slice() };
    let plan = Executor::ClaudeCode("/bin/claude".into(), Agent { allow_bash: true, ..agent() }).plan(&slice);
    insta::assert_snapshot!(shown(&plan), @r#"
    /bin/claude
    -p
    --output-format
    stream-json
    --verbose
    --permission-mode
    acceptEdits
    --setting-sources
    user
    --json-schema
    { "type": "object", "properties": { "status": {"type": "string", "enum": ["DONE", "FAILED", "CONTINUE"]}, "summary": {"type": "string"}, "refs": {"type": "array", "items": {"type": "string"}}, "events": { "type": "array", "items": { "type": "object", "properties": { "kind": {"type": "string", "enum": ["progress", "checkpoint", "question", "error"]}, "message": {"type": "string"}, "percent": {"type": ["integer", "null"]}, "refs": {"type": "array", "items": {"type": "string"}} }, "required": ["kind", "message", "percent", "refs"], "additionalProperties": false } } }, "required": ["status", "summary", "refs", "events"], "additionalProperties": false }
    --mcp-config
    /scratch/mcp.json
    --strict-mcp-config
    --allowedTools
    mcp__baton,Bash
    --model=asked
    --effort
    high
    --resume
    655299a2
    --more
    env BATON_JOB=secret
    file /scratch/mcp.json: {"mcpServers":{"baton":{"type":"stdio","command":"/bin/baton","args":["mcp","--tools","a \"b\" \\c"],"env":{"BATON_JOB":"${BATON_JOB}"}}}}
    "#);
    assert!(plan.argv.iter().all(|word| !word.display().to_string().contains("secret")));
}

#[test]
fn a_command_gets_what_it_needs_in_variables() {
    let line =
        CommandLine { argv: vec!["agent".to_owned(), "--go".to_owned()], profiles: agent().profiles, env: Vec::new() };
    let slice = Slice { resume: Session::parse("s1"), ..slice() };
    let plan = Executor::Command("/bin/agent".into(), line).plan(&slice);
    insta::assert_snapshot!(shown(&plan), @"
    /bin/agent
    --go
    env BATON_PROFILE=deep
    env BATON_MODEL=big
    env BATON_EFFORT=high
    env BATON_RESUME=s1
    env BATON_JOB=secret
    ");
}

#[test]
fn what_could_be_taken_for_a_flag_names_no_conversation() {
    for name in ["", "--last", "-", "a b", "a/b", &"x".repeat(129)] {
        assert_eq!(Session::parse(name), None, "{name}");
    }
    assert!(Session::parse("01a1e3f1-ecd6-7502_x").is_some());
    // A model's name is one argument with its flag.
    let slice = Slice { model: Some("--evil".to_owned()), ..bare() };
    for executor in [
        Executor::Codex("/bin/codex".into(), Agent::default()),
        Executor::ClaudeCode("/bin/claude".into(), Agent::default()),
    ] {
        assert!(executor.plan(&slice).argv.iter().any(|word| word == "--model=--evil"));
    }
}

#[test]
fn a_program_is_started_with_its_own_variables_and_gits_settings() {
    let directory = tempfile::tempdir().unwrap();
    let slice = Slice { cwd: directory.path().to_owned(), ..slice() };
    let around = Environment::of([("HOME", "/home/ana"), ("CLAUDECODE", "1"), ("BATON_JOB", "another")], "/");
    let executor = Executor::Codex("/bin/codex".into(), Agent::default());
    let spawn = executor.plan(&slice).spawn(&slice, &executor.inherited(&around, &[])).unwrap();
    let names: Vec<_> = spawn.env.iter().map(|(name, _)| name.to_str().unwrap()).collect();
    let of_git = |name: &&str| name.starts_with("GIT_");
    let others: Vec<&str> = names.iter().copied().filter(|name| !of_git(name)).collect();
    assert_eq!(others, ["HOME", "BATON_JOB"]);
    assert!(names.contains(&"GIT_CONFIG_COUNT") && names.contains(&"GIT_NO_LAZY_FETCH"), "{names:?}");
    assert_eq!(spawn.env.last().unwrap().1, "secret");
    assert_eq!((spawn.stdin, spawn.cwd), (b"Do it.".to_vec(), directory.path().to_owned()));
}

#[test]
fn codex_trusts_neither_a_worktree_nor_the_repository_that_it_belongs_to() {
    let directory = tempfile::tempdir().unwrap();
    let root = directory.path().canonicalize().unwrap();
    let git = |words: &[&str]| {
        let mut git = git_for_tests();
        git.arg("-C").arg(&root).args(["-c", "user.name=Ana", "-c", "user.email=ana@example.org"]).args(words);
        assert!(git.status().unwrap().success(), "{words:?}");
    };
    git(&["init", "--quiet", "main"]);
    git(&["-C", "main", "commit", "--quiet", "--allow-empty", "--message=first"]);
    git(&["-C", "main", "worktree", "add", "--quiet", "../trees/one"]);
    fs::create_dir_all(root.join("trees/one/a \"b\"")).unwrap();
    let slice = Slice { cwd: root.join("trees/one/a \"b\""), ..bare() };
    let plan = Executor::Codex("/bin/codex".into(), Agent::default()).plan(&slice);
    let setting = plan.argv.iter().find_map(|word| word.to_str()?.strip_prefix("projects=")).unwrap().to_owned();
    let read: Document<_> = format!("projects = {setting}").parse().unwrap();
    for directory in ["trees/one/a \"b\"", "trees/one", "trees", "", "main"] {
        let key = root.join(directory);
        let key = key.to_str().unwrap().trim_end_matches('/');
        assert_eq!(read["projects"][key]["trust_level"].as_str(), Some("untrusted"), "{key}");
    }
}

#[test]
fn a_model_that_was_meant_for_another_program_is_not_asked_of_this_one() {
    // As the contract's own example of an `auto` job.
    let routing: Routing = serde_json::from_value(json!({
        "executor": "auto", "executor_profile": "deep", "executor_model": "opus", "isolation": "workspace",
        "policy": {"prefer": ["claude_code", "codex"]}
    }))
    .unwrap();
    let asked = |executor: Executor| {
        let model = routing.model_for(executor.kind()).map(str::to_owned);
        let plan = executor.plan(&Slice { model, ..bare() });
        plan.argv.iter().find_map(|word| word.to_str()?.strip_prefix("--model=").map(str::to_owned))
    };
    assert_eq!(asked(Executor::ClaudeCode("/c".into(), agent())).as_deref(), Some("opus"));
    assert_eq!(asked(Executor::Codex("/c".into(), agent())).as_deref(), Some("big"), "its own");
    assert_eq!(asked(Executor::Codex("/c".into(), Agent::default())), None);
}

#[test]
fn who_is_asked_for_words_is_given_no_schema() {
    let words = Slice { form: Form::Words, ..bare() };
    for executor in [Executor::Codex("/c".into(), agent()), Executor::ClaudeCode("/c".into(), agent())] {
        let (asked, free) = (executor.plan(&bare()), executor.plan(&words));
        let has_schema = |plan: &Plan| plan.argv.iter().any(|word| word.to_string_lossy().contains("schema"));
        assert!(has_schema(&asked) && !has_schema(&free), "{free:?}");
    }
}

#[test]
fn a_job_that_only_looks_gets_no_program_that_writes() {
    let slice = Slice { read_only: true, ..bare() };
    let words = |plan: &Plan| plan.argv.iter().map(|word| word.display().to_string()).collect::<Vec<_>>();
    let after = |plan: &Plan, flag: &str| {
        let words = words(plan);
        let place = words.iter().position(|word| word == flag).unwrap();
        words[place + 1].clone()
    };
    let codex = Executor::Codex("/bin/codex".into(), Agent::default()).plan(&slice);
    assert_eq!(after(&codex, "--sandbox"), "read-only");
    let able = Agent { allow_bash: true, ..Agent::default() };
    let claude = Executor::ClaudeCode("/bin/claude".into(), able).plan(&slice);
    assert_eq!(after(&claude, "--disallowedTools"), "Bash,Edit,Write,NotebookEdit");
    assert_eq!(after(&claude, "--permission-mode"), "default");
    assert_eq!(after(&claude, "--allowedTools"), "mcp__baton", "a shell writes too");
    let line = CommandLine { argv: vec!["/bin/work".to_owned()], profiles: Profiles::default(), env: Vec::new() };
    let command = Executor::Command("/bin/work".into(), line.clone()).plan(&slice);
    assert!(command.env.contains(&("BATON_READ_ONLY".into(), "1".into())));
    let usual = Executor::Command("/bin/work".into(), line).plan(&bare());
    assert!(usual.env.iter().all(|(name, _)| name != "BATON_READ_ONLY"));
}
