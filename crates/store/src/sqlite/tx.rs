//! A SQLite transaction in the store's terms.

use std::path::Path;

use baton_core::{event::Concern, ids::RoomId, room::Room, time::Timestamp};
use rusqlite::{
    Connection, ToSql,
    types::{ToSqlOutput, Value, ValueRef},
};

use super::{
    doorbell::Ring,
    failure,
    memory::{Memory, changes_rooms},
};
use crate::{
    StoreError,
    clock::Clock,
    engine::{Changes, Dialect, EachRow, Param, Query, Row, Tx, key_of, missed},
};

pub(super) struct SqliteTx<'a> {
    pub(super) connection: &'a Connection,
    pub(super) path: &'a Path,
    pub(super) clock: &'a dyn Clock,
    pub(super) now: Option<Timestamp>,
    pub(super) rings: Vec<(RoomId, Ring)>,
    pub(super) memory: &'a mut Memory,
    /// Whether the memory was compared with the data of this transaction.
    pub(super) is_compared: bool,
}

impl SqliteTx<'_> {
    /// Has the memory forget what another connection changed since.
    pub(super) fn compare(&mut self) -> Result<(), StoreError> {
        if !self.is_compared {
            let version = self
                .connection
                .prepare_cached("PRAGMA data_version")
                .and_then(|mut statement| statement.query_row([], |row| row.get(0)))
                .map_err(|error| failure::from_sqlite(self.path, &error))?;
            self.memory.begin(version);
            self.is_compared = true;
        }
        Ok(())
    }
}

impl Tx for SqliteTx<'_> {
    fn execute(&mut self, sql: &'static str, params: &[Param<'_>], changes: Changes) -> Result<(), StoreError> {
        if changes_rooms(sql) {
            self.memory.forget();
        }
        let run = || self.connection.prepare_cached(sql)?.execute(bind(params));
        let changed = run().map_err(|error| failure::from_sqlite(self.path, &error))?;
        match changes {
            Changes::One(table) if changed != 1 => Err(missed(table, key_of(params))),
            Changes::One(_) | Changes::Any => Ok(()),
        }
    }

    fn query_all(&mut self, queries: &[Query<'_>], each: EachRow<'_>) -> Result<(), StoreError> {
        let wrong = |error: rusqlite::Error| failure::from_sqlite(self.path, &error);
        for (which, query) in queries.iter().enumerate() {
            // Nothing to lock: a write has the whole file to itself.
            let mut statement = self.connection.prepare_cached(query.sql).map_err(wrong)?;
            let mut rows = statement.query(bind(query.params)).map_err(wrong)?;
            while let Some(row) = rows.next().map_err(wrong)? {
                each(which, &SqliteRow { row, path: self.path })?;
            }
        }
        Ok(())
    }

    fn alone(&mut self, _name: &str) -> Result<(), StoreError> {
        Ok(())
    }

    fn now(&mut self) -> Result<Timestamp, StoreError> {
        Ok(*self.now.get_or_insert_with(|| self.clock.now()))
    }

    fn recall(&mut self, room: &RoomId) -> Result<Option<Room>, StoreError> {
        self.compare()?;
        Ok(self.memory.recall(room).cloned())
    }

    fn remembers(&self, room: &Room) -> bool {
        self.is_compared && self.memory.recall(&room.id) == Some(room)
    }

    fn remember(&mut self, make: &dyn Fn() -> Room) -> Result<(), StoreError> {
        self.compare()?;
        self.memory.remember(make());
        Ok(())
    }

    fn dialect(&self) -> Dialect {
        Dialect::Sqlite
    }

    fn ring(&mut self, room: &RoomId, concern: Concern<'_>) {
        let ring = Ring::of(concern);
        match self.rings.iter_mut().find(|(known, _)| known == room) {
            Some((_, earlier)) => *earlier = earlier.and(ring),
            None => self.rings.push((room.clone(), ring)),
        }
    }
}

fn bind<'a>(params: &'a [Param<'a>]) -> rusqlite::ParamsFromIter<impl Iterator<Item = Bound<'a>>> {
    rusqlite::params_from_iter(params.iter().map(Bound))
}

struct Bound<'a>(&'a Param<'a>);

impl ToSql for Bound<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self.0 {
            Param::Null => ToSqlOutput::Owned(Value::Null),
            Param::Int(int) => ToSqlOutput::Owned(Value::Integer(*int)),
            Param::Text(text) => ToSqlOutput::Borrowed(ValueRef::Text(text.as_bytes())),
        })
    }
}

struct SqliteRow<'a, 'b> {
    row: &'a rusqlite::Row<'b>,
    path: &'a Path,
}

impl Row for SqliteRow<'_, '_> {
    fn int(&self, column: usize) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Integer(int) => Ok(Some(int)),
            other => Err(self.unexpected(column, other.data_type())),
        }
    }

    fn text(&self, column: usize) -> Result<Option<&str>, StoreError> {
        match self.value(column)? {
            ValueRef::Null => Ok(None),
            ValueRef::Text(text) => match std::str::from_utf8(text) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(self.unexpected(column, "text that is not UTF-8")),
            },
            other => Err(self.unexpected(column, other.data_type())),
        }
    }
}

impl SqliteRow<'_, '_> {
    fn value(&self, column: usize) -> Result<ValueRef<'_>, StoreError> {
        self.row.get_ref(column).map_err(|error| failure::from_sqlite(self.path, &error))
    }

    fn unexpected(&self, column: usize, found: impl std::fmt::Display) -> StoreError {
        let detail = format!("column {column} holds {found}");
        StoreError::Corrupt { place: self.path.display().to_string(), detail }
    }
}
