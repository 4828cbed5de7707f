//! Baton over HTTP: the command table as routes, a room's events as a stream, and who may use them.
//!
//! A request passes the gate (`gate/`: names of this server, origin, credentials), becomes the input of a command
//! (`routes/`), and is answered with that command's envelope (`answer.rs`). A stream (`stream.rs`) is the hub's own
//! subscription. `server/` takes connections and sees to it that no peer holds more than its share. `tokens/` and `login/` are
//! how people and programs get in.
//!
//! What must stay true: nothing is decided here. Whatever a command does, it does the same over the socket; this crate
//! only says who calls, and carries bytes.

mod answer;
mod bounds;
mod facts;
mod gate;
mod health;
mod login;
mod metrics;
mod openapi;
mod private;
mod routes;
mod secret;
mod server;
mod site;
mod stream;
mod tokens;
mod web;

pub use answer::status_number;
pub use bounds::bounds;
pub use facts::{Facts, Published};
pub use gate::{Names, Visitor};
pub use login::{Admitted, TICKET_TTL, Tickets};
pub use routes::{Route, routes};
pub use secret::Secret;
pub use server::{CONNECTIONS_MAX, Exposure, LISTEN, Server, Settings, TlsFiles};
pub use site::Owner;
pub use tokens::{Keyring, OPERATOR, Role, Token, TokenName};
