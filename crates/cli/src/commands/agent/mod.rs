//! `baton agent …`

mod adopt;
mod ask;
mod grant;
mod graph;
mod heartbeat;
mod init;
mod inspect;
mod list;
mod page;
mod register;
mod show;
mod wake;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Begin a session under a name, go on as another one, and see who is here
#[derive(Debug, Subcommand)]
pub(super) enum AgentCommand {
    Init(init::InitArgs),
    Register(register::RegisterArgs),
    Adopt(adopt::AdoptArgs),
    Heartbeat(heartbeat::HeartbeatArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Grant(grant::GrantArgs),
    Wake(wake::WakeArgs),
    Graph(graph::GraphArgs),
    Inspect(inspect::InspectArgs),
}

impl AgentCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Init(_) => "agent init",
            Self::Register(_) => "agent register",
            Self::Adopt(_) => "agent adopt",
            Self::Heartbeat(_) => "agent heartbeat",
            Self::List(_) => "agent list",
            Self::Show(_) => "agent show",
            Self::Grant(_) => "agent grant",
            Self::Wake(_) => "agent wake",
            Self::Graph(_) => "agent graph",
            Self::Inspect(_) => "agent inspect",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Init(args) => args.run(context, ui),
            Self::Register(args) => args.run(context, ui),
            Self::Adopt(args) => args.run(context, ui),
            Self::Heartbeat(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
            Self::Show(args) => args.run(context, ui),
            Self::Grant(args) => args.run(context, ui),
            Self::Wake(args) => args.run(context, ui),
            Self::Graph(args) => args.run(context, ui),
            Self::Inspect(args) => args.run(context, ui),
        }
    }
}
