//! Words of managers that a job's own agent reads in the thread of its job.

use baton_core::{
    ids::{RoomId, Seq},
    job::{JobId, Kind},
};
use baton_store::{inbox, turns};

use super::{JobEvent, Tail};
use crate::{App, Caller, app::Request, table::UseCase};

/// Notes that the job's agent has read what managers say in `events`: its runner need not tell it again before the job ends.
/// No look fails over that.
pub(super) fn hear(app: &App, caller: &Caller, room: &RoomId, job: JobId, events: &[JobEvent]) {
    let Some(own) = caller.own_job_in(room).filter(|own| own.job == job) else { return };
    let agent = own.agent_id();
    if events.iter().all(|event| event.kind != Kind::Manager) {
        return;
    }
    let mut heard: Vec<Seq> = app.managers_words(room, &agent).unwrap_or_default();
    heard.retain(|word| events.iter().any(|event| event.seq == *word));
    if heard.is_empty() {
        return;
    }
    let request = Request { command: Tail::NAME, input: &heard, key: None };
    let _ = app.change(caller, &request, room, |change| {
        let turn = turns::open_of(change.store.tx()?, &change.room.id, &agent)?.map(|turn| turn.id);
        for message in &heard {
            let items = inbox::of_message(change.store.tx()?, &change.room.id, *message)?;
            let item = items.iter().find(|item| item.recipient == agent);
            change.record(item.and_then(|item| item.see(turn)))?;
        }
        Ok(())
    });
}
