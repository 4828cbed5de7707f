//! The resolver by tables of signals, and once with real processes.

use baton_core::{
    ids::AgentId,
    process::{ProcessIdentity, SessionKind},
    room::Actor,
    time::Timestamp,
};

use super::{Ancestor, Signals, Surface, Surroundings, guardian, resolve, resolve_remote};
use crate::environment::Environment;

/// `pid comm argv…`, one per ancestor, parent first.
fn ancestors(lines: &[&str]) -> Vec<Ancestor> {
    lines.iter().map(|line| ancestor(line)).collect()
}

fn ancestor(line: &str) -> Ancestor {
    let mut words = line.split_whitespace().map(str::to_owned);
    let pid = words.next().unwrap().parse().unwrap();
    let argv: Vec<String> = words.collect();
    let comm = argv.first().map(|program| program.rsplit('/').next().unwrap().to_owned()).unwrap_or_default();
    Ancestor { pid, comm, argv, identity: Some(process(pid)) }
}

fn process(pid: u32) -> ProcessIdentity {
    ProcessIdentity {
        host_id: "host_here".to_owned(),
        boot_id: "boot".to_owned(),
        pid_namespace: 1,
        pid,
        start_ticks: 1000 + u64::from(pid),
        pidfd_inode: None,
        process_started_at: Timestamp::from_millis(0),
    }
}

fn found(surface: Surface<'_>, vars: &[(&str, &str)], above: &[&str]) -> Actor {
    let environment = Environment::of(vars.iter().copied(), "/");
    let ancestors = ancestors(above);
    resolve(&Signals {
        surface,
        override_id: None,
        environment: &environment,
        ancestors: &ancestors,
        user: "ana",
        tty: Some("/dev/pts/3"),
        machine: None,
        session_leader: Some(9),
    })
}

fn mcp<'a>(client_name: &'a str, thread_id: Option<&'a str>) -> Surface<'a> {
    Surface::Mcp { client_name: Some(client_name), thread_id }
}

/// An actor in one line: slug, pid, kind. The hash is compared where it matters.
fn shown(actor: &Actor) -> String {
    let pid = actor.process.as_ref().map_or("none".to_owned(), |process| process.pid.to_string());
    let id = actor.agent_id.as_str();
    let id = if actor.session_kind == SessionKind::Human { id } else { id.split(':').next().unwrap() };
    format!("{id} process={pid}")
}

#[test]
fn the_mcp_child_and_the_shell_tool_of_a_harness_are_the_same_agent_and_process() {
    let node_codex = "40 node /l/@openai/codex/bin/codex.js";
    let cases: [(&str, Actor, Actor); 6] = [
        (
            "codex process=50",
            found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex", node_codex, "9 bash"]),
            found(Surface::Cli, &[("CODEX_THREAD_ID", "t-1")], &["60 bash -c x", "50 codex", node_codex, "9 bash"]),
        ),
        (
            "codex process=50",
            found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex"]),
            found(
                Surface::Cli,
                &[("CODEX_THREAD_ID", "t-1")],
                &["61 bash", "60 codex-linux-sandbox -- bash", "50 codex"],
            ),
        ),
        (
            "claude-code process=50",
            found(mcp("claude-code", None), &[("CLAUDE_CODE_SESSION_ID", "s-1")], &["50 claude", "9 zsh"]),
            found(
                Surface::Cli,
                &[("CLAUDE_CODE_SESSION_ID", "s-1"), ("CLAUDECODE", "1"), ("CLAUDE_PID", "50")],
                &["60 zsh -c x", "50 claude", "9 zsh"],
            ),
        ),
        (
            // Renamed, but it says which process it is, and an MCP child is its child.
            "claude-code process=50",
            found(mcp("claude-code", None), &[("CLAUDE_CODE_SESSION_ID", "s-1")], &["50 2.1.325", "9 zsh"]),
            found(
                Surface::Cli,
                &[("CLAUDE_CODE_SESSION_ID", "s-1"), ("CLAUDE_PID", "50")],
                &["60 zsh -c x", "50 2.1.325", "9 zsh"],
            ),
        ),
        (
            // It restarts itself with more memory; the inner one does the work.
            "gemini process=50",
            found(mcp("gemini-cli-mcp-client", None), &[], &["50 node --x /usr/bin/gemini", "40 node /usr/bin/gemini"]),
            found(
                Surface::Cli,
                &[("GEMINI_CLI", "1")],
                &["60 bash -c x", "50 node --x /usr/bin/gemini", "40 node /usr/bin/gemini"],
            ),
        ),
        (
            "opencode process=50",
            found(mcp("opencode", None), &[("OPENCODE", "1"), ("OPENCODE_PID", "50")], &["50 .opencode", "9 zsh"]),
            found(
                Surface::Cli,
                &[("OPENCODE", "1"), ("OPENCODE_PID", "50")],
                &["60 bash -c x", "50 .opencode", "9 zsh"],
            ),
        ),
    ];
    for (expected, from_mcp, from_shell) in cases {
        assert_eq!(from_mcp, from_shell);
        assert_eq!(shown(&from_mcp), expected);
        assert_eq!(from_mcp.session_kind, SessionKind::McpHarness);
    }
}

