//! The real `codex` and `claude` play scripts: what Baton's own stories with them rest on.

mod conversations;
mod failures;
mod program;
mod stories;
