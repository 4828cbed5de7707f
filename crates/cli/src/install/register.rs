//! Installing: our entry in the configuration, our skill beside it.

use std::path::PathBuf;

use super::{
    ConfigChange, ConfigReport, Harness, InstallError, Outcome, Places, Plan, Registration, SkillChange, SkillReport,
    SkillStatus,
    client::Client,
    plan::{Edit, carry_out, read_text},
    registration::Entry,
    skill,
};

/// Configurations hold tokens of other servers, so a new one is for its owner only; a skill is for all to read.
const NEW_CONFIG_MODE: u32 = 0o600;
const NEW_SKILL_MODE: u32 = 0o644;

/// Registers Baton with a harness and installs its skill, whether or not the harness has been used here before.
pub(crate) fn install(harness: Harness, places: &Places, registration: &Registration) -> Result<Outcome, InstallError> {
    carry_out(|| plan_install(harness, places, registration))
}

/// What [`install`] would do. Writes nothing.
pub(crate) fn plan_install(
    harness: Harness,
    places: &Places,
    registration: &Registration,
) -> Result<Plan, InstallError> {
    let client = harness.client();
    let format = client.format();
    let mut edits = Vec::new();

    let installed = skill::look(client.skill_file(places))?;
    let skill_change = match installed.status {
        SkillStatus::Missing => SkillChange::Installed,
        SkillStatus::Current => SkillChange::Already,
        SkillStatus::Outdated => SkillChange::Updated,
        SkillStatus::Foreign => SkillChange::KeptForeign,
    };
    if matches!(skill_change, SkillChange::Installed | SkillChange::Updated) {
        edits.push(Edit {
            path: installed.path.clone(),
            before: installed.text,
            after: Some(skill::TEXT.to_owned()),
            new_mode: NEW_SKILL_MODE,
        });
    }

    let config = find_config(client, places)?;
    let path = config.path.clone();
    let change = match &config.entry {
        Some(entry) if entry.satisfies(registration) => ConfigChange::Already,
        Some(entry) => ConfigChange::Updated { from: entry.to_string(), to: updated(entry, registration).to_string() },
        None if config.text.is_none() => ConfigChange::Created,
        None => ConfigChange::Added,
    };
    if change != ConfigChange::Already {
        let (mark, text) = split_mark(config.text.as_deref().unwrap_or_default());
        let after = format.write(text, registration).map_err(|problem| problem.in_file(path.clone()))?;
        let reads_back = format.read(&after).ok().flatten().is_some_and(|entry| entry.satisfies(registration));
        if !reads_back {
            return Err(InstallError::BadEdit { path });
        }
        edits.push(Edit {
            path: path.clone(),
            before: config.text.clone(),
            after: Some(format!("{mark}{after}")),
            new_mode: NEW_CONFIG_MODE,
        });
    }

    let snippet = format.write("", registration).map_err(|problem| problem.in_file(path.clone()))?;
    let outcome = Outcome {
        harness,
        config: vec![ConfigReport { path, change }],
        skill: SkillReport { path: installed.path, change: skill_change },
    };
    Ok(Plan { outcome, snippet, edits })
}

/// A configuration file and what it says about us.
pub(super) struct Config {
    pub(super) path: PathBuf,
    pub(super) text: Option<String>,
    pub(super) entry: Option<Entry>,
}

/// The file that has our entry, or else the one that it goes into.
pub(super) fn find_config(client: &dyn Client, places: &Places) -> Result<Config, InstallError> {
    let files = client.config_files(places);
    for path in files.by_precedence {
        let config = read_config(client, path)?;
        if config.entry.is_some() {
            return Ok(config);
        }
    }
    read_config(client, files.preferred)
}

/// Reads one file.
pub(super) fn read_config(client: &dyn Client, path: PathBuf) -> Result<Config, InstallError> {
    let text = read_text(&path)?;
    let (_, content) = split_mark(text.as_deref().unwrap_or_default());
    let entry = client.format().read(content).map_err(|problem| problem.in_file(path.clone()))?;
    Ok(Config { path, text, entry })
}

/// A byte order mark and the rest: no parser needs to know it, and it is put back.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    text.split_at(if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 })
}

/// What an entry says after the update, with the variables that are the person's own.
fn updated(entry: &Entry, registration: &Registration) -> Entry {
    let mut updated = registration.as_entry();
    for (name, value) in &entry.variables {
        if !registration.unwanted_variables().any(|unwanted| unwanted == name) {
            updated.variables.entry(name.clone()).or_insert_with(|| value.clone());
        }
    }
    updated
}
