//! What a page looks at the store with.

use baton_app::{
    App, Caller, Failure, Rights,
    table::{Effect, UseCase},
};
use baton_core::{ids::RoomId, time::Timestamp};

use super::at::At;

/// A look at the store, for somebody, at an address.
pub(crate) struct Look<'a> {
    pub(crate) app: &'a App,
    pub(crate) caller: &'a Caller,
    pub(crate) at: &'a At,
    /// The store's time when the page was asked for.
    pub(crate) now: Timestamp,
}

impl Look<'_> {
    /// Asks a command that only reads.
    pub(crate) fn ask<U: UseCase>(&self, input: U::Input) -> Result<U::Output, Failure> {
        const {
            assert!(matches!(U::EFFECT, Effect::Read | Effect::Follow), "a page only looks");
        }
        U::run(self.app, self.caller, input)
    }

    /// Asks a command that can also write, in a way in which it changes nothing that anybody sees: the radar without a
    /// reply, or a search, which adds to its index.
    pub(crate) fn ask_without_writing<U: UseCase>(&self, input: U::Input) -> Result<U::Output, Failure> {
        U::run(self.app, self.caller, input)
    }

    /// A command line about a room, which can be pasted into any terminal of this machine.
    pub(crate) fn command(&self, words: &str, room: &RoomId) -> String {
        self.app.command_line(words, room)
    }

    /// A command line about all of the store.
    pub(crate) fn store_command(&self, words: &str) -> String {
        self.app.store_command_line(words)
    }

    /// Whether whoever looks may do anything.
    pub(crate) fn may_act(&self) -> bool {
        self.caller.rights() >= Rights::Operator
    }

    /// What stands in the path as `{name}`, as what it should be.
    pub(crate) fn param<T: std::str::FromStr>(&self, name: &str) -> Result<T, Failure> {
        let text = self.at.param(name);
        text.parse().map_err(|_| nothing_called(text))
    }
}

/// What an address names does not exist.
pub(crate) fn nothing_called(text: &str) -> Failure {
    use baton_core::{code::ErrorCode, limits};
    let shown: String = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    Failure::new(ErrorCode::UnknownId, format!("There is nothing called {shown:?} here."))
}
