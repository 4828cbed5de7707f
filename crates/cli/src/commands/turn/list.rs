//! `baton turn list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::turn::{List, ListInput, ListResult},
};
use baton_core::{job::JobId, time::Timestamp, turn::TurnId};

use crate::{context::Context, parse, render, select::RoomArgs, ui::Ui};

/// List turns, newest first: whose, how they ended, what they took
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those of this agent: its name, its id, or JOB-001
    #[arg(long, value_name = "AGENT")]
    agent: Option<String>,
    /// Only those for this job
    #[arg(long, value_name = "JOB", value_parser = parse::job)]
    job: Option<JobId>,
    /// Only those before this one
    #[arg(long, value_name = "TURN", value_parser = parse::turn)]
    before: Option<TurnId>,
    /// How many, 1 to 200 [default: 25]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput {
            room_id: self.room.find(context)?,
            agent: self.agent.clone(),
            job: self.job,
            before: self.before,
            limit: self.limit,
        })?;
        let now = context.app.now()?;
        Ok(ui.answer(&listed, || self.text(&listed, now)))
    }

    fn text(&self, listed: &ListResult, now: Timestamp) -> String {
        let Some(last) = listed.turns.last() else {
            return match self.filter().is_empty() && self.before.is_none() {
                true => "No turns.\nnext: baton turn begin\n".to_owned(),
                false => "No turn is like that.\nnext: baton turn list\n".to_owned(),
            };
        };
        let more = match listed.has_more {
            true => format!("more: baton turn list{} --before {}\n", self.filter(), last.turn),
            false => String::new(),
        };
        render::turn_lines(&listed.turns, now) + &more
    }

    /// What was asked for, to be asked again.
    fn filter(&self) -> String {
        let agent = self.agent.as_ref().map(|agent| format!(" --agent {agent}"));
        let job = self.job.map(|job| format!(" --job {job}"));
        [agent, job].into_iter().flatten().collect()
    }
}
