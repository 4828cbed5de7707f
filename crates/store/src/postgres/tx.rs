//! A Postgres transaction in the store's terms.
//!
//! Nothing is sent before it must be: changes wait for the next question or for the commit, and go with it. A write
//! that loads a room, decides and stores takes two round trips.
#![expect(clippy::disallowed_methods, reason = "this module notes when the server told its time")]

use std::time::Instant;

use baton_core::{event::Concern, ids::RoomId, time::Timestamp};
use tokio_postgres::Row as ServerRow;

use super::{
    failure::{Remedy, Trouble},
    link::Link,
    outcome::Writer,
    pipeline::{self, Failed, Step},
    ring::Rings,
    statement::{Form, Sql, Value},
};
use crate::{
    StoreError,
    clock::Time,
    engine::{Changes, Dialect, EachRow, Lock, Param, Query, Row, Tx, Verdict, key_of},
    schema::SCHEMA_VERSION,
};

/// What a transaction is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// One consistent view, without locks.
    Read,
    /// Changes, under locks.
    Write,
    /// Changes, unless somebody else is at it.
    WriteIfFree,
}

impl Kind {
    const fn begin(self) -> &'static str {
        match self {
            Self::Read => "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            Self::Write => "BEGIN",
            Self::WriteIfFree => "BEGIN; SET LOCAL lock_timeout = '1ms'",
        }
    }
}

/// The time and the schema.
const LOOK: &str = "
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, version
      FROM schema_version
";

/// The same, and the lock that tells afterwards whether this transaction is over.
const LOOK_AND_SIGN: &str = "
    SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, version,
           pg_advisory_xact_lock(hashtextextended(?1, 0))
      FROM schema_version
";

/// Keeps out others who name the same thing.
const ALONE: &str = "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(?1, 1))";

/// Changes that are kept back at most before they are sent.
const PENDING_MAX: usize = 256;

/// A transaction, and what was not sent of it yet.
pub(super) struct PostgresTx<'a> {
    link: &'a mut Link,
    place: &'a str,
    time: &'a Time,
    kind: Kind,
    begun: bool,
    pending: Vec<Pending>,
    /// The last reading of the server's clock, and when it came.
    pub(super) told: Option<Told>,
    pub(super) rings: Rings,
    trouble: Option<(Remedy, StoreError)>,
}

/// A change that was not sent yet.
struct Pending {
    step: Step,
    one: MustChange,
}

