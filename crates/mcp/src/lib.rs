//! MCP over stdio and streamable HTTP: the command table as tools.
//!
//! One process serves one client: [`serve()`] reads a JSON-RPC message per line, runs the command of that tool
//! name, and writes a line back. Or one serves many: [`mod@http`] is a service for `/mcp`. The protocol itself is rmcp's; what
//! is ours is the transport, what a tool looks like and how a call is run. Nothing here knows what a command does: tools,
//! schemas and annotations are made from `baton_app::table`.
//!
//! Start at `server`, which says how a call is answered; `host` says what differs between the two. [`client`] is the other end, for the demo, the bench and
//! tests.
//!
//! What must stay true: a wait never delays another call, a call that fails is an answer that says why, and
//! nothing a client sends ends the server.

mod answer;
mod blocking;
mod callers;
mod child;
pub mod client;
mod host;
pub mod http;
pub mod instructions;
mod lines;
mod portal;
mod schema;
mod serve;
mod server;
mod stdio;
#[cfg(test)]
mod tests;
mod tools;
mod traffic;
mod unreadable;

pub use callers::{Callers, Seen};
pub use instructions::INSTRUCTIONS;
pub use serve::{ServeError, serve};

/// The tools of a tier as JSON, made from the table: what `listing/` keeps.
pub fn listing(tier: baton_app::table::Tier) -> String {
    let described = tools::Tools::of(baton_app::table::TABLE, tier).describe();
    serde_json::to_string_pretty(&described).map_or_else(|_| String::new(), |json| json + "\n")
}
