//! `baton doctor`

use std::process::ExitCode;

use baton_app::{Failure, doctor, environment::Environment};
use serde_json::json;

use super::{install, store::page};
use crate::{
    context,
    exit::Exit,
    ui::{self, Ui},
};

/// Check the store, its files, every room against its log, and harness registration
#[derive(Debug, clap::Args)]
pub(super) struct DoctorArgs {}

impl DoctorArgs {
    pub(super) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let app = context::open(&environment, store)?;
        let report = doctor::examine(&app)?;
        let harnesses = install::registrations(&environment, store);
        let exit = if report.is_clean() { Exit::Done } else { Exit::Failed };
        let data = json!({
            "store": page::data(&report.info),
            "checks": report.checks.iter()
                .map(|check| json!({ "what": check.what, "ok": check.problem.is_none(), "problem": check.problem }))
                .collect::<Vec<_>>(),
            "harnesses": harnesses.iter().map(|(name, state)| json!({ "harness": name, "state": state })).collect::<Vec<_>>(),
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
            harnesses.iter().for_each(|(name, state)| page.push_str(&format!("{name:<12} {state}\n")));
            page
        }))
    }
}