/// The table and key of the row that a statement must change, if it must change one.
type MustChange = Option<(&'static str, String)>;

/// When the server said which time it was.
#[derive(Clone, Copy, Debug)]
pub(super) struct Told {
    pub(super) time: Timestamp,
    pub(super) received: Instant,
}

/// How a transaction ended.
pub(super) enum Ending {
    /// It is stored.
    Committed,
    /// It was given up, as was wished.
    RolledBack,
    /// It is certainly not stored, and may be run again.
    Again { remedy: Remedy, error: StoreError },
    /// It is certainly not stored, and running it again would not help.
    Failed(StoreError),
    /// Whether it is stored can only be asked.
    Unknown(Writer),
}

impl<'a> PostgresTx<'a> {
    pub(super) fn new(link: &'a mut Link, place: &'a str, time: &'a Time, kind: Kind) -> Self {
        Self {
            link,
            place,
            time,
            kind,
            begun: false,
            pending: Vec::new(),
            told: None,
            rings: Rings::default(),
            trouble: None,
        }
    }

    /// Ends it the way the work wants it to end.
    pub(super) fn end(&mut self, verdict: Verdict) -> Ending {
        if let Some((remedy, error)) = self.trouble.take() {
            self.abandon();
            return match remedy {
                Remedy::None => Ending::Failed(error),
                Remedy::Again | Remedy::Reconnect => Ending::Again { remedy, error },
            };
        }
        match verdict {
            Verdict::Rollback => {
                self.abandon();
                Ending::RolledBack
            }
            Verdict::Commit => self.commit(),
        }
    }

    /// Gives it up without waiting for the server to say that it has.
    fn abandon(&mut self) {
        self.pending.clear();
        if self.begun && self.link.driver.stands() {
            pipeline::post(self.link, "ROLLBACK");
        }
    }

    fn commit(&mut self) -> Ending {
        if !self.begun && self.pending.is_empty() && self.rings.is_empty() {
            return Ending::Committed;
        }
        if self.kind == Kind::Read {
            // There is nothing to lose, so nothing to wait for.
            pipeline::post(self.link, "COMMIT");
            return Ending::Committed;
        }
        // Nothing is committed to a schema that was not looked at.
        if self.told.is_none() && self.flush(&[]).is_err() {
            return self.end(Verdict::Rollback);
        }
        // What others can see is signed before it is committed, and so can be found again.
        let signed = !self.rings.is_empty();
        let (mut steps, ones) = self.take_pending();
        if signed {
            steps.push(self.link.writer.mark());
        }
        let commit = steps.len();
        steps.push(Step::Text("COMMIT"));
        // After the commit, because a notification inside a transaction makes all commits of the database wait for
        // each other; in the same breath, because it need not wait for the answer.
        steps.extend(self.rings.steps());
        steps.extend(self.link.writer.tidy().filter(|_| signed));
        match pipeline::run_for(self.link, &steps, commit + 1) {
            Ok(_) => Ending::Committed,
            Err(failed) => match failed.trouble.remedy() {
                Remedy::Reconnect if signed => Ending::Unknown(self.link.writer.clone()),
                // What was not signed says the same however often it is said.
                remedy => {
                    let error = self.explain(&failed, &ones);
                    self.abandon();
                    match remedy {
                        Remedy::None => Ending::Failed(error),
                        Remedy::Again | Remedy::Reconnect => Ending::Again { remedy, error },
                    }
                }
            },
        }
    }

    /// Sends what was kept back, then the questions, then a look at the clock where one is due.
    fn flush(&mut self, queries: &[Query<'_>]) -> Result<Vec<Vec<ServerRow>>, StoreError> {
        if let Some((_, error)) = &self.trouble {
            return Err(error.clone());
        }
        let locks = self.kind != Kind::Read && queries.iter().any(|query| query.lock == Lock::Rows);
        let look = self.told.is_none() || locks;
        let (mut steps, ones) = self.take_pending();
        let first = steps.len();
        steps.extend(queries.iter().map(|query| Step::Run {
            sql: Sql::new(query.sql, if locks && query.lock == Lock::Rows { Form::Locking } else { Form::Plain }),
            values: query.params.iter().map(Value::from).collect(),
        }));
        if look {
            steps.push(self.look());
        }
        let mut rows = match pipeline::run(self.link, &steps) {
            Ok(mut rows) => rows.split_off(first),
            Err(failed) => {
                let error = self.explain(&failed, &ones);
                self.trouble = Some((failed.trouble.remedy(), error.clone()));
                return Err(error);
            }
        };
        if look {
            let seen = rows.pop().unwrap_or_default();
            self.note(seen.first()).inspect_err(|error| self.trouble = Some((Remedy::None, error.clone())))?;
        }
        Ok(rows)
    }

    fn look(&self) -> Step {
        match self.kind {
            Kind::Read => Step::Run { sql: Sql::plain(LOOK), values: Vec::new() },
            Kind::Write | Kind::WriteIfFree => {
                Step::Run { sql: Sql::plain(LOOK_AND_SIGN), values: vec![Value::Text(self.link.writer.id.clone())] }
            }
        }
    }

    /// Takes down the time, and makes sure that we may write here.
    fn note(&mut self, seen: Option<&ServerRow>) -> Result<(), StoreError> {
        let read = |column| seen.and_then(|row| row.try_get::<_, i64>(column).ok());
        let (Some(time), Some(version)) = (read(0), read(1)) else {
            let detail = "its table of schema versions is empty".to_owned();
            return Err(StoreError::Corrupt { place: self.place.to_owned(), detail });
        };
        if self.kind != Kind::Read && version > SCHEMA_VERSION {
            return Err(StoreError::Newer { found: version, known: SCHEMA_VERSION });
        }
        self.told = Some(Told { time: Timestamp::from_millis(time), received: Instant::now() });
        Ok(())
    }

    /// The beginning, if it was not sent, and all that was kept back; and which rows had to change.
    fn take_pending(&mut self) -> (Vec<Step>, Vec<MustChange>) {
        let mut steps = Vec::new();
        let mut ones = Vec::new();
        if !self.begun {
            self.begun = true;
            steps.push(Step::Text(self.kind.begin()));
            ones.push(None);
        }
        for pending in self.pending.drain(..) {
            steps.push(pending.step);
            ones.push(pending.one);
        }
        (steps, ones)
    }

    fn explain(&self, failed: &Failed, ones: &[MustChange]) -> StoreError {
        let trouble: &Trouble = &failed.trouble;
        match ones.get(failed.step) {
            Some(Some((table, key))) => trouble.of_change(self.place, table, key),
            Some(None) | None => trouble.at(self.place),
        }
    }

    fn keep(&mut self, pending: Pending) -> Result<(), StoreError> {
        self.pending.push(pending);
        if self.pending.len() < PENDING_MAX {
            return Ok(());
        }
        self.flush(&[]).map(|_| ())
    }
}

impl Tx for PostgresTx<'_> {
    fn execute(&mut self, sql: &'static str, params: &[Param<'_>], changes: Changes) -> Result<(), StoreError> {
        let (form, one) = match changes {
            Changes::Any => (Form::Plain, None),
            Changes::One(table) => (Form::ChangingOne, Some((table, key_of(params).to_owned()))),
        };
        let values = params.iter().map(Value::from).collect();
        self.keep(Pending { step: Step::Run { sql: Sql::new(sql, form), values }, one })
    }

    fn query_all(&mut self, queries: &[Query<'_>], each: EachRow<'_>) -> Result<(), StoreError> {
        for (which, rows) in self.flush(queries)?.iter().enumerate() {
            for row in rows {
                each(which, &PostgresRow { row, place: self.place })?;
            }
        }
        Ok(())
    }

    fn alone(&mut self, name: &str) -> Result<(), StoreError> {
        if self.kind == Kind::Read {
            return Ok(());
        }
        let step = Step::Run { sql: Sql::plain(ALONE), values: vec![Value::Text(name.to_owned())] };
        // It may have to be waited for, and the time is that after the wait.
        self.told = None;
        self.keep(Pending { step, one: None })
    }

    fn now(&mut self) -> Result<Timestamp, StoreError> {
        if let Time::Told(clock) = self.time {
            return Ok(clock.now());
        }
        if self.told.is_none() {
            self.flush(&[])?;
        }
        match self.told {
            Some(told) => Ok(told.time),
            None => Err(StoreError::Unavailable { place: self.place.to_owned(), detail: "it has no time".to_owned() }),
        }
    }

    fn dialect(&self) -> Dialect {
        Dialect::Postgres
    }

    fn ring(&mut self, room: &RoomId, concern: Concern<'_>) {
        self.rings.add(room, concern);
    }
}

struct PostgresRow<'a> {
    row: &'a ServerRow,
    place: &'a str,
}

impl Row for PostgresRow<'_> {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        self.row.try_get(column).map_err(|error| self.unexpected(&error))
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        self.row.try_get(column).map_err(|error| self.unexpected(&error))
    }
}

impl PostgresRow<'_> {
    fn unexpected(&self, error: &tokio_postgres::Error) -> StoreError {
        StoreError::Corrupt { place: self.place.to_owned(), detail: error.to_string() }
    }
}
