//! Reading a job's thread, also as the job's own agent, which hears its managers by it.

use baton_core::{
    event::Event,
    ids::{RoomId, Seq},
    job::{self, JobId, Kind},
};
use baton_store::{engine::Tx, inbox, log, turns};

use super::{JobEvent, Tail};
use crate::{
    App, Caller, Failure,
    app::{Request, internal},
    table::UseCase,
};

/// What a job asks in full, from the event that created it.
pub(super) fn prompt(tx: &mut dyn Tx, room: &RoomId, created: Seq) -> Result<String, Failure> {
    match log::find(tx, room, created)?.map(|recorded| recorded.event) {
        Some(Event::Job(job::Event::Created(created))) => Ok(created.prompt),
        Some(_) | None => Err(internal(format!("event {created} does not create a job"))),
    }
}

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
