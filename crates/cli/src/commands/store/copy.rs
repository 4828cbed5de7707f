//! `baton store copy`

use std::process::ExitCode;

use baton_app::{
    Failure, Location,
    artifacts::{Carried, Missing},
    copy, doctor,
    environment::Environment,
};
use baton_core::code::ErrorCode;
use serde_json::{Value, json};

use super::{meter::Meter, page::count};
use crate::{
    context,
    ui::{Ui, clean},
};

/// Copy a store into an empty one, of the same kind or the other, and compare the two
///
/// Copies every room with its members and its log, the first answers to keyed requests, and what machines said about
/// their processes, all or nothing, and the files that rooms keep, as far as this machine has them. Then it folds every log on both sides and compares them event by event. End the
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
            "files": done.files.files, "file_bytes": done.files.bytes,
            "files_missing": done.files.missing.iter().map(missing).collect::<Vec<_>>(),
        });
        Ok(ui.answer(&data, || {
            format!(
                "Copied {}, {} and {} to keyed requests\n  from {from}\n  to   {to}\n\
                 Every log was folded and compared on both sides: they are the same.\n{}",
                count(done.rooms, "room"),
                count(done.events, "event"),
                count(done.first_answers, "first answer"),
                files(&done.files),
            )
        }))
    }
}

/// How many lines tell of files that were not copied.
const MISSING_SHOWN: usize = 20;

/// What became of the files that rooms keep.
fn files(carried: &Carried) -> String {
    if carried.files == 0 && carried.missing.is_empty() {
        return String::new();
    }
    let mut page = format!("Copied {}, {} bytes\n", count(carried.files, "file"), carried.bytes);
    if carried.missing.is_empty() {
        return page;
    }
    page.push_str(&format!("Could not copy {}:\n", count(carried.missing.len() as u64, "file")));
    for lost in carried.missing.iter().take(MISSING_SHOWN) {
        let why = match &lost.host {
            Some(host) => format!("machine {} keeps it", clean(host)),
            None => "it is gone from the data directory, or was changed there".to_owned(),
        };
        page.push_str(&format!("  {} in {}: {why}\n", lost.reference, lost.room_id));
    }
    let rest = carried.missing.len().saturating_sub(MISSING_SHOWN);
    if rest > 0 {
        page.push_str(&format!("  and {rest} more\n"));
    }
    page
}

fn missing(lost: &Missing) -> Value {
    json!({ "room_id": lost.room_id, "ref": lost.reference, "host": lost.host })
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
