//! What is told when everything listens.

use std::path::Path;

use baton_app::{Failure, clock::Clock, identity::AgentAbove};
use baton_http::{Facts, Keyring, Tickets};
use serde::Serialize;

/// What a person or a test needs to get in.
#[derive(Debug, Serialize)]
pub(super) struct Started {
    #[serde(flatten)]
    facts: Facts,
    /// Where the owner's token is.
    token_file: Option<String>,
    /// Logs a browser in, once.
    login: Option<String>,
    /// Why there is no login, and how a person gets one.
    #[serde(skip_serializing_if = "Option::is_none")]
    login_withheld: Option<String>,
}

impl Started {
    /// Makes a ticket, and tells all there is to tell. Whoever reads this logs in as an operator, so an agent that starts
    /// a server is told neither the ticket nor where the token is. A service manager or a script may be.
    pub(super) fn new(
        facts: Facts,
        data: &Path,
        clock: &dyn Clock,
        agent: Option<AgentAbove>,
    ) -> Result<Self, Failure> {
        if let Some(agent) = agent {
            let why = format!(
                "This server was started by {agent}, and only people log in. Ask a person to run `baton ticket` at a \
                 terminal of their own."
            );
            return Ok(Self { facts, token_file: None, login: None, login_withheld: Some(why) });
        }
        let ticket = Tickets::in_directory(data).issue(clock.now())?;
        Ok(Self {
            login: Some(login(&facts, ticket.reveal())),
            token_file: Some(Keyring::in_directory(data).operator_file().display().to_string()),
            login_withheld: None,
            facts,
        })
    }

    /// The same for people.
    pub(super) fn text(&self) -> String {
        let Self { facts, token_file, login, login_withheld } = self;
        let token = token_file.as_ref().map(|file| format!("  token   {file}\n"));
        let browser = login.as_ref().map(|login| {
            format!("  browser {login}\n          (once, within two minutes; `baton ticket` makes another)\n")
        });
        let withheld = login_withheld.as_ref().map(|why| format!("  browser {why}\n"));
        let ways_in: String = [token, browser, withheld].into_iter().flatten().collect();
        format!(
            "Baton is up.\n  HTTP    {}\n  socket  {}\n{ways_in}Ctrl-C ends it.\n",
            facts.url,
            facts.socket.display(),
        )
    }
}

/// The address that logs a browser in.
pub(in crate::commands) fn login(facts: &Facts, ticket: &str) -> String {
    format!("{}/login?ticket={ticket}", facts.url)
}
