//! `baton task list`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::tasks::{List, ListInput},
};
use baton_core::task::{State, TaskId};
use clap::builder::{PossibleValuesParser, TypedValueParser};

use crate::{
    context::Context,
    render,
    select::{self, RoomArgs},
    ui::Ui,
};

/// List tasks, newest first
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ListArgs {
    /// Only those that are so far
    #[arg(long, value_name = "STATE", value_parser = state())]
    state: Option<State>,
    /// Only yours that are not done
    #[arg(long)]
    mine: bool,
    /// Only those before this one
    #[arg(long, value_name = "TASK", value_parser = select::task)]
    before: Option<TaskId>,
    /// How many, 1 to 200 [default: 50]
    #[arg(long, value_name = "N")]
    limit: Option<u32>,
    #[command(flatten)]
    room: RoomArgs,
}

impl ListArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let listed = context.run::<List>(ListInput {
            room_id: self.room.find(context)?,
            state: self.state,
            mine: self.mine,
            before: self.before,
            limit: self.limit,
        })?;
        Ok(ui.answer(&listed, || {
            if listed.tasks.is_empty() {
                return match (self.mine, self.state) {
                    (false, None) => "No tasks.\nnext: baton task create TITLE\n".to_owned(),
                    (true, _) => "No task of yours is like that.\nnext: baton task list\n".to_owned(),
                    (false, Some(_)) => "No task is like that.\nnext: baton task list\n".to_owned(),
                };
            }
            let last = listed.tasks.last().filter(|_| listed.has_more);
            let more = last.map_or_else(String::new, |last| format!("more: baton task list --before {}\n", last.task));
            render::task_lines(&listed.tasks) + &more
        }))
    }
}

fn state() -> impl TypedValueParser<Value = State> {
    const STATES: [State; 3] = [State::Open, State::InProgress, State::Done];
    PossibleValuesParser::new(STATES.map(State::as_str)).try_map(|word| {
        STATES.into_iter().find(|state| state.as_str() == word).ok_or_else(|| format!("no task is {word}"))
    })
}
