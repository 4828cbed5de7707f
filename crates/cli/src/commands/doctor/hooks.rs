//! The hooks of each program, for this user and in this repository.
//!
//! Invariant: nothing in a checked-out repository makes doctor execute a foreign program. A person runs doctor to find
//! out whether a repository is set up well, so often before they trust it, and a hook's command is any text. A command of a
//! repository is therefore run only if it is, to the byte, the one that Baton writes for teams, which has no path and no store in
//! it, and if the `baton` that it finds on PATH is the very file that runs now. Hooks of the user's own configuration are
//! run as they stand, once they have a form that Baton writes: their program runs them at every tool call.

use std::{
    fs,
    path::{Path, PathBuf},
};

use baton_app::{environment::Environment, paths, programs::is_program};
use baton_harness::{
    Harness,
    inspect::{Consent, InstalledHooks, Integrity, Workspace, hook_words, inspect},
    install::{InstallError, Places, Registration, absence},
};

use super::{
    probe::{Probe, probe},
    report::{Finding, HookReport, HookState, Level, LevelReport},
};

/// Everything that hooks are compared with.
pub(super) struct Examination<'a> {
    environment: &'a Environment,
    user: Places,
    project: Option<Places>,
    registration: &'a Registration,
    /// The file of this program.
    own: PathBuf,
}

impl<'a> Examination<'a> {
    pub(super) fn new(environment: &'a Environment, user: Places, registration: &'a Registration) -> Self {
        let root = paths::repository_root(environment.cwd()).ok();
        let project = root.map(|root| Places { project: Some(root), ..user.clone() });
        let own = std::env::current_exe().and_then(fs::canonicalize).unwrap_or_default();
        Self { environment, user, project, registration, own }
    }

    /// A report for each program that is here, or that has hooks of Baton's.
    pub(super) fn reports(&self) -> Vec<HookReport> {
        let report = |harness: Harness| {
            let levels = self.levels(harness);
            let is_here = !levels.is_empty() || absence(harness, &self.user).is_none();
            is_here.then(|| HookReport::new(harness, levels))
        };
        Harness::ALL.into_iter().filter_map(report).collect()
    }

    fn levels(&self, harness: Harness) -> Vec<LevelReport> {
        let user = self.level(harness, Level::User, &self.user);
        let project = self.project.as_ref().and_then(|places| self.level(harness, Level::Project, places));
        // A home directory that is a repository has one file for both.
        let is_same = |one: &LevelReport, other: &LevelReport| {
            one.path == other.path
                || matches!((fs::canonicalize(&one.path), fs::canonicalize(&other.path)), (Ok(a), Ok(b)) if a == b)
        };
        match (user, project) {
            (Some(user), Some(project)) if is_same(&user, &project) => vec![user],
            (user, project) => user.into_iter().chain(project).collect(),
        }
    }

    fn level(&self, harness: Harness, level: Level, places: &Places) -> Option<LevelReport> {
        let root = self.project.as_ref().and_then(|places| places.project.as_deref());
        let variable = |name: &str| self.environment.var(name).map(str::to_owned);
        let workspace = Workspace { root: root.unwrap_or(self.environment.cwd()), variable: &variable };
        match inspect(harness, places, &workspace) {
            Ok(installed) => installed.map(|installed| self.examine(harness, level, &installed)),
            Err(error) => Some(unreadable(level, places, &error)),
        }
    }

    fn examine(&self, harness: Harness, level: Level, installed: &InstalledHooks) -> LevelReport {
        let words = installed.guard.as_ref().and_then(|guard| guard.words());
        let name = words.as_ref().and_then(|words| words.first());
        let program = name.and_then(|name| self.find(name));
        let is_own = program.as_ref().is_some_and(|program| self.is_own(program));
        let is_intact = matches!(installed.integrity, Integrity::Intact);
        let may_run = is_intact && program.is_some() && (level == Level::User || is_own);
        let guard = installed.guard.as_ref().filter(|_| may_run);
        let probe = guard.map(|guard| probe(harness, &guard.invocation, self.environment));
        let install = level.install(harness, &installed.package);
        let finding = modified(&install, installed)
            .or_else(|| self.stale(harness, level, &install, words.as_deref().unwrap_or_default(), program.as_deref()))
            .or_else(|| shadowed(installed))
            .or_else(|| untrusted(harness, &install, installed))
            .or_else(|| failing(&install, probe.as_ref()))
            .unwrap_or_else(Finding::active);
        let elapsed_ms = probe.map(|probe| probe.elapsed_ms);
        LevelReport { level, path: installed.path.clone(), finding, command: words, program, elapsed_ms }
    }

