//! `baton room …`

mod close;
mod events;
mod list;
mod note;
mod overview;
mod policy;
mod recent;
mod reorder;
mod state;

use std::process::ExitCode;

use baton_app::Failure;
use clap::Subcommand;

use crate::{context::Context, ui::Ui};

pub(super) use note::NoteArgs;

/// Look at rooms, and change what does not need the stick
#[derive(Debug, Subcommand)]
pub(super) enum RoomCommand {
    List(list::ListArgs),
    Overview(overview::OverviewArgs),
    State(state::StateArgs),
    Events(events::EventsArgs),
    Recent(recent::RecentArgs),
    Note(NoteArgs),
    Close(close::CloseArgs),
    Policy(policy::PolicyArgs),
    Reorder(reorder::ReorderArgs),
}

impl RoomCommand {
    pub(super) fn name(&self) -> &'static str {
        match self {
            Self::List(_) => "room list",
            Self::Overview(_) => "room overview",
            Self::State(_) => "room state",
            Self::Events(_) => "room events",
            Self::Recent(_) => "room recent",
            Self::Note(_) => "room note",
            Self::Close(_) => "room close",
            Self::Policy(_) => "room policy",
            Self::Reorder(_) => "room reorder",
        }
    }

    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        match self {
            Self::List(args) => args.run(context, ui),
            Self::Overview(args) => args.run(context, ui),
            Self::State(args) => args.run(context, ui),
            Self::Events(args) => args.run(context, ui),
            Self::Recent(args) => args.run(context, ui),
            Self::Note(args) => args.run(context, ui),
            Self::Close(args) => args.run(context, ui),
            Self::Policy(args) => args.run(context, ui),
            Self::Reorder(args) => args.run(context, ui),
        }
    }
}
