//! `baton job …`

mod apply;
mod artifacts;
mod branch;
mod cancel;
mod claim;
mod complete;
mod create;
mod delegate;
mod diff;
mod fanout;
mod list;
mod log;
mod merge;
mod message;
mod open;
mod overview;
mod radar;
mod report;
mod requeue;
mod runner;
mod send_back;
mod spec;
mod tail;
mod watch;
mod worker;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

pub(super) use radar::RadarArgs;
pub(super) use spec::PromptArgs;

/// Delegate work to runners, watch it, answer it; claim some, report on it, end it
#[derive(Debug, Subcommand)]
pub(super) enum JobCommand {
    Create(create::CreateArgs),
    Delegate(delegate::DelegateArgs),
    Fanout(fanout::FanoutArgs),
    Radar(RadarArgs),
    Overview(overview::OverviewArgs),
    List(list::ListArgs),
    Open(open::OpenArgs),
    Tail(tail::TailArgs),
    Watch(watch::WatchArgs),
    Log(log::LogArgs),
    Artifacts(artifacts::ArtifactsArgs),
    Message(message::MessageArgs),
    Cancel(cancel::CancelArgs),
    Requeue(requeue::RequeueArgs),
    Diff(diff::DiffArgs),
    Apply(apply::ApplyArgs),
    Branch(branch::BranchArgs),
    SendBack(send_back::SendBackArgs),
    Merge(merge::MergeArgs),
    Claim(claim::ClaimArgs),
    Report(report::ReportArgs),
    Complete(complete::CompleteArgs),
    #[command(subcommand)]
    Runner(runner::RunnerCommand),
}

impl JobCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::Create(_) => "job create",
            Self::Delegate(_) => "job delegate",
            Self::Fanout(_) => "job fanout",
            Self::Radar(_) => "job radar",
            Self::Overview(_) => "job overview",
            Self::List(_) => "job list",
            Self::Open(_) => "job open",
            Self::Tail(_) => "job tail",
            Self::Watch(_) => "job watch",
            Self::Log(_) => "job log",
            Self::Artifacts(_) => "job artifacts",
            Self::Message(_) => "job message",
            Self::Cancel(_) => "job cancel",
            Self::Requeue(_) => "job requeue",
            Self::Diff(_) => "job diff",
            Self::Apply(_) => "job apply",
            Self::Branch(_) => "job branch",
            Self::SendBack(_) => "job send-back",
            Self::Merge(_) => "job merge",
            Self::Claim(_) => "job claim",
            Self::Report(_) => "job report",
            Self::Complete(_) => "job complete",
            Self::Runner(command) => command.name(),
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::Create(args) => args.run(context, ui),
            Self::Delegate(args) => args.run(context, ui),
            Self::Fanout(args) => args.run(context, ui),
            Self::Radar(args) => args.run(context, ui),
            Self::Overview(args) => args.run(context, ui),
            Self::List(args) => args.run(context, ui),
            Self::Open(args) => args.run(context, ui),
            Self::Tail(args) => args.run(context, ui),
            Self::Watch(args) => args.run(context, ui),
            Self::Log(args) => args.run(context, ui),
            Self::Artifacts(args) => args.run(context, ui),
            Self::Message(args) => args.run(context, ui),
            Self::Cancel(args) => args.run(context, ui),
            Self::Requeue(args) => args.run(context, ui),
            Self::Diff(args) => args.run(context, ui),
            Self::Apply(args) => args.run(context, ui),
            Self::Branch(args) => args.run(context, ui),
            Self::SendBack(args) => args.run(context, ui),
            Self::Merge(args) => args.run(context, ui),
            Self::Claim(args) => args.run(context, ui),
            Self::Report(args) => args.run(context, ui),
            Self::Complete(args) => args.run(context, ui),
            Self::Runner(command) => command.run(context, ui),
        }
    }
}
