//! What an engine must do, and nothing that it may do its own way.

use std::{collections::BTreeSet, os::fd::BorrowedFd};

use baton_core::{
    event::Concern,
    ids::{AgentId, RoomId},
    room::Room,
    time::Timestamp,
};

use crate::{Check, StoreError, StoreInfo};

/// A value bound to a placeholder.
#[derive(Clone, Copy, Debug)]
pub enum Param<'a> {
    /// No value.
    Null,
    /// A number, a count or milliseconds.
    Int(i64),
    /// A text or JSON.
    Text(&'a str),
}

impl<'a> From<&'a str> for Param<'a> {
    fn from(text: &'a str) -> Self {
        Self::Text(text)
    }
}

impl From<i64> for Param<'_> {
    fn from(int: i64) -> Self {
        Self::Int(int)
    }
}

impl<'a, T: Into<Self>> From<Option<T>> for Param<'a> {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

/// A row of a result.
pub trait Row {
    /// The number in a column, or nothing.
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError>;
    /// The text in a column, or nothing.
    fn text(&self, column: usize) -> Result<Option<&str>, StoreError>;
}

/// A question to the store.
#[derive(Clone, Copy, Debug)]
pub struct Query<'a> {
    pub(crate) sql: &'static str,
    pub(crate) params: &'a [Param<'a>],
    pub(crate) lock: Lock,
}

/// What a question does to the rows it finds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lock {
    /// It only reads them.
    None,
    /// In a write, they are this transaction's alone until it ends.
    Rows,
}

impl<'a> Query<'a> {
    /// A question that only reads.
    pub fn new(sql: &'static str, params: &'a [Param<'a>]) -> Self {
        Self { sql, params, lock: Lock::None }
    }

    /// A question that in a write keeps others off the rows it finds, until the transaction ends.
    pub fn locking(sql: &'static str, params: &'a [Param<'a>]) -> Self {
        Self { sql, params, lock: Lock::Rows }
    }
}

/// How many rows a statement is to change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Changes {
    /// Whatever it finds.
    Any,
    /// One, of this table. That there is none means that somebody else changed it without being allowed to.
    One(&'static str),
}

/// In whose words a statement is written, where the two have none in common: full text only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// SQLite's.
    Sqlite,
    /// Postgres'.
    Postgres,
}

/// Takes the rows of several questions: which question, and the row.
pub type EachRow<'a> = &'a mut dyn FnMut(usize, &dyn Row) -> Result<(), StoreError>;

/// A transaction that is under way. Placeholders are `?1`, `?2` …
pub trait Tx {
    /// Changes rows. It may be carried out later, but before the next question and before the end; then what goes
    /// wrong is told there.
    fn execute(&mut self, sql: &'static str, params: &[Param<'_>], changes: Changes) -> Result<(), StoreError>;
    /// Asks some questions at once, one after the other, and hands on their rows.
    fn query_all(&mut self, queries: &[Query<'_>], each: EachRow<'_>) -> Result<(), StoreError>;
    /// Keeps out every other write that names the same thing, until this one ends.
    fn alone(&mut self, name: &str) -> Result<(), StoreError>;
    /// The store's time: one reading for all who ask, taken after the last rows were locked.
    fn now(&mut self) -> Result<Timestamp, StoreError>;
    /// In whose words it takes statements that the two engines have none in common for.
    fn dialect(&self) -> Dialect;
    /// Has those who listen to `room` woken once this is committed, and told whom it is for.
    fn ring(&mut self, room: &RoomId, concern: Concern<'_>);

    /// A room as it is stored, if that is known without asking.
    fn recall(&mut self, _room: &RoomId) -> Result<Option<Room>, StoreError> {
        Ok(None)
    }
    /// Whether a room is known without asking to be stored like this.
    fn remembers(&self, _room: &Room) -> bool {
        false
    }
    /// Notes a room as it is stored now, for the next transaction that asks. An engine that cannot know whether it still is
    /// by then does not make it.
    fn remember(&mut self, _make: &dyn Fn() -> Room) -> Result<(), StoreError> {
        Ok(())
    }

    /// Hands each row of a result to `each`.
    fn query(
        &mut self,
        sql: &'static str,
        params: &[Param<'_>],
        each: &mut dyn FnMut(&dyn Row) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        self.query_all(&[Query::new(sql, params)], &mut |_, row| each(row))
    }
}

/// The row that a statement is about: our statements name it first.
pub(crate) fn key_of<'a>(params: &[Param<'a>]) -> &'a str {
    match params.first() {
        Some(Param::Text(key)) => key,
        Some(Param::Int(_) | Param::Null) | None => "",
    }
}

/// The error for a statement that was to change one row and did not.
pub(crate) fn missed(table: &'static str, key: &str) -> StoreError {
    let detail = "it is not what it was when this was decided".to_owned();
    StoreError::BadRow { table, key: key.to_owned(), detail }
}

/// How long a write waits for another writer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Patience {
    /// Up to the engine's deadline.
    Deadline,
    /// Not at all: it is busy at once.
    None,
}

/// How a piece of work wants its transaction to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Keep what was done.
    Commit,
    /// Undo it.
    Rollback,
}

/// A database that Baton can live in.
pub trait Engine: Send + Sync {
    /// Runs `work` on one consistent view. Never waits for a writer.
    fn read(&self, work: &mut dyn FnMut(&mut dyn Tx)) -> Result<(), StoreError>;
    /// Runs `work` as the only writer of what it touches; if it says so, commits and then rings. It may run `work`
    /// again from the start when the database asks for that.
    fn write(&self, patience: Patience, work: &mut dyn FnMut(&mut dyn Tx) -> Verdict) -> Result<(), StoreError>;
    /// Starts to listen to a room. What is committed from now on will be heard.
    fn listen(&self, room: &RoomId) -> Result<Box<dyn Bell>, StoreError>;
    /// Starts to listen to every room, also to those that are opened later. For whoever watches over the whole store.
    fn listen_everywhere(&self) -> Result<Box<dyn Bell>, StoreError>;
    /// Becomes the one listener of `agent` in `room`, or nothing while another one lives.
    fn listener_seat(&self, room: &RoomId, agent: &AgentId) -> Result<Option<Box<dyn Seat>>, StoreError>;
    /// The store's time, as well as it is known without asking. Never ahead of it.
    fn now(&self) -> Result<Timestamp, StoreError>;
    /// Whether a look at it goes over a network, and may take as long as that takes.
    fn is_remote(&self) -> bool;
    /// What can be told about the database.
    fn info(&self) -> Result<StoreInfo, StoreError>;
    /// Looks for damage.
    fn check(&self) -> Result<Vec<Check>, StoreError>;
}

/// An ear at a room's door.
pub trait Bell: Send {
    /// Becomes readable when the bell rings.
    fn fd(&self) -> BorrowedFd<'_>;
    /// Forgets the rings so far, so that the next one is heard, and tells whether the last one was for `agent`. It
    /// is a hint, and may be wrong when another ring came on its heels.
    fn clear(&mut self, agent: &AgentId) -> RungFor;
    /// Forgets the rings so far, too, and tells the rooms that rang, to who listens to all of them. `None` when it cannot be
    /// told: any room may have.
    fn clear_rooms(&mut self) -> Option<BTreeSet<RoomId>>;
}

/// Whom a ring was for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RungFor {
    /// The listener, by name.
    You,
    /// Anybody.
    Anyone,
    /// Somebody else: let them go first.
    Others,
}

/// The right to be a member's only listener, until it is dropped or its process ends.
pub trait Seat: Send {}
