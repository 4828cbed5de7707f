//! How things stand, for `baton doctor` and for `--all`.

use std::path::PathBuf;

use serde::Serialize;

use super::{InstallError, Places, Registration, SkillStatus, Wake, register::find_config, skill};
use crate::Harness;

/// Where a harness stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "status", rename_all = "snake_case")]
pub enum Status {
    /// Neither its program nor its configuration is here.
    Absent,
    /// It is here and does not know Baton.
    NotRegistered {
        /// Where the entry would go.
        path: PathBuf,
    },
    /// It starts this Baton.
    Registered {
        /// Where the entry is.
        path: PathBuf,
    },
    /// It starts something else under this name, or on another store.
    RegisteredElsewhere {
        /// Where the entry is.
        path: PathBuf,
        /// What it starts.
        command: String,
    },
    /// The entry is there but switched off.
    Disabled {
        /// Where the entry is.
        path: PathBuf,
    },
    /// Its configuration cannot be read.
    Unreadable {
        /// Why.
        why: String,
    },
}

/// Looks at a harness. Writes nothing.
pub fn status(harness: Harness, places: &Places, registration: &Registration) -> Status {
    match find_config(harness.client(), places) {
        Err(error) => Status::Unreadable { why: error.message() },
        Ok(config) => match config.entry {
            Some(entry) if entry.satisfies(registration) => Status::Registered { path: config.path },
            Some(entry) if !entry.enabled => Status::Disabled { path: config.path },
            Some(entry) => Status::RegisteredElsewhere { path: config.path, command: entry.to_string() },
            None if absence(harness, places).is_some() => Status::Absent,
            None => Status::NotRegistered { path: config.path },
        },
    }
}

/// Why `--all` skips a harness, if it does: neither its program nor its directory nor a configuration is here.
pub fn absence(harness: Harness, places: &Places) -> Option<String> {
    let client = harness.client();
    let directory = client.directory(places);
    let present = places.find_program(harness.program()).is_some()
        || directory.is_dir()
        || client.config_files(places).by_precedence.iter().any(|path| path.exists());
    (!present).then(|| {
        let (name, program) = (harness.title(), harness.program());
        format!("{name}: skipped, as there is no {program} on the path and no {}", directory.display())
    })
}

/// Looks at a harness's skill.
pub fn skill_status(harness: Harness, places: &Places) -> Result<SkillStatus, InstallError> {
    Ok(skill::look(harness.client().skill_file(places))?.status)
}

/// The ways of waking that a person may ask for in a harness.
pub fn wakes(harness: Harness) -> &'static [Wake] {
    harness.client().wakes()
}
