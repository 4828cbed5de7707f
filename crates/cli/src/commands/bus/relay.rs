//! `baton bus relay`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Outcome, Relay, RelayInput, RelayResult},
};
use baton_core::{bus::BusId, code::ErrorCode, limits};

use super::{session::SessionArgs, thread::ThreadArgs};
use crate::{
    context::Context,
    render,
    select::KeyArgs,
    text::Text,
    ui::{Ui, clean},
};

/// What a model said.
const OUTPUT: Text = Text {
    code_too_long: ErrorCode::TooLarge,
    ..Text::of("output", limits::RELAY_OUTPUT_BYTES, ErrorCode::InvalidInput)
};

/// Hand in what your model said while it relays a task
///
/// JSON with relay_actions is submitted; task_done, and anything that is no such JSON, ends the relay and its task. Only the owner
/// of the conversation relays in it.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  model < prompt | baton bus relay --task t1 -
  baton bus relay --task t1 '{\"type\":\"relay_actions\",\"actions\":[{\"type\":\"message\",\"dst\":\"worker\",\"text\":\"…\"}]}'
  baton bus relay --task t1 '{\"type\":\"task_done\",\"summary\":\"all green\"}'")]
pub(in crate::commands) struct RelayArgs {
    /// All of the model's output; `-` is standard input
    #[arg(value_name = "OUTPUT", allow_hyphen_values = true)]
    output: String,
    /// The task that is relayed
    #[arg(long, value_name = "ID")]
    task: BusId,
    /// What the actions belong to [default: a name that is made]
    #[arg(long, value_name = "ID")]
    group: Option<BusId>,
    #[command(flatten)]
    thread: ThreadArgs,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl RelayArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let again = self.session.again();
        let relayed = context.run::<Relay>(RelayInput {
            room_id: self.session.find_again(context, &self.key)?,
            output: OUTPUT.given(self.output)?,
            task_id: self.task,
            context: self.thread.read(),
            group_id: self.group,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&relayed, || text(&relayed, &again)))
    }
}

fn text(relayed: &RelayResult, again: &str) -> String {
    let said = relayed.text.as_ref().map_or_else(String::new, |text| format!("{}\n", clean(text)));
    match (relayed.outcome, &relayed.submitted) {
        (Outcome::Relayed, Some(submitted)) => {
            let group = &submitted.group_id;
            format!("{}next: baton bus wait {group}{again}\n", render::submitted_page(submitted))
        }
        (Outcome::Relayed, None) => String::new(),
        (Outcome::Done, _) => format!("The relay of {} is over.\n{said}", relayed.task_id),
        (Outcome::Local, _) => {
            let problem = relayed.problem.as_ref();
            let problem = problem
                .map_or_else(String::new, |why| format!("It is no relay: {}.\n", clean(why.trim_end_matches('.'))));
            format!("An answer for you, which ends the relay of {}.\n{problem}{said}", relayed.task_id)
        }
    }
}
