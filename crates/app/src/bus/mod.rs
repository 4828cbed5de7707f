//! The bus: a room's log as the bus protocol tells it, and who is connected.
//!
//! A session is a room, so its stream is a cursor over the room's log; nothing is kept here that is not there.

mod connections;
mod record;
mod workers;

pub use connections::{SERVER, check_chosen};
pub use record::{Record, VERSION};
pub use workers::Ending;
pub(crate) use {connections::BUS, workers::why_lost};
