//! Whether a reference leads anywhere.

use baton_core::{ids::RoomId, reference::Reference};

use crate::{
    StoreError,
    engine::{Param, Query, Tx},
    fields::number,
};

/// Each finds a row if the reference leads somewhere. What was given up is not there any more.
pub(crate) const JOB: &str = "SELECT number FROM jobs WHERE room_id = ?1 AND number = ?2";
pub(crate) const JOB_EVENT: &str = "SELECT seq FROM log WHERE room_id = ?1 AND seq = ?2 AND job = ?3";
pub(crate) const TASK: &str = "SELECT number FROM tasks WHERE room_id = ?1 AND number = ?2";
pub(crate) const CARD: &str = "SELECT number FROM cards WHERE room_id = ?1 AND number = ?2";
pub(crate) const PLAN: &str = "SELECT number FROM plans WHERE room_id = ?1 AND number = ?2";
pub(crate) const NOTE: &str = "SELECT seq FROM log WHERE room_id = ?1 AND seq = ?2 AND type = 'room.note'";
pub(crate) const RUNNER: &str = "SELECT runner FROM runners WHERE room_id = ?1 AND runner = ?2";
pub(crate) const ARTIFACT: &str = "
    SELECT number FROM artifacts WHERE room_id = ?1 AND number = ?2 AND kind = ?3 AND dropped_at_ms IS NULL
";
pub(crate) const PACK: &str = "
    SELECT number
      FROM artifacts
     WHERE room_id = ?1 AND kind = 'contextpack' AND name = ?2 || '.json' AND dropped_at_ms IS NULL
";
pub(crate) const PAYLOAD: &str = "SELECT seq FROM envelopes WHERE room_id = ?1 AND envelope_id = ?2";
pub(crate) const TURN: &str = "SELECT turn FROM turns WHERE room_id = ?1 AND turn = ?2";
pub(crate) const APPROVAL: &str = "SELECT approval FROM approvals WHERE room_id = ?1 AND approval = ?2";
pub(crate) const EVENT: &str = "SELECT seq FROM log WHERE room_id = ?1 AND seq = ?2";
pub(crate) const ANCHOR: &str = "SELECT anchor FROM anchors WHERE room_id = ?1 AND anchor = ?2";

/// Tells for each of `references`, in their order, whether it leads somewhere in `room`. A receipt points to nothing that a room keeps, and so
/// always does. All are asked for at once.
pub fn lead_somewhere(tx: &mut dyn Tx, room: &RoomId, references: &[Reference]) -> Result<Vec<bool>, StoreError> {
    let mut found: Vec<bool> = references.iter().map(|reference| !reference.is_stable()).collect();
    let asked: Vec<(usize, &'static str, Vec<Param<'_>>)> = references
        .iter()
        .enumerate()
        .filter_map(|(place, reference)| {
            let (sql, params) = question(room, reference)?;
            Some((place, sql, params))
        })
        .collect();
    if asked.is_empty() {
        return Ok(found);
    }
    let queries: Vec<Query<'_>> = asked.iter().map(|(_, sql, params)| Query::new(sql, params)).collect();
    tx.query_all(&queries, &mut |query, _| {
        found[asked[query].0] = true;
        Ok(())
    })?;
    Ok(found)
}

/// The question that a reference is looked up with, unless it is a receipt.
fn question<'a>(room: &'a RoomId, reference: &'a Reference) -> Option<(&'static str, Vec<Param<'a>>)> {
    let room: Param<'a> = room.as_str().into();
    let counted = |sql, id: u32| Some((sql, vec![room, i64::from(id).into()]));
    match reference {
        Reference::Job(job) => counted(JOB, job.0),
        Reference::JobEvent(job, seq) => Some((JOB_EVENT, vec![room, number(seq.0).into(), i64::from(job.0).into()])),
        Reference::Task(task) => counted(TASK, task.0),
        Reference::Card(card) => counted(CARD, card.0),
        Reference::Plan(plan) => counted(PLAN, plan.0),
        Reference::Note(seq) => Some((NOTE, vec![room, number(seq.0).into()])),
        Reference::Anchor(anchor) => Some((ANCHOR, vec![room, anchor.as_str().into()])),
        Reference::Runner(runner) => Some((RUNNER, vec![room, runner.as_str().into()])),
        Reference::Artifact(kind, id) => Some((ARTIFACT, vec![room, i64::from(*id).into(), kind.as_str().into()])),
        Reference::Pack(pack) => Some((PACK, vec![room, pack.as_str().into()])),
        Reference::Payload(envelope) => Some((PAYLOAD, vec![room, envelope.as_str().into()])),
        Reference::Turn(turn) => counted(TURN, turn.0),
        Reference::Approval(approval) => counted(APPROVAL, approval.0),
        Reference::Event(seq) => Some((EVENT, vec![room, number(seq.0).into()])),
        Reference::Command(_) | Reference::Link(_) => None,
    }
}
