//! The protocol, played line by line against the real server on an in-memory connection.

mod calls;
mod listing;
mod portals;
mod sessions;
mod trouble;
mod wire;
mod world;
