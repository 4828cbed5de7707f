//! The hook as it stands, for `baton doctor`.

use std::path::Path;

use serde::Serialize;

use super::hook::{Change, plan_install};
use crate::install::Registration;

/// How a repository's hook stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "state", rename_all = "snake_case")]
pub enum Status {
    /// Our lines are not there.
    NotInstalled,
    /// They are there, and git runs them.
    Installed,
    /// They are there, and do something else than an installation would have them do.
    Stale { why: String },
    /// Lines cannot be put there.
    Unusable { why: String },
}

/// Looks at a hook. Our lines are right if they are those of any of these registrations: a person's own, or a team's.
pub fn status(file: &Path, registrations: &[Registration]) -> Status {
    let mut status = Status::NotInstalled;
    for registration in registrations {
        let outcome = match plan_install(file, registration) {
            Ok(plan) => plan.outcome,
            Err(error) => return Status::Unusable { why: error.message() },
        };
        match outcome.change {
            Change::Already if outcome.made_executable => {
                return Status::Stale { why: "it is not executable, so git passes it over".to_owned() };
            }
            Change::Already => return Status::Installed,
            Change::Updated => {
                let why = "its lines name another program or another store than this Baton's".to_owned();
                status = Status::Stale { why };
            }
            Change::Created | Change::Added | Change::Removed | Change::RemovedFile | Change::NotInstalled => {}
        }
    }
    status
}
