//! One level of a program's hooks: read back, and compared with the text that an installation would write.

use std::path::PathBuf;

use super::{Consent, GuardCommand, OffSwitch, Workspace, files};
use crate::{
    Harness,
    install::{
        InstallError, Package, Part, Places, Registration, Wake,
        contents::Wanted,
        hook_command::{Choices, HookCommand, PARK},
        parts,
    },
};

/// Hooks of Baton's in one program, at one level.
#[derive(Clone, Debug)]
pub struct InstalledHooks {
    /// The file that they are in.
    pub path: PathBuf,
    /// The hook before a tool, if it is there.
    pub guard: Option<GuardCommand>,
    pub integrity: Integrity,
    /// The choices of their installation; of modified hooks those that come closest.
    pub package: Package,
    pub consent: Consent,
    /// A setting that keeps them from running.
    pub off_switch: Option<OffSwitch>,
    /// The version of Baton that wrote them, where they say.
    pub version: Option<String>,
}

/// How the hooks compare with those that an installation writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// They are those of their package.
    Intact,
    /// This file differs.
    Modified(PathBuf),
}

/// Looks at the hooks of a program, for this user or, where `places` name a project, for a repository. Nothing where Baton has
/// none there.
pub fn inspect(
    harness: Harness,
    places: &Places,
    workspace: &Workspace<'_>,
) -> Result<Option<InstalledHooks>, InstallError> {
    let inspector = harness.inspector();
    let path = inspector.hooks_file(places);
    let Some(text) = files::read(&path)?.filter(|text| inspector.has_hooks(text)) else { return Ok(None) };
    let guard = inspector.guard(&text);
    let command = guard.as_ref().and_then(|guard| guard.command.clone());
    let (package, integrity) = match command.filter(|command| is_expected(command, harness, places)) {
        Some(command) => compare(harness, places, &command, &path, &text)?,
        None => (Package::default(), Integrity::Modified(path.clone())),
    };
    let user = Places { project: None, ..places.clone() };
    Ok(Some(InstalledHooks {
        guard,
        integrity,
        package,
        consent: inspector.consent(places),
        off_switch: inspector.off_switch(&user, workspace),
        version: inspector.version(places),
        path,
    }))
}

/// The words with which an installation would have the program run its hooks.
pub fn hook_words(harness: Harness, registration: &Registration) -> Vec<String> {
    HookCommand::new(registration, harness).words()
}

/// A repository's hooks have one command only. Any other, such as one with a store of the repository's choice, came from
/// somebody else.
fn is_expected(command: &HookCommand, harness: Harness, places: &Places) -> bool {
    places.project.is_none() || command.bare_words() == hook_words(harness, &Registration::shared())
}

/// Compares the files with those of every package that a person may have chosen.
fn compare(
    harness: Harness,
    places: &Places,
    command: &HookCommand,
    hooks_file: &PathBuf,
    text: &str,
) -> Result<(Package, Integrity), InstallError> {
    let mut closest: Option<((usize, bool), Package, Integrity)> = None;
    for package in packages(harness, command.choices()) {
        let wanted = Wanted { command: command.clone(), package: &package };
        let contents = harness.client().contents(places, &wanted);
        let differing = parts::differing(&contents, Part::Hooks, files::read)?;
        let elsewhere = parts::differing(&contents, Part::Wake, files::read)?;
        // Settings for waking tell packages apart; whether they stand is no question about hooks.
        let parks = matches!(package.wake, Some(Wake::Park | Wake::StopHook));
        let distance = (2 * differing.len() + elsewhere.len(), parks != text.contains(PARK));
        if closest.as_ref().is_some_and(|(least, ..)| *least <= distance) {
            continue;
        }
        let first = differing.iter().find(|path| *path == hooks_file).or(differing.first());
        let integrity = first.map_or(Integrity::Intact, |path| Integrity::Modified(path.clone()));
        closest = Some((distance, package, integrity));
    }
    let unknown = || (Package::default(), Integrity::Modified(hooks_file.clone()));
    Ok(closest.map_or_else(unknown, |(_, package, integrity)| (package, integrity)))
}

/// Every choice that changes the text of hooks, beside those that stand in their command.
fn packages(harness: Harness, Choices { strict, confine }: Choices) -> Vec<Package> {
    let wakes: Vec<Option<Wake>> =
        std::iter::once(None).chain(harness.client().wakes().iter().copied().map(Some)).collect();
    let mut packages = Vec::new();
    for without in [vec![], vec![Part::Commands], vec![Part::Wake], vec![Part::Commands, Part::Wake]] {
        for wake in &wakes {
            for status_line in [false, true] {
                let without = without.clone();
                packages.push(Package { without, wake: *wake, strict, confine, status_line, trust_hooks: false });
            }
        }
    }
    packages
}
