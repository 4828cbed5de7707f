//! What happens, as it happens, as server-sent events.
//!
//! There are two sorts of streams, both the hub's own, written out. The events of a room: `id:` is the place in the log,
//! `event:` the type, `data:` the record. And what is submitted to an agent, for whoever is its runtime: `id:` is the place
//! of the submission, `data:` an `action.submit` with one action; the agent is connected for as long as the stream is.
//!
//! What must stay true: a reader that comes back with the last id that it saw misses nothing and sees nothing twice; one that
//! does not read is cut off, although nobody can tell it so.

mod cursor;
mod open;
mod source;
mod written;

pub(crate) use open::{actions, events};
pub(crate) use written::{PULSE, RETRY_MS, Stage, cut_when_over};
