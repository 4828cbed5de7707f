//! What the two commands do: each target in turn, one report.

use std::{path::PathBuf, process::ExitCode};

use baton_app::{Failure, environment::Environment, paths};
use baton_core::code::ErrorCode;
use serde_json::{Value, json};

use super::{
    registration::{places, registration},
    target::Target,
};
use crate::{
    exit::Exit,
    install::{
        self, Harness, InstallError, Outcome, Places, Registration, absence, git_hook, plan_install, plan_uninstall,
    },
    ui::Ui,
};

/// Register Baton in coding agents: its MCP server and a skill that teaches how to use it
///
/// What is registered uses the store that this command would use: that of --store, of BATON_STORE, or the data
/// directory of this shell. A password is never written down; it belongs in ~/.pgpass.
///
/// git-hook is for a git repository instead: a pre-commit hook that refuses a commit which touches what another active
/// agent has reserved.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct InstallArgs {
    #[command(flatten)]
    which: Which,
}

/// Take Baton out of coding agents again
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct UninstallArgs {
    #[command(flatten)]
    which: Which,
}

#[derive(Debug, clap::Args)]
struct Which {
    /// claude-code, codex, gemini or opencode; or git-hook
    #[arg(value_name = "HARNESS", required_unless_present = "all")]
    targets: Vec<Target>,
    /// Every harness that is here
    #[arg(long, conflicts_with = "targets")]
    all: bool,
    /// For git-hook: a directory in the working tree [default: the current directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    print: bool,
}

impl Which {
    /// What is to be done, or why it cannot even begin.
    fn work(&self, environment: &Environment) -> Result<Vec<Work>, Failure> {
        if self.path.is_some() && !self.targets.contains(&Target::GitHook) {
            let message = "--path is only for git-hook: a harness is set up for this user, wherever they work.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Leave out --path."));
        }
        let targets = if self.all { Harness::ALL.map(Target::Harness).to_vec() } else { self.targets.clone() };
        let work = |target: Target| match target {
            Target::Harness(harness) => Ok(Work::Harness(harness, places(environment)?)),
            Target::GitHook => {
                let directory = self.path.as_ref().map(|path| environment.cwd().join(path));
                let hooks = paths::hooks_directory(directory.as_deref().unwrap_or(environment.cwd()))?;
                Ok(Work::GitHook(hooks.join(git_hook::FILE_NAME)))
            }
        };
        targets.into_iter().map(work).collect()
    }
}

/// A target, and where it is on this machine.
enum Work {
    Harness(Harness, Places),
    GitHook(PathBuf),
}

/// What came of one target.
struct Done {
    target: Target,
    text: String,
    data: Value,
    failed: bool,
}

impl Done {
    fn skipped(target: Target, why: String) -> Self {
        let data = json!({ "harness": target.slug(), "skipped": why });
        Self { target, text: why, data, failed: false }
    }

    fn of<T: std::fmt::Display>(target: Target, outcome: Result<T, InstallError>, data: impl Fn(&T) -> Value) -> Self {
        match outcome {
            Ok(outcome) => Self { target, text: outcome.to_string(), data: data(&outcome), failed: false },
            Err(error) => {
                let data = json!({
                    "harness": target.slug(),
                    "error": { "error": error.code(), "message": error.message(), "next": error.hint() },
                });
                let text = format!("{}: {}\n  next: {}", error.code(), error.message(), error.hint());
                Self { target, text, data, failed: true }
            }
        }
    }
}

impl InstallArgs {
    pub(in crate::commands) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let (work, registration) = (self.which.work(&environment)?, registration(&environment, store)?);
        let each = |work: &Work| match work {
            Work::Harness(harness, places) => match absence(*harness, places).filter(|_| self.which.all) {
                Some(why) => Done::skipped(Target::Harness(*harness), why),
                None => self.harness(*harness, places, &registration),
            },
            Work::GitHook(file) if self.which.print => {
                Done::of(Target::GitHook, git_hook::plan_install(file, &registration), would)
            }
            Work::GitHook(file) => Done::of(Target::GitHook, git_hook::install(file, &registration), hook_json),
        };
        Ok(report(ui, &work.iter().map(each).collect::<Vec<_>>()))
    }

    fn harness(&self, harness: Harness, places: &Places, registration: &Registration) -> Done {
        if self.which.print {
            return Done::of(Target::Harness(harness), plan_install(harness, places, registration), would);
        }
        Done::of(Target::Harness(harness), install::install(harness, places, registration), outcome_json)
    }
}

impl UninstallArgs {
    pub(in crate::commands) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let work = self.which.work(&Environment::read())?;
        let each = |work: &Work| match work {
            Work::Harness(harness, places) if self.which.print => {
                Done::of(Target::Harness(*harness), plan_uninstall(*harness, places), would)
            }
            Work::Harness(harness, places) => {
                Done::of(Target::Harness(*harness), install::uninstall(*harness, places), outcome_json)
            }
            Work::GitHook(file) if self.which.print => Done::of(Target::GitHook, git_hook::plan_uninstall(file), would),
            Work::GitHook(file) => Done::of(Target::GitHook, git_hook::uninstall(file), hook_json),
        };
        Ok(report(ui, &work.iter().map(each).collect::<Vec<_>>()))
    }
}

fn would(plan: &impl std::fmt::Display) -> Value {
    json!({ "would": plan.to_string() })
}

fn outcome_json(outcome: &Outcome) -> Value {
    json!({ "changed": outcome.changed(), "outcome": outcome })
}

fn hook_json(outcome: &git_hook::Outcome) -> Value {
    json!({ "changed": outcome.changed(), "outcome": outcome })
}

fn report(ui: Ui, done: &[Done]) -> ExitCode {
    let exit = if done.iter().any(|done| done.failed) { Exit::Failed } else { Exit::Done };
    let data: Vec<_> = done.iter().map(|done| &done.data).collect();
    ui.answer_with(exit, &data, || {
        done.iter()
            .map(|done| format!("{}\n  {}\n", done.target.title(), done.text.trim_end().replace('\n', "\n  ")))
            .collect()
    })
}
