//! Removing: our entry wherever it is, our files, and the skill once nobody reads it any more.

use super::{
    ConfigChange, ConfigReport, InstallError, Outcome, Package, Places, Plan, Registration, SkillChange, SkillReport,
    SkillStatus,
    contents::Wanted,
    draft::Draft,
    hook_command::HookCommand,
    parts,
    plan::carry_out,
    register::{find_config, read_config, split_mark},
    skill,
};
use crate::Harness;

/// Takes Baton out of a harness: its configuration, hooks, commands and skill.
pub fn uninstall(harness: Harness, places: &Places) -> Result<Outcome, InstallError> {
    carry_out(|| plan_uninstall(harness, places))
}

/// What [`uninstall`] would do. Writes nothing.
pub fn plan_uninstall(harness: Harness, places: &Places) -> Result<Plan, InstallError> {
    let client = harness.client();
    let format = client.format();
    let files = client.config_files(places);
    let mut draft = Draft::default();
    let mut outcome = Outcome { harness, config: Vec::new(), skill: None, files: Vec::new(), notes: Vec::new() };

    // Which command and which package is all the same to a removal.
    let (registration, package) = (Registration::shared(), Package::default());
    let wanted = Wanted { command: HookCommand::new(&registration, harness), package: &package };
    parts::remove(&client.contents(places, &wanted), &mut draft, &mut outcome)?;
    client.settle_trust(places, &mut draft, false, &mut outcome)?;

    for path in files.by_precedence {
        let config = read_config(client, path)?;
        let Some(entry) = config.entry else { continue };
        if !entry.is_of_baton() {
            let change = ConfigChange::KeptForeign { command: entry.to_string() };
            outcome.config.push(ConfigReport { path: config.path, change });
            continue;
        }
        let Some(text) = draft.text(&config.path)? else { continue };
        let (mark, content) = split_mark(&text);
        let after = format.remove(content).map_err(|problem| problem.in_file(config.path.clone()))?;
        if !matches!(format.read(after.as_deref().unwrap_or_default()), Ok(None)) {
            return Err(InstallError::BadEdit { path: config.path });
        }
        draft.set(&config.path, after.map(|after| format!("{mark}{after}")), 0)?;
        let change = ConfigChange::Removed { command: entry.to_string() };
        outcome.config.push(ConfigReport { path: config.path, change });
    }
    if outcome.config.is_empty() {
        outcome.config.push(ConfigReport { path: files.preferred, change: ConfigChange::NotRegistered });
    }

    let installed = skill::look(client.skill_file(places))?;
    let readers = other_readers(harness, places);
    let change = match installed.status {
        SkillStatus::Missing => SkillChange::NotInstalled,
        SkillStatus::Foreign => SkillChange::KeptForeign,
        SkillStatus::Current | SkillStatus::Outdated if !readers.is_empty() => {
            SkillChange::NeededBy { harnesses: readers }
        }
        SkillStatus::Current | SkillStatus::Outdated => SkillChange::Removed,
    };
    if change == SkillChange::Removed {
        draft.set(&installed.path, None, 0)?;
    }
    outcome.skill = Some(SkillReport { path: installed.path, change });
    Ok(Plan { outcome, snippet: String::new(), edits: draft.into_edits()?, kept: places.kept_directories() })
}

/// The other harnesses that have Baton and read the same skill file. One whose configuration cannot be read counts:
/// it may well have Baton.
fn other_readers(harness: Harness, places: &Places) -> Vec<Harness> {
    let file = harness.client().skill_file(places);
    let reads_it = |other: &Harness| {
        let client = other.client();
        *other != harness
            && skill::same_file(&client.skill_file(places), &file)
            && find_config(client, places).map_or(true, |config| config.entry.is_some_and(|entry| entry.is_of_baton()))
    };
    Harness::ALL.into_iter().filter(reads_it).collect()
}
