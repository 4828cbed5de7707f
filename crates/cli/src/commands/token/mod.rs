//! `baton token`: who may come in over HTTP. Care for the owner of a server; agents have no tool for it.

mod create;
mod list;
mod revoke;

use std::process::ExitCode;

use baton_app::{Failure, environment::Environment};
use baton_http::Keyring;
use clap::Subcommand;

use crate::{context, operator::require_operator, ui::Ui};

/// Make, list and revoke the tokens that let programs in over HTTP
///
/// For people at a terminal.
#[derive(Debug, Subcommand)]
pub(super) enum TokenCommand {
    Create(create::CreateArgs),
    List(list::ListArgs),
    Revoke(revoke::RevokeArgs),
}

impl TokenCommand {
    /// The name in the JSON envelope.
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "token create",
            Self::List(_) => "token list",
            Self::Revoke(_) => "token revoke",
        }
    }

    pub(super) fn run(self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        require_operator(&environment, self.name())?;
        let data = context::data_directory(&environment, store)?;
        let keyring = Keyring::in_directory(&data);
        match self {
            Self::Create(args) => args.run(&keyring, ui),
            Self::List(args) => args.run(&keyring, ui),
            Self::Revoke(args) => args.run(&keyring, ui),
        }
    }
}
