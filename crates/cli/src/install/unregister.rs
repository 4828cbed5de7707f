//! Removing: our entry wherever it is, and the skill once nobody reads it any more.

use super::{
    ConfigChange, ConfigReport, Harness, InstallError, Outcome, Places, Plan, SkillChange, SkillReport, SkillStatus,
    plan::{Edit, carry_out},
    register::{find_config, read_config, split_mark},
    skill,
};

/// Takes Baton out of a harness's configuration and removes its skill.
pub(crate) fn uninstall(harness: Harness, places: &Places) -> Result<Outcome, InstallError> {
    carry_out(|| plan_uninstall(harness, places))
}

/// What [`uninstall`] would do. Writes nothing.
pub(crate) fn plan_uninstall(harness: Harness, places: &Places) -> Result<Plan, InstallError> {
    let client = harness.client();
    let format = client.format();
    let files = client.config_files(places);
    let mut edits = Vec::new();
    let mut reports = Vec::new();

    for path in files.by_precedence {
        let config = read_config(client, path)?;
        let (Some(entry), Some(text)) = (config.entry, config.text) else { continue };
        let (mark, content) = split_mark(&text);
        let after = format.remove(content).map_err(|problem| problem.in_file(config.path.clone()))?;
        if !matches!(format.read(&after), Ok(None)) {
            return Err(InstallError::BadEdit { path: config.path });
        }
        let after = Some(format!("{mark}{after}"));
        edits.push(Edit { path: config.path.clone(), before: Some(text.clone()), after, new_mode: 0 });
        reports.push(ConfigReport { path: config.path, change: ConfigChange::Removed { command: entry.to_string() } });
    }
    if reports.is_empty() {
        reports.push(ConfigReport { path: files.preferred, change: ConfigChange::NotRegistered });
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
        edits.push(Edit { path: installed.path.clone(), before: installed.text, after: None, new_mode: 0 });
    }

    let skill = SkillReport { path: installed.path, change };
    Ok(Plan { outcome: Outcome { harness, config: reports, skill }, snippet: String::new(), edits })
}

/// The other harnesses that have Baton and read the same skill file. One whose configuration cannot be read counts:
/// it may well have Baton.
fn other_readers(harness: Harness, places: &Places) -> Vec<Harness> {
    let file = harness.client().skill_file(places);
    let reads_it = |other: &Harness| {
        let client = other.client();
        *other != harness
            && skill::same_file(&client.skill_file(places), &file)
            && find_config(client, places).map_or(true, |config| config.entry.is_some())
    };
    Harness::ALL.into_iter().filter(reads_it).collect()
}
