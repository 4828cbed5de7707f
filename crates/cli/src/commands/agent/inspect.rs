//! `baton agent inspect`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Inspect, InspectInput, Section},
};

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

const SECTIONS: &[Section] = &[
    Section::Incoming,
    Section::Outgoing,
    Section::Inbox,
    Section::Turns,
    Section::Tools,
    Section::Artifacts,
    Section::Diffs,
];

/// Show all that went in and came out of an agent: envelopes, inbox, turns, tools, files
///
/// Looking delivers nothing: what waits for the agent still waits. `--json` has the envelopes as they were sent.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct InspectArgs {
    /// Name or id, or JOB-001
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Show only this, and more of it [default: the newest of all]
    #[arg(long, value_name = "WHAT", value_parser = parse::one_of(SECTIONS, Section::as_str))]
    section: Option<Section>,
    /// Of a section, show only what is older
    #[arg(long, value_name = "N", requires = "section")]
    before: Option<u64>,
    /// Show at most so many of each
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl InspectArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let shown = context.run::<Inspect>(InspectInput {
            room_id: self.room.find(context)?,
            agent: self.agent,
            section: self.section,
            before: self.before,
            limit: self.limit,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&shown, || render::inspected(&shown, now)))
    }
}
