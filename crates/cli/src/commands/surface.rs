//! Where each command of the table is on the command line, and how to say so to a person.

use baton_app::table::TABLE;

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
];

/// `advice`, which names tools as agents know them, in the words of the command line.
pub(crate) fn in_words(advice: &str) -> String {
    TABLE.iter().fold(advice.to_owned(), |advice, command| {
        let words = SURFACE.iter().find(|(name, _)| *name == command.name).map(|(_, words)| words.join(" "));
        match words {
            Some(words) => advice.replace(&format!("`{}`", command.tool()), &format!("`baton {words}`")),
            None => advice,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_names_what_a_person_can_type() {
        let advice = "Call `wait_for_turn`; then read `get_room_state`.";
        assert_eq!(in_words(advice), "Call `baton wait`; then read `baton room state`.");
    }
}
