//! `baton store info`

use std::process::ExitCode;

use baton_app::{Failure, doctor, environment::Environment};

use super::page;
use crate::{context, ui::Ui};

/// Show where the store is, what it runs on, and how much is in it
///
/// For a server also how far away it is, how its clock stands to this machine's, its connections, and whether this
/// one is encrypted. `baton doctor` checks what this only shows.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct InfoArgs {}

impl InfoArgs {
    pub(super) fn run(&self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let app = context::open(&Environment::read(), store)?;
        let survey = doctor::survey(&app)?;
        let mut data = page::data(&survey.info);
        data["rooms"] = survey.rooms.into();
        data["events"] = survey.events.into();
        Ok(ui.answer(&data, || page::text(&survey.info, Some(&survey))))
    }
}
