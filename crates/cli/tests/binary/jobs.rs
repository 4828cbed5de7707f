//! Jobs at the command line: delegated, claimed, asked about, answered, proven and done.

use std::{fs, path::Path};

use baton_testkit::assignment;
use serde_json::{Value, json};

use crate::support::{Ran, Transcript, World};

/// A world whose room `test:ana` is in, and the room.
pub(crate) fn world() -> (World, String) {
    let world = World::new();
    let room = world.join_as("ana");
    (world, room)
}

/// Runs a command that must do what it is asked, and tells its `data`.
pub(crate) fn ok(world: &World, who: &str, arguments: &[&str]) -> Value {
    let ran = world.run_as(who, &[arguments, &["--json"]].concat());
    assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
    ran.json()["data"].clone()
}

#[test]
fn a_job_is_delegated_claimed_asked_about_answered_proven_and_done() {
    let (world, _) = world();
    let mut story = Transcript::new(&world);
    story.run("ana", &["anchor", "set", "a:core", "The rules", "--text", "crates/core"]);
    story.run(
        "ana",
        &["job", "delegate", "write the parser", "--prompt", "All of it.\nWith tests.", "--anchor", "a:core"],
    );
    story.run("ana", &["radar"]);
    story.run("runner", &["job", "claim", "--runner", "r1"]);
    story.run_on_it(&["job", "report", "--kind", "progress", "reading the grammar", "--percent", "20"]);
    story.run_on_it(&["job", "report", "--kind", "question", "tabs or spaces?"]);
    story.run("ana", &["status"]);
    story.run("ana", &["radar"]);
    story.run("ana", &["radar", "--reply", "JOB-001", "tabs, as in notes@1"]);
    story.run_on_it(&["job", "tail", "--after", "8"]);
    let evidence =
        ["card", "create", "all green", "--kind", "evidence", "--text", "7 tests", "--ref", "CMD: cargo test"];
    story.run_on_it(&evidence);
    story.run_on_it(&["job", "report", "--kind", "checkpoint", "it parses", "--ref", "CARD-1"]);
    story.run_on_it(&["job", "complete", "it parses"]);
    story.run_on_it(&["job", "message", "1", "well done, me"]);
    story.run("runner", &["job", "complete", "1", "it parses", "--runner", "r1", "--revision", "1", "--ref", "CARD-1"]);
    story.run("ana", &["job", "open", "1", "--events", "3"]);
    story.run("ana", &["radar"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton anchor set a:core "The rules" --text crates/core
    a:core  The rules

    ana$ baton job delegate "write the parser" --prompt "All of it.\nWith tests." --anchor a:core
    JOB-001 is QUEUED for TASK-001: write the parser (JOB-001@5)
    next: baton radar

    ana$ baton radar
    room_1 jobs_radar count=1 runner=offline runners=none
    CMD: baton run --room room_1 --store DATA
    JOB-001@5 JOB-001 (QUEUED) write the parser | open id=JOB-001@5 | blocked: No runner is here. | age <1m

    runner$ baton job claim --runner r1
    JOB-001  write the parser
      status    RUNNING, changed SPAN ago
      runner    r1, revision 1, which runs out in SPAN
      for       TASK-001, a:core
      sort      task, priority MEDIUM
      by        test:ana, created SPAN ago

    All of it.
    With tests.

    next: baton job report JOB-001 --revision 1 --runner r1 --kind progress …
    then: baton job complete JOB-001 --revision 1 --runner r1 --ref … SUMMARY
    An agent that works on it need name nothing, with BATON_JOB=room_1/JOB-001/1/r1/cap_1

    its agent$ baton job report --kind progress "reading the grammar" --percent 20
    Reported as JOB-001@7; your claim runs out in SPAN.

    its agent$ baton job report --kind question "tabs or spaces?"
    Reported as JOB-001@8; your claim runs out in SPAN.
    next: the answer comes to the job; see it with baton job tail JOB-001 --follow

    ana$ baton status
    room_1  WORKSPACE
    turn 0, the stick is free

      1. humble-orca (test:ana)  idle, seen SPAN ago  (you)

    Jobs: 1 with a question, 1 running: baton radar

    next: the stick is free: baton wait

    ana$ baton radar
    room_1 jobs_radar count=1 runner=offline runners=none
    JOB-001@8 ? JOB-001 (RUNNING) write the parser | open id=JOB-001@8 | reply reply_job=JOB-001 reply_message="..." | last question: tabs or spaces? | age <1m, 20 %
    next: baton radar --reply JOB-001 "…"

    ana$ baton radar --reply JOB-001 "tabs, as in notes@1"
    Told as JOB-001@9.
    room_1 jobs_radar count=1 runner=offline runners=none
    JOB-001@9 JOB-001 (RUNNING) write the parser | open id=JOB-001@9 | last manager: tabs, as in notes@1 | age <1m, 20 %

    its agent$ baton job tail --after 8
    JOB-001@9  TIME  manager     test:ana: tabs, as in notes@1

    its agent$ baton card create "all green" --kind evidence --text "7 tests" --ref "CMD: cargo test"
    Kept as CARD-1  evidence  all green  (JOB-001, TASK-001, a:core)

    its agent$ baton job report --kind checkpoint "it parses" --ref CARD-1
    Reported as JOB-001@12; your claim runs out in SPAN.

    its agent$ baton job complete "it parses"
    PRECONDITION_FAILED: JOB-001 is the caller's own job: its runner ends it, once the answer has come.
      job: JOB-001
      next: Report with `baton job report`; to be decided on by a manager, report --kind question.
    [exit 3]

    its agent$ baton job message 1 "well done, me"
    PRECONDITION_FAILED: JOB-001 is the caller's own job: it cannot answer itself.
      job: JOB-001
      next: Report with `baton job report`; to be decided on by a manager, report --kind question.
    [exit 3]

    runner$ baton job complete 1 "it parses" --runner r1 --revision 1 --ref CARD-1
    JOB-001 is DONE: write the parser (JOB-001@13)
    next: baton open CARD-1

    ana$ baton job open 1 --events 3
    JOB-001  write the parser
      status    DONE, changed SPAN ago
      progress  20 %
      for       TASK-001, a:core
      sort      task, priority MEDIUM
      summary   it parses
      refs      CARD-1
      proof     CARD-1 (made in this job)
      by        test:ana, created SPAN ago

    JOB-001@13  TIME  completed   test:runner: it parses
        refs: CARD-1
    JOB-001@12  TIME  checkpoint  job:JOB-001@1: it parses
        refs: CARD-1
    JOB-001@9  TIME  manager     test:ana: tabs, as in notes@1
    more: baton job open JOB-001 --before 9
    next: baton open CARD-1

    ana$ baton radar
    room_1 jobs_radar count=0 runner=offline runners=none
    next: baton job create TITLE --prompt …
    "#);
    world.assert_sound();
}

#[test]
fn a_job_that_is_lost_withdrawn_or_failed_is_told_with_what_leads_on() {
    let (world, _) = world();
    let mut story = Transcript::new(&world);
    story.run("ana", &["job", "list"]);
    story.run("ana", &["job", "create", "first", "--prompt", "p", "--priority", "high"]);
    story.run("ana", &["job", "create", "second", "--prompt", "p"]);
    story.run("r1", &["job", "claim"]);
    story.run("r2", &["job", "claim", "1"]);
    story.run("r2", &["job", "claim", "1", "--force"]);
    story.run("r1", &["job", "report", "1", "--kind", "progress", "still here", "--revision", "1"]);
    story.run("r2", &["job", "report", "1", "--kind", "error", "no compiler", "--revision", "2"]);
    story.run("ana", &["job", "list", "--status", "running"]);
    story.run("r2", &["job", "complete", "1", "cannot be done", "--failed", "--revision", "2"]);
    story.run("ana", &["job", "requeue", "1", "--reason", "there is one now"]);
    story.run("ana", &["job", "cancel", "1", "--reason", "not after all"]);
    story.run("ana", &["job", "cancel", "2", "--reason", "nor that"]);
    story.run("r1", &["job", "claim"]);
    story.run("r1", &["job", "message", "1", "hello?"]);
    story.run("ana", &["job", "tail", "1"]);
    story.run("ana", &["job", "list", "--limit", "1"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton job list
    No jobs.
    next: baton job create TITLE --prompt …

    ana$ baton job create first --prompt p --priority high
    JOB-001 is QUEUED: first (JOB-001@3)
    next: baton radar

    ana$ baton job create second --prompt p
    JOB-002 is QUEUED: second (JOB-002@4)
    next: baton radar

    r1$ baton job claim
    JOB-001  first
      status    RUNNING, changed SPAN ago
      runner    test:r1, revision 1, which runs out in SPAN
      sort      task, priority HIGH
      by        test:ana, created SPAN ago

    p

    next: baton job report JOB-001 --revision 1 --kind progress …
    then: baton job complete JOB-001 --revision 1 --ref … SUMMARY
    An agent that works on it need name nothing, with BATON_JOB=room_1/JOB-001/1/test:r1/cap_1

    r2$ baton job claim 1
    CONFLICT: JOB-001 is claimed by test:r1 (revision 1) until TIME.
      job: JOB-001
      runner_id: test:r1
      revision: 1
      claim_expires_at: TIME
      next: Leave JOB-001 to its runner, or claim another job.
    [exit 3]

    r2$ baton job claim 1 --force
    JOB-001  first
      status    RUNNING, changed SPAN ago
      runner    test:r2, revision 2, which runs out in SPAN
      sort      task, priority HIGH
      by        test:ana, created SPAN ago

    p

    next: baton job report JOB-001 --revision 2 --kind progress …
    then: baton job complete JOB-001 --revision 2 --ref … SUMMARY
    An agent that works on it need name nothing, with BATON_JOB=room_1/JOB-001/2/test:r2/cap_2

    r1$ baton job report 1 --kind progress "still here" --revision 1
    CONFLICT: The claim (test:r1, 1) on JOB-001 is over: it is RUNNING under (test:r2, 2).
      job: JOB-001
      shown_runner_id: test:r1
      shown_revision: 1
      status: RUNNING
      runner_id: test:r2
      revision: 2
      next: Stop working on JOB-001: whatever you still report is refused. Claim it anew if it is free.
    [exit 3]

    r2$ baton job report 1 --kind error "no compiler" --revision 2
    Reported as JOB-001@7; your claim runs out in SPAN.

    ana$ baton job list --status running
    JOB-001  RUNNING  !  HIGH  first

    r2$ baton job complete 1 "cannot be done" --failed --revision 2
    JOB-001 is FAILED: first (JOB-001@8)
    next: baton job requeue JOB-001 --reason …

    ana$ baton job requeue 1 --reason "there is one now"
    JOB-001 is QUEUED: first (JOB-001@9)
    next: baton radar

    ana$ baton job cancel 1 --reason "not after all"
    JOB-001 is CANCELED: first (JOB-001@10)

    ana$ baton job cancel 2 --reason "nor that"
    JOB-002 is CANCELED: second (JOB-002@11)

    r1$ baton job claim
    There is nothing to claim.
    next: baton radar
    [exit 10]

    r1$ baton job message 1 hello?
    PRECONDITION_FAILED: JOB-001 is CANCELED: nobody would read it; requeue the job first.
      job: JOB-001
      status: CANCELED
      next: Look at it with `baton open` JOB-001.
    [exit 3]

    ana$ baton job tail 1
    JOB-001@3  TIME  created     test:ana: first
    JOB-001@5  TIME  claimed     test:r1: for test:r1
    JOB-001@6  TIME  reclaimed   test:r2: for test:r2
        previous_runner_id: test:r1
        reason: manual
    JOB-001@7  TIME  error       test:r2: no compiler
    JOB-001@8  TIME  failed      test:r2: cannot be done
    JOB-001@9  TIME  requeued    test:ana: there is one now
    JOB-001@10  TIME  canceled    test:ana: not after all

    ana$ baton job list --limit 1
    JOB-002  CANCELED     second
    more: baton job list --cursor 2
    "#);
    world.assert_sound();
}

#[test]
fn every_flag_of_a_new_job_is_in_what_its_runner_reads() {
    let (world, _) = world();
    ok(&world, "ana", &["anchor", "set", "a:core", "The rules"]);
    ok(&world, "ana", &["task", "create", "a task"]);
    let spec = [
        "--kind",
        "research",
        "--priority",
        "high",
        "--profile",
        "deep",
        "--model",
        "big-1",
        "--prefer",
        "codex,claude_code",
        "--forbid",
        "command",
        "--min-profile",
        "audit",
        "--expect",
        "report,diff",
        "--isolation",
        "worktree",
        "--skill",
        "strict",
        "--skill-max-chars",
        "900",
        "--meta",
        "ticket=42",
        "--meta",
        "why=because",
        "--prompt",
        "p",
    ];
    let expected = json!({
        "executor": "auto", "executor_profile": "deep", "executor_model": "big-1",
        "policy": { "prefer": ["codex", "claude_code"], "forbid": ["command"], "min_profile": "audit" },
        "expected_artifacts": ["report", "diff"], "isolation": "worktree",
        "skill_profile": "strict", "skill_max_chars": 900, "ticket": 42, "why": "because",
    });
    let about = ["--task", "1", "--anchor", "a:core"];
    let created = ok(&world, "ana", &[&["job", "create", "t"], &about[..], &spec].concat());
    let delegated = ok(&world, "ana", &[&["job", "delegate", "t"], &about[..], &spec].concat())["job"].clone();
    let fanned = ok(&world, "ana", &[&["job", "fanout", "--title-prefix", "t"], &about[..], &spec].concat());
    let fanned = ok(&world, "ana", &["job", "open", fanned["jobs"][0]["job"].as_str().unwrap()])["job"].clone();
    for job in [created, delegated, fanned] {
        assert_eq!(job["meta"], expected, "{job}");
        let said = ["kind", "priority", "task", "anchor"].map(|key| job[key].as_str().unwrap_or_default());
        assert_eq!(said, ["research", "HIGH", "TASK-001", "a:core"], "{job}");
    }
    let named = ok(&world, "ana", &["job", "create", "t", "--prompt", "p", "--executor", "claude_code"]);
    assert_eq!(named["meta"]["executor"], "claude_code");
    let done = ["--done-when", "it is", "--verify", "look", "--verify", "look again"];
    let delegated = ok(&world, "ana", &[&["job", "delegate", "t", "--prompt", "p"], &done[..]].concat());
    let task = ok(&world, "ana", &["task", "show", delegated["task"].as_str().unwrap()]);
    assert_eq!((&task["definition_of_done"], &task["verification"]), (&json!("it is"), &json!(["look", "look again"])));
    world.assert_sound();
}

#[test]
fn a_prompt_comes_from_an_argument_a_file_or_standard_input() {
    let (world, _) = world();
    fs::write(world.workspace().join("prompt.md"), "- from a file\n").unwrap();
    let prompt_of = |arguments: &[&str], typed: &str| {
        let mut command = world.baton(&[&["job", "create", "t", "--json"], arguments].concat());
        command.env("BATON_AGENT_ID", "test:ana");
        let ran = Ran::with_input(command, typed);
        assert_eq!(ran.status, 0, "{ran:?}");
        let job = ran.json()["data"]["job"].as_str().unwrap().to_owned();
        ok(&world, "ana", &["job", "open", &job, "--prompt"])["prompt"].as_str().unwrap().to_owned()
    };
    assert_eq!(prompt_of(&["--prompt", "- as it is\n"], ""), "- as it is\n");
    assert_eq!(prompt_of(&["--prompt-file", "prompt.md"], ""), "- from a file");
    assert_eq!(prompt_of(&["--prompt-file", "-"], "typed\n\n"), "typed\n");
    assert_eq!(prompt_of(&["--prompt", "-"], "typed, too"), "typed, too");
    let shown = world.run_as("ana", &["job", "open", "1", "--prompt"]);
    assert!(shown.stdout.contains("\n- as it is\n"), "{shown:?}");
}

#[test]
fn a_key_makes_a_repeated_job_and_a_repeated_reply_the_same() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        let keyed = ["job", "create", "t", "--prompt", "p", "--idempotency-key", "k"];
        let other = world.make_workspace("other");
        let create = |place: &Path| {
            let mut command = world.baton(&[&keyed[..], &["--json"]].concat());
            command.current_dir(place).env("BATON_AGENT_ID", "test:ana");
            Ran::of(command).json()["data"]["job"].clone()
        };
        // The key says which room it was, wherever it is said again.
        assert_eq!([create(&world.workspace()), create(&other)], ["JOB-001", "JOB-001"]);
        let reply = ["radar", "--reply", "1", "go on", "--idempotency-key", "r"];
        let replied = [(); 2].map(|()| ok(&world, "ana", &reply)["replied"].clone());
        assert_eq!(replied, ["JOB-001@4", "JOB-001@4"]);
        world.assert_sound();
    });
}

#[test]
fn programs_get_one_envelope_for_every_command_of_a_job() {
    let (world, _) = world();
    let answer = |ran: &Ran| {
        assert_eq!((ran.stdout.lines().count(), ran.stderr.as_str()), (1, ""), "{ran:?}");
        let json = ran.json();
        let keys: Vec<_> = json["data"].as_object().unwrap().keys().cloned().collect();
        format!("{} {} {}: {}", ran.status, json["ok"], json["command"].as_str().unwrap(), keys.join(" "))
    };
    let mut shown = Vec::new();
    let run = |who: &str, arguments: &[&str]| answer(&world.run_as(who, &[arguments, &["--json"]].concat()));
    shown.push(run("r1", &["job", "claim"]));
    shown.push(run("ana", &["job", "create", "t", "--prompt", "p"]));
    let claimed = world.run_as("r1", &["job", "claim", "--json"]);
    shown.push(answer(&claimed));
    let at_it = assignment(&claimed.json()["data"]).reveal();
    shown.push(answer(&world.run_on(&at_it, &["job", "report", "--kind", "question", "why?", "--json"])));
    shown.push(answer(&world.run_on(&at_it, &["job", "report", "--kind", "heartbeat", "--json"])));
    shown.push(run("ana", &["radar", "--reply", "1", "because"]));
    shown.push(run("ana", &["job", "radar"]));
    shown.push(run("ana", &["job", "message", "1", "and so on"]));
    shown.push(run("ana", &["job", "open", "1"]));
    shown.push(run("ana", &["job", "tail", "1"]));
    shown.push(run("ana", &["job", "list"]));
    shown.push(run("ana", &["job", "artifacts", "1"]));
    shown.push(run("r1", &["job", "complete", "1", "done", "--revision", "1"]));
    shown.push(run("ana", &["job", "merge", "1"]));
    shown.push(run("ana", &["job", "requeue", "1", "--reason", "again"]));
    shown.push(run("ana", &["status"]));
    shown.push(run("ana", &["job", "cancel", "1", "--reason", "enough"]));
    shown.push(run("ana", &["job", "delegate", "t", "--prompt", "p"]));
    insta::assert_snapshot!(shown.join("\n"), @"
    10 true job claim: room_id claimed
    0 true job create: room_id ref job title kind priority status meta revision needs_manager needs_proof has_error stale last age_s created_by created_at updated_at
    0 true job claim: room_id claimed job prompt capability
    0 true job report: room_id ref job title kind priority status meta revision runner_id claim_expires_at_ms needs_manager needs_proof has_error stale attention last age_s created_by created_at updated_at
    0 true job report: room_id job title kind priority status meta revision runner_id claim_expires_at_ms needs_manager needs_proof has_error stale attention last age_s created_by created_at updated_at
    0 true radar: room_id replied count runner runners runner_list diagnostics jobs has_more
    0 true job radar: room_id count runner runners runner_list diagnostics jobs has_more
    0 true job message: room_id ref job title kind priority status meta revision runner_id claim_expires_at_ms needs_manager needs_proof has_error stale last age_s created_by created_at updated_at
    0 true job open: room_id job agent events has_more
    0 true job tail: room_id job events cursor has_more
    0 true job list: room_id jobs has_more
    0 true job artifacts: room_id artifacts has_more
    0 true job complete: room_id ref job title kind priority status meta revision needs_manager needs_proof has_error stale summary last age_s created_by created_at updated_at
    0 true job merge: room_id ref card text
    0 true job requeue: room_id ref job title kind priority status meta revision needs_manager needs_proof has_error stale last age_s created_by created_at updated_at
    0 true status: you next attention scopes state jobs
    0 true job cancel: room_id ref job title kind priority status meta revision needs_manager needs_proof has_error stale last age_s created_by created_at updated_at
    0 true job delegate: room_id task ref job
    ");
}

#[test]
fn a_job_that_makes_no_sense_is_refused_and_nothing_is_done() {
    let (world, room) = world();
    let create = ["job", "create", "t", "--prompt", "p"];
    ok(&world, "ana", &create);
    let before = world.log(&room).len();
    let long = "x".repeat(201);
    fs::write(world.workspace().join("huge"), "x".repeat(200_001)).unwrap();
    fs::write(world.workspace().join("binary"), [0xff, 0xfe]).unwrap();
    let with = |more: &[&'static str]| [&create[..], more].concat();
    for (arguments, status, code) in [
        (vec!["job", "create", "t"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt", "p", "--prompt-file", "huge"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt", " "], 2, "INVALID_INPUT"),
        (vec!["job", "create", " ", "--prompt", "p"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "two\nlines", "--prompt", "p"], 2, "INVALID_INPUT"),
        (vec!["job", "create", &long, "--prompt", "p"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt-file", "missing"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt-file", "huge"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt-file", "binary"], 2, "INVALID_INPUT"),
        (vec!["job", "create", "t", "--prompt-file", "."], 2, "INVALID_INPUT"),
        (with(&["--priority", "now"]), 2, "INVALID_INPUT"),
        (with(&["--executor", "emacs"]), 2, "INVALID_INPUT"),
        (with(&["--executor", "codex", "--prefer", "codex"]), 2, "INVALID_INPUT"),
        (with(&["--prefer", "codex", "--forbid", "codex"]), 2, "INVALID_INPUT"),
        (with(&["--expect", "report,money"]), 2, "INVALID_INPUT"),
        (with(&["--isolation", "moon"]), 2, "INVALID_INPUT"),
        (with(&["--model", "--dangerous"]), 2, "INVALID_INPUT"),
        (with(&["--skill", "guru"]), 2, "INVALID_INPUT"),
        (with(&["--meta", "ticket"]), 2, "INVALID_INPUT"),
        (with(&["--meta", "ticket=1", "--meta", "ticket=2"]), 2, "INVALID_INPUT"),
        (with(&["--model", "a", "--meta", "executor_model=b"]), 2, "INVALID_INPUT"),
        (with(&["--task", "9"]), 4, "UNKNOWN_ID"),
        (with(&["--anchor", "a:moon"]), 4, "UNKNOWN_ID"),
        (with(&["--anchor", "moon"]), 2, "INVALID_INPUT"),
        (vec!["job", "delegate", "t", "--prompt", "p", "--task", "1", "--done-when", "now"], 2, "INVALID_INPUT"),
        (vec!["job", "fanout", "--prompt", "p"], 2, "INVALID_INPUT"),
        (vec!["job", "fanout", "--prompt", "p", "--anchor", "a:moon"], 4, "UNKNOWN_ID"),
        (vec!["job", "open", "9"], 4, "UNKNOWN_ID"),
        (vec!["job", "open", "nine"], 2, "INVALID_INPUT"),
        (vec!["job", "open", "1", "--events", "0"], 2, "INVALID_LIMIT"),
        (vec!["job", "tail"], 2, "INVALID_INPUT"),
        (vec!["job", "tail", "9", "--follow"], 4, "UNKNOWN_ID"),
        (vec!["job", "list", "--status", "lost"], 2, "INVALID_INPUT"),
        (vec!["job", "list", "--task", "1", "--anchor", "a:core"], 2, "INVALID_INPUT"),
        (vec!["job", "message", "1", " "], 2, "INVALID_INPUT"),
        (vec!["job", "message", "1", "see", "--ref", "CARD-9"], 4, "UNKNOWN_ID"),
        (vec!["job", "message", "1", "see", "--ref", "somewhere"], 2, "INVALID_INPUT"),
        (vec!["job", "cancel", "1"], 2, "INVALID_INPUT"),
        (vec!["job", "cancel", "9", "--reason", "r"], 4, "UNKNOWN_ID"),
        (vec!["job", "claim", "9"], 4, "UNKNOWN_ID"),
        (vec!["job", "claim", "--force"], 2, "INVALID_INPUT"),
        (vec!["job", "claim", "1", "--ttl", "soon"], 2, "INVALID_INPUT"),
        (vec!["job", "report", "--kind", "progress", "hello"], 2, "INVALID_INPUT"),
        (vec!["job", "report", "1", "hello", "--kind", "gossip"], 2, "INVALID_INPUT"),
        (vec!["job", "report", "1", "hello", "--kind", "progress"], 2, "INVALID_INPUT"),
        (vec!["job", "report", "one", "hello", "--kind", "progress", "--revision", "1"], 2, "INVALID_INPUT"),
        (vec!["job", "report", "1", "hello", "--kind", "progress", "--revision", "1"], 3, "CONFLICT"),
        (vec!["job", "report", "1", "2", "3", "--kind", "progress"], 2, "INVALID_INPUT"),
        (vec!["job", "complete"], 2, "INVALID_INPUT"),
        (vec!["job", "complete", "1", "done", "--revision", "1"], 3, "CONFLICT"),
        (vec!["job", "merge"], 2, "INVALID_INPUT"),
        (vec!["job", "merge", "9"], 4, "UNKNOWN_ID"),
        (vec!["job", "artifacts", "9"], 4, "UNKNOWN_ID"),
        (vec!["radar", "--reply", "1"], 2, "INVALID_INPUT"),
        (vec!["radar", "--reply", "one", "hello"], 2, "INVALID_INPUT"),
        (vec!["radar", "--reply", "9", "hello"], 4, "UNKNOWN_ID"),
        (vec!["radar", "--reply", "1", "hello", "--watch"], 2, "INVALID_INPUT"),
        (vec!["radar", "--idempotency-key", "k"], 2, "INVALID_INPUT"),
        (vec!["radar", "--limit", "201"], 2, "INVALID_LIMIT"),
    ] {
        let ran = world.run_as("ana", &[&arguments[..], &["--json"]].concat());
        let told = (ran.status, ran.code());
        assert_eq!(told, (status, code.to_owned()), "{arguments:?}: {ran:?}");
        assert!(ran.json()["error"]["next"].as_str().is_some_and(|next| !next.is_empty()), "{arguments:?}: {ran:?}");
    }
    assert_eq!(world.log(&room).len(), before);
}

#[test]
fn a_bad_baton_job_is_named_and_nothing_is_done() {
    let (world, room) = world();
    for assignment in ["JOB-001", "room_1/JOB-001/one/r1", &format!("{room}/TASK-001/1/r1/cap_")] {
        let ran = world.run_on(assignment, &["job", "report", "--kind", "progress", "hello", "--json"]);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stdout.contains("BATON_JOB"), "{ran:?}");
    }
}

#[test]
fn the_agent_of_a_job_means_its_room_wherever_it_works() {
    let (world, room) = world();
    let elsewhere = world.make_workspace("elsewhere");
    ok(&world, "ana", &["job", "create", "t", "--prompt", "p"]);
    let at_it = assignment(&ok(&world, "r1", &["job", "claim"])).reveal();
    for arguments in [
        &["job", "report", "--kind", "progress", "hello"][..],
        &["card", "create", "here", "--text", "x"],
        &["status"],
        &["radar"],
    ] {
        let mut command = world.baton(arguments);
        command.current_dir(&elsewhere).env("BATON_JOB", &at_it);
        let ran = Ran::of(command);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
    }
    let seen = world.log(&room);
    let noted: Vec<_> = seen.iter().filter(|event| event["note"] == "hello" || event["note"] == "here").collect();
    assert_eq!(noted.len(), 2, "{seen:?}");
    assert!(noted.iter().all(|event| event["from_agent_id"].as_str().unwrap().starts_with("job:JOB-001@")));
}

#[test]
fn what_an_agent_wrote_cannot_draw_on_the_managers_screen() {
    let (world, _) = world();
    ok(&world, "ana", &["job", "create", "t\u{202e}itle", "--prompt", "\u{1b}[2Jp"]);
    let at_it = assignment(&ok(&world, "r1", &["job", "claim"])).reveal();
    let said = "\u{1b}]0;owned\u{7}which\r\nway\u{202e}?";
    for arguments in [
        &["job", "report", "--kind", "question", said][..],
        &["card", "create", "c\u{202e}ard", "--text", said, "--tag", "a"],
    ] {
        let ran = world.run_on(&at_it, arguments);
        assert_eq!(ran.status, 0, "{ran:?}");
    }
    for arguments in [
        &["radar"][..],
        &["status"],
        &["job", "list"],
        &["job", "open", "1", "--prompt"],
        &["job", "tail", "1"],
        &["open", "JOB-001"],
        &["open", "JOB-001@5"],
        &["open", "CARD-1"],
        &["card", "list"],
        &["search", "way"],
        &["job", "merge", "1"],
        &["room", "events"],
    ] {
        let ran = world.run_as("ana", arguments);
        assert_eq!(ran.status, 0, "{arguments:?}: {ran:?}");
        let wrong = ran.stdout.contains(['\u{1b}', '\u{7}', '\r', '\u{202e}']);
        assert!(!wrong, "{arguments:?}: {ran:?}");
    }
    let radar = world.run_as("ana", &["radar"]).stdout;
    assert_eq!(radar.lines().count(), 3, "a row stays one line: {radar}");
}
