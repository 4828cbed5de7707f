//! Rooms, events, handoffs, messages and tasks as a person reads them.

mod attention;
mod event;
mod handoff;
mod message;
mod protocol;
mod room;
mod task;
mod words;

pub(crate) use attention::{attention_page, taken_page};
pub(crate) use event::event_line;
pub(crate) use handoff::{artifact_place, artifact_role, handoff_page};
pub(crate) use message::{item_lines, message_page, sent_page, sent_sentence};
pub(crate) use room::{room_line, room_page, who_has_it};
pub(crate) use task::{task_changed, task_lines, task_page};
