//! Findings about hooks, for programs and in one line for people.

use std::path::PathBuf;

use baton_harness::{Harness, install::Package};
use serde::Serialize;

/// How hooks stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum HookState {
    NotInstalled,
    /// The command that is installed answered a sample as it should.
    Active,
    /// The program asks a person first, and nobody agreed yet.
    NotTrusted,
    /// Somebody changed them, or trust was given to another text.
    Modified,
    /// Something keeps them from running, or has them run twice.
    Shadowed,
    /// They run something else than this Baton.
    Stale,
    /// The command did not answer a sample as it should.
    Failing,
    Unreadable,
}

impl HookState {
    const fn words(self) -> &'static str {
        match self {
            Self::NotInstalled => "not installed",
            Self::Active => "active",
            Self::NotTrusted => "not trusted",
            Self::Modified => "modified",
            Self::Shadowed => "shadowed",
            Self::Stale => "stale",
            Self::Failing => "failing",
            Self::Unreadable => "unreadable",
        }
    }
}

/// A state with its reason, and the one next step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(super) struct Finding {
    pub(super) state: HookState,
    pub(super) why: Option<String>,
    pub(super) next: Option<String>,
}

impl Finding {
    pub(super) fn active() -> Self {
        Self { state: HookState::Active, why: None, next: None }
    }

    pub(super) fn problem(state: HookState, why: impl Into<String>, next: impl Into<String>) -> Self {
        Self { state, why: Some(why.into()), next: Some(next.into()) }
    }
}

/// The program that the hooks are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Level {
    User,
    Project,
}

impl Level {
    /// The command that installs hooks at this level, with the choices that they have.
    pub(super) fn install(self, harness: Harness, package: &Package) -> String {
        let options = package.options();
        match self {
            Self::User => format!("baton install {harness}{options}"),
            Self::Project => format!("baton install {harness} --project{options}"),
        }
    }
}

/// Hooks at one level.
#[derive(Clone, Debug, Serialize)]
pub(super) struct LevelReport {
    pub(super) level: Level,
    pub(super) path: PathBuf,
    #[serde(flatten)]
    pub(super) finding: Finding,
    /// The words of the command, if Baton writes it so.
    pub(super) command: Option<Vec<String>>,
    /// The file that it runs.
    pub(super) program: Option<PathBuf>,
    /// Milliseconds that the sample took; none if it was not run.
    pub(super) elapsed_ms: Option<u64>,
}

/// The hooks of one program.
#[derive(Clone, Debug, Serialize)]
pub(super) struct HookReport {
    pub(super) harness: Harness,
    #[serde(flatten)]
    pub(super) finding: Finding,
    pub(super) levels: Vec<LevelReport>,
}

impl HookReport {
    /// The finding of all levels together: the first problem, if there is one.
    pub(super) fn new(harness: Harness, levels: Vec<LevelReport>) -> Self {
        let problem = levels.iter().map(|level| &level.finding).find(|finding| finding.state != HookState::Active);
        let finding = match (problem, levels.as_slice()) {
            (Some(problem), _) => problem.clone(),
            (None, []) => {
                let next = Level::User.install(harness, &Package::default());
                Finding { state: HookState::NotInstalled, why: None, next: Some(next) }
            }
            (None, [_]) => Finding::active(),
            (None, _) => {
                // The repository's are the team's.
                let why = "they are installed for you and in this repository, so each runs twice";
                Finding::problem(HookState::Shadowed, why, format!("baton uninstall {harness}"))
            }
        };
        Self { harness, finding, levels }
    }

    /// The finding in one line.
    pub(super) fn line(&self) -> String {
        let Finding { state, why, next } = &self.finding;
        let level = self.levels.iter().find(|level| level.finding == self.finding);
        let place = match level.map(|level| level.level) {
            Some(Level::Project) => " in this repository",
            Some(Level::User) | None => "",
        };
        let elapsed = level.and_then(|level| level.elapsed_ms).filter(|_| *state == HookState::Active);
        let elapsed = elapsed.map_or_else(String::new, |elapsed| format!(" ({elapsed} ms)"));
        let why = why.as_ref().map_or_else(String::new, |why| format!(": {why}"));
        let next = match (next, why.is_empty()) {
            (None, _) => String::new(),
            (Some(next), true) => format!(": {next}"),
            (Some(next), false) => format!("; next: {next}"),
        };
        format!("hooks {}{place}{elapsed}{why}{next}", state.words())
    }
}
