//! Taking what was sent to one: actions and messages, in order. Being told of them delivers them.

use std::time::Duration;

use baton_core::{
    bus,
    event::{Event, Recorded},
    ids::{RoomId, Seq},
    inbox::Item,
    limits,
    room::Stick,
};
use baton_store::{bus as store, inbox, log};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Delivery;
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds::{self, Page},
    identity::require_own_id,
    presence,
    table::{BUS, Effect, Place, UseCase},
    unit::Change,
    watch::Patience,
};

/// `bus.take`
pub struct Take;

/// What to take.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TakeInput {
    #[serde(alias = "session", alias = "session_id")]
    pub room_id: RoomId,
    /// Also actions that you were told of before and that have not ended, after this place: 0 for all. What you were not
    /// told of comes anyway
    pub resume_after: Option<Seq>,
    /// 1 to 200; default 50
    pub limit: Option<u32>,
    /// Wait for something, up to 50000
    pub max_wait_ms: Option<u64>,
}

/// What was sent to you.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct TakeResult {
    pub room_id: RoomId,
    /// In order.
    pub deliveries: Vec<Delivery>,
    /// Whether more is there already.
    pub has_more: bool,
}

impl TakeResult {
    fn nothing(room: &RoomId) -> Self {
        Self { room_id: room.clone(), deliveries: Vec::new(), has_more: false }
    }
}

impl UseCase for Take {
    const NAME: &'static str = "bus.take";
    const PLACE: Place = Place::Portal(&BUS);
    const WIRE: Option<&'static str> = Some("action.take");
    const EFFECT: Effect = Effect::Wait;
    const ABOUT: &'static str = "Take what was submitted or sent to you, in order; can wait for it.";
    type Input = TakeInput;
    type Output = TakeResult;

    fn perform(app: &App, caller: &Caller, input: TakeInput) -> Result<TakeResult, Failure> {
        let limit = bounds::limit(input.limit, limits::ACTIONS_DEFAULT, limits::ACTIONS_MAX)?;
        let patience = Patience::of(input.max_wait_ms)?;
        let actor = caller.actor();
        let agent = &actor.agent_id;
        app.readmit(caller, &presence::show(app, caller, &input.room_id)?)?;
        let waits = |_: Duration| {
            // Looking again writes nothing, so that who waits for long does not.
            let (something, over) = app.store.read::<_, Failure>(|tx| {
                let room = app.room(tx, &input.room_id)?;
                // Also where there is nothing to take: an inbox is its agent's.
                let (eyes, now) = (app.eyes(tx, &room)?, tx.now()?);
                require_own_id(&room, now, &actor, &eyes)?;
                let fresh = !inbox::undelivered(tx, &room.id, agent, 1)?.is_empty();
                let known = match input.resume_after {
                    Some(after) => !store::open_of(tx, &room.id, agent, after, 1)?.is_empty(),
                    None => false,
                };
                Ok((fresh || known, room.stick == Stick::Closed))
            })?;
            // Nothing comes any more in a session that is over, so nobody waits for it.
            let nothing = over.then(|| TakeResult::nothing(&input.room_id));
            if !something {
                return Ok(nothing);
            }
            let request = Request { command: Self::NAME, input: &input, key: None };
            let taken = app.change(caller, &request, &input.room_id, |change| take(change, &input, limit))?;
            Ok(if taken.deliveries.is_empty() { nothing } else { Some(taken) })
        };
        let taken = app.wait_for(caller, &input.room_id, patience, waits)?;
        Ok(taken.unwrap_or_else(|| TakeResult::nothing(&input.room_id)))
    }
}

fn take(change: &mut Change<'_>, input: &TakeInput, limit: u32) -> Result<TakeResult, Failure> {
    change.require_known()?;
    let (room, agent) = (change.room.id.clone(), change.actor.agent_id.clone());
    let fresh = inbox::undelivered(change.store.tx()?, &room, &agent, limit + 1)?;
    let mut places: Vec<Seq> = fresh.iter().map(|item| item.message).collect();
    if let Some(after) = input.resume_after {
        let known = store::open_of(change.store.tx()?, &room, &agent, after, limit + 1)?;
        places
            .extend(known.iter().map(|action| action.seq).filter(|seq| !fresh.iter().any(|item| item.message == *seq)));
        places.sort_unstable();
    }
    let found = places.len();
    places.truncate(limit as usize);
    let events = log::find_all(change.store.tx()?, &room, &places)?;
    let (mut deliveries, mut page) = (Vec::with_capacity(events.len()), Page::default());
    for recorded in &events {
        let Some(delivery) = delivery(change, recorded)? else { continue };
        if !page.takes(&delivery) {
            break;
        }
        deliveries.push(delivery);
    }
    let has_more = deliveries.len() < found;
    // What does not fit is not delivered yet.
    let told = |item: &Item| deliveries.iter().any(|delivery| delivery.seq == item.message);
    let taken: Vec<Item> = fresh.into_iter().filter(told).collect();
    change.store.note(taken.clone());
    // A room that is over changes no more.
    if change.is_open()
        && let Some(event) = Item::deliver(&taken)
    {
        change.record(event)?;
    }
    Ok(TakeResult { room_id: room, deliveries, has_more })
}

/// The delivery that an event puts into inboxes, with the conversation that it belongs to now: that of the `new` for the same target
/// before it in its group.
pub(crate) fn delivery(change: &mut Change<'_>, recorded: &Recorded) -> Result<Option<Delivery>, Failure> {
    let Event::Bus(bus::Event::Submitted(submitted)) = &recorded.event else {
        return Ok(Delivery::of(recorded, None));
    };
    let room = &change.room.id;
    let new = match store::action_by_id(change.store.tx()?, room, &submitted.action_id)? {
        Some(action) => store::begun_by(change.store.tx()?, room, &action)?,
        None => None,
    };
    Ok(Delivery::of(recorded, new.as_ref()))
}
