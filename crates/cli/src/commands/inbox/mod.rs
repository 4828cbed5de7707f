//! `baton inbox …`

mod list;
mod read;
mod sent;

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::code::ErrorCode;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// See your messages, read one, and follow what you sent
///
/// Without a subcommand it lists those you have not seen or have to accept.
#[derive(Debug, clap::Args)]
pub(super) struct InboxArgs {
    #[command(subcommand)]
    command: Option<InboxCommand>,
    #[command(flatten)]
    list: list::ListArgs,
}

#[derive(Debug, Subcommand)]
enum InboxCommand {
    List(list::ListArgs),
    Read(read::ReadArgs),
    Sent(sent::SentArgs),
}

impl InboxArgs {
    pub(super) fn name(&self) -> &'static str {
        match &self.command {
            None | Some(InboxCommand::List(_)) => "inbox list",
            Some(InboxCommand::Read(_)) => "inbox read",
            Some(InboxCommand::Sent(_)) => "inbox sent",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        if self.command.is_some() && !self.list.is_bare() {
            let message = "What stands before the subcommand is about listing, and would be passed over.";
            return Err(
                Failure::new(ErrorCode::InvalidInput, message).advising("Put the options behind the subcommand.")
            );
        }
        match self.command {
            None => self.list.run(context, ui),
            Some(InboxCommand::List(args)) => args.run(context, ui),
            Some(InboxCommand::Read(args)) => args.run(context, ui),
            Some(InboxCommand::Sent(args)) => args.run(context, ui),
        }
    }
}
