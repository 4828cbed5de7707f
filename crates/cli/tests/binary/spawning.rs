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
    story.run("ana", &["artifact", "gc", "--dry-run"]);
    story.run("ana", &["artifact", "gc", "--older-than-days", "0"]);
    std::fs::write("/tmp/spawn_story_1", story.text()).unwrap();
}

#[test]
fn an_agent_is_asked_for_and_an_operator_decides() {
    let world = World::new();
    world.join_as("ana");
    world.join_as("bo");
    let mut story = Transcript::new(&world);
    let asking = ["spawn", "Read the logs", "--prompt", "Read them all.", "--message", "Here they are."];
    story.run("bo", &["agent", "grant", "test:bo", "--spawn", "--read-only"]);
    story.run("bo", &["agent", "show"]);
    story.run("bo", &asking);
    story.run("bo", &[&asking[..], &["--role", "reader", "--read-only", "--artifact", "task=TASK-009"]].concat());
    story.run("bo", &["approval", "list"]);
    story.run("ana", &["open", "APPROVAL-1"]);
    story.run("ana", &["approval", "modify", "1"]);
    story.run("ana", &["approval", "modify", "1", "--title", "Read one log", "--reason", "one is enough"]);
    story.run("ana", &["approval", "approve", "APPROVAL-1"]);
    story.run("bo", &asking);
    story.run("ana", &["approval", "deny", "2", "--reason", "enough"]);
    story.run("ana", &["approval", "list", "--status", "denied"]);
    std::fs::write("/tmp/spawn_story_2", story.text()).unwrap();
}
