//! A model service that plays a script instead of thinking, for the real `codex`, `claude`, `gemini` and
//! `opencode`.
//!
//! The programs are pointed at it on loopback ([`crate::ClientHome`]) and notice no difference: it speaks the
//! APIs of OpenAI (Responses, Chat Completions), Anthropic (Messages) and Gemini. Whatever a program asks it to continue, it answers with the next
//! [`Step`] of a script that the test gave.
//!
//! ```text
//! let model = Model::start();
//! let script = model.script("ann", vec![
//!     Step::call("rooms", json!({"op": "list"})),
//!     Step::decide(|turn| Step::answer(json!({"status": "DONE", "summary": turn.result_text(0)}))),
//! ]);
//! … start codex or claude at model.url("ann") …
//! assert!(script.reached(0).prompt().contains("Investigate cache"));
//! script.finished();
//! ```
//!
//! Each name is an agent with an address of its own. Its first conversation plays the first script given under that
//! name, its second conversation the second, and so on; so a program that is killed and started anew plays the next
//! script, and one that resumes its session goes on with the one it had. Where a conversation stands is read from
//! the conversation itself, so a request that a program repeats is answered alike.
//!
//! Steps that work on files name no tool: each program has its own ([`Step::shell`], [`Step::edit`] and the like).
//! Requests without tools (titles, summaries, checks) are answered and take no step. `gemini` names no session, so its
//! conversations are told apart by their first prompt.
//!
//! What must stay true: a script that could not be played as written fails the test, at the latest when the [`Model`]
//! is dropped.

mod action;
mod chat;
mod dialect;
mod gate;
mod gemini;
mod http;
mod messages;
mod play;
mod responses;
mod script;
mod server;
mod state;
mod step;
mod talk;
mod tools;
mod turn;

pub use gate::Gate;
pub(crate) use script::LIMIT;
pub use script::Script;
pub use server::Model;
pub use step::Step;
pub use turn::{Returned, Turn};
