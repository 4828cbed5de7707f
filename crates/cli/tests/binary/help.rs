//! Help, typing errors and completions: words only, with no effect on anything.

use crate::support::{Ran, World};

/// The subcommands that a page of help lists.
fn listed(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1).take_while(|line| !line.is_empty());
    // A description that goes on in the next line is indented further.
    let names = lines.filter_map(|line| line.strip_prefix("  ")?.split(' ').next().filter(|name| !name.is_empty()));
    names.filter(|name| *name != "help").map(str::to_owned).collect()
}

#[test]
fn the_help_tells_what_baton_is_and_what_it_can_do() {
    let world = World::new();
    let help = world.run(&["--help"]);
    assert_eq!((help.status, help.stderr.as_str()), (0, ""));
    insta::assert_snapshot!(help.stdout, @r#"
    One coordination plane for coding agents that share a workspace

    Agents and people meet in a room; exactly one holds the stick and may write; passing it on takes a
    structured handoff. Everything lives in one SQLite file, or for several machines in one Postgres
    database, with no daemon.

    Exit status: 0 done, 1 failed, 2 wrong request, 3 refused, 4 not found; for `wait` also 10 not your
    turn, 11 takeover available, 12 closed, 13 kept for you, 14 a message for you; for `job claim` also
    10 nothing to claim; for `bus take`, `bus wait` and `bus submit --wait` also 10 not yet, 12 closed,
    15 an action was not completed; for `await` also 10 not yet, 15 it will not happen.

    Usage: baton [OPTIONS] <COMMAND>

    Commands:
      start        Make this workspace ready for several agents, and say what to type in each
      status       Show this workspace at a glance: the stick, who is here, what waits for you
      needs        Show what waits for you in all rooms, oldest first, each with the next command
      join         Join the room of this workspace, opening it if there is none
      wait         Wait for the stick and take it up when it is yours
      release      Hand the stick to the next member in sequence, with a handoff
      pass         Hand the stick to one chosen member, with a handoff
      take         Take the stick over from someone who timed out or is gone
      hold         Take the stick as a person and keep it until you release it
      heartbeat    Extend your lease while you hold the stick
      leave        Leave the room; whoever holds the stick must hand it on first
      handoff      Hand something to another agent: a short message, and pointers to the rest
      await        Wait until agents have answered you and jobs have ended
      tell         Tell an agent something as a person, for its next turn or at once
      send         Send a message to an agent, a role or everybody
      block        Say that you cannot go on, and what would help: a BLOCKED message
      inbox        See your messages, read one, and follow what you sent
      ack          Accept one of your messages; its sender learns of it
      task         Write down what there is to do, and who does it
      radar        See what runs, what waits and what needs you, and answer it
      job          Delegate work to runners, watch it, answer it; claim some, report on it, end it
      card         Keep findings so that they can be pointed to: evidence, decisions, tests, reports
      artifact     Files that work leaves behind: keep one, list them, give up what nothing leads to
      note         Leave a note in the room's log, without the stick
      anchor       Describe the parts of the map that jobs and cards are about
      plan         Say which tasks are to be done, in which order, and why
      turn         See agents' turns; begin one with all that waits for you, and say how it ended
      open         Show what a reference points to, in full
      search       Look for words in what is kept and was said: tasks, cards, notes, plans, jobs,
                   handoffs, messages, files
      skill        Print how an agent works with Baton, as its runner tells it
      room         Look at rooms, and change what does not need the stick
      brief        Say what the room is for, and what limits work in it
      context      Build, join and compare the packs in which agents get to know what they need
      scope        Reserve paths so that nobody else edits them, and see who has what
      confine      Run a command that cannot write in a room's workspace, except in your own scopes
      agent        Begin a session under a name, go on as another one, and see who is here
      edge         Say between whom envelopes may go, where the room's policy is explicit
      spawn        Ask for another agent: a job with its first handoff from you, and an edge between you
      approval     Decide on requests for further agents
      bus          Submit ordered actions to agents, take and report yours, talk, and follow it all
      up           Serve HTTP, MCP over HTTP and the bus socket
      ticket       Print an address that logs a browser in, once
      token        Make, list and revoke the tokens that let programs in over HTTP
      run          Run delegated jobs with Codex, Claude Code or a command of yours
      mcp          Serve MCP on standard input and output, for one coding agent
      hook         Answer a hook of an agent program: JSON on standard input, the program's dialect on
                   standard output
      demo         Watch scripted agents live through a whole story, on a throw-away store
      install      Install Baton in coding agents: MCP server, skill, hooks and slash commands
      uninstall    Take Baton out of coding agents again
      doctor       Check the store, every room against its log, and each harness with its hooks
      store        Look at the store, bring it up to date, or copy it into another one
      completions  Print shell completions
      help         Print this message or the help of the given subcommand(s)

    Options:
          --json
              Print one JSON object {"ok","command","data","error"} and nothing else

          --store <STORE>
              Where rooms are kept: postgres://user@host/database (its password in ~/.pgpass), or a
              directory [default: BATON_STORE, else this user's data directory]

      -h, --help
              Print help (see a summary with '-h')

      -V, --version
              Print version
    "#);
}

#[test]
fn the_help_of_the_radar_and_of_a_report_tell_a_manager_and_an_agent_what_to_type() {
    let world = World::new();
    let help = |words: &[&str]| {
        let help = world.run(&[words, &["--help"]].concat()).stdout;
        help.lines().map(str::trim_end).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(help(&["radar"]), @r#"
    See what runs, what waits and what needs you, and answer it

    A line for each job, the most pressing first: ! met an error or lacks proof, ? asks something, ~
    lost its runner.

    Usage: baton radar [OPTIONS]

    Options:
          --json
              Print one JSON object {"ok","command","data","error"} and nothing else

          --status <STATUS>
              Only those that are so far [default: RUNNING and QUEUED]

              [possible values: QUEUED, RUNNING, DONE, FAILED, CANCELED]

          --store <STORE>
              Where rooms are kept: postgres://user@host/database (its password in ~/.pgpass), or a
              directory [default: BATON_STORE, else this user's data directory]

          --task <TASK>
              Only those for this task

          --anchor <ANCHOR>
              Only those about this part of the map

          --limit <N>
              How many, 1 to 200 [default: 25]

      -r, --reply <JOB> <MESSAGE>
              Answer a job first

          --idempotency-key <KEY>
              Repeat a reply safely: the same key answers once

      -w, --watch
              Stay, and show what changes: at a terminal in place, else each new state once. With --json
              each state is an object in a line of its own

          --room <ID>
              The room's id

          --path <PATH>
              A path in the room's workspace [default: the current directory]

      -h, --help
              Print help (see a summary with '-h')
    "#);
    insta::assert_snapshot!(help(&["job", "report"]), @r#"
    Report on the job you work on; each report renews the claim

    An agent that a runner started names no job: it works on the one in BATON_JOB. A question stays on
    the radar until it is answered; a heartbeat is no event: its message, percent, slice and tokens
    stand in the job's row until the next.

    Usage: baton job report [OPTIONS] --kind <KIND> [JOB] [MESSAGE]

    Arguments:
      [[JOB] MESSAGE]...
              Which job [default: that of BATON_JOB], and what there is to say

    Options:
          --json
              Print one JSON object {"ok","command","data","error"} and nothing else

      -k, --kind <KIND>
              What sort of report

              [possible values: progress, checkpoint, question, proof_gate, error, heartbeat]

          --percent <N>
              How much is done, 0 to 100

          --store <STORE>
              Where rooms are kept: postgres://user@host/database (its password in ~/.pgpass), or a
              directory [default: BATON_STORE, else this user's data directory]

          --slice <N>
              Which slice of the claim it is at

          --tokens <N>
              Tokens that it took so far, in and out

          --ref <REF>
              What it points to: CARD-1, TASK-001, notes@9, 'CMD: …', 'LINK: …'

          --meta <KEY=VALUE>
              A note beside the job; the value may be JSON

          --revision <N>
              The revision of your claim, as `baton job claim` told it [default: that of BATON_JOB]

              [alias: --claim-revision]

          --runner <ID>
              In whose name it was claimed [default: that of BATON_JOB, else you]

          --ttl <TIME>
              For how long the claim is renewed, 1s to 5m [default: 3m]

          --room <ID>
              The room's id

          --path <PATH>
              A path in the room's workspace [default: the current directory]

          --idempotency-key <KEY>
              Repeat a call safely: the same key gets the first answer

      -h, --help
              Print help (see a summary with '-h')
    "#);
    insta::assert_snapshot!(help(&["job"]), @r#"
    Delegate work to runners, watch it, answer it; claim some, report on it, end it

    Usage: baton job [OPTIONS] <COMMAND>

    Commands:
      create     Delegate a piece of work to a runner
      delegate   Delegate a piece of work as a task, with a definition of done, and a job for it
      fanout     Create one job for each part of the map from one prompt: all of them, or none
      radar      See what runs, what waits and what needs you, and answer it
      overview   See how many jobs there are in all rooms, who does them, and what needs you
      list       List jobs, newest first
      open       Show a job: how far it is, who is at it, what it wants, and what happened to it
      tail       Read a job's thread, oldest first; with --follow as it grows, until the job is over
      watch      Watch jobs at work: how far each is, what it does, what it asks
      log        Show the end of what a job's program prints: live while it runs, else of its last slice
      artifacts  List the files that a job left behind, newest first: prompts, logs, transcripts, diffs
      message    Answer or steer the agent that works on a job
      cancel     Withdraw a job; whoever works on it is stopped
      requeue    Have a job done again, or by another runner
      diff       Show what a job changed
      apply      Apply what a job changed in its worktree to the workspace
      branch     Make a git branch of what a job changed in its worktree
      send-back  Send a job back with a review, which gives it another slice
      merge      Bring what several jobs did together in one report, and keep it as a pinned card
      claim      Claim a job, or the next one that you can do, and see what it asks
      report     Report on the job you work on; each report renews the claim
      complete   End the job that you claimed
      runner     Tell a runner what it cannot find out by itself
      help       Print this message or the help of the given subcommand(s)

    Options:
          --json           Print one JSON object {"ok","command","data","error"} and nothing else
          --store <STORE>  Where rooms are kept: postgres://user@host/database (its password in
                           ~/.pgpass), or a directory [default: BATON_STORE, else this user's data
                           directory]
      -h, --help           Print help
    "#);
}

#[test]
fn every_subcommand_has_help_and_asking_for_it_has_no_side_effects() {
    let world = World::new();
    let mut to_ask: Vec<Vec<String>> = vec![Vec::new()];
    let mut asked = 0;
    while let Some(words) = to_ask.pop() {
        let arguments: Vec<&str> = words.iter().map(String::as_str).chain(["--help"]).collect();
        let help = world.run(&arguments);
        assert_eq!((help.status, help.stderr.as_str()), (0, ""), "{arguments:?}");
        assert!(help.stdout.contains("Usage: baton"), "{arguments:?}: {help:?}");
        asked += 1;
        to_ask.extend(listed(&help.stdout).into_iter().map(|sub| [&words[..], &[sub]].concat()));
    }
    assert!(asked > 70, "only {asked} pages of help");
    assert!(!world.data().exists());
}

#[test]
fn what_is_mistyped_is_an_error_with_exit_2_and_has_no_side_effects() {
    let world = World::new();
    for arguments in [
        &["wiat"][..],
        &["wait", "--tiemout", "0"],
        &["wait", "--timeout", "soon"],
        &["join", "stray"],
        &["room"],
        &["room", "lsit"],
        &["room", "policy", "--lease", "forever"],
        &["wait", "--room", "not-a-room"],
        &["take"],
        &["pass"],
        &["scope", "check"],
        &["scope", "release"],
        &["scope", "release", "src", "--all"],
        &["confine"],
        &["confine", "--room", ".", "true"],
        &["agent", "init", "--adopt", "amber-otter", "--register", "cobalt-harbor"],
        &["job"],
        &["job", "craete"],
        &["job", "create"],
        &["job", "report", "hello"],
        &["job", "claim", "--ttl", "soon"],
        &["radar", "--wtach"],
        &["card"],
        &["card", "show"],
        &["open"],
        &["search"],
        &["note"],
        &["install"],
        &["store"],
        &["store", "copy", "--from", "here"],
        &["install", "emacs"],
        &["completions", "tcl"],
        &["mcp", "--tools", "some"],
        &[],
    ] {
        let ran = world.run(arguments);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{arguments:?}: {ran:?}");
        assert!(!ran.stderr.is_empty(), "{arguments:?}");
    }
    assert!(!world.data().exists());
    assert_eq!(World::files(&world.home()), []);
}

#[test]
fn there_are_completions_for_the_common_shells() {
    let world = World::new();
    for shell in ["bash", "zsh", "fish"] {
        let ran = world.run(&["completions", shell]);
        assert_eq!(ran.status, 0);
        for word in ["heartbeat", "uninstall", "force-new"] {
            assert!(ran.stdout.contains(word), "{shell} does not complete {word}");
        }
    }
    assert!(!world.data().exists());
}

#[test]
fn bash_takes_the_completions() {
    let world = World::new();
    let script = world.run(&["completions", "bash"]).stdout;
    let ran = Ran::with_input(
        {
            let mut bash = world.command("bash");
            bash.args(["--norc", "-c", "source /dev/stdin && complete -p baton"]);
            bash
        },
        &script,
    );
    assert_eq!(ran.status, 0, "{ran:?}");
    assert!(ran.stdout.ends_with(" baton\n"), "{ran:?}");
}
