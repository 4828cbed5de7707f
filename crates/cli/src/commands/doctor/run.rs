//! The examination of the store and of the hooks, and one page of both.

use std::{path::PathBuf, process::ExitCode};

use baton_app::{Failure, doctor, environment::Environment, paths};
use baton_harness::install::{
    Registration,
    git_hook::{self, Status},
};
use serde::Serialize;
use serde_json::json;

use super::{
    super::{install, store::page},
    hooks::Examination,
    report::HookReport,
};
use crate::{
    context,
    exit::Exit,
    ui::{self, Ui},
};

/// Check the store, every room against its log, and each harness with its hooks
///
/// Runs each installed hook once with a harmless sample, as its program would, and times it. The hook must exit with 0 and answer
/// nothing, or JSON that the program understands. A repository's hooks run only if they resolve to this same program. Problems with
/// hooks do not change the exit status, which is about the store.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct DoctorArgs {}

impl DoctorArgs {
    pub(in crate::commands) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let app = context::open(&environment, store)?;
        let report = doctor::examine(&app)?;
        let harnesses = install::registrations(&environment, store);
        let Hooks { programs, git } = hooks(&environment, store);
        let exit = if report.is_clean() { Exit::Done } else { Exit::Failed };
        let data = json!({
            "store": page::data(&report.info),
            "checks": report.checks.iter()
                .map(|check| json!({ "what": check.what, "ok": check.problem.is_none(), "problem": check.problem }))
                .collect::<Vec<_>>(),
            "harnesses": harnesses.iter().map(|(name, state)| json!({ "harness": name, "state": state })).collect::<Vec<_>>(),
            "hooks": programs,
            "git_hook": git,
        });
        Ok(ui.answer_with(exit, &data, || {
            let mut page = page::text(&report.info, None);
            page.push('\n');
            for check in &report.checks {
                let (mark, problem) = match &check.problem {
                    None => ("ok ", String::new()),
                    Some(problem) => ("BAD", format!(": {}", ui::clean(problem))),
                };
                page.push_str(&format!("{mark}  {}{problem}\n", check.what));
            }
            page.push('\n');
            for (name, state) in &harnesses {
                let hooks = programs.iter().find(|report| report.harness.slug() == *name);
                let hooks = hooks.map_or_else(String::new, |report| format!(", {}", report.line()));
                page.push_str(&format!("{name:<12} {}\n", ui::clean(&format!("{state}{hooks}"))));
            }
            if let Some(git) = &git {
                page.push_str(&format!("{:<12} {}\n", git_hook::SLUG, ui::clean(&git.line())));
            }
            page
        }))
    }
}

#[derive(Default)]
struct Hooks {
    programs: Vec<HookReport>,
    git: Option<GitHookReport>,
}

/// The hook before commits of the repository around the current directory.
#[derive(Serialize)]
struct GitHookReport {
    path: PathBuf,
    #[serde(flatten)]
    status: Status,
    next: Option<&'static str>,
}

impl GitHookReport {
    fn new(path: PathBuf, registration: &Registration) -> Self {
        let status = git_hook::status(&path, &[registration.clone(), Registration::shared()]);
        let next = Some("baton install git-hook").filter(|_| status != Status::Installed);
        Self { path, status, next }
    }

    fn line(&self) -> String {
        let next = self.next.unwrap_or_default();
        match &self.status {
            Status::NotInstalled => format!("not installed: {next}"),
            Status::Installed => "installed".to_owned(),
            Status::Stale { why } => format!("stale: {why}; next: {next}"),
            Status::Unusable { why } => format!("not installed: {why}; next: {next}"),
        }
    }
}

/// Looks at all hooks. Without a home directory or a store that can be named there is nothing to compare them with.
fn hooks(environment: &Environment, store: Option<&str>) -> Hooks {
    let (Ok(places), Ok(registration)) = (install::places(environment), install::registration(environment, store))
    else {
        return Hooks::default();
    };
    let programs = Examination::new(environment, places, &registration).reports();
    let git = paths::hooks_directory(environment.cwd()).ok();
    let git = git.map(|hooks| GitHookReport::new(hooks.join(git_hook::FILE_NAME), &registration));
    Hooks { programs, git }
}
