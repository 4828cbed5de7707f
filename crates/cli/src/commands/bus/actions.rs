//! `baton bus actions`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Actions, ActionsInput, ActionsResult},
};
use baton_core::{bus::BusId, ids::Seq};

use super::session::SessionArgs;
use crate::{context::Context, render, ui::Ui};

/// List actions and how far they are, oldest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ActionsArgs {
    /// Only those of a group
    #[arg(long, value_name = "ID", conflicts_with_all = ["to", "from"])]
    group: Option<BusId>,
    /// Only those for an agent: id or name
    #[arg(long, value_name = "AGENT", conflicts_with = "from")]
    to: Option<String>,
    /// Only those from an agent: id or name
    #[arg(long, value_name = "AGENT")]
    from: Option<String>,
    /// Only those that have not ended
    #[arg(long, requires = "to")]
    open: bool,
    /// Only those after this place
    #[arg(long, value_name = "SEQ")]
    after: Option<u64>,
    /// How many, 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    session: SessionArgs,
}

impl ActionsArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.session.find(context)?;
        let found = context.run::<Actions>(ActionsInput {
            group_id: self.group.clone(),
            dst: self.to.clone(),
            src: self.from.clone(),
            open: self.open,
            after: self.after.map(Seq),
            limit: self.limit,
            room_id,
        })?;
        Ok(ui.answer(&found, || text(&found)))
    }
}

fn text(found: &ActionsResult) -> String {
    let Some(last) = found.actions.last() else {
        return "No actions.\nnext: baton bus submit --to AGENT TEXT\n".to_owned();
    };
    let more = match found.has_more {
        true => format!("There are more, with the same and --after {}\n", last.seq),
        false => String::new(),
    };
    render::action_lines(&found.actions) + &more
}
