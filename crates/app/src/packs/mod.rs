//! Context packs as they come to be: looked up, built, kept, and read again.
//!
//! `gather.rs` asks the store what an agent should know, `workspace.rs` looks at the files of the room's workspace, and the
//! core makes a pack of both. `keep.rs` keeps it as an artifact that is named by its content, so that the same pack is kept
//! once. Git and files are looked at before a transaction, never within one.

mod attach;
mod gather;
mod keep;
mod node;
mod summary;
mod workspace;

pub(crate) use gather::{Base, Gathering, called, input};
pub(crate) use keep::{Prepared, pack_id};
pub(crate) use node::node;
pub(crate) use workspace::Workspace;
