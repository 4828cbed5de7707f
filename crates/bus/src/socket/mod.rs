//! The Unix socket: one JSON object per line, the contract's v1 envelope, for processes of the same user.
//!
//! `address` says where it is, `server` binds it and opens the door, `connection` is one client: `lines` reads within
//! bounds, `speakers` knows for whom the client speaks, `session` does what it asks, `streams` follow rooms for it, and
//! `frame`, `out` and `queue` are what it is told and how much of that may wait to be read.
//!
//! What must stay true: who calls is found out from the connection; whatever a client sends or does not read, memory is
//! bounded and nobody else waits.

mod address;
pub(crate) mod connection;
mod descriptors;
mod frame;
mod lines;
mod out;
mod queue;
pub(crate) mod server;
pub(crate) mod session;
pub(crate) mod speakers;
pub(crate) mod streams;

pub use address::{FILE_NAME, PATH_BYTES, find};
pub use descriptors::raise_descriptor_limit;
pub use server::Server;
pub use session::Word;
