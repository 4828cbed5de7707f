//! Which tools an agent used, the last first.

use baton_core::{
    event::Event,
    ids::Seq,
    turn::{self, ToolUse, TurnId},
};
use baton_store::{
    engine::Tx,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read::{Entries, Look};

/// Turns whose tools are looked for at once: no further back than they go.
const TURNS: u32 = 25;

/// The use of a tool, and in which turn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ToolEntry {
    /// The event that tells of it, perhaps with others.
    pub seq: Seq,
    pub turn: TurnId,
    pub name: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub detail: String,
    pub state: turn::ToolState,
    pub at: baton_core::time::Timestamp,
}

pub(super) fn read(tx: &mut dyn Tx, mut look: Look<'_>) -> Entries<ToolEntry> {
    let room = &look.sight.room;
    let until = look.before.map_or(room.last_seq, |before| Seq(before.saturating_sub(1)));
    let Some(since) = oldest(tx, &look, until)? else { return Ok((Vec::new(), None)) };
    let events = turns::events_back(tx, &room.id, (look.agent, "turn.tools"), (since, until), look.limit + 1)?;
    let (mut entries, mut last, mut left) = (Vec::new(), None, false);
    for recorded in &events {
        let Event::Turn(turn::Event::ToolsUsed(used)) = &recorded.event else { continue };
        // An event is told whole or not at all, so that its place says where it goes on.
        if entries.len() >= look.limit as usize || !look.page.takes(&used.uses) {
            left = true;
            break;
        }
        entries.extend(used.uses.iter().rev().map(|tool| entry(recorded.seq, used.turn, tool)));
        last = Some(recorded.seq.0);
    }
    Ok((entries, last.filter(|_| left)))
}

/// Where the turns begin in which it is worth to look.
fn oldest(tx: &mut dyn Tx, look: &Look<'_>, until: Seq) -> Result<Option<Seq>, crate::Failure> {
    let room = &look.sight.room.id;
    let mut before = None;
    loop {
        let turns = turns::before(tx, room, Which::Of(look.agent), before, TURNS)?;
        let Some(last) = turns.last() else { return Ok(None) };
        if last.seq <= until {
            return Ok(Some(last.seq));
        }
        before = Some(last.id);
    }
}

fn entry(seq: Seq, turn: TurnId, tool: &ToolUse) -> ToolEntry {
    let ToolUse { name, detail, state, at } = tool.clone();
    ToolEntry { seq, turn, name, detail, state, at }
}
