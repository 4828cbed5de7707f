//! `baton doctor`

use std::process::ExitCode;

use baton_app::{Failure, doctor, environment::Environment};
use serde_json::json;

use super::install;
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
        let harnesses = install::registrations(&environment);
        let exit = if report.is_clean() { Exit::Done } else { Exit::Failed };
        let info = &report.info;
        let data = json!({
            "store": {
                "place": info.place, "schema": info.schema, "read_only": info.read_only, "engine": info.engine,
                "database_bytes": info.database_bytes, "wal_bytes": info.wal_bytes, "writer": info.writer,
            },
            "checks": report.checks.iter()
                .map(|check| json!({ "what": check.what, "ok": check.problem.is_none(), "problem": check.problem }))
                .collect::<Vec<_>>(),
            "harnesses": harnesses.iter().map(|(name, state)| json!({ "harness": name, "state": state })).collect::<Vec<_>>(),
        });
        Ok(ui.answer_with(exit, &data, || {
            let mut page = format!(
                "store      {}\nengine     {}, schema {}{}\nsize       {} KiB, write-ahead log {} KiB\nwriter     {}\n\n",
                info.place,
                info.engine,
                info.schema,
                if info.read_only { " (newer than this Baton: read only)" } else { "" },
                info.database_bytes / 1024,
                info.wal_bytes.unwrap_or_default() / 1024,
                info.writer.as_deref().unwrap_or("nobody right now"),
            );
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
