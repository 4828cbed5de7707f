//! `baton install` and `baton uninstall`

mod registration;
mod run;
mod standing;
mod target;

pub(super) use registration::{places, registration};
pub(super) use run::{InstallArgs, UninstallArgs};
pub(super) use standing::{chosen, registrations};
