//! What scopes and collisions look like to a person.

use std::process::ExitCode;

use baton_app::Failure;
use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, BeadId},
    time::Timestamp,
};
use serde::Deserialize;

use crate::{
    commands::surface::in_words,
    ui::{Ui, clean},
    wording::{until, who},
};

/// The facts of a refusal that a person is told.
#[derive(Deserialize)]
struct Met {
    scope: String,
    owner: AgentId,
    owner_agent: String,
    owner_liveness: Presence,
    expires_at: Timestamp,
    in_the_way: Vec<String>,
}

/// What a reservation is for.
pub(super) fn bead(bead_id: Option<&BeadId>) -> String {
    bead_id.map_or_else(String::new, |bead_id| format!("for {}", clean(bead_id.as_str())))
}

/// Shows that somebody is in the way: who, how present they are, until when, and the command that leads on. Any other
/// "no" is shown like all of them.
pub(super) fn refuse(ui: Ui, failure: Failure, now: Timestamp) -> Result<ExitCode, Failure> {
    let met = match failure.code {
        ErrorCode::ReservationConflict | ErrorCode::ReservationStaleFound => {
            serde_json::from_value::<Met>((*failure.details).clone().into()).ok()
        }
        _ => None,
    };
    match met {
        Some(met) => Ok(ui.failure_as(&failure, || text(&failure, &met, now))),
        None => Err(failure),
    }
}

fn text(failure: &Failure, met: &Met, now: Timestamp) -> String {
    let mut text = format!(
        "{}: {}\n  owner: {}, {}\n  scope: {}, {}\n",
        failure.code,
        clean(&failure.message),
        who(&met.owner_agent, &met.owner),
        met.owner_liveness.as_str(),
        clean(&met.scope),
        until(met.expires_at, now),
    );
    // The first is the one above.
    for other in met.in_the_way.iter().skip(1) {
        text.push_str(&format!("  also in the way: {}\n", clean(other)));
    }
    text.push_str(&format!("  next: {}\n", clean(&in_words(&failure.next))));
    text
}
