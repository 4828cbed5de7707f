//! How each harness stands, for `baton doctor`.

use baton_app::environment::Environment;

use super::registration::{places, registration};
use baton_harness::{
    Harness,
    install::{self, SkillStatus, Status, skill_status},
};

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
    let state = |harness: Harness| {
        let registered = match install::status(harness, &places, &registration) {
            Status::Absent => return "not here".to_owned(),
            Status::NotRegistered { .. } => format!("not registered: baton install {}", harness.slug()),
            Status::Registered { .. } => "registered".to_owned(),
            Status::RegisteredElsewhere { path, command } => format!("registered as {command} in {}", path.display()),
            Status::Disabled { .. } => "registered, but disabled".to_owned(),
            Status::Unreadable { why } => format!("its configuration cannot be read: {why}"),
        };
        let skill = match skill_status(harness, &places) {
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
