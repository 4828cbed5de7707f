//! `baton turn begin`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::turn::{Begin, BeginInput, BeginResult},
};
use baton_core::{ids::AgentId, job::JobId, lease::Fence};

use crate::{
    context::Context,
    parse, render,
    select::{KeyArgs, RoomArgs},
    ui::Ui,
};

/// Begin a turn: take all that waits in your inbox, and print it
///
/// What a turn has taken is accepted when it ends well, and waits again when it fails or when you are gone.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct BeginArgs {
    /// For this job, under a claim of yours [default: that of BATON_JOB, else the turn is your own]
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// The revision of your claim on the job [default: that of BATON_JOB]
    #[arg(long, visible_alias = "claim-revision", value_name = "N")]
    revision: Option<u64>,
    /// In whose name the job was claimed [default: that of BATON_JOB, else you]
    #[arg(long, value_name = "ID")]
    runner: Option<AgentId>,
    /// Take no more than so many bytes; the rest waits for the next turn
    #[arg(long, value_name = "BYTES")]
    max_bytes: Option<usize>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl BeginArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let begun = context.run::<Begin>(BeginInput {
            room_id: self.room.find_again(context, self.key.earlier(context)?.as_ref())?,
            job: self.job,
            runner_id: self.runner,
            claim_revision: self.revision.map(Fence),
            executor: None,
            messages: None,
            max_bytes: self.max_bytes,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&begun, || text(&begun)))
    }
}

fn text(begun: &BeginResult) -> String {
    let turn = begun.turn;
    let what = match begun.items.len() {
        0 => "nothing waits".to_owned(),
        1 => "it has 1 message".to_owned(),
        count => format!("it has {count} messages"),
    };
    let lost = begun.lost.map_or_else(String::new, |lost| format!("{lost} was lost: what it had is here again.\n"));
    let items: String = begun.items.iter().map(render::taken_item).collect();
    let more = if begun.has_more { "More waits, for the next turn.\n" } else { "" };
    format!("{turn} begins: {what}.\n{lost}{items}{more}next: baton turn end {turn} --outcome completed\n")
}
