//! Whatever a reference points to, and any event of the log: shown by what it is, with links to what it names.

mod event;
mod facts;
mod file;
mod given;
mod kept;
mod page;
mod passage;
mod turn;
mod work;

pub(super) use page::page;
