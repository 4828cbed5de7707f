//! `baton doctor`
//!
//! The store is checked by `baton_app::doctor`; here are the hooks: [`hooks`] looks at each program's, [`probe`] runs one with a
//! sample, and [`report`] is what comes of it.

mod hooks;
mod probe;
mod report;
mod run;

pub(super) use run::DoctorArgs;
