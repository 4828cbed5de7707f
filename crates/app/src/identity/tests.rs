//! The resolver by tables of signals, and once with real processes.

use baton_core::{
    ids::AgentId,
    process::{ProcessIdentity, SessionKind},
    room::Actor,
    time::Timestamp,
};

use super::{
    AgentAbove, Ancestor, Ancestry, Conversation, Resolved, Signals, Surface, Surroundings, Told, guardian, resolve,
    resolve_remote,
};
use crate::environment::Environment;
use baton_harness::Harness;

/// `pid comm argv…`, one per ancestor, parent first, up to the first process.
fn ancestors(lines: &[&str]) -> Ancestry {
    Ancestry { processes: lines.iter().map(|line| ancestor(line)).collect(), is_whole: true }
}

pub(super) fn ancestor(line: &str) -> Ancestor {
    let mut words = line.split_whitespace().map(str::to_owned);
    let pid = words.next().unwrap().parse().unwrap();
    let argv: Vec<String> = words.collect();
    let comm = argv.first().map(|program| program.rsplit('/').next().unwrap().to_owned()).unwrap_or_default();
    // Only the first process leads another session than the rest.
    Ancestor { pid, session: if pid == 1 { 1 } else { 9 }, comm, argv, identity: Some(process(pid)) }
}

fn process(pid: u32) -> ProcessIdentity {
    ProcessIdentity {
        keeps: None,
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
    resolve(&at_terminal(surface, &environment, &ancestors(above))).actor
}

fn at_terminal<'a>(surface: Surface<'a>, environment: &'a Environment, ancestry: &'a Ancestry) -> Signals<'a> {
    Signals {
        surface,
        override_id: None,
        environment,
        recorded: None,
        ancestry,
        own: None,
        user: "ana",
        tty: Some("/dev/pts/3"),
        machine: None,
        session_leader: Some(9),
    }
}

/// A process without a terminal.
fn away<'a>(surface: Surface<'a>, environment: &'a Environment, ancestry: &'a Ancestry) -> Signals<'a> {
    Signals { tty: None, session_leader: None, ..at_terminal(surface, environment, ancestry) }
}

/// A caller without a terminal.
fn found_away(vars: &[(&str, &str)], above: &[&str]) -> Actor {
    let environment = Environment::of(vars.iter().copied(), "/");
    resolve(&away(Surface::Cli, &environment, &ancestors(above))).actor
}

