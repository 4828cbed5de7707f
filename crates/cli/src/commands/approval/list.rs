//! `baton approval list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::spawn::{ApprovalList, ApprovalListInput, ApprovalListResult},
};
use baton_core::spawn::{ApprovalId, ApprovalStatus};

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

/// List requests for further agents, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those: pending, approved or denied
    #[arg(long, value_name = "STATUS", value_parser = parse::one_of(ApprovalStatus::ALL, ApprovalStatus::as_str))]
    status: Option<ApprovalStatus>,
    /// Only those before this one
    #[arg(long, value_name = "APPROVAL", value_parser = parse::approval)]
    before: Option<ApprovalId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let (status, before, limit) = (self.status, self.before, self.limit);
        let listed = context.run::<ApprovalList>(ApprovalListInput { room_id, status, before, limit })?;
        Ok(ui.answer(&listed, || text(&listed, status)))
    }
}

fn text(listed: &ApprovalListResult, status: Option<ApprovalStatus>) -> String {
    let Some(last) = listed.approvals.last() else { return "Nobody has asked for an agent like that.\n".to_owned() };
    let filter = status.map_or_else(String::new, |status| format!(" --status {status}"));
    let more = match listed.has_more {
        true => format!("more: baton approval list{filter} --before {}\n", last.approval),
        false => String::new(),
    };
    let pending = listed.approvals.iter().find(|approval| approval.status == ApprovalStatus::Pending);
    let next = pending.map_or_else(String::new, |pending| {
        format!("next: baton open {0}, then baton approval approve {0}\n", pending.approval)
    });
    format!("{}{more}{next}", render::approval_lines(&listed.approvals))
}
