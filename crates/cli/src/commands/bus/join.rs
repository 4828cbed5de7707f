//! `baton bus join`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::bus::{Add, AddInput, AddResult},
};
use baton_core::ids::AgentId;

use super::session::SessionArgs;
use crate::{context::Context, select::KeyArgs, ui::Ui, wording::who};

/// Become an agent of a session
///
/// As who you are, or under an id of your choice. Every command finds out anew who runs it, so those that are to speak for a
/// chosen id need BATON_AGENT_ID.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct JoinArgs {
    /// An id of your choice, without a colon [default: who you are]
    #[arg(long, value_name = "ID")]
    id: Option<AgentId>,
    /// What people are to call you [default: the id, or a name that is made]
    #[arg(long, value_name = "NAME")]
    name: Option<String>,
    /// What you are here for
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,
    #[command(flatten)]
    session: SessionArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl JoinArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let you = context.caller.actor().agent_id;
        let again = self.session.again();
        let joined = context.run::<Add>(AddInput {
            room_id: self.session.find_again(context, &self.key)?,
            id: self.id,
            name: self.name,
            role: self.role,
            idempotency_key: self.key.key,
        })?;
        Ok(ui.answer(&joined, || text(&joined, &you, &again)))
    }
}

fn text(joined: &AddResult, you: &AgentId, again: &str) -> String {
    let AddResult { room_id, agent, rejoined, .. } = joined;
    let already = if *rejoined { "are still" } else { "joined" };
    let for_chosen = match agent.id == *you {
        true => String::new(),
        false => format!("Commands speak for it with: export BATON_AGENT_ID={}\n", agent.id),
    };
    format!(
        "You {already} {} in {room_id}.\n{for_chosen}next: baton bus take --wait{again}\n",
        who(&agent.name, &agent.id)
    )
}
