//! Words of managers that a job's own agent reads in the thread of its job.

use baton_core::{
    ids::{RoomId, Seq},
    job::{JobId, Kind},
};
use baton_store::inbox;

use super::JobEvent;
use crate::{App, Caller, Failure, app::Request};

/// Most messages of an inbox that are looked at.
const LOOKED_AT: u32 = 200;

/// Notes that the job's agent has read what managers say in `events`: its runner need not tell it again before the job ends.
/// No look fails over that.
pub(super) fn hear(app: &App, caller: &Caller, room: &RoomId, job: JobId, events: &[JobEvent]) {
    let Some(own) = caller.own_job_in(room).filter(|own| own.job == job) else { return };
    let agent = own.agent_id();
    let is_said = |seq: Seq| events.iter().any(|event| event.kind == Kind::Manager && event.seq == seq);
    let untaken = app.store.read::<_, Failure>(|tx| Ok(inbox::untaken(tx, room, &agent, LOOKED_AT)?));
    let heard: Vec<Seq> =
        untaken.into_iter().flatten().map(|item| item.message).filter(|message| is_said(*message)).collect();
    if heard.is_empty() {
        return;
    }
    let request = Request { command: "jobs.tail", input: &heard, key: None };
    let _ = app.change(caller, &request, room, |change| {
        let turn = change.open_turn(&agent)?.map(|turn| turn.id);
        for message in &heard {
            let items = change.items_of(*message)?;
            let item = items.iter().find(|item| item.recipient == agent);
            if let Some(event) = item.and_then(|item| item.see(turn)) {
                change.record(event)?;
            }
        }
        Ok(())
    });
}
