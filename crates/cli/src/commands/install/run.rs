//! What the two commands do: each target in turn, one report.

use std::{path::PathBuf, process::ExitCode};

use baton_app::{Failure, environment::Environment, paths};
use baton_core::code::ErrorCode;
use baton_harness::{
    Harness,
    install::{
        self, InstallError, Outcome, Package, Part, Places, Registration, Status, Wake, absence, git_hook,
        plan_install, plan_uninstall,
    },
};
use serde_json::{Value, json};

use super::{
    registration::{places, registration},
    target::Target,
};
use crate::{exit::Exit, ui::Ui};

/// Install Baton in coding agents: MCP server, skill, hooks and slash commands
///
/// The hooks keep an agent from writing without the stick, tell it how the room stands and wake it. Each part can be
/// left out with --without; --print shows every file. What is installed uses the store that this command would use:
/// that of --store, of BATON_STORE, or the data directory of this shell. A password is never written down; it belongs
/// in ~/.pgpass.
///
/// git-hook is for a git repository instead: a pre-commit hook that refuses a commit which touches what another active
/// agent has reserved. With --project it is a part of the installation.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct InstallArgs {
    #[command(flatten)]
    which: Which,
    /// Leave a part as it is: mcp, skill, hooks, commands or wake; with --project also git-hook
    #[arg(long, value_name = "PART")]
    without: Vec<Part>,
    /// Wake an idle session another way: stop-hook (claude-code), park or steer (gemini)
    ///
    /// stop-hook keeps a process waiting for each idle session of Claude Code, instead of its inbox, which needs nothing.
    /// park keeps Gemini's turn open until something happens. steer sets experimental.modelSteering and
    /// tools.shell.backgroundCompletionBehavior, with which the end of a `baton wait` in the background reaches Gemini.
    #[arg(long, value_name = "WAY")]
    wake: Option<Wake>,
    /// Refuse tools that write when Baton cannot be run; without it they pass
    #[arg(long)]
    strict: bool,
    /// Confine shell commands also where you approve them yourself; rules that allow commands by their text then do not match
    #[arg(long)]
    confine: bool,
    /// Show the room in Claude Code's status line, if it has none
    #[arg(long)]
    status_line: bool,
    /// Trust the hooks in Codex, which otherwise asks at its next start
    #[arg(long)]
    trust_hooks: bool,
}

/// Take Baton out of coding agents again
///
/// Every file is left as it was before the installation. With --project the git-hook goes with the last harness.
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
    /// For this repository instead of this user, in files to be checked in
    #[arg(long)]
    project: bool,
    /// For git-hook and --project: a directory in the working tree [default: the current directory]
    #[arg(long, value_name = "DIR")]
    path: Option<PathBuf>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    print: bool,
}

impl Which {
    /// What is to be done, or why it cannot even begin.
    fn work(&self, environment: &Environment, git_hook: GitHookPart) -> Result<Vec<Work>, Failure> {
        if self.path.is_some() && !self.project && !self.targets.contains(&Target::GitHook) {
            let message = "--path is only for git-hook and --project: else a harness is set up for this user, wherever they work.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Leave out --path."));
        }
        let mut targets = if self.all { Harness::ALL.map(Target::Harness).to_vec() } else { self.targets.clone() };
        if self.project && git_hook == GitHookPart::Included && !targets.contains(&Target::GitHook) {
            targets.push(Target::GitHook);
        }
        let directory =
            self.path.as_ref().map_or_else(|| environment.cwd().to_owned(), |path| environment.cwd().join(path));
        let work = |target: Target| match target {
            Target::Harness(harness) => {
                let project = self.project.then(|| paths::repository_root(&directory)).transpose()?;
                Ok(Work::Harness(harness, Places { project, ..places(environment)? }))
            }
            Target::GitHook => {
                let hooks = paths::hooks_directory(&directory)?;
                Ok(Work::GitHook(hooks.join(git_hook::FILE_NAME)))
            }
        };
        targets.into_iter().map(work).collect()
    }
}

/// Whether the hook before commits goes with a project's harnesses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum GitHookPart {
    Included,
    LeftOut,
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
        let work = self.which.work(&environment, self.git_hook_part()?)?;
        self.check_wake(&work)?;
        let registration = match self.which.project {
            true => Registration::shared(),
            false => registration(&environment, store)?,
        };
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
        let package = Package {
            without: self.without.clone(),
            wake: self.wake.filter(|wake| install::wakes(harness).contains(wake)),
            strict: self.strict,
            confine: self.confine,
            status_line: self.status_line,
            trust_hooks: self.trust_hooks,
        };
        let target = Target::Harness(harness);
        if self.which.print {
            return Done::of(target, plan_install(harness, places, registration, &package), would);
        }
        Done::of(target, install::install(harness, places, registration, &package), outcome_json)
    }

    /// Refuses to leave out the hook before commits where it is no part, or is asked for.
    fn git_hook_part(&self) -> Result<GitHookPart, Failure> {
        if !self.without.contains(&Part::GitHook) {
            return Ok(GitHookPart::Included);
        }
        if self.which.project && !self.which.targets.contains(&Target::GitHook) {
            return Ok(GitHookPart::LeftOut);
        }
        let message = "--without git-hook is for --project: else it is installed only where it is named.";
        Err(Failure::new(ErrorCode::InvalidInput, message).advising("Leave out --without git-hook."))
    }

    /// Refuses a way of waking that none of the harnesses has.
    fn check_wake(&self, work: &[Work]) -> Result<(), Failure> {
        let Some(wake) = self.wake else { return Ok(()) };
        if self.without.contains(&Part::Wake) {
            let message = "--wake and --without wake contradict each other.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).advising("Leave out one of them."));
        }
        let knows = |work: &Work| matches!(work, Work::Harness(harness, _) if install::wakes(*harness).contains(&wake));
        if work.iter().any(knows) {
            return Ok(());
        }
        let message = format!("--wake {} is for another harness.", wake.name());
        let next = "Use stop-hook with claude-code, park or steer with gemini; the others need none.";
        Err(Failure::new(ErrorCode::InvalidInput, message).advising(next))
    }
}

impl UninstallArgs {
    pub(in crate::commands) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let work = self.which.work(&Environment::read(), GitHookPart::Included)?;
        let others = self.others_of_project(&work);
        let each = |work: &Work| match work {
            Work::GitHook(file) if !others.is_empty() => {
                let names: Vec<_> = others.iter().map(|harness| harness.title()).collect();
                Done::skipped(Target::GitHook, format!("kept for {}, {}", names.join(", "), file.display()))
            }
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

    /// The harnesses for which a repository keeps its hook before commits, unless that is asked for by its name.
    fn others_of_project(&self, work: &[Work]) -> Vec<Harness> {
        let going = |harness: Harness| self.which.all || self.which.targets.contains(&Target::Harness(harness));
        let places = work.iter().find_map(|work| match work {
            Work::Harness(_, places) if self.which.project => Some(places),
            Work::Harness(..) | Work::GitHook(_) => None,
        });
        let Some(places) = places.filter(|_| !self.which.targets.contains(&Target::GitHook)) else { return Vec::new() };
        let has_baton = |harness: &Harness| {
            let status = install::status(*harness, places, &Registration::shared());
            !matches!(status, Status::Absent | Status::NotRegistered { .. })
        };
        Harness::ALL.into_iter().filter(|harness| !going(*harness)).filter(has_baton).collect()
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
