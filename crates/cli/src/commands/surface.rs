//! Where each command of the table is on the command line, and how to say so to a person.

use baton_app::table::{Command, TABLE};

/// Each command of the table with the words that run it.
pub(crate) const SURFACE: &[(&str, &[&str])] = &[
    ("room.list", &["room", "list"]),
    ("room.overview", &["room", "overview"]),
    ("room.join", &["join"]),
    ("room.state", &["room", "state"]),
    ("room.events", &["room", "events"]),
    ("room.recent", &["room", "recent"]),
    ("room.note", &["room", "note"]),
    ("room.leave", &["leave"]),
    ("room.close", &["room", "close"]),
    ("room.reorder", &["room", "reorder"]),
    ("room.policy", &["room", "policy"]),
    ("stick.wait", &["wait"]),
    ("stick.heartbeat", &["heartbeat"]),
    ("stick.release", &["release"]),
    ("stick.pass", &["pass"]),
    ("stick.takeover", &["take"]),
    ("scope.reserve", &["scope", "reserve"]),
    ("scope.release", &["scope", "release"]),
    ("scope.status", &["scope", "status"]),
    ("scope.check", &["scope", "check"]),
    ("agent.list", &["agent", "list"]),
    ("agent.show", &["agent", "show"]),
    ("agent.graph", &["agent", "graph"]),
    ("agent.inspect", &["agent", "inspect"]),
    ("agent.needs", &["needs"]),
    ("agent.init", &["agent", "init"]),
    ("agent.register", &["agent", "register"]),
    ("agent.adopt", &["agent", "adopt"]),
    ("agent.heartbeat", &["agent", "heartbeat"]),
    ("envelope.send", &["handoff"]),
    ("wait.for", &["await"]),
    ("agent.edge.list", &["edge", "list"]),
    ("agent.edge.add", &["edge", "add"]),
    ("agent.edge.remove", &["edge", "remove"]),
    ("inbox.tell", &["tell"]),
    ("inbox.send", &["send"]),
    ("inbox.list", &["inbox", "list"]),
    ("inbox.read", &["inbox", "read"]),
    ("inbox.sent", &["inbox", "sent"]),
    ("inbox.ack", &["ack"]),
    ("tasks.create", &["task", "create"]),
    ("tasks.list", &["task", "list"]),
    ("tasks.show", &["task", "show"]),
    ("tasks.start", &["task", "start"]),
    ("tasks.done", &["task", "done"]),
    ("tasks.assign", &["task", "assign"]),
    ("tasks.snapshot", &["task", "snapshot"]),
    ("tasks.focus", &["task", "focus"]),
    ("tasks.search", &["search"]),
    ("tasks.card.create", &["card", "create"]),
    ("tasks.card.list", &["card", "list"]),
    ("tasks.card.pin", &["card", "pin"]),
    ("tasks.anchor.set", &["anchor", "set"]),
    ("tasks.anchor.list", &["anchor", "list"]),
    ("tasks.plan.create", &["plan", "create"]),
    ("tasks.plan.list", &["plan", "list"]),
    ("tasks.artifact.list", &["artifact", "list"]),
    ("tasks.artifact.keep", &["artifact", "keep"]),
    ("tasks.artifact.gc", &["artifact", "gc"]),
    ("tasks.macro.start", &["task", "begin"]),
    ("tasks.macro.merge_report", &["job", "merge"]),
    ("context.brief.show", &["brief", "show"]),
    ("context.brief.edit", &["brief", "edit"]),
    ("context.build", &["context", "build"]),
    ("context.merge", &["context", "merge"]),
    ("context.append", &["context", "append"]),
    ("context.diff", &["context", "diff"]),
    ("context.list", &["context", "list"]),
    ("open", &["open"]),
    ("skill", &["skill"]),
    ("spawn.request", &["spawn"]),
    ("agent.approval.list", &["approval", "list"]),
    ("agent.approval.resolve", &["approval", "approve"]),
    ("agent.grant", &["agent", "grant"]),
    ("agent.wake", &["agent", "wake"]),
    ("tasks.macro.delegate", &["job", "delegate"]),
    ("tasks.macro.fanout_jobs", &["job", "fanout"]),
    ("jobs.create", &["job", "create"]),
    ("jobs.radar", &["radar"]),
    ("jobs.overview", &["job", "overview"]),
    ("jobs.log", &["job", "log"]),
    ("jobs.message", &["job", "message"]),
    ("jobs.open", &["job", "open"]),
    ("jobs.tail", &["job", "tail"]),
    ("jobs.list", &["job", "list"]),
    ("jobs.cancel", &["job", "cancel"]),
    ("jobs.requeue", &["job", "requeue"]),
    ("jobs.diff", &["job", "diff"]),
    ("jobs.apply", &["job", "apply"]),
    ("jobs.branch", &["job", "branch"]),
    ("jobs.send_back", &["job", "send-back"]),
    ("jobs.claim", &["job", "claim"]),
    ("jobs.report", &["job", "report"]),
    ("jobs.complete", &["job", "complete"]),
    ("jobs.runner.reset", &["job", "runner", "reset"]),
    ("context.turn.begin", &["turn", "begin"]),
    ("context.turn.end", &["turn", "end"]),
    ("context.turn.list", &["turn", "list"]),
    ("bus.sessions", &["bus", "sessions"]),
    ("bus.session", &["bus", "show"]),
    ("bus.open", &["bus", "open"]),
    ("bus.rename", &["bus", "rename"]),
    ("bus.close", &["bus", "close"]),
    ("bus.add", &["bus", "join"]),
    ("bus.update", &["bus", "update"]),
    ("bus.remove", &["bus", "leave"]),
    ("bus.submit", &["bus", "submit"]),
    ("bus.await", &["bus", "wait"]),
    ("bus.actions", &["bus", "actions"]),
    ("bus.take", &["bus", "take"]),
    ("bus.result", &["bus", "result"]),
    ("bus.send", &["bus", "send"]),
    ("bus.task", &["bus", "task"]),
    ("bus.task_done", &["bus", "task"]),
    ("bus.relay", &["bus", "relay"]),
    ("bus.history", &["bus", "tail"]),
];

