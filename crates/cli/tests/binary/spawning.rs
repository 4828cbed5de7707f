//! Files, and asking for further agents, at the command line.

use crate::support::{Transcript, World};

#[test]
fn a_file_is_kept_listed_opened_and_given_up() {
    let world = World::new();
    world.join_as("ana");
    world.write("out.diff", "+one\n+token=ghp_0123456789abcdefghijABCDEFGHIJ\n");
    let mut story = Transcript::new(&world);
    story.run("ana", &["artifact", "list"]);
    story.run("ana", &["artifact", "keep", "out.diff", "--kind", "diff"]);
    story.run("ana", &["artifact", "keep", "-"]);
    story.run("ana", &["artifact", "keep", "nowhere.txt"]);
    story.run("ana", &["artifact", "keep", "out.diff", "--kind", "contextpack"]);
    story.run("ana", &["artifact", "list", "--kind", "diff", "--node", "test:ana"]);
    story.run("ana", &["artifact", "list", "--kind", "log"]);
    story.run("ana", &["open", "artifact://diff/1"]);
    story.steer(&["artifact", "gc", "--dry-run"]);
    story.steer(&["artifact", "gc", "--older-than-days", "0"]);
    story.steer(&["job", "create", "Look", "--prompt", "Look.", "--read-only", "--spawn-nodes"]);
    insta::assert_snapshot!(story.text(), @r#"
    ana$ baton artifact list
    No files are kept here.
    next: baton artifact keep FILE --kind report

    ana$ baton artifact keep out.diff --kind diff
    Kept as artifact://diff/1 (29 bytes)
    What looked like a secret was taken out.
    next: baton open artifact://diff/1

    ana$ baton artifact keep -
    INVALID_INPUT: What comes from standard input has no name.
      field: name
      next: Give it one with --name.
    [exit 2]

    ana$ baton artifact keep nowhere.txt
    INVALID_INPUT: text could not be read from nowhere.txt: No such file or directory (os error 2).
      field: text
      next: Correct the named field.
    [exit 2]

    ana$ baton artifact keep out.diff --kind contextpack
    INVALID_INPUT: kind: a context pack is made by Baton, so that what is in it is what it says.
      field: kind
      next: Make one with `baton context build`, or keep this as a report.
    [exit 2]

    ana$ baton artifact list --kind diff --node test:ana
    artifact://diff/1  29 bytes  out.diff  test:ana
    next: baton open artifact://diff/1

    ana$ baton artifact list --kind log
    No file is like that.
    next: baton artifact list

    ana$ baton open artifact://diff/1
    artifact://diff/1  out.diff
      by        test:ana, created SPAN ago
      of        test:ana
      sha256    05b0663b166354334c920c1f4ca08ea1d19c069c96efc98b08fa8cf1deb28540

    +one
    +token=[redacted:token]

    person$ baton artifact gc --dry-run
    Would remove 0 files and 0 drafts, 0 bytes

    person$ baton artifact gc --older-than-days 0
    INVALID_INPUT: older_than_days must be from 1 to 3650, not 0.
      field: older_than_days
      next: Correct the named field.
    [exit 2]

    person$ baton job create Look --prompt Look. --read-only --spawn-nodes
    JOB-001 is QUEUED: Look (JOB-001@4)
    next: baton radar
    "#);
}

#[test]
fn an_agent_is_asked_for_and_an_operator_decides() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    let mut story = Transcript::new(&world);
    let asking = ["spawn", "Read the logs", "--prompt", "Read them all.", "--message", "Here they are."];
    story.steer(&["agent", "grant", "test:bo", "--spawn"]);
    story.run("bo", &["agent", "show"]);
    story.run("bo", &asking);
    story.run("bo", &[&asking[..], &["--role", "reader", "--read-only", "--artifact", "task=TASK-009"]].concat());
    story.run("bo", &["approval", "list"]);
    story.run("ana", &["open", "APPROVAL-1"]);
    story.steer(&["approval", "modify", "1"]);
    story.steer(&["approval", "modify", "1", "--title", "Read one log", "--reason", "one is enough"]);
    story.steer(&["approval", "approve", "APPROVAL-1"]);
    story.run("bo", &asking);
    story.steer(&["approval", "deny", "2", "--reason", "enough"]);
    story.steer(&["approval", "list", "--status", "denied"]);
    insta::assert_snapshot!(story.text(), @r#"
    person$ baton agent grant test:bo --spawn
    sunny-glade may ask for further agents

    bo$ baton agent show
    sunny-glade (test:bo)  (you)
      liveness    active, seen SPAN ago
      connection  idle, reading: it is there and waits; active SPAN ago
      wake        all: messages, the stick and its jobs wake it (as the room's policy says)
      grants      may ask for further agents

    bo$ baton spawn "Read the logs" --prompt "Read them all." --message "Here they are."
    APPROVAL-1 waits for an operator. The decision comes into your inbox.
    next: baton approval approve APPROVAL-1  (an operator)

    bo$ baton spawn "Read the logs" --prompt "Read them all." --message "Here they are." --role reader --read-only --artifact task=TASK-009
    UNKNOWN_ID: These lead nowhere in this room: TASK-009.
      field: artifacts
      refs: ["TASK-009"]
      next: List what there is: `baton task list`, `baton job list`, `baton card list`; or look for it with `baton search`.
    [exit 4]

    bo$ baton approval list
    APPROVAL-1  pending    Read the logs  by sunny-glade  599b8f8881188f54
    next: baton open APPROVAL-1, then baton approval approve APPROVAL-1

    ana$ baton open APPROVAL-1
    APPROVAL-1  pending: Read the logs
      by        sunny-glade, created SPAN ago
      kind      task
      priority  MEDIUM
      with      {"executor":"auto","isolation":"workspace"}
      first     {"message":"Here they are."}
      prompt    Read them all.
      digest    599b8f8881188f54
    next: baton approval approve APPROVAL-1, or deny or modify it

    person$ baton approval modify 1
    APPROVAL-1  pending: Read the logs
      by        sunny-glade, created SPAN ago
      kind      task
      priority  MEDIUM
      with      {"executor":"auto","isolation":"workspace"}
      first     {"message":"Here they are."}
      prompt    Read them all.
      digest    599b8f8881188f54
    INVALID_INPUT: changes: say what is to be different.
      field: changes
      next: Approve it to leave it as it is.
    [exit 2]

    person$ baton approval modify 1 --title "Read one log" --reason "one is enough"
    APPROVAL-1  pending: Read the logs
      by        sunny-glade, created SPAN ago
      kind      task
      priority  MEDIUM
      with      {"executor":"auto","isolation":"workspace"}
      first     {"message":"Here they are."}
      prompt    Read them all.
      digest    599b8f8881188f54
    APPROVAL-1  approved  JOB-001  Read the logs  by sunny-glade  2997a912841f30ba
    Changed: title
    next: baton job open JOB-001

    person$ baton approval approve APPROVAL-1
    CONFLICT: APPROVAL-1 is approved already, by human:PERSON.
      approval: APPROVAL-1
      status: approved
      decided_by: human:PERSON
      job: JOB-001
      next: See what came of it: open APPROVAL-1.
    [exit 3]

    bo$ baton spawn "Read the logs" --prompt "Read them all." --message "Here they are."
    APPROVAL-2 waits for an operator. The decision comes into your inbox.
    next: baton approval approve APPROVAL-2  (an operator)

    person$ baton approval deny 2 --reason enough
    APPROVAL-2  denied    Read the logs  by sunny-glade

    person$ baton approval list --status denied
    APPROVAL-2  denied    Read the logs  by sunny-glade
    "#);
}