fn mcp<'a>(client_name: &'a str, thread_id: Option<&'a str>) -> Surface<'a> {
    Surface::Mcp { client_name: Some(client_name), thread_id, told: None }
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
fn a_harness_that_a_sandbox_hides_is_known_by_its_conversation_and_its_process_is_the_stores_to_say() {
    let sandboxed = |vars: &[(&str, &str)]| {
        let (environment, above) = (Environment::of(vars.iter().copied(), "/"), ancestors(&["7 bash", "1 bwrap"]));
        resolve(&away(Surface::Cli, &environment, &Ancestry { is_whole: false, ..above }))
    };
    let codex = sandboxed(&[("CODEX_THREAD_ID", "t-1")]);
    assert_eq!((shown(&codex.actor).as_str(), codex.conversation), ("codex process=none", Conversation::Sandboxed));
    assert_eq!(codex.actor.agent_id, found(mcp("codex-mcp-client", Some("t-1")), &[], &["50 codex"]).agent_id);
    let gemini = sandboxed(&[("GEMINI_CLI", "1")]).actor;
    assert_eq!(shown(&gemini), "gemini process=7", "no conversation is told, so its commands are not one agent");
}

#[test]
fn variables_of_a_harness_that_is_not_above_are_the_programs_that_has_them() {
    for variables in
        [&[("CLAUDECODE", "1")][..], &[("GEMINI_CLI", "1")], &[("CLAUDE_CODE_SESSION_ID", "c"), ("CLAUDE_PID", "1")]]
    {
        let [one, other] = ["50 eve", "51 eve"].map(|program| {
            let (environment, above) =
                (Environment::of(variables.iter().copied(), "/"), ancestors(&["30 bash", program, "1 init"]));
            resolve(&away(Surface::Cli, &environment, &above))
        });
        assert_eq!([&one, &other].map(|found| found.actor.process.clone()), [Some(process(50)), Some(process(51))]);
        assert_ne!((one.actor.agent_id, one.conversation), (other.actor.agent_id, other.conversation));
    }
}

#[test]
fn an_unknown_client_is_its_name_and_the_process_that_started_it() {
    let acme = found(mcp("Acme Editor", None), &[], &["50 acme", "9 bash"]);
    assert_eq!(shown(&acme), "acme-editor process=50");
    assert_eq!(acme, found(mcp("Acme Editor", None), &[("CLAUDECODE", "1")], &["50 acme", "20 claude"]));
    assert_ne!(acme.agent_id, found(mcp("Acme Editor", None), &[], &["51 acme"]).agent_id);
    let nameless = Surface::Mcp { client_name: None, thread_id: None, told: None };
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
    let holding = guardian(person.clone(), Some(process(77)), Some("/dev/pts/3"));
    assert_eq!(holding.agent_id, person.agent_id);
    let (kind, guard) = (holding.session_kind, holding.process.unwrap());
    assert_eq!((kind, guard.pid), (SessionKind::HumanGuardian, 77));
    assert!(guard.stands_for(&person.process.unwrap()), "a grant to the guardian is one to its terminal's shell");
    assert!(!guard.stands_for(&process(10)));
    assert_eq!(guard.keeps.unwrap().terminal, "pts/3");
}

/// Ways to look like a person without being seen to be one. None of them is an operator, and none has a person's id.
#[test]
fn a_person_is_at_a_terminal_whose_shell_is_above_with_no_minder_and_nothing_hidden() {
    let environment = Environment::default();
    let at = |lines: &[&str]| at_terminal_is_person(&environment, &ancestors(lines));
    assert!(at(&["30 bash", "9 zsh", "5 tmux", "1 init"]));
    assert!(!at(&["30 bash", "1 init"]), "an orphan keeps its terminal");
    assert!(!at(&["30 sh", "20 baton minder x", "9 zsh", "5 tmux", "1 init"]), "a minder in between");
    assert!(!at(&["9 bash", "8 script", "7 baton minder x", "1 init"]), "a terminal that a job opened");
    assert!(!at(&["9 bash", "8 script", "7 claude", "1 init"]), "a terminal that a harness opened");
    let cut = Ancestry { is_whole: false, ..ancestors(&["30 bash", "9 zsh", "5 tmux"]) };
    assert!(!at_terminal_is_person(&environment, &cut), "more is above than can be seen");
    let of_a_harness = Environment::of([("CLAUDECODE", "1")], "/");
    assert!(!at_terminal_is_person(&of_a_harness, &ancestors(&["9 zsh", "1 init"])));
    let gone = ancestors(&["30 bash", "9 zsh", "1 init"]);
    assert!(!away(Surface::Cli, &environment, &gone).is_person(), "no terminal");
}

#[test]
fn a_process_works_for_the_harness_or_the_job_above_it_and_a_service_for_nobody() {
    let above = |vars: &[(&str, &str)], lines: &[&str]| {
        let environment = Environment::of(vars.iter().copied(), "/");
        away(Surface::Cli, &environment, &ancestors(lines)).agent_above()
    };
    assert_eq!(above(&[], &["9 bash", "1 init"]), None);
    assert_eq!(above(&[], &["1 /sbin/init"]), None, "started by a service manager");
    assert_eq!(above(&[], &["12 bash", "9 claude", "1 init"]), Some(AgentAbove::Harness("claude-code")));
    let orphan = above(&[("CODEX_THREAD_ID", "t")], &["1 init"]);
    assert_eq!(orphan, Some(AgentAbove::Variable("CODEX_THREAD_ID")), "its variables tell though it left its parent");
    assert_eq!(above(&[], &["12 sh", "9 baton minder x", "1 init"]), Some(AgentAbove::Job));
}

#[test]
fn everything_below_a_jobs_minder_works_for_it_and_a_resumed_session_for_itself() {
    let of_job = |lines: &[&str]| ancestors(lines).minders().any(Ancestor::may_mind_job);
    assert!(of_job(&["12 sh", "9 baton minder watch TERM 3 /locks/JOB-1.lock codex exec", "1 init"]));
    assert!(!of_job(&["12 sh", "9 baton minder watch TERM - - codex exec resume x", "1 init"]));
    assert!(of_job(&["12 sh", "9 baton minder", "1 init"]), "a minder that does not say what it minds");
    let forged = ["12 sh", "9 baton minder watch TERM - - sh", "7 baton minder watch TERM 3 /locks/JOB-1.lock codex"];
    assert!(of_job(&forged), "its job's minder is above");
}

fn at_terminal_is_person(environment: &Environment, ancestry: &Ancestry) -> bool {
    at_terminal(Surface::Cli, environment, ancestry).is_person()
}

#[test]
fn without_terminal_and_harness_a_caller_is_the_program_behind_its_shells() {
    let agent = found_away(&[], &["30 bash -c x", "20 python3 agent.py", "9 zsh", "1 init"]);
    assert_eq!((shown(&agent).as_str(), agent.session_kind), ("shell process=20", SessionKind::Shell));
    assert!(agent.agent_id.as_str().starts_with("shell:ana:"));
    // It is the same through whatever its commands run.
    for above in [
        &["31 sh -c x", "30 timeout 5 sh", "20 python3 agent.py", "1 init"][..],
        &["33 sh hook", "32 git commit", "31 env A=1 bash", "30 setsid bash", "20 python3 agent.py", "1 init"],
        &["31 sudo -n bash", "30 xargs sh", "20 python3 agent.py", "1 init"],
    ] {
        assert_eq!(found_away(&[], above), agent, "{above:?}");
    }
    // Another program is another agent.
    assert_ne!(found_away(&[], &["30 bash -c x", "21 python3 agent.py", "1 init"]).agent_id, agent.agent_id);
    // Without a program behind them, the outermost shell stands for them.
    let orphans = [
        ["30 bash -c x", "29 timeout 9 bash", "28 bash run.sh", "1 init"],
        ["40 bash", "39 env bash", "38 -bash", "1 systemd"],
    ]
    .map(|above| shown(&found_away(&[], &above)));
    assert_eq!(orphans, ["shell process=28", "shell process=38"]);
    // The first process of a container may be the agent itself, whose commands are in its session.
    let mut contained = ancestors(&["30 sh -c x", "1 python3 agent.py"]);
    contained.processes[0].session = 1;
    let environment = Environment::default();
    assert_eq!(shown(&resolve(&away(Surface::Cli, &environment, &contained)).actor), "shell process=1");
    // Nothing but the command itself is left.
    let alone = ancestor("50 baton wait");
    let none = ancestors(&["1 init"]);
    let signals = Signals { own: Some(&alone), ..away(Surface::Cli, &environment, &none) };
    assert_eq!(shown(&resolve(&signals).actor), "shell process=50");
}

#[test]
fn what_outlives_a_harness_is_not_its_conversation_whatever_its_variables_say() {
    for (variable, harness) in [("CODEX_THREAD_ID", "codex"), ("CLAUDE_CODE_SESSION_ID", "claude")] {
        let environment = Environment::of([(variable, "c-1")], "/");
        let below = |above: &[&str]| resolve(&away(Surface::Cli, &environment, &ancestors(above)));
        let seen = below(&["30 bash", &format!("20 {harness}"), "1 init"]);
        let orphan = below(&["40 bash", "1 init"]);
        assert_ne!(orphan.actor.agent_id, seen.actor.agent_id, "{harness}");
        assert_eq!(orphan.conversation, Conversation::Untold, "it has no conversation to go on with");
        assert_ne!(orphan.actor.agent_id, below(&["50 bash", "45 eve", "1 init"]).actor.agent_id);
    }
}

#[test]
fn a_second_process_of_one_conversation_has_an_id_of_its_own_at_hand() {
    let environment = Environment::of([("CLAUDE_CODE_SESSION_ID", "c-1")], "/");
    let both = |above: &[&str]| -> Resolved { resolve(&at_terminal(Surface::Cli, &environment, &ancestors(above))) };
    let (first, second) = (both(&["30 bash", "20 claude"]), both(&["31 bash", "21 claude"]));
    assert_eq!(first.actor.agent_id, second.actor.agent_id);
    assert_ne!(first.conversation, second.conversation);
    let Conversation::Of { parallel_id, is_single: true } = first.conversation else { panic!("{first:?}") };
    assert_ne!(parallel_id, first.actor.agent_id);
    let person = resolve(&at_terminal(Surface::Cli, &Environment::default(), &ancestors(&["9 zsh", "1 init"])));
    assert_eq!(person.conversation, Conversation::Untold);
}

#[test]
fn a_subagent_is_another_agent_of_a_process_that_has_one_conversation() {
    let (environment, above) = (Environment::default(), ancestors(&["30 sh", "20 claude", "1 init"]));
    let found = |agent: Option<&str>| {
        let told = Told { session: "c-1".to_owned(), agent: agent.map(str::to_owned) };
        resolve(&away(Surface::Hook { harness: Harness::ClaudeCode, told: &told }, &environment, &above))
    };
    let (main, sub) = (found(None), found(Some("a-1")));
    assert_ne!(main.actor.agent_id, sub.actor.agent_id);
    let singles = [main, sub].map(|found| matches!(found.conversation, Conversation::Of { is_single: true, .. }));
    assert_eq!(singles, [true, false], "the process goes on as the agent of its conversation, a sub-agent does not");
}

#[test]
fn a_person_at_the_same_terminal_of_two_machines_is_two_people() {
    let (environment, above) = (Environment::default(), ancestors(&["9 zsh", "1 init"]));
    let at = |machine| {
        let signals = Signals { machine, ..at_terminal(Surface::Cli, &environment, &above) };
        resolve(&signals).actor.agent_id.to_string()
    };
    assert_eq!(at(None), "human:ana:pts3");
    assert_eq!([at(Some("anvil")), at(Some("bellows"))], ["human:ana:pts3@anvil", "human:ana:pts3@bellows"]);
}

#[test]
fn an_override_replaces_the_id_is_flagged_and_keeps_the_process() {
    let (environment, above) = (Environment::default(), ancestors(&["50 codex"]));
    let tester: AgentId = "tester:1".parse().unwrap();
    let signals =
        Signals { override_id: Some(&tester), ..away(mcp("codex-mcp-client", Some("t-1")), &environment, &above) };
    let Resolved { actor, conversation } = resolve(&signals);
    assert_eq!((actor.agent_id.as_str(), actor.is_overridden()), ("tester:1", true));
    assert_eq!((actor.process, conversation), (Some(process(50)), Conversation::Untold));
}

#[test]
fn an_override_from_the_environment_must_be_an_agent_id() {
    let gathered = |id: &str| Surroundings::gather(Environment::of([("BATON_AGENT_ID", id)], "/"));
    let actor = gathered("tester:1").unwrap().cli_caller().actor;
    assert_eq!((actor.agent_id.as_str(), actor.is_overridden()), ("tester:1", true));
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
        let child_of_harness = Ancestry { processes: above.processes[2..].to_vec(), is_whole: true };
        let shell = resolve(&away(Surface::Cli, &environment, &above)).actor;
        let surface = mcp("gemini-cli-mcp-client", None);
        let mcp_child = resolve(&away(surface, &environment, &child_of_harness)).actor;
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
        let actor = connected.cli_caller().actor;
        assert_eq!(actor.agent_id, command.agent_id);
        assert_eq!(actor.process.map(|process| process.pid), Some(child.id()));
        assert_eq!(connected.environment().cwd(), std::env::current_dir().unwrap());
        assert_eq!(harness.cli_caller().actor.process.map(|process| process.pid), Some(child.id()));
        drop(child.stdin.take());
        child.wait().unwrap();
        let ended = Surroundings::of_process(pid).unwrap().cli_caller().actor;
        assert_eq!((ended.session_kind, ended.process), (SessionKind::Shell, None));
    }

    #[test]
    fn this_process_has_a_parent_that_can_be_identified() {
        let ancestors = ancestry::of_this_process();
        assert!(ancestors.is_whole);
        let parent = ancestors.processes.first().unwrap();
        assert_eq!(parent.identity.as_ref().map(|identity| identity.pid), Some(parent.pid));
        assert!(!parent.comm.is_empty() && !parent.argv.is_empty());
    }
}
