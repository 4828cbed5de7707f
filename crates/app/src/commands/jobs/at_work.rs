//! How the agent of a job is at it.

use baton_core::{job::Job, room::Room, time::Timestamp, turn::Usage};
use baton_store::{
    engine::Tx,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    App, Failure,
    commands::turn::TurnView,
    connection::{AgentConnection, Vantage},
};

/// How the agent of a job is connected, and its turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AtWork {
    pub connection: AgentConnection,
    /// How many turns it has had.
    pub turns: u64,
    /// The newest of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turn: Option<TurnView>,
    /// What all of them took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
}

impl AtWork {
    pub(crate) fn read(app: &App, tx: &mut dyn Tx, room: &Room, job: &Job, now: Timestamp) -> Result<Self, Failure> {
        let eyes = app.eyes(tx, room)?;
        let from = Vantage::new(room, now, app.stale_after_or_default(), &eyes);
        let (turns, usage) = turns::total_of_job(tx, &room.id, job.id)?;
        let newest = turns::before(tx, &room.id, Which::Job(job.id), None, 1)?;
        Ok(Self {
            connection: AgentConnection::of_job(tx, &from, job)?,
            turns,
            turn: newest.first().map(|turn| TurnView::of(turn, room)),
            usage: (turns > 0).then_some(usage),
        })
    }
}
