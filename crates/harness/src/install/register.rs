//! Installing: our entry in the configuration, our skill beside it, hooks and commands.

use std::path::PathBuf;

use super::{
    ConfigChange, ConfigReport, InstallError, Outcome, Package, Part, Places, Plan, Registration, SkillChange,
    SkillReport, SkillStatus,
    client::Client,
    contents::Wanted,
    draft::Draft,
    hook_command::HookCommand,
    parts,
    plan::{carry_out, read_text},
    registration::Entry,
    skill,
};
use crate::Harness;

/// Configurations hold tokens of other servers, so a new one is for its owner only; a skill is for all to read.
pub(crate) const NEW_CONFIG_MODE: u32 = 0o600;
pub(crate) const NEW_FILE_MODE: u32 = 0o644;

/// Registers Baton with a harness and installs the parts of the package, whether or not the harness has been used here
/// before.
pub fn install(
    harness: Harness,
    places: &Places,
    registration: &Registration,
    package: &Package,
) -> Result<Outcome, InstallError> {
    carry_out(|| plan_install(harness, places, registration, package))
}

/// What [`install`] would do. Writes nothing.
pub fn plan_install(
    harness: Harness,
    places: &Places,
    registration: &Registration,
    package: &Package,
) -> Result<Plan, InstallError> {
    let client = harness.client();
    let mut draft = Draft::default();
    let mut outcome = Outcome { harness, config: Vec::new(), skill: None, files: Vec::new(), notes: Vec::new() };
    let mut snippet = String::new();
    if package.has(Part::Skill) {
        outcome.skill = Some(write_skill(client, places, &mut draft)?);
    }
    if package.has(Part::Mcp) {
        let report = write_entry(client, places, registration, &mut draft)?;
        snippet = client.format().write(None, registration).map_err(|problem| problem.in_file(report.path.clone()))?;
        outcome.config.push(report);
    }
    let command = HookCommand::new(registration, harness).choosing(package);
    let contents = client.contents(places, &Wanted { command, package });
    parts::write(&contents, package, &mut draft, &mut outcome)?;
    if package.has(Part::Hooks) {
        client.settle_trust(places, &mut draft, package.trust_hooks, &mut outcome)?;
    }
    Ok(Plan { outcome, snippet, edits: draft.into_edits()?, kept: places.kept_directories() })
}

fn write_skill(client: &dyn Client, places: &Places, draft: &mut Draft) -> Result<SkillReport, InstallError> {
    let installed = skill::look(client.skill_file(places))?;
    let change = match installed.status {
        SkillStatus::Missing => SkillChange::Installed,
        SkillStatus::Current => SkillChange::Already,
        SkillStatus::Outdated => SkillChange::Updated,
        SkillStatus::Foreign => SkillChange::KeptForeign,
    };
    if matches!(change, SkillChange::Installed | SkillChange::Updated) {
        draft.set(&installed.path, Some(skill::TEXT.to_owned()), NEW_FILE_MODE)?;
    }
    Ok(SkillReport { path: installed.path, change })
}

fn write_entry(
    client: &dyn Client,
    places: &Places,
    registration: &Registration,
    draft: &mut Draft,
) -> Result<ConfigReport, InstallError> {
    let format = client.format();
    let config = find_config(client, places)?;
    let path = config.path.clone();
    let change = match &config.entry {
        Some(entry) if entry.satisfies(registration) => ConfigChange::Already,
        Some(entry) if !entry.is_of_baton() => {
            return Err(InstallError::ForeignEntry { path, command: entry.to_string() });
        }
        Some(entry) => ConfigChange::Updated { from: entry.to_string(), to: updated(entry, registration).to_string() },
        None if config.text.is_none() => ConfigChange::Created,
        None => ConfigChange::Added,
    };
    if change != ConfigChange::Already {
        let (mark, text) = split_mark(config.text.as_deref().unwrap_or_default());
        let text = config.text.is_some().then_some(text);
        let after = format.write(text, registration).map_err(|problem| problem.in_file(path.clone()))?;
        let reads_back = format.read(&after).ok().flatten().is_some_and(|entry| entry.satisfies(registration));
        if !reads_back {
            return Err(InstallError::BadEdit { path });
        }
        draft.set(&path, Some(format!("{mark}{after}")), NEW_CONFIG_MODE)?;
    }
    Ok(ConfigReport { path, change })
}

/// A configuration file and what it says about us.
pub(crate) struct Config {
    pub(crate) path: PathBuf,
    pub(crate) text: Option<String>,
    pub(crate) entry: Option<Entry>,
}

/// The file that has our entry, or else the one that it goes into.
pub(crate) fn find_config(client: &dyn Client, places: &Places) -> Result<Config, InstallError> {
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
pub(crate) fn read_config(client: &dyn Client, path: PathBuf) -> Result<Config, InstallError> {
    let text = read_text(&path)?;
    let (_, content) = split_mark(text.as_deref().unwrap_or_default());
    let entry = client.format().read(content).map_err(|problem| problem.in_file(path.clone()))?;
    Ok(Config { path, text, entry })
}

/// A byte order mark and the rest: no parser needs to know it, and it is put back.
pub(crate) fn split_mark(text: &str) -> (&str, &str) {
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
