//! `baton scope reserve`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::scope::{Reserve, ReserveInput, ReserveResult},
};
use baton_core::{ids::BeadId, time::Timestamp};

use super::page;
use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
    standing,
    ui::{Ui, clean},
    wording::{table, until, who},
};

/// Reserve paths for a while, so that nobody else edits them
///
/// All of them, or none: refused while another agent has one. What you have already is extended. A relative path
/// starts at the current directory: a file, a directory with all that is in it, or dir/*. The answer says what it is
/// from the room's root.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct ReserveArgs {
    /// Paths, relative to the current directory
    #[arg(value_name = "SCOPE", required = true)]
    scopes: Vec<String>,
    /// For how long, 5 to 1440 [default: 120]
    #[arg(long, value_name = "MINUTES")]
    ttl: Option<u64>,
    /// Displace owners that are stale or evicted
    #[arg(long)]
    takeover_stale: bool,
    /// The task or bead it is for [default: your task in progress]
    #[arg(long, value_name = "ID")]
    bead: Option<BeadId>,
    #[command(flatten)]
    room: RoomArgs,
    #[command(flatten)]
    key: KeyArgs,
}

impl ReserveArgs {
    pub(super) fn run(self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find_again(context, self.key.earlier(context)?.as_ref())?;
        let scopes = standing::from_root(context, &room_id, self.scopes)?;
        let reserved = context.run::<Reserve>(ReserveInput {
            room_id,
            scopes,
            ttl_minutes: self.ttl,
            takeover_stale: self.takeover_stale,
            bead_id: self.bead,
            idempotency_key: self.key.key,
        });
        let now = context.app.now()?;
        match reserved {
            Ok(reserved) => Ok(ui.answer(&reserved, || text(&reserved, now))),
            Err(failure) => page::refuse(ui, failure, now),
        }
    }
}

fn text(reserved: &ReserveResult, now: Timestamp) -> String {
    let rows: Vec<_> = reserved
        .reserved
        .iter()
        .map(|scope| [clean(&scope.scope), page::bead(scope.bead_id.as_ref()), until(scope.expires_at, now)])
        .collect();
    let owner = reserved.reserved.first().map_or_else(String::new, |first| who(&first.owner_agent, &first.owner));
    let mut text = format!("Reserved for {owner}:\n{}", table(&rows));
    for displaced in &reserved.displaced {
        let former = who(&displaced.owner_agent, &displaced.owner);
        let (scope, liveness) = (clean(&displaced.scope), displaced.owner_liveness.as_str());
        text.push_str(&format!("Taken over from {former}, who was {liveness}: {scope}\n"));
    }
    text.push_str("next: work there, then baton scope release --all\n");
    text
}