/// Commands that are deliberately not on the command line, and why.
#[cfg(test)]
pub(super) const ABSENT: &[(&str, &str)] = &[
    (
        "jobs.runner.heartbeat",
        "a lease of seconds is renewed by the runner itself, never by a command that comes and goes",
    ),
    ("jobs.runner.retire", "a runner signs off itself when it ends"),
    ("context.turn.prompt", "whoever tells an agent what to do says so itself: its runner"),
    ("context.turn.tools", "what an agent uses is seen in its stream, by its runner"),
    ("bus.messages", "`bus tail --types message.created` shows them"),
];

/// `advice`, which names tools as agents know them, in the words of the command line. An op of a portal is written
/// as `scope reserve`.
pub(crate) fn in_words(advice: &str) -> String {
    let advice = translated(advice, TABLE, SURFACE);
    FLAGS.iter().fold(advice, |advice, (field, flag)| advice.replace(field, flag))
}

/// What advice says of fields, and the flags for that.
const FLAGS: &[(&str, &str)] = &[("allow_stale: true", "--allow-stale"), ("kind question", "--kind question")];

/// Where more is to be found, which answers name as agents call it: `more cards: tasks card.list job=JOB-001`. A person
/// types `baton card list --job JOB-001`.
pub(crate) fn as_typed(pointer: &str) -> String {
    typed(pointer).unwrap_or_else(|| pointer.to_owned())
}

