//! The bus: the command table for whoever is connected, and a room's log as a stream.
//!
//! [`Hub`] is what every server is made of, whatever it speaks: it admits a call, runs it and counts it, and it feeds
//! subscribers. It knows neither lines nor requests; the socket here and HTTP beside it do, and both say the same because
//! both only pass on what the hub gives.
//!
//! What must stay true: a stream is a cursor over the log and nothing else, so it has no gap and no repeat, whoever wrote
//! and however often the reader came back; and nobody who does not read makes anybody else wait.

mod bindings;
pub mod blocking;
mod bounds;
pub mod client;
mod credential;
mod departures;
pub mod envelope;
mod feed;
mod head;
mod hub;
mod metrics;
mod pulse;
mod quota;
mod rate;
mod rendered;
mod running;
mod runtime;
pub mod socket;
mod subscription;
mod window;

pub use bindings::BoundTo;
pub use bounds::bounds;
pub use credential::{Credential, Revocation, revoked};
pub use hub::Hub;
pub use metrics::{CommandCount, Metrics, Outcome, Transport};
pub use quota::Permit;
pub use rate::Rate;
pub use rendered::Rendered;
pub use runtime::{Push, Pushed, Runtime};
pub use subscription::{Next, Overrun, Subscription};
