//! Command lines for a person or an agent with a shell. They name room and store, so they mean the same in every terminal.

use baton_core::ids::RoomId;

use crate::App;

impl App {
    /// `baton WORDS`, about `room` in this store. A password of the store is never part of it.
    pub fn command_line(&self, words: &str, room: &RoomId) -> String {
        format!("baton {words} --room {room} --store {}", quoted(&self.location))
    }
}

/// `word` as a shell reads it back.
pub fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-/:@+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
