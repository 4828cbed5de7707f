//! `baton task …`

mod assign;
mod begin;
mod create;
mod done;
mod focus;
mod list;
mod show;
mod snapshot;
mod start;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

/// Write down what there is to do, and who does it
#[derive(Debug, Subcommand)]
pub(super) enum TaskCommand {
    Create(create::CreateArgs),
    Begin(begin::BeginArgs),
    List(list::ListArgs),
    Show(show::ShowArgs),
    Start(start::StartArgs),
    Done(done::DoneArgs),
    Assign(assign::AssignArgs),
    Focus(focus::FocusArgs),
    Snapshot(snapshot::SnapshotArgs),
}

impl TaskCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "task create",
            Self::Begin(_) => "task begin",
            Self::List(_) => "task list",
            Self::Show(_) => "task show",
            Self::Start(_) => "task start",
            Self::Done(_) => "task done",
            Self::Assign(_) => "task assign",
            Self::Focus(_) => "task focus",
            Self::Snapshot(_) => "task snapshot",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(args) => args.run(context, ui),
            Self::Begin(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
            Self::Show(args) => args.run(context, ui),
            Self::Start(args) => args.run(context, ui),
            Self::Done(args) => args.run(context, ui),
            Self::Assign(args) => args.run(context, ui),
            Self::Focus(args) => args.run(context, ui),
            Self::Snapshot(args) => args.run(context, ui),
        }
    }
}
