//! `baton agent adopt`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::agent::{Adopt, AdoptInput, AdoptResult},
};

use super::page;
use crate::{
    commands::surface::in_words,
    context::Context,
    select::{KeyArgs, RoomArgs},
    standing,
    ui::{Ui, clean},
    wording::{table, who},
};

/// Go on as another session that left its work behind
///
/// Accepted only if there are uncommitted changes in its scope, or a task of its own in progress. Its name, its
/// scopes, its unfinished tasks and what waits in its inbox become yours; the stick does not. Never asks: a person who
/// wants to go on without such evidence uses `baton agent init --adopt`.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct AdoptArgs {
    /// The identity's name or id
    #[arg(value_name = "AGENT")]
    agent: String,
    /// Where you go on, relative to the current directory [default: what it had reserved]
    #[arg(long = "scope", value_name = "S", num_args = 1..)]
    scopes: Vec<String>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl AdoptArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let adopted =
            context.run::<Adopt>(AdoptInput { room_id, agent: self.agent, scopes, idempotency_key: self.key.key });
        match adopted {
            Ok(adopted) => Ok(ui.answer(&adopted, || text(&adopted))),
            Err(failure) => page::refuse(ui, failure, context.app.now()?),
        }
    }
}

/// Who somebody is now, why, and what came along.
pub(super) fn text(adopted: &AdoptResult) -> String {
    let you = who(&adopted.adopted_agent, &adopted.agent_id);
    let tasks: Vec<_> = adopted.bead_ids.iter().map(|bead| bead.as_str()).collect();
    let messages = match adopted.messages {
        0 => String::new(),
        1 => "1 message in your inbox".to_owned(),
        count => format!("{count} messages in your inbox"),
    };
    let rows: Vec<_> = [
        ("from", format!("{}, {}", adopted.prior_session_agent, adopted.prior_liveness.as_str())),
        ("scopes", clean(&adopted.scopes.join(", "))),
        ("at work", clean(&tasks.join(", "))),
        ("inbox", messages),
    ]
    .into_iter()
    .filter(|(_, text)| !text.is_empty())
    .map(|(label, text)| [label.to_owned(), text])
    .collect();
    let next = match &adopted.next {
        Some(next) => in_words(next),
        None if adopted.messages > 0 => "baton inbox".to_owned(),
        None => "baton agent show".to_owned(),
    };
    format!(
        "You go on as {you} in {}: {}.\n{}next: {}\n",
        adopted.room_id,
        clean(&adopted.evidence),
        table(&rows),
        clean(&next)
    )
}
