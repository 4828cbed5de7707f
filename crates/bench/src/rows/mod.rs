//! The rows: one file each, named after what it measures, in the order of the design's table.

mod claims;
mod contention;
mod crash;
mod events;
mod fanout;
mod handoff;
mod http;
mod idle;
mod lifecycle;
mod listing;
mod looks;
mod pages;
mod postgres;
mod radar;
mod read;
mod socket;
mod startup;
mod thought;
mod transition;
mod trips;
mod waiters;
mod watched;

use crate::{jobs::Stores, report::Measured, servers::Servers, trouble::Outcome};

/// How rows are measured.
pub(crate) struct Setting {
    /// Less of everything, for a look.
    pub(crate) quick: bool,
    pub(crate) servers: Servers,
    /// Stores that are full of jobs, made when a row first wants one.
    pub(crate) stores: Stores,
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
    /// Whether `word` means this row, or the group it is in: `jobs` means `jobs.radar` too.
    pub(crate) fn is_called(&self, word: &str) -> bool {
        let is_group = self.name.split_once('.').is_some_and(|(group, _)| word == group);
        is_group || word == self.name || word == self.number.to_string()
    }
}

/// Every row.
pub(crate) const ROWS: [Row; 19] = [
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
    Row { number: 11, name: "jobs.lifecycle", run: lifecycle::run },
    Row { number: 12, name: "jobs.claims", run: claims::run },
    Row { number: 13, name: "jobs.radar", run: radar::run },
    Row { number: 14, name: "jobs.events", run: events::run },
    Row { number: 15, name: "bus.socket", run: socket::run },
    Row { number: 16, name: "bus.http", run: http::run },
    Row { number: 17, name: "bus.fanout", run: fanout::run },
    Row { number: 18, name: "web.pages", run: pages::run },
    Row { number: 19, name: "web.watched", run: watched::run },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_by_number_by_name_and_by_group() {
        let called = |word| ROWS.iter().filter(|row| row.is_called(word)).map(|row| row.number).collect::<Vec<_>>();
        assert_eq!((called("jobs"), called("bus")), (vec![11, 12, 13, 14], vec![15, 16, 17]));
        assert_eq!((called("jobs.radar"), called("13")), (vec![13], vec![13]));
        assert_eq!((called("read"), called("job")), (vec![8], vec![]));
    }
}