#[test]
fn nested_harnesses_inherit_variables_and_only_the_inner_ones_count() {
    let claude = [("CLAUDE_CODE_SESSION_ID", "outer"), ("CLAUDECODE", "1"), ("CLAUDE_PID", "20")];
    let inside_codex = [&claude[..], &[("CODEX_THREAD_ID", "inner")]].concat();
    let codex_shell = found(Surface::Cli, &inside_codex, &["60 bash", "50 codex", "30 zsh", "20 claude"]);
    let codex_mcp = found(mcp("codex-mcp-client", Some("inner")), &claude, &["50 codex", "30 zsh", "20 claude"]);
    assert_eq!(shown(&codex_shell), "codex process=50");
    assert_eq!(codex_shell, codex_mcp);

    let inside_claude = [&claude[..], &[("CODEX_THREAD_ID", "outer")]].concat();
    let claude_shell = found(Surface::Cli, &inside_claude, &["30 zsh", "20 claude", "15 bash", "10 codex"]);
    assert_eq!(shown(&claude_shell), "claude-code process=20");

    let gemini_mcp = found(mcp("gemini-cli-mcp-client", None), &claude, &["50 node /bin/gemini", "20 claude"]);
    let gemini_shell = found(Surface::Cli, &claude, &["60 bash", "50 node /bin/gemini", "20 claude"]);
    assert_eq!(shown(&gemini_mcp), "gemini process=50");
    assert_eq!(gemini_mcp, gemini_shell);

    // The same harness twice: the inherited pid is the outer one's.
    let twice = found(mcp("claude-code", None), &[("CLAUDE_PID", "20")], &["50 claude", "30 zsh", "20 claude"]);
    assert_eq!(shown(&twice), "claude-code process=50");
}

#[test]
fn through_a_server_codex_is_its_conversation_and_others_are_their_seat() {
    let local = found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex"]);
    let remote = resolve_remote(Some("codex-mcp-client"), Some("t-1"), "seat-1");
    assert_eq!((&remote.agent_id, &remote.process), (&local.agent_id, &None), "the same agent as on stdio");
    for client in [Some("codex-mcp-client"), Some("claude-code"), Some("Acme Editor"), Some("human"), None] {
        let one = resolve_remote(client, None, "seat-1");
        assert_eq!(one, resolve_remote(client, None, "seat-1"));
        assert_ne!(one.agent_id, resolve_remote(client, None, "seat-2").agent_id);
        assert!(!one.agent_id.as_str().starts_with("human:"), "{}", one.agent_id);
    }
    let threaded = resolve_remote(Some("claude-code"), Some("t-1"), "seat-1");
    assert_eq!(
        threaded,
        resolve_remote(Some("claude-code"), None, "seat-1"),
        "it does not mean its conversation by it"
    );
}

#[test]
fn conversations_of_one_process_are_different_agents() {
    let one = found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex"]);
    let two = found(mcp("codex-mcp-client", Some("t-2")), &[], &["50 codex"]);
    assert_ne!(one.agent_id, two.agent_id);
    assert_eq!(one.process, two.process);
}

#[test]
fn a_thread_id_counts_only_where_the_harness_is_known_to_mean_its_conversation_by_it() {
    let with = found(mcp("opencode", Some("t-1")), &[], &["50 opencode"]);
    let without = found(mcp("opencode", None), &[], &["50 opencode"]);
    assert_eq!(with, without);
}

