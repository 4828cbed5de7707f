//! An agent's turns: what each consumed, what the agent was told, and what it took.

use baton_core::{
    ids::Seq,
    turn::{Turn, TurnId},
};
use baton_store::{
    engine::Tx,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{Entries, Look};
use crate::{
    Failure,
    app::Sight,
    commands::{
        open::{Told, consumed_by, end_of},
        turn::TurnView,
    },
};

/// Times that a turn's agent was told something, of which an entry tells.
const PROMPTS: u32 = 5;

/// A turn, with what its agent was told.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
pub struct TurnEntry {
    #[serde(flatten)]
    pub turn: TurnView,
    /// The messages that it consumed.
    pub consumed: Vec<Seq>,
    /// What its agent was told, and where all of it is kept.
    pub prompts: Vec<Told>,
}

pub(super) fn read(tx: &mut dyn Tx, look: Look<'_>) -> Entries<TurnEntry> {
    let before = look.before.map(|before| TurnId(before.try_into().unwrap_or(u32::MAX)));
    let found = turns::before(tx, &look.sight.room.id, Which::Of(look.agent), before, look.limit + 1)?;
    let mut entries = Vec::with_capacity(found.len());
    for turn in &found {
        entries.push(entry(tx, look.sight, turn)?);
    }
    let (entries, more) = look.fitting(entries);
    let next = entries.last().filter(|_| more).map(|last| u64::from(last.turn.turn.0));
    Ok((entries, next))
}

fn entry(tx: &mut dyn Tx, sight: &Sight<'_>, turn: &Turn) -> Result<TurnEntry, Failure> {
    let room = &sight.room;
    let end = end_of(tx, room, turn)?;
    let until = end.as_ref().map_or(room.last_seq, |end| end.seq);
    let told = turns::events(tx, &room.id, turn, "turn.prompt", (Seq(0), until), PROMPTS)?;
    Ok(TurnEntry {
        turn: TurnView::of(turn, room),
        consumed: consumed_by(tx, room, turn, end.as_ref())?,
        prompts: told.iter().filter_map(Told::of).collect(),
    })
}
