//! `baton store copy`

use std::process::ExitCode;

use baton_app::{Failure, Location, copy, doctor, environment::Environment};
use baton_core::code::ErrorCode;
use serde_json::json;

use super::{meter::Meter, page::count};
use crate::{context, ui::Ui};

/// Copy a store into an empty one, of the same kind or the other, and compare the two
///
/// Copies every room with its members and its log, the first answers to keyed requests, and what machines said about
/// their processes, all or nothing. Then it folds every log on both sides and compares them event by event. End the
/// agents that use the store first: what they change meanwhile is not copied, and is told as store_moved.
#[derive(Debug, clap::Args)]
pub(in crate::commands) struct CopyArgs {
    /// The store to copy: postgres://user@host/database, or a data directory
    #[arg(long, value_name = "STORE")]
    from: String,
    /// The store to copy into, which must have no rooms
    #[arg(long, value_name = "STORE")]
    to: String,
}

impl CopyArgs {
    pub(super) fn run(&self, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = Environment::read();
        let from = context::location(&environment, Some(&self.from))?;
        let to = context::location(&environment, Some(&self.to))?;
        require_store(&from)?;
        let source = context::open_at(&environment, &from)?;
        let target = context::open_at(&environment, &to)?;
        let mut meter = Meter::new(ui);
        let done = copy::copy(&source, &target, &mut |progress| meter.show(progress));
        drop(meter);
        let done = done?;
        let data = json!({
            "from": from.to_string(), "to": to.to_string(), "rooms": done.rooms, "events": done.events,
            "first_answers": done.first_answers, "machines": done.machines,
        });
        Ok(ui.answer(&data, || {
            format!(
                "Copied {}, {} and {} to keyed requests\n  from {from}\n  to   {to}\n\
                 Every log was folded and compared on both sides: they are the same.\n",
                count(done.rooms, "room"),
                count(done.events, "event"),
                count(done.first_answers, "first answer"),
            )
        }))
    }
}

/// Opening would make a store where there is none, and a mistyped name would be an empty one.
fn require_store(from: &Location) -> Result<(), Failure> {
    if doctor::schema_at(from)?.is_some() {
        return Ok(());
    }
    let message = format!("There is no store to copy at {from}.");
    Err(Failure::new(ErrorCode::InvalidInput, message)
        .advising("Correct --from; `baton store info` shows where yours is."))
}
