//! The protocol, played line by line against the real server on an in-memory connection.

mod calls;
mod former_names;
mod interrupts;
mod listing;
mod portals;
mod sessions;
mod traffic;
mod trouble;
mod wire;
pub(crate) mod world;
