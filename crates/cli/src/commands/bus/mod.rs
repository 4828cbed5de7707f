//! `baton bus …`: the bus from a shell, straight on the store. No server is needed, and one that runs sees it all.

mod actions;
mod agents;
mod close;
mod group;
mod join;
mod leave;
mod open;
mod relay;
mod rename;
mod result;
mod send;
mod session;
mod sessions;
mod show;
mod submit;
mod tail;
mod take;
mod task;
mod thread;
mod update;
mod wait;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Submit ordered actions to agents, take and report yours, talk, and follow it all
///
/// A session is a room: that of this workspace, or one that `baton bus open` makes. Who you are is found out as everywhere;
/// BATON_AGENT_ID makes a shell speak for an agent of your choice. Other clients do the same over the socket and the HTTP
/// server of `baton up`.
#[derive(Debug, Subcommand)]
#[command(after_help = "\
Examples:
  baton bus open review                                       a session that belongs to no path
  baton bus join --session review --id worker                 become an agent of it
  baton bus submit --to worker --control new \"Read the diff\"  a fresh conversation, then a message
  BATON_AGENT_ID=worker baton bus take --wait                 what the worker was asked
  baton bus tail --follow                                     everything, as it happens")]
pub(super) enum BusCommand {
    Sessions(sessions::SessionsArgs),
    Show(show::ShowArgs),
    Open(open::OpenArgs),
    Rename(rename::RenameArgs),
    Close(close::CloseArgs),
    Agents(agents::AgentsArgs),
    Join(join::JoinArgs),
    Update(update::UpdateArgs),
    Leave(leave::LeaveArgs),
    Submit(submit::SubmitArgs),
    Wait(wait::WaitArgs),
    Actions(actions::ActionsArgs),
    Take(take::TakeArgs),
    Result(result::ResultArgs),
    Send(send::SendArgs),
    Task(task::TaskArgs),
    Relay(relay::RelayArgs),
    Tail(tail::TailArgs),
}

impl BusCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Sessions(_) => "bus sessions",
            Self::Show(_) => "bus show",
            Self::Open(_) => "bus open",
            Self::Rename(_) => "bus rename",
            Self::Close(_) => "bus close",
            Self::Agents(_) => "bus agents",
            Self::Join(_) => "bus join",
            Self::Update(_) => "bus update",
            Self::Leave(_) => "bus leave",
            Self::Submit(_) => "bus submit",
            Self::Wait(_) => "bus wait",
            Self::Actions(_) => "bus actions",
            Self::Take(_) => "bus take",
            Self::Result(_) => "bus result",
            Self::Send(_) => "bus send",
            Self::Task(_) => "bus task",
            Self::Relay(_) => "bus relay",
            Self::Tail(_) => "bus tail",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Sessions(args) => args.run(context, ui),
            Self::Show(args) => args.run(context, ui),
            Self::Open(args) => args.run(context, ui),
            Self::Rename(args) => args.run(context, ui),
            Self::Close(args) => args.run(context, ui),
            Self::Agents(args) => args.run(context, ui),
            Self::Join(args) => args.run(context, ui),
            Self::Update(args) => args.run(context, ui),
            Self::Leave(args) => args.run(context, ui),
            Self::Submit(args) => args.run(context, ui),
            Self::Wait(args) => args.run(context, ui),
            Self::Actions(args) => args.run(context, ui),
            Self::Take(args) => args.run(context, ui),
            Self::Result(args) => args.run(context, ui),
            Self::Send(args) => args.run(context, ui),
            Self::Task(args) => args.run(context, ui),
            Self::Relay(args) => args.run(context, ui),
            Self::Tail(args) => args.run(context, ui),
        }
    }
}
