//! Looking for what waits for a person.

use std::collections::BTreeMap;

use baton_core::{
    ids::RoomId,
    job::Choice,
    limits,
    room::{Actor, Stick},
    time::{Timestamp, Ttl},
};
use baton_store::{
    engine::Tx,
    jobs::queued_for,
    needs::{self, Waiting, Wanted},
    rooms::{self, Standing},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    Need, NeedKind, jobs, mail, paths,
    scene::{Scene, own_ids},
    sessions, stick,
};
use crate::{
    App, Caller, Failure,
    bounds::{self, Page},
    table::{AGENT, Effect, Place, Subject, UseCase},
};

/// `agent.needs`
pub struct Needs;

/// Rooms that are looked at, those that changed last first.
const ROOMS: u32 = 32;
/// Most of each sort in a room.
const EACH: u32 = 25;
/// How long a job that failed waits for somebody.
const FAILED_FOR: Ttl = Ttl::from_minutes(24 * 60);
/// How long a collision does.
const INCURSION_FOR: Ttl = Ttl::from_minutes(60);

/// Where to look.
#[serde_with::skip_serializing_none]
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NeedsInput {
    /// Only in this room; default: in all that changed lately
    pub room_id: Option<RoomId>,
    /// Only what comes behind this place: `cursor` of the answer before
    pub after: Option<String>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
}

/// What waits for a person, oldest first.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct NeedsResult {
    pub needs: Vec<Need>,
    /// How much of each sort waits, on all pages together.
    pub counts: BTreeMap<NeedKind, usize>,
    /// Whether more waits than is told and counted here.
    pub has_more: bool,
    /// Where the next page begins: ask again with it as `after`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
}

impl UseCase for Needs {
    const NAME: &'static str = "agent.needs";
    const PLACE: Place = Place::Portal(&AGENT);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str = "What waits for a person in all rooms: questions, approvals, messages to accept, failed jobs, sticks that nobody moves, collisions.";
    type Input = NeedsInput;
    type Output = NeedsResult;

    fn perform(app: &App, caller: &Caller, input: NeedsInput) -> Result<NeedsResult, Failure> {
        let limit = bounds::limit(input.limit, limits::CARDS_DEFAULT, limits::CARDS_MAX)?;
        let you = caller.actor();
        match &input.room_id {
            Some(room) => app.see_to_jobs_now_and_then(room),
            None => app.see_to_jobs_everywhere(ROOMS)?,
        }
        let (mut found, mut has_more) = app.store.read(|tx| look(app, tx, &you, input.room_id.as_ref()))?;
        found.sort_by_cached_key(Need::place);
        let mut counts = BTreeMap::new();
        for need in &found {
            *counts.entry(need.kind).or_default() += 1;
        }
        if let Some(after) = &input.after {
            found.retain(|need| need.place() > *after);
        }
        let needs = Page::default().fill(&found, limit, Need::clone);
        let cursor = needs.last().filter(|_| needs.len() < found.len()).map(Need::place);
        has_more |= cursor.is_some();
        Ok(NeedsResult { needs, counts, has_more, cursor })
    }
}

/// What waits in a room, or in those that changed last; and whether there is more than was looked at.
fn look(app: &App, tx: &mut dyn Tx, you: &Actor, only: Option<&RoomId>) -> Result<(Vec<Need>, bool), Failure> {
    let ids: Vec<RoomId> = match only {
        Some(room) => vec![room.clone()],
        None => rooms::standing(tx, Standing::Open, ROOMS + 1)?.into_iter().map(|outline| outline.id).collect(),
    };
    let now = tx.now()?;
    let (mut found, mut has_more) = (Vec::new(), ids.len() > ROOMS as usize);
    for id in ids.iter().take(ROOMS as usize) {
        has_more |= in_room(app, tx, you, now, id, &mut found)?;
    }
    Ok((found, has_more))
}

fn in_room(
    app: &App,
    tx: &mut dyn Tx,
    you: &Actor,
    now: Timestamp,
    id: &RoomId,
    found: &mut Vec<Need>,
) -> Result<bool, Failure> {
    let room = app.room(tx, id)?;
    if room.stick == Stick::Closed {
        // Nothing becomes of what was asked there.
        return Ok(false);
    }
    let eyes = app.eyes(tx, &room)?;
    // No agent has an empty id: who only names somebody has nobody's inbox.
    let is_own = room.require_own_id(now, you, &eyes).is_ok();
    let own = if is_own { own_ids(you) } else { Default::default() };
    let wanted = Wanted { now, incursions_since: now.minus(INCURSION_FOR), inboxes: (&own.0, &own.1), limit: EACH + 1 };
    let mut waiting = needs::waiting(tx, id, &wanted)?;
    let failed_since = now.minus(FAILED_FOR);
    waiting.failed.retain(|job| jobs::is_failed(job, failed_since));
    let scene = Scene { app, room: &room, eyes: &eyes, now, you, stale_after: app.stale_after_or_default() };
    waiting.to_accept.retain(|item| scene.is_own(&item.recipient));
    waiting.owed.retain(|posted| scene.is_own(&posted.recipient));
    let cut = cut(&mut waiting);
    for job in &waiting.pressing {
        found.extend(jobs::pressing(tx, &scene, job)?);
    }
    for job in &waiting.stale {
        found.extend(jobs::stale(tx, &scene, job)?);
    }
    let heads = queued_for(tx, id, Choice::ALL, None, 1)?;
    found.extend(jobs::blocked(tx, &scene, &heads)?);
    found.extend(waiting.failed.iter().map(|job| jobs::failed(&scene, job)));
    for approval in &waiting.approvals {
        found.push(mail::approval(tx, &scene, approval)?);
    }
    found.extend(mail::waiting(tx, &scene, &waiting.to_accept, &waiting.owed)?);
    found.extend(paths::incursions(tx, &scene, &waiting.incursions)?);
    found.extend(stick::stuck(tx, &scene)?);
    found.extend(sessions::unprocessed(tx, &scene)?);
    Ok(cut)
}

/// Keeps as much of each sort as is told, and says whether something was left out.
fn cut(waiting: &mut Waiting) -> bool {
    fn keep<T>(found: &mut Vec<T>) -> bool {
        let more = found.len() > EACH as usize;
        found.truncate(EACH as usize);
        more
    }
    let jobs = [&mut waiting.pressing, &mut waiting.stale, &mut waiting.failed].map(keep);
    let others = [keep(&mut waiting.approvals), keep(&mut waiting.to_accept), keep(&mut waiting.owed)];
    // Collisions repeat; those of each pair are told once.
    keep(&mut waiting.incursions);
    jobs.into_iter().chain(others).any(|more| more)
}
