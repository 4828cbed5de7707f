//! What a job that was sent back goes on from, and reviews that no slice was told of.

use baton_core::{
    event::Event,
    ids::RoomId,
    job::{self, Executor, GOES_ON_FROM, Job, JobId, agent_of},
    reference::Reference,
    turn::Usage,
};
use baton_store::{engine::Tx, inbox, log, table, turns};

use crate::{App, Failure, patches::find_patch};

/// Messages that are looked at for a review, and turns for a conversation.
const LOOKED_AT: u32 = 100;

/// What a job that was sent back goes on from.
#[derive(Clone, Debug)]
pub struct Continuation {
    /// What came of it before.
    pub summary: Option<String>,
    /// What it changed before.
    pub patch: Option<PriorPatch>,
    /// The conversation in which that was done.
    pub conversation: Option<PriorConversation>,
}

/// What a job changed before.
#[derive(Clone, Debug)]
pub struct PriorPatch {
    /// Where it is kept.
    pub reference: Reference,
    /// The commit that it was made against, and the patch; or why it cannot be used.
    pub content: Result<(String, Vec<u8>), String>,
}

/// A conversation that can be gone on with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorConversation {
    /// The program.
    pub executor: Executor,
    /// The program's name for the conversation.
    pub session: String,
    /// What its turns took.
    pub usage: Usage,
}

impl App {
    /// What a job goes on from. Nothing, if it was not sent back.
    pub fn continuation(&self, room: &RoomId, job: JobId) -> Result<Option<Continuation>, Failure> {
        let found = self.store.read(|tx| {
            let room = self.room(tx, room)?.id;
            let job = table::find::<Job>(tx, &room, &job)?.ok_or_else(|| Failure::unknown_id(job))?;
            if !job.meta.contains_key(GOES_ON_FROM) {
                return Ok(None);
            }
            let kept = find_patch(tx, &room, &job, None)?.filter(|kept| kept.origin.is_some());
            Ok::<_, Failure>(Some((kept, conversation(tx, &room, job.id)?, job)))
        })?;
        let Some((kept, conversation, job)) = found else { return Ok(None) };
        let patch = kept.map(|kept| {
            let content = kept.usable(job.id).and_then(|(patch, _)| Ok((patch.base, self.read_patch(&kept)?)));
            PriorPatch { reference: kept.reference(), content: content.map_err(|failure| failure.message) }
        });
        Ok(Some(Continuation { summary: job.summary, patch, conversation }))
    }

    /// The review that no slice of a job was told of.
    pub fn pending_review(&self, room: &RoomId, job: JobId) -> Result<Option<Reference>, Failure> {
        self.store.read(|tx| {
            let room = self.room(tx, room)?.id;
            let job = table::find::<Job>(tx, &room, &job)?.ok_or_else(|| Failure::unknown_id(job))?;
            pending(tx, &room, &job)
        })
    }
}

/// The review that no slice was told of, under a claim that is worked on in turns. Whoever works without them reads the thread.
pub(super) fn pending(tx: &mut dyn Tx, room: &RoomId, job: &Job) -> Result<Option<Reference>, Failure> {
    let newest = turns::before(tx, room, turns::Which::Job(job.id), None, 1)?;
    if newest.first().is_none_or(|turn| turn.revision != Some(job.revision)) {
        return Ok(None);
    }
    for item in inbox::untaken(tx, room, &agent_of(room, job.id), LOOKED_AT)? {
        let said = log::find(tx, room, item.message)?.map(|recorded| recorded.event);
        if matches!(said, Some(Event::Job(job::Event::Manager(said))) if said.sends_back) {
            return Ok(Some(Reference::JobEvent(job.id, item.message)));
        }
    }
    Ok(None)
}

/// The conversation of a job's last turn that had one.
fn conversation(tx: &mut dyn Tx, room: &RoomId, job: JobId) -> Result<Option<PriorConversation>, Failure> {
    let all = turns::before(tx, room, turns::Which::Job(job), None, LOOKED_AT)?;
    let Some((session, executor)) = all.iter().find_map(|turn| turn.session.clone().zip(turn.executor)) else {
        return Ok(None);
    };
    let of_it = all.iter().filter(|turn| turn.session.as_ref() == Some(&session));
    let usage = of_it.fold(Usage::default(), |sum, turn| sum.plus(&turn.usage));
    Ok(Some(PriorConversation { executor, session, usage }))
}
