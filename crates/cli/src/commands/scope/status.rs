//! `baton scope status`

use std::process::ExitCode;

use baton_app::{
    Failure,
    commands::scope::{ScopeView, Status, StatusInput, StatusResult},
};
use baton_core::{scope::End, time::Timestamp};

use super::page;
use crate::{
    context::Context,
    select::RoomArgs,
    standing,
    ui::{Ui, clean},
    wording::{table, until, who},
};

/// Show who has reserved which paths, and how present they are
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct StatusArgs {
    /// Only what meets this path: who has it?
    #[arg(value_name = "SCOPE")]
    meets: Option<String>,
    /// Also those that ended, the last first
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    room: RoomArgs,
}

impl StatusArgs {
    pub(super) fn run(&self, context: &Context, ui: Ui) -> Result<ExitCode, Failure> {
        let room_id = self.room.find(context)?;
        let path = standing::one_from_root(context, &room_id, self.meets.clone())?;
        let status = context.run::<Status>(StatusInput { room_id, path, all: self.all })?;
        let now = context.app.now()?;
        Ok(ui.answer(&status, || text(&status, now)))
    }
}

fn text(status: &StatusResult, now: Timestamp) -> String {
    let mut text = match (status.scopes.is_empty(), status.path.as_deref()) {
        (true, None) => "Nothing is reserved here.\n".to_owned(),
        (true, Some(path)) => format!("Nobody has reserved {}.\n", clean(path)),
        (false, _) => table(&status.scopes.iter().map(|scope| row(scope, now)).collect::<Vec<_>>()),
    };
    if !status.archived.is_empty() {
        text.push_str("Ended:\n");
        text.push_str(&table(&status.archived.iter().map(|scope| row(scope, now)).collect::<Vec<_>>()));
    }
    if status.has_more {
        text.push_str("There are more: baton scope status SCOPE shows those that meet a path.\n");
    }
    if status.scopes.is_empty() {
        text.push_str("next: baton scope reserve PATH…\n");
    }
    text
}

fn row(scope: &ScopeView, now: Timestamp) -> [String; 5] {
    let time = match (scope.ended, scope.ended_at) {
        (Some(End::Released), Some(at)) => format!("released {} ago", now.since(at)),
        (Some(End::Expired), Some(at)) => format!("expired {} ago", now.since(at)),
        _ => until(scope.expires_at, now),
    };
    let yours = if scope.yours { "  (yours)" } else { "" };
    // How present somebody is says nothing about what they no longer have.
    let liveness = if scope.ended.is_some() { "" } else { scope.owner_liveness.as_str() };
    [
        clean(&scope.scope),
        who(&scope.owner_agent, &scope.owner),
        liveness.to_owned(),
        page::bead(scope.bead_id.as_ref()),
        time + yours,
    ]
}
