//! `baton bus result`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Result as Report, ResultInput},
};
use baton_core::bus::{BusId, Data, Status};

use super::session::SessionArgs;
use crate::{context::Context, parse, render, select::KeyArgs, ui::Ui};

/// Say how far you are with an action that was submitted to you
///
/// completed, rejected and error end it, once; accepted, queued and blocked do not.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  baton bus result g1.1 accepted
  baton bus result g1.1 completed --detail \"3 findings, see CARD-4\"
  baton bus result g1.0 completed --new-context ctx-2      of a `new`")]
pub(in crate::commands) struct ResultArgs {
    /// The action, as `baton bus take` told it
    #[arg(value_name = "ACTION")]
    action: BusId,
    /// How far it is
    #[arg(value_name = "STATUS", value_parser = parse::one_of(&Status::ALL, Status::as_str))]
    status: Status,
    /// More about that
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    detail: Option<String>,
    /// The conversation that a completed `new` began
    #[arg(long, value_name = "ID")]
    new_context: Option<BusId>,
    /// The task that a completed `new` began
    #[arg(long, value_name = "ID")]
    new_task: Option<BusId>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ResultArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let data = Data { new_context_id: self.new_context, new_task_id: self.new_task };
        let told = context.run::<Report>(ResultInput {
            room_id: self.session.find_again(context, &self.key)?,
            action_id: self.action,
            group_id: None,
            action_index: None,
            status: self.status,
            detail: self.detail,
            data: (data != Data::default()).then_some(data),
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&told, || render::action_lines(std::slice::from_ref(&told.action))))
    }
}
