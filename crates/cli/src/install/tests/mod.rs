//! Installing into made-up home directories.

mod fresh;
mod home;
mod merge;
mod places;
mod refusals;
mod skills;
mod update;
mod writing;
