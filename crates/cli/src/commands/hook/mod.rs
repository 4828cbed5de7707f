//! `baton hook`

mod answer;
mod compare;
mod input;
mod listener;
mod run;
mod status_line;

pub(super) use run::HookArgs;
