//! `baton bus wait`

use std::{process::ExitCode, time::Duration};

use baton_app::Failure;
use baton_core::bus::BusId;

use super::{group::Group, session::SessionArgs};
use crate::{context::Context, patience::parse_seconds, ui::Ui};

/// Wait until all actions of a group have ended
///
/// Exits with 0 when all were completed, 15 when one was rejected or ended in an error, 10 when the time is up. What is asked of
/// an agent whose process is gone ends by itself. Costs nothing while it waits.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct WaitArgs {
    /// The group, as `baton bus submit` told it
    #[arg(value_name = "GROUP")]
    group: BusId,
    /// Give up after this many seconds; 0 looks once [default: wait for ever]
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,
    #[command(flatten)]
    session: SessionArgs,
}

impl WaitArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let group = Group::wait(context, self.session.find(context)?, self.group, self.timeout)?;
        Ok(group.show(ui, &self.session.again()))
    }
}
