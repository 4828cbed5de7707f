//! Baton's own commands: those that coordinate are free, those that write files or run programs are not.

use super::{scene::Scene, token::Word};

/// Commands that change nothing but the room.
const FREE: [&str; 41] = [
    "ack",
    "agent",
    "anchor",
    "approval",
    "await",
    "block",
    "brief",
    "bus",
    "card",
    "edge",
    "handoff",
    "heartbeat",
    "help",
    "hold",
    "inbox",
    "join",
    "leave",
    "needs",
    "note",
    "open",
    "pass",
    "plan",
    "radar",
    "release",
    "room",
    "scope",
    "search",
    "send",
    "skill",
    "spawn",
    "status",
    "take",
    "task",
    "tell",
    "ticket",
    "token",
    "turn",
    "usage",
    "wait",
    "--help",
    "--version",
];

/// Commands of `baton job` that change the workspace.
const JOBS_THAT_WRITE: [&str; 2] = ["apply", "branch"];

/// Reads the arguments of `baton`. All other commands are unknown: `confine` runs a program with the bounds of any room, and
/// `install --project` writes files.
pub(super) fn read(words: &[&Word], scene: &mut Scene) {
    let mut words = words.iter().map(|word| word.literal());
    let verb = loop {
        match words.next() {
            Some(Some("--json")) => {}
            Some(Some("--store")) => drop(words.next()),
            // Without a command it prints its help.
            None => return,
            Some(verb) => break verb,
        }
    };
    let is_free = match verb {
        Some("job") => words.next().flatten().is_some_and(|job| !JOBS_THAT_WRITE.contains(&job)),
        Some(verb) => FREE.contains(&verb),
        None => false,
    };
    scene.is_partial |= !is_free;
}