#[test]
fn a_harness_that_cannot_be_seen_is_known_by_its_variables_and_has_no_process() {
    let sandboxed = |vars: &[(&str, &str)], shell: &str| found(Surface::Cli, vars, &[shell, "1 bwrap"]);
    let codex = sandboxed(&[("CODEX_THREAD_ID", "t-1")], "7 bash");
    assert_eq!(shown(&codex), "codex process=none");
    assert_eq!(codex.agent_id, found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex"]).agent_id);
    let gemini = sandboxed(&[("GEMINI_CLI", "1")], "7 bash");
    assert_eq!(shown(&gemini), "gemini process=none");
    assert_eq!(gemini, sandboxed(&[("GEMINI_CLI", "1")], "8 bash"), "the next command is the same agent");
}

#[test]
fn an_unknown_client_is_its_name_and_the_process_that_started_it() {
    let acme = found(mcp("Acme Editor", None), &[], &["50 acme", "9 bash"]);
    assert_eq!(shown(&acme), "acme-editor process=50");
    assert_eq!(acme, found(mcp("Acme Editor", None), &[("CLAUDECODE", "1")], &["50 acme", "20 claude"]));
    assert_ne!(acme.agent_id, found(mcp("Acme Editor", None), &[], &["51 acme"]).agent_id);
    let nameless = Surface::Mcp { client_name: None, thread_id: None };
    assert_eq!(shown(&found(nameless, &[], &["50 acme"])), "mcp process=50");
    assert_eq!(shown(&found(nameless, &[], &["50 claude"])), "claude-code process=50");
}

#[test]
fn a_person_is_their_terminal_and_the_shell_that_leads_it() {
    let person = found(Surface::Cli, &[("TERM", "xterm")], &["9 zsh", "5 tmux", "1 init"]);
    assert_eq!(shown(&person), "human:ana:pts3 process=9");
    assert_eq!(person.session_kind, SessionKind::Human);
    for above in [&["30 bash -c x", "9 zsh", "5 tmux"][..], &["31 sh -c x", "20 make", "9 zsh"]] {
        assert_eq!(found(Surface::Cli, &[], above), person, "a shell in between ends with its command");
    }
    let holding = guardian(person.clone(), Some(process(77)));
    assert_eq!(holding.agent_id, person.agent_id);
    assert_eq!((holding.session_kind, holding.process), (SessionKind::HumanGuardian, Some(process(77))));
}

#[test]
fn behind_a_person_without_a_terminal_or_away_from_its_shell_no_process_is_known() {
    assert_eq!(shown(&found(Surface::Cli, &[], &["30 bash -c x", "1 init"])), "human:ana:pts3 process=none");
    let environment = Environment::default();
    let above = ancestors(&["30 bash -c x", "1 init"]);
    let signals = Signals {
        surface: Surface::Cli,
        override_id: None,
        environment: &environment,
        ancestors: &above,
        user: "ana",
        tty: None,
        machine: None,
        session_leader: None,
    };
    assert_eq!(shown(&resolve(&signals)), "human:ana:notty process=none");
}

#[test]
fn a_person_at_the_same_terminal_of_two_machines_is_two_people() {
    let environment = Environment::default();
    let at = |machine| {
        let signals = Signals {
            surface: Surface::Cli,
            override_id: None,
            environment: &environment,
            ancestors: &[],
            user: "ana",
            tty: Some("/dev/pts/3"),
            machine,
            session_leader: None,
        };
        resolve(&signals).agent_id.to_string()
    };
    assert_eq!(at(None), "human:ana:pts3");
    assert_eq!([at(Some("anvil")), at(Some("bellows"))], ["human:ana:pts3@anvil", "human:ana:pts3@bellows"]);
}

#[test]
fn an_override_replaces_the_id_is_flagged_and_keeps_the_process() {
    let environment = Environment::default();
    let above = ancestors(&["50 codex"]);
    let tester: AgentId = "tester:1".parse().unwrap();
    let actor = resolve(&Signals {
        surface: mcp("codex-mcp-client", Some("t-1")),
        override_id: Some(&tester),
        environment: &environment,
        ancestors: &above,
        user: "ana",
        tty: None,
        machine: None,
        session_leader: None,
    });
    assert_eq!((actor.agent_id.as_str(), actor.overridden), ("tester:1", true));
    assert_eq!(actor.process, Some(process(50)));
}

#[test]
fn an_override_from_the_environment_must_be_an_agent_id() {
    let gathered = |id: &str| Surroundings::gather(Environment::of([("BATON_AGENT_ID", id)], "/"));
    let actor = gathered("tester:1").unwrap().cli_caller();
    assert_eq!((actor.agent_id.as_str(), actor.overridden), ("tester:1", true));
    insta::assert_snapshot!(
        gathered("not an id").unwrap_err(),
        @r#"INVALID_INPUT: BATON_AGENT_ID: an agent id must be 1 to 128 letters, digits or any of : . _ - @ + (like "codex:9b22"), not "not an id"."#
    );
}

#[cfg(target_os = "linux")]
mod real {
    use std::{
        io::{BufRead, BufReader},
        os::unix::fs::symlink,
        path::Path,
        process::{Child, Command, Stdio},
    };

    use super::*;
    use crate::identity::ancestry;

    /// Runs `script` in a shell that looks like a harness, and waits for the line it prints.
    fn run_as(program: &Path, script: &str) -> (Child, u32) {
        let mut child =
            Command::new(program).args(["-c", script]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        (child, line.trim().parse().unwrap())
    }

    #[test]
    fn real_processes_below_a_harness_find_it_from_any_depth() {
        let dir = tempfile::tempdir().unwrap();
        let gemini = dir.path().join("gemini");
        symlink("/bin/sh", &gemini).unwrap();
        // The inner shell says its pid and waits; the trailing command keeps the outer ones from stepping aside.
        let (mut child, pid) = run_as(&gemini, "sh -c \"sh -c 'echo \\$\\$; cat; true'; true\"; true");
        let above = ancestry::upwards_from(pid);
        let environment = Environment::default();
        let seen_from = |ancestors: &[Ancestor], surface| {
            resolve(&Signals {
                surface,
                override_id: None,
                environment: &environment,
                ancestors,
                user: "ana",
                tty: None,
                machine: None,
                session_leader: None,
            })
        };
        let shell = seen_from(&above, Surface::Cli);
        let mcp_child = seen_from(&above[2..], mcp("gemini-cli-mcp-client", None));
        let harness = child.id();
        drop(child.stdin.take());
        child.wait().unwrap();
        assert_eq!(shell.process.as_ref().map(|process| process.pid), Some(harness));
        assert_eq!(shell.agent_id, mcp_child.agent_id);
        assert!(shell.process.unwrap().same_process(&mcp_child.process.unwrap()));
    }

    #[test]
    fn a_connected_process_is_the_agent_that_its_commands_are() {
        let dir = tempfile::tempdir().unwrap();
        let claude = dir.path().join("claude");
        symlink("/bin/sh", &claude).unwrap();
        // The harness has set its variable for what it runs, and the program that connects runs below a shell.
        let inner = "CLAUDE_CODE_SESSION_ID=c-1 sh -c \"sh -c 'echo \\$\\$; cat; true'; true\"; true";
        let (mut child, pid) = run_as(&claude, inner);
        let (connected, harness) =
            (Surroundings::of_process(pid).unwrap(), Surroundings::of_process(child.id()).unwrap());
        let command = found(Surface::Cli, &[("CLAUDE_CODE_SESSION_ID", "c-1")], &["7 claude"]);
        let actor = connected.cli_caller();
        assert_eq!(actor.agent_id, command.agent_id);
        assert_eq!(actor.process.map(|process| process.pid), Some(child.id()));
        assert_eq!(connected.environment().cwd(), std::env::current_dir().unwrap());
        assert_eq!(harness.cli_caller().process.map(|process| process.pid), Some(child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        let ended = Surroundings::of_process(pid).unwrap().cli_caller();
        assert_eq!((ended.session_kind, ended.process), (SessionKind::Human, None));
    }

    #[test]
    fn this_process_has_a_parent_that_can_be_identified() {
        let ancestors = ancestry::of_this_process();
        let parent = ancestors.first().unwrap();
        assert_eq!(parent.identity.as_ref().map(|identity| identity.pid), Some(parent.pid));
        assert!(!parent.comm.is_empty() && !parent.argv.is_empty());
    }
}
