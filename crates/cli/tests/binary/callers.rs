//! Callers are proven: programs without a terminal, conversations with two processes, and ids that were only claimed.
//! Everything here is real processes.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::fs::symlink,
    process::{Child, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::{World, handoff};

/// Reads a command a line, runs it, and tells its exit status in a line of its own. It ends with its input.
const LOOP: &str = r#"while IFS= read -r line; do eval "$line"; echo "exit $?"; done"#;
const BATON: &str = env!("CARGO_BIN_EXE_baton");

/// A program that stays and runs commands in shells, as an agent does that Baton does not know, or a harness that it does.
struct Program {
    child: Child,
    out: BufReader<ChildStdout>,
}

impl Program {
    /// A program of this name: a shell that the operating system shows under another.
    fn start(world: &World, name: &str, variables: &[(&str, &str)]) -> Self {
        let path = world.root().join(name);
        if !path.exists() {
            symlink("/bin/sh", &path).unwrap();
        }
        let mut command = world.command(path.to_str().unwrap());
        command.args(["-c", LOOP]).env("BATON", BATON).envs(variables.iter().copied());
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let out = BufReader::new(child.stdout.take().unwrap());
        Self { child, out }
    }

    /// Runs a command line: its output and its exit status.
    fn does(&mut self, line: &str) -> (String, i32) {
        writeln!(self.child.stdin.as_mut().unwrap(), "{line}").unwrap();
        let mut output = String::new();
        loop {
            let mut line = String::new();
            assert!(self.out.read_line(&mut line).unwrap() > 0, "it ended: {output}");
            match line.trim_end().strip_prefix("exit ") {
                Some(status) => return (output, status.parse().unwrap()),
                None => output.push_str(&line),
            }
        }
    }

    /// The `data` of a command with `--json`, or its refusal.
    fn asks(&mut self, line: &str) -> Value {
        let (output, _) = self.does(line);
        let answer: Value = serde_json::from_str(&output).unwrap_or_else(|error| panic!("{error}: {line}: {output}"));
        if answer["error"].is_null() { answer["data"].clone() } else { answer["error"].clone() }
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn dies(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

const JOIN: &str = r#""$BATON" join --json"#;
const TRY: &str = r#""$BATON" wait --timeout 0 --json"#;

#[test]
fn two_programs_without_terminal_and_harness_are_two_agents_and_each_is_one_in_all_its_commands() {
    let world = World::new();
    let [mut a, mut b] = ["agent-a", "agent-b"].map(|name| Program::start(&world, name, &[]));
    let [one, other] = [&mut a, &mut b].map(|program| program.asks(JOIN)["agent_id"].as_str().unwrap().to_owned());
    assert!(one.starts_with("shell:") && other.starts_with("shell:") && one != other, "{one} {other}");
    let wrapped = [
        r#"sh -c '"$BATON" join --json'"#,
        r#"env A=1 timeout 60 sh -c 'sh -c "\"$BATON\" join --json; :"; :'"#,
        r#"setsid --wait "$BATON" join --json"#,
        r#"(cd / && "$BATON" join --json --path "$OLDPWD")"#,
    ];
    for line in wrapped {
        assert_eq!(a.asks(line)["agent_id"], one.as_str(), "{line}");
    }
    assert_eq!(a.asks(TRY)["status"], "your_turn");
    assert_eq!(b.asks(TRY)["status"], "not_yet", "only one of them has it");
    let refusal = b.asks(r#""$BATON" release --status s --next n --json"#);
    assert_eq!((&refusal["error"], &refusal["current_owner"]), (&json!("stale_lease"), &json!(one)));
    // Its death is provable.
    a.dies();
    let open = b.asks(TRY);
    assert_eq!((&open["status"], &open["reason"]), (&json!("takeover_available"), &json!("owner_gone")), "{open}");
    world.assert_sound();
}

#[test]
fn a_program_without_a_terminal_is_no_operator() {
    let world = World::new();
    let mut program = Program::start(&world, "agent-a", &[]);
    let room = program.asks(JOIN)["room_id"].as_str().unwrap().to_owned();
    let before = world.log(&room);
    for line in [
        r#""$BATON" approval approve 1 --json"#,
        r#""$BATON" agent grant claude --spawn --json"#,
        r#""$BATON" tell claude stop --json"#,
        r#""$BATON" room policy --spawn auto --json"#,
        r#""$BATON" token create --role operator --json"#,
    ] {
        let refusal = program.asks(line);
        assert_eq!(
            (&refusal["error"], &refusal["needs"]),
            (&json!("FORBIDDEN"), &json!("operator")),
            "{line}: {refusal}"
        );
        assert!(refusal["next"].as_str().is_some_and(|next| !next.is_empty()), "{refusal}");
    }
    assert_eq!(world.log(&room), before);
}

#[test]
fn the_id_of_a_live_holder_in_the_environment_ends_nothing() {
    let world = World::new();
    let mut holder = world.agent("holder");
    let mut other = world.agent("other");
    let turn = holder.claim();
    let before = world.log(&holder.room_id);
    let mut eve = Program::start(&world, "agent-eve", &[]);
    let (id, lease) = (holder.id.clone(), turn["lease_id"].as_str().unwrap());
    for command in [
        "release --status s --next n".to_owned(),
        format!("release --status s --next n --turn 1 --lease {lease}"),
        format!("heartbeat --turn 1 --lease {lease}"),
        "leave".to_owned(),
        "scope release --all".to_owned(),
        "inbox".to_owned(),
        "ack 1".to_owned(),
        "wait --timeout 0".to_owned(),
        "status".to_owned(),
    ] {
        let refusal = eve.asks(&format!(r#"BATON_AGENT_ID={id} "$BATON" {command} --json"#));
        let named = (&refusal["error"], &refusal["pid"]);
        assert_eq!(named, (&json!("id_in_use"), &json!(holder.pid())), "{command}: {refusal}");
    }
    let refused = other.refused("join_path", json!({"context_path": ".", "agent_id_override": id}));
    assert_eq!((&refused["error"], &refused["pid"]), (&json!("id_in_use"), &json!(holder.pid())), "{refused}");
    assert_eq!(world.log(&holder.room_id), before, "nothing of it is on record");
    let arguments = holder.fenced(json!({ "handoff": handoff("done", "go on") }));
    assert_eq!(holder.ok("release_stick", arguments)["reserved_for"], other.id.as_str());
}

#[test]
fn two_servers_of_one_program_do_not_pose_as_each_other() {
    let world = World::new();
    let (mut holder, _) = world.server("holder");
    let (mut eve, _) = world.server("eve");
    holder.claim();
    let before = world.log(&holder.room_id);
    let override_id = |id: &str| json!({"context_path": ".", "agent_id_override": id});
    let refused = eve.refused("join_path", override_id(&holder.id));
    assert_eq!(refused["error"], "id_in_use", "{refused}");
    assert_eq!(world.log(&holder.room_id), before);
    // An id given by hand is its connection's, too.
    eve.ok("join_path", override_id("test:ana"));
    let refused = holder.refused("join_path", override_id("test:ana"));
    assert_eq!((&refused["error"], &refused["pid"]), (&json!("id_in_use"), &json!(eve.pid())), "{refused}");
}

#[test]
fn a_second_live_process_of_a_claude_conversation_is_an_agent_of_its_own() {
    let world = World::new();
    let conversation = [("CLAUDE_CODE_SESSION_ID", "c-1"), ("CLAUDECODE", "1")];
    let start = || Program::start(&world, "claude", &conversation);
    let (mut first, mut second) = (start(), start());
    let joined = first.asks(JOIN);
    assert_eq!(first.asks(TRY)["status"], "your_turn");
    let parallel = second.asks(JOIN);
    assert_ne!(parallel["agent_id"], joined["agent_id"]);
    assert_eq!(second.asks(TRY)["status"], "not_yet");
    let state = second.asks(r#""$BATON" room state --json"#);
    let members = state["members"].as_array().unwrap();
    let entry = members.iter().find(|member| member["agent_id"] == parallel["agent_id"]).unwrap();
    assert_eq!((&entry["parallel_to"], &entry["pid"]), (&joined["agent_id"], &json!(second.pid())));
    assert_eq!(first.asks(r#""$BATON" heartbeat --json"#)["turn_id"], 1, "the first one's turn goes on");

    first.dies();
    assert_eq!(second.asks(JOIN)["agent_id"], parallel["agent_id"], "it stays who it is");
    let mut third = start();
    assert_eq!(third.asks(JOIN)["agent_id"], joined["agent_id"], "the conversation goes on under the old id");
    assert_eq!(third.asks(TRY)["status"], "takeover_available");
    let taken = third.asks(r#""$BATON" take --reason "resumed after a crash" --json"#);
    assert_eq!(taken["turn_id"], 2, "{taken}");
    assert_eq!(second.asks(TRY)["status"], "not_yet");
    world.assert_sound();
}

#[test]
fn a_claude_process_is_one_agent_whichever_conversation_its_servers_and_shells_name() {
    let world = World::new();
    let config = world.root().join("claude-config");
    let sessions = config.join("sessions");
    fs::create_dir_all(&sessions).unwrap();
    let start = |conversation: &str| {
        let variables = [("CLAUDE_CODE_SESSION_ID", conversation), ("CLAUDE_CONFIG_DIR", config.to_str().unwrap())];
        Program::start(&world, "claude", &variables)
    };
    let mut first = start("c-1");
    let joined = first.asks(JOIN);
    assert_eq!(first.asks(TRY)["status"], "your_turn");
    let cleared = first.asks(r#"CLAUDE_CODE_SESSION_ID=c-2 "$BATON" heartbeat --json"#);
    assert_eq!(cleared["turn_id"], 1, "after `/clear` its shells have another id, and its server has not: {cleared}");
    first.dies();

    // `claude --continue` starts its servers under an id that it gives up a moment later.
    let mut second = start("c-3");
    let record = json!({"pid": second.pid(), "sessionId": "c-1"});
    fs::write(sessions.join(format!("{}.json", second.pid())), record.to_string()).unwrap();
    assert_eq!(second.asks(JOIN)["agent_id"], joined["agent_id"], "it goes on with its conversation");
    world.assert_sound();
}

#[test]
fn an_orphan_that_kept_its_terminal_is_no_operator_and_the_shell_there_is_one() {
    let world = World::new();
    let mut terminal = world.terminal();
    let ran = terminal.run(&["room", "policy", "--spawn", "auto", "--json"]);
    assert_eq!(ran.code(), "unknown_room", "nobody has joined: {ran:?}");
    assert_eq!(terminal.run(&["join"]).status, 0);
    assert_eq!(terminal.run(&["room", "policy", "--spawn", "auto"]).status, 0, "a person at a terminal steers");
    let orphaned = r#"parent=$$; (while kill -0 $parent 2>/dev/null; do :; done; "$0" "$@"; echo "exit $?") & wait $! 2>/dev/null; :"#;
    let orphaned = orphaned.replace(" wait $! 2>/dev/null; :", "");
    terminal.starts_by_way_of(&["sh", "-c", &orphaned], &["room", "policy", "--spawn", "off", "--json"]);
    terminal.ends();
    let shown = terminal.shows("exit ");
    assert!(shown.contains("FORBIDDEN"), "{shown}");
    terminal.shows("\n");
}

#[test]
fn a_harness_that_opens_a_terminal_of_its_own_is_no_operator() {
    let world = World::new();
    let mut claude = Program::start(&world, "claude", &[("CLAUDE_CODE_SESSION_ID", "c-1")]);
    claude.asks(JOIN);
    // The variables are gone, but not the process above.
    let line = r#"env -u CLAUDE_CODE_SESSION_ID script -qec '"$BATON" agent grant claude --spawn --json' /dev/null < /dev/null"#;
    let refusal = claude.asks(line);
    assert_eq!((&refusal["error"], &refusal["needs"]), (&json!("FORBIDDEN"), &json!("operator")), "{refusal}");
}
