//! `baton plan list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{PlanList, PlanListInput},
};
use baton_core::library::PlanId;

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

/// List plans, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those before this one
    #[arg(long, value_name = "PLAN", value_parser = parse::plan)]
    before: Option<PlanId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<PlanList>(PlanListInput {
            room_id: self.room.find(context)?,
            before: self.before,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || match listed.plans.last() {
            None => "No plans.\nnext: baton plan create TITLE --task …\n".to_owned(),
            Some(last) if listed.has_more => {
                format!("{}more: baton plan list --before {}\n", render::plan_lines(&listed.plans), last.plan)
            }
            Some(_) => render::plan_lines(&listed.plans),
        }))
    }
}