fn typed(pointer: &str) -> Option<String> {
    let (what, call) = pointer.split_once(": ")?;
    let known_as = |command: &Command| match command.op() {
        Some(op) => format!("{} {op} ", command.tool()),
        None => format!("{} ", command.tool()),
    };
    let command = TABLE.iter().find(|command| call.starts_with(&known_as(command)))?;
    let (_, words) = SURFACE.iter().find(|(name, _)| *name == command.name)?;
    // What a command is about stands by itself, the rest are flags.
    let about = match command.name {
        "open" => "id",
        "jobs.open" | "jobs.diff" => "job",
        _ => "",
    };
    let mut line = format!("{what}: baton {}", words.join(" "));
    for argument in call[known_as(command).len()..].split_whitespace() {
        let (key, value) = argument.split_once('=')?;
        line.push_str(&if key == about { format!(" {value}") } else { format!(" --{key} {value}") });
    }
    Some(line)
}

fn translated(advice: &str, table: &[Command], surface: &[(&str, &[&str])]) -> String {
    table.iter().fold(advice.to_owned(), |advice, command| {
        let words = surface.iter().find(|(name, _)| *name == command.name).map(|(_, words)| words.join(" "));
        let known_as = match command.op() {
            Some(op) => format!("{} {op}", command.tool()),
            None => command.tool().to_owned(),
        };
        let Some(words) = words else { return advice };
        let typed = format!("`baton {words}`");
        let advice = advice.replace(&format!("`{known_as}`"), &typed);
        // What is said to clients of the bus names commands as they know them.
        command.wire.map_or(advice.clone(), |wire| advice.replace(&format!("`{wire}`"), &typed))
    })
}

#[cfg(test)]
mod tests {
    use baton_app::table::{Place, Portal, Tier};
    use clap::CommandFactory;

    use super::*;
    use crate::commands::Arguments;

    #[test]
    fn advice_names_what_a_person_can_type() {
        let advice = "Call `wait_for_turn`; then read `get_room_state`.";
        assert_eq!(in_words(advice), "Call `baton wait`; then read `baton room state`.");
        let advice = "Look with `action.list`.";
        assert_eq!(in_words(advice), "Look with `baton bus actions`.");
        let advice = "Claim JOB-001 again with allow_stale: true.";
        assert_eq!(in_words(advice), "Claim JOB-001 again with --allow-stale.");
    }

    #[test]
    fn agents_that_are_refused_are_told_commands_that_a_person_can_type() {
        for (command, by_hand) in TABLE.iter().filter_map(|command| Some((command, command.access.by_hand?))) {
            let typed = by_hand.strip_prefix("`baton ").and_then(|rest| rest.split('`').next());
            let words = typed.unwrap_or_else(|| panic!("{}: {by_hand}", command.name)).split(' ');
            words.take_while(|word| !word.starts_with('-')).fold(Arguments::command(), |parent, word| {
                let found = parent.find_subcommand(word);
                found.unwrap_or_else(|| panic!("{}: {by_hand}", command.name)).clone()
            });
        }
    }

    #[test]
    fn where_more_is_to_be_found_is_said_as_a_person_types_it() {
        for (pointer, expected) in [
            ("more cards: tasks card.list job=JOB-001", "more cards: baton card list --job JOB-001"),
            ("older events: jobs open job=JOB-001 before=9", "older events: baton job open JOB-001 --before 9"),
            ("more files: tasks artifact.list job=JOB-001", "more files: baton artifact list --job JOB-001"),
            ("what it asks in full: open id=JOB-001@5", "what it asks in full: baton open JOB-001@5"),
            ("more jobs: jobs list anchor=a:core", "more jobs: baton job list --anchor a:core"),
            ("something else", "something else"),
            ("more: of what", "more: of what"),
        ] {
            assert_eq!(as_typed(pointer), expected);
        }
    }

    #[test]
    fn advice_names_ops_of_portals_as_a_person_types_them() {
        static DESK: Portal = Portal { name: "desk", tier: Tier::Daily, about: "Papers on a desk." };
        let mut put = TABLE[0];
        (put.name, put.place) = ("desk.put", Place::Portal(&DESK));
        let advice = "Take it with `desk put`; `desk` and `desk burn` stay.";
        let expected = "Take it with `baton put away`; `desk` and `desk burn` stay.";
        assert_eq!(translated(advice, &[put], &[("desk.put", &["put", "away"])]), expected);
    }
}
