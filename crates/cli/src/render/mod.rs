//! Rooms, events, handoffs, messages and tasks as a person reads them.

mod event;
mod handoff;
mod room;
mod words;

pub(crate) use event::event_line;
pub(crate) use handoff::{artifact_place, artifact_role, handoff_page};
pub(crate) use room::{room_line, room_page, who_has_it};
