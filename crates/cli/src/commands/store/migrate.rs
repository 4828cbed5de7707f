//! `baton store migrate`

use std::process::ExitCode;

use baton_app::{Failure, doctor, environment::Environment};
use baton_core::code::ErrorCode;
use serde_json::json;

use crate::{context, ui::Ui};

/// Bring the store's schema up to date
///
/// Every command does this by itself where it may. On a server whose agents log in with a role that may not create
/// schemas, somebody who may runs this once, and again after an update of Baton; it shows the statements that give
/// such a role what it needs.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct MigrateArgs {}

/// What a role needs that is not the owner of the schema: now, and for tables of later migrations.
const GRANTS: [&str; 3] = [
    "GRANT USAGE ON SCHEMA baton TO agents;",
    "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA baton TO agents;",
    "ALTER DEFAULT PRIVILEGES IN SCHEMA baton GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO agents;",
];

impl MigrateArgs {
    pub(super) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let location = context::location(&environment, store)?;
        let before = doctor::schema_at(&location)?;
        let info = doctor::survey(&*context::open_at(&environment, &location)?)?.info;
        if info.read_only {
            let message = format!("{} has schema {}, which is newer than this Baton.", info.place, info.schema);
            return Err(Failure::new(ErrorCode::StoreNewer, message));
        }
        let grants: &[&str] = if info.server.is_some() { &GRANTS } else { &[] };
        let data = json!({ "place": info.place, "from": before, "to": info.schema, "grants": grants });
        Ok(ui.answer(&data, || {
            let done = match before {
                None => format!("{}: made, with schema {}.\n", info.place, info.schema),
                Some(before) if before == info.schema => format!("{}: already at schema {before}.\n", info.place),
                Some(before) => format!("{}: from schema {before} to {}.\n", info.place, info.schema),
            };
            let advice = "\nA role of its own for agents (here `agents`) needs, from whoever ran this:\n";
            let advice = if grants.is_empty() { "" } else { advice };
            grants.iter().fold(done + advice, |text, grant| format!("{text}  {grant}\n"))
        }))
    }
}
