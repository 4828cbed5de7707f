//! The real programs play scripts: what Baton's own stories with them rest on.

mod conversations;
mod equipment;
mod failures;
mod program;
mod stories;
