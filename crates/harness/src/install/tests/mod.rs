//! Installing into made-up home directories.

mod fresh;
mod git_hook;
pub(crate) mod home;
mod json_edit;
mod merge;
mod package;
mod places;
mod refusals;
mod skills;
mod trust;
mod update;
mod writing;