    /// The file that a program's name stands for. A directory of `PATH` that is relative counts from here: a shell would
    /// look there too, whoever made it.
    fn find(&self, name: &str) -> Option<PathBuf> {
        let here = self.environment.cwd();
        if name.contains('/') {
            return Some(here.join(name)).filter(|path| is_program(path));
        }
        self.user.path.iter().map(|directory| here.join(directory).join(name)).find(|path| is_program(path))
    }

    fn is_own(&self, program: &Path) -> bool {
        fs::canonicalize(program).is_ok_and(|program| program == self.own)
    }

    /// Hooks that run another program than this one, or this one on another store.
    fn stale(
        &self,
        harness: Harness,
        level: Level,
        install: &str,
        words: &[String],
        program: Option<&Path>,
    ) -> Option<Finding> {
        let name = words.first().map_or("", String::as_str);
        let own = self.own.display();
        let directory = self.own.parent().unwrap_or(Path::new("/")).display();
        let (why, next) = match (program, level) {
            (None, Level::User) => (format!("they run {name}, which is not there"), install.to_owned()),
            (None, Level::Project) => {
                let why = format!("there is no {name} on PATH, so they do nothing");
                (why, format!("add {directory} to PATH"))
            }
            (Some(program), Level::User) if !self.is_own(program) => {
                (format!("they run {}, and this is {own}", program.display()), install.to_owned())
            }
            (Some(program), Level::Project) if !self.is_own(program) => {
                let why = format!("they would run {}, and this is {own}; it was not run", program.display());
                (why, format!("put {directory} first in PATH"))
            }
            (Some(_), _) if words.get(1..) != self.expected(harness, level).get(1..) => {
                ("they use another store than this shell".to_owned(), install.to_owned())
            }
            (Some(_), _) => return None,
        };
        Some(Finding::problem(HookState::Stale, why, next))
    }

    fn expected(&self, harness: Harness, level: Level) -> Vec<String> {
        match level {
            Level::User => hook_words(harness, self.registration),
            Level::Project => hook_words(harness, &Registration::shared()),
        }
    }
}

fn modified(install: &str, installed: &InstalledHooks) -> Option<Finding> {
    let Integrity::Modified(path) = &installed.integrity else { return None };
    let own_version = env!("CARGO_PKG_VERSION");
    if let Some(version) = installed.version.as_ref().filter(|version| *version != own_version) {
        let why = format!("they are those of Baton {version}, and this is {own_version}");
        return Some(Finding::problem(HookState::Stale, why, install));
    }
    let why = format!("{} is not as Baton writes it; it was not run", path.display());
    Some(Finding::problem(HookState::Modified, why, install))
}

fn shadowed(installed: &InstalledHooks) -> Option<Finding> {
    let switch = installed.off_switch.as_ref()?;
    Some(Finding::problem(HookState::Shadowed, format!("{switch} keeps them from running"), "take it out"))
}

fn untrusted(harness: Harness, install: &str, installed: &InstalledHooks) -> Option<Finding> {
    let program = harness.program();
    let trust = format!("start {program} and choose Trust, or {install} --trust-hooks");
    let not_trusted = |why: String, next: String| Finding::problem(HookState::NotTrusted, why, next);
    match installed.consent {
        Consent::Given => None,
        Consent::Missing => Some(not_trusted(format!("{program} passes them over"), trust)),
        Consent::OfAnotherText => {
            let why = format!("{program} was told to trust hooks of another text");
            Some(Finding::problem(HookState::Modified, why, trust))
        }
        Consent::UntrustedRepository => {
            let next = format!("start {program} here and say that you trust it");
            Some(not_trusted(format!("{program} does not trust this repository"), next))
        }
    }
}

fn failing(install: &str, probe: Option<&Probe>) -> Option<Finding> {
    let problem = probe?.problem.clone()?;
    Some(Finding::problem(HookState::Failing, problem, install))
}

fn unreadable(level: Level, places: &Places, error: &InstallError) -> LevelReport {
    let path = places.project.clone().unwrap_or_else(|| places.home.clone());
    let finding = Finding::problem(HookState::Unreadable, error.message(), error.hint());
    LevelReport { level, path, finding, command: None, program: None, elapsed_ms: None }
}
