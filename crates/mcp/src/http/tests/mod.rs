//! The service, played by clients of every revision, in process and over a real connection.

mod calls;
mod client;
mod identity;
mod patience;
mod refusals;
mod revisions;
mod sessions;
mod web;
mod wire;
