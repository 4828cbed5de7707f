//! Jobs that live on the bus, played by a real runner with a command line of the user's: what they are asked, what they
//! answer, and how they end.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

mod answering;
mod ending;
mod relaying;
mod stage;
mod turns;
