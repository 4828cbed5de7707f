//! Where each command of the table is on the command line, and how to say so to a person.

use baton_app::table::{Command, TABLE};

/// Each command of the table with the words that run it.
pub(crate) const SURFACE: &[(&str, &[&str])] = &[
    ("room.list", &["room", "list"]),
    ("room.join", &["join"]),
    ("room.state", &["room", "state"]),
    ("room.events", &["room", "events"]),
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
    ("agent.init", &["agent", "init"]),
    ("agent.register", &["agent", "register"]),
    ("agent.adopt", &["agent", "adopt"]),
    ("agent.heartbeat", &["agent", "heartbeat"]),
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
    ("tasks.macro.delegate", &["job", "delegate"]),
    ("tasks.macro.fanout_jobs", &["job", "fanout"]),
    ("jobs.create", &["job", "create"]),
    ("jobs.radar", &["radar"]),
    ("jobs.message", &["job", "message"]),
    ("jobs.open", &["job", "open"]),
    ("jobs.tail", &["job", "tail"]),
    ("jobs.list", &["job", "list"]),
    ("jobs.cancel", &["job", "cancel"]),
    ("jobs.requeue", &["job", "requeue"]),
    ("jobs.claim", &["job", "claim"]),
    ("jobs.report", &["job", "report"]),
    ("jobs.complete", &["job", "complete"]),
];

/// Commands that are deliberately not on the command line, and why.
#[cfg(test)]
pub(super) const ABSENT: &[(&str, &str)] = &[
    (
        "jobs.runner.heartbeat",
        "a lease of seconds is renewed by the runner itself, never by a command that comes and goes",
    ),
    ("jobs.runner.retire", "a runner signs off itself when it ends"),
];

/// `advice`, which names tools as agents know them, in the words of the command line. An op of a portal is written
/// as `scope reserve`.
pub(crate) fn in_words(advice: &str) -> String {
    translated(advice, TABLE, SURFACE)
}

fn translated(advice: &str, table: &[Command], surface: &[(&str, &[&str])]) -> String {
    table.iter().fold(advice.to_owned(), |advice, command| {
        let words = surface.iter().find(|(name, _)| *name == command.name).map(|(_, words)| words.join(" "));
        let known_as = match command.op() {
            Some(op) => format!("{} {op}", command.tool()),
            None => command.tool().to_owned(),
        };
        match words {
            Some(words) => advice.replace(&format!("`{known_as}`"), &format!("`baton {words}`")),
            None => advice,
        }
    })
}

#[cfg(test)]
mod tests {
    use baton_app::table::{Place, Portal, Tier};

    use super::*;

    #[test]
    fn advice_names_what_a_person_can_type() {
        let advice = "Call `wait_for_turn`; then read `get_room_state`.";
        assert_eq!(in_words(advice), "Call `baton wait`; then read `baton room state`.");
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
