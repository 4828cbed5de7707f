//! The bus, played through the table on every engine: sessions, agents, ordered actions and their results, messages, tasks
//! and relays, who is connected, and the stream of it all.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

mod actions;
mod agents;
mod connections;
mod contexts;
mod departures;
mod gone;
mod history;
mod inboxes;
mod keys;
mod messages;
mod records;
mod relays;
mod rights;
mod scene;
mod sessions;
mod tasks;
mod whole;
mod whose;
