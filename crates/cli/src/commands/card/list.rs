//! `baton card list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::library::{CardList, CardListInput, CardListResult},
};
use baton_core::{ids::AnchorId, job::JobId, library::CardId, task::TaskId};

use crate::{
    context::Context,
    parse, render,
    select::{self, RoomArgs},
    ui::Ui,
};

/// List cards, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those of this task
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    task: Option<TaskId>,
    /// Only those about this part of the map
    #[arg(long, value_name = "ANCHOR")]
    anchor: Option<AnchorId>,
    /// Only those that came from this job
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// Only those that are kept in view
    #[arg(long)]
    pinned: bool,
    /// Only those before this one
    #[arg(long, value_name = "CARD", value_parser = parse::card)]
    before: Option<CardId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<CardList>(CardListInput {
            room_id: self.room.find(context)?,
            task: self.task,
            anchor: self.anchor.clone(),
            job: self.job,
            pinned: self.pinned,
            before: self.before,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || self.text(&listed)))
    }

    fn text(&self, listed: &CardListResult) -> String {
        let filter = self.filter();
        let Some(last) = listed.cards.last() else {
            return match filter.is_empty() && self.before.is_none() {
                true => "No cards.\nnext: baton card create TITLE --text …\n".to_owned(),
                false => "No card is like that.\nnext: baton card list\n".to_owned(),
            };
        };
        let more = match listed.has_more {
            true => format!("more: baton card list{filter} --before {}\n", last.card),
            false => String::new(),
        };
        render::card_lines(&listed.cards) + &more
    }

    /// What was asked for, to be asked again.
    fn filter(&self) -> String {
        let task = self.task.map(|task| format!(" --task {task}"));
        let anchor = self.anchor.as_ref().map(|anchor| format!(" --anchor {anchor}"));
        let job = self.job.map(|job| format!(" --job {job}"));
        let pinned = self.pinned.then(|| " --pinned".to_owned());
        [task, anchor, job, pinned].into_iter().flatten().collect()
    }
}
