//! What pages are put together from. Nothing here looks at the store, but for [`counts`].

mod agent;
mod approval;
mod counts;
mod delegate;
mod diff;
mod event;
pub(super) mod feed;
mod handoff;
mod room_nav;
mod standing;
pub(super) mod stick;
mod text;
mod time;

pub(super) use agent::{Names, agent, room_name};
pub(super) use approval::{ShownRequest, asked_for, decide};
pub(super) use counts::counts;
pub(super) use delegate::{delegate_link, without_panel};
pub(super) use diff::{Extent, diff};
pub(super) use event::{sentence, tone};
pub(super) use handoff::handoff;
pub(super) use room_nav::{RoomPage, room_nav};
pub(super) use standing::{
    deadline, liveness_word, presence_dot, process, process_word, proof_words, state_badge, state_tone,
};
pub(super) use text::{cli, copy, empty, prose, raw, reference};
pub(super) use time::{ago, until};
