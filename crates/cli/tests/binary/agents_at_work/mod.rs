//! The real `codex` and `claude` at work on delegated jobs, driven by a real `baton run`, on a model that plays a script.
//!
//! What a program is told, asks, is answered and leaves behind goes all the way: runner, minder, program, its MCP server,
//! store, and back. A [`scene::Scene`] has all of it to itself.

mod asking;
mod canceling;
mod conversing;
mod dying;
mod editing;
mod failing;
mod hostile;
mod interrupting;
mod processes;
mod proving;
mod relaying;
mod reviewing;
mod scene;
mod stopping;
mod troubles;
