//! How each harness stands, for `baton doctor`.

use baton_app::{environment::Environment, paths};

use super::registration::{places, registration};
use baton_harness::{
    Harness,
    inspect::{Workspace, inspect},
    install::{self, Package, Places, Registration, SkillStatus, Status, skill_status},
};

/// The choices of an earlier installation, which stay.
pub(in crate::commands) fn chosen(harness: Harness, places: &Places, workspace: &Workspace<'_>) -> Package {
    inspect(harness, places, workspace).ok().flatten().map(|installed| installed.package).unwrap_or_default()
}

/// Each harness by its name, with a line on how it stands.
pub(in crate::commands) fn registrations(
    environment: &Environment,
    store: Option<&str>,
) -> Vec<(&'static str, String)> {
    let Ok(places) = places(environment) else { return Vec::new() };
    let registration = match registration(environment, store) {
        Ok(registration) => registration,
        Err(failure) => {
            let unknown = format!("not looked at: {}", failure.message);
            return Harness::ALL.iter().map(|harness| (harness.slug(), unknown.clone())).collect();
        }
    };
    let project = paths::repository_root(environment.cwd()).ok();
    let project = project.map(|root| Places { project: Some(root), ..places.clone() });
    let state = |harness: Harness| {
        let is_registered = |project: &&Places| {
            matches!(install::status(harness, project, &Registration::shared()), Status::Registered { .. })
        };
        let (status, project) = (install::status(harness, &places, &registration), project.as_ref());
        // A repository's registration is enough; one for this user as well would have each hook run twice.
        let project = project.filter(|_| matches!(status, Status::NotRegistered { .. })).filter(is_registered);
        let registered = match status {
            Status::Absent => return "not here".to_owned(),
            Status::NotRegistered { .. } if project.is_some() => "registered in this repository".to_owned(),
            Status::NotRegistered { .. } => {
                let workspace = Workspace { root: environment.cwd(), variable: &|_| None };
                let options = chosen(harness, &places, &workspace).options();
                format!("not registered: baton install {}{options}", harness.slug())
            }
            Status::Registered { .. } => "registered".to_owned(),
            Status::RegisteredElsewhere { path, command } => format!("registered as {command} in {}", path.display()),
            Status::Disabled { .. } => "registered, but disabled".to_owned(),
            Status::Unreadable { why } => format!("its configuration cannot be read: {why}"),
        };
        let skill = match skill_status(harness, project.unwrap_or(&places)) {
            Ok(SkillStatus::Current) => "skill installed",
            Ok(SkillStatus::Missing) => "skill missing",
            Ok(SkillStatus::Outdated) => "skill outdated",
            Ok(SkillStatus::Foreign) => "another skill has its name",
            Err(_) => "skill cannot be read",
        };
        format!("{registered}, {skill}")
    };
    Harness::ALL.iter().map(|harness| (harness.slug(), state(*harness))).collect()
}
