//! A room: members in order, one stick, one log.
//!
//! Its verbs ([`Room::claim`], [`Room::release`], [`Room::join`] …) answer a [`Call`] with the event that follows or a
//! [`Refusal`], and change nothing; nothing follows where it is so already. [`Room::apply`] folds an event and cannot
//! fail. Between them lies what only looks: [`Room::state`], one of the contract's eight, and [`Room::prospect`], what a
//! waiting member may do right now.
//!
//! Expiry and process death are derived when asked, never stored: a lease that ran out yesterday is
//! still the owner's until somebody takes it over. Presence and lease expiry move without events
//! ([`Room::touch`], [`Room::renew`]); everything else in a room is the fold of its log.

mod actor;
mod apply;
mod decide;
mod event;
mod identity;
mod occupancy;
mod prospect;
mod refusal;
mod resting;
mod state;
#[cfg(test)]
pub(crate) mod tests;
mod waking;

pub use actor::{Actor, Authority, Call, Closing, IdOrigin, NewIdentity, PolicySetting, Shown};
pub use decide::check_name;
pub use event::{
    Claimed, Closed, Created, Event, Granted, Joined, Left, Noted, PolicySet, Registered, Released, Renamed, Reordered,
    Rested, Resumed, TakenOver, WakeChosen,
};
pub use occupancy::{Occupant, is_occupied, poses};
pub use prospect::{Prospect, TakeoverReason};
pub use refusal::Refusal;
pub use state::{ClaimReason, Member, Ownership, Pending, Reservation, Rest, Room, RoomState, Stick, Via};
