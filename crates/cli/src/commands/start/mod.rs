//! `baton start`
//!
//! [`preparation`] finds out what is missing, [`run`] asks once and does it, [`server`] brings a server up in the background, and
//! [`page`] tells a person what to type next.
//!
//! Invariants: nothing is written before the person agreed, or said so with --yes; a second run changes nothing; and
//! nobody becomes a member by it, because a second member is what makes guards stop an agent.

mod page;
mod preparation;
mod run;
mod server;

pub(super) use run::StartArgs;
