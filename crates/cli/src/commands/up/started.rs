//! What is told when everything listens.

use std::path::Path;

use baton_app::{Failure, clock::Clock};
use baton_http::{Facts, Keyring, Tickets};
use serde::Serialize;

/// What a person or a test needs to get in.
#[derive(Debug, Serialize)]
pub(super) struct Started {
    #[serde(flatten)]
    facts: Facts,
    /// Where the owner's token is.
    token_file: String,
    /// Logs a browser in, once.
    login: String,
}

impl Started {
    /// Makes a ticket, and tells all there is to tell.
    pub(super) fn new(facts: Facts, data: &Path, clock: &dyn Clock) -> Result<Self, Failure> {
        let ticket = Tickets::in_directory(data).issue(clock.now())?;
        Ok(Self {
            login: login(&facts, ticket.reveal()),
            token_file: Keyring::in_directory(data).operator_file().display().to_string(),
            facts,
        })
    }

    /// The same for people.
    pub(super) fn text(&self) -> String {
        let Self { facts, token_file, login } = self;
        format!(
            "Baton is up.\n  HTTP    {}\n  socket  {}\n  token   {token_file}\n  browser {login}\n          (once, within \
             two minutes; `baton ticket` makes another)\nCtrl-C ends it.\n",
            facts.url,
            facts.socket.display(),
        )
    }
}

/// The address that logs a browser in.
pub(in crate::commands) fn login(facts: &Facts, ticket: &str) -> String {
    format!("{}/login?ticket={ticket}", facts.url)
}
