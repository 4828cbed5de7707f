//! The server itself: where it listens, how connections are taken, and how all of it ends.
//!
//! What must stay true: nothing that a peer does or leaves undone holds more than its bound. There is a most to connections,
//! to the size and the time of a request's head, to what is buffered for a reader who does not read, and to how long such a
//! reader is waited for.

mod accept;
pub(crate) mod connection;
mod listen;
mod tls;
pub(crate) mod wire;

pub use accept::Server;
pub(crate) use connection::Line;
pub use listen::{CONNECTIONS_MAX, Exposure, LISTEN, Settings};
pub use tls::TlsFiles;
