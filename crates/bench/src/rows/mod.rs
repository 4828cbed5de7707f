//! The rows: one file each, named after what it measures, in the order of the design's table.

mod contention;
mod crash;
mod handoff;
mod idle;
mod listing;
mod postgres;
mod read;
mod startup;
mod thought;
mod transition;
mod waiters;

use crate::{report::Measured, servers::Servers, trouble::Outcome};

/// How rows are measured.
pub(crate) struct Setting {
    /// Less of everything, for a look.
    pub(crate) quick: bool,
    pub(crate) servers: Servers,
}

impl Setting {
    /// A count or a length: the first when there is time, the second when not.
    pub(crate) fn pick<T>(&self, full: T, quick: T) -> T {
        if self.quick { quick } else { full }
    }
}

/// A row of the table.
pub(crate) struct Row {
    pub(crate) number: u8,
    pub(crate) name: &'static str,
    pub(crate) run: fn(&Setting) -> Outcome<Measured>,
}

impl Row {
    /// Whether `word` means this row.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        word == self.name || word == self.number.to_string()
    }
}

/// Every row.
pub(crate) const ROWS: [Row; 10] = [
    Row { number: 1, name: "transition", run: transition::run },
    Row { number: 2, name: "contention", run: contention::run },
    Row { number: 3, name: "thought", run: thought::run },
    Row { number: 4, name: "crash", run: crash::run },
    Row { number: 5, name: "handoff", run: handoff::run },
    Row { number: 6, name: "idle", run: idle::run },
    Row { number: 7, name: "startup", run: startup::run },
    Row { number: 8, name: "read", run: read::run },
    Row { number: 9, name: "listing", run: listing::run },
    Row { number: 10, name: "postgres", run: postgres::run },
];
