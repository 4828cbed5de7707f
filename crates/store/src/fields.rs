//! Columns of a row as the core's types, with an error that names the row.

use std::str::FromStr;

use baton_core::{ids::RoomId, time::Timestamp};
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{
    StoreError,
    engine::{Param, Row, Tx},
};

/// Reads columns that must be there, and names the row when one is not.
pub(crate) struct Fields<'a> {
    pub(crate) table: &'static str,
    pub(crate) key: &'a str,
    pub(crate) row: &'a dyn Row,
}

impl<'a> Fields<'a> {
    pub(crate) fn text(&self, column: usize) -> Result<&'a str, StoreError> {
        self.row.text(column)?.ok_or_else(|| self.bad(format!("column {column} is empty")))
    }

    pub(crate) fn number(&self, column: usize) -> Result<u64, StoreError> {
        let value = self.row.int(column)?.ok_or_else(|| self.bad(format!("column {column} is empty")))?;
        // Inodes use all 64 bits; the rest are never negative.
        Ok(value as u64)
    }

    pub(crate) fn time(&self, column: usize) -> Result<Timestamp, StoreError> {
        let millis = self.row.int(column)?.ok_or_else(|| self.bad(format!("column {column} is empty")))?;
        Ok(Timestamp::from_millis(millis))
    }

    pub(crate) fn id<T: FromStr<Err: std::fmt::Display>>(&self, column: usize) -> Result<T, StoreError> {
        self.text(column)?.parse().map_err(|error| self.bad(error))
    }

    /// An id that may be missing.
    pub(crate) fn optional<T: FromStr<Err: std::fmt::Display>>(&self, column: usize) -> Result<Option<T>, StoreError> {
        self.row.text(column)?.map(|text| text.parse().map_err(|error| self.bad(error))).transpose()
    }

    /// A moment that may be missing.
    pub(crate) fn optional_time(&self, column: usize) -> Result<Option<Timestamp>, StoreError> {
        Ok(self.row.int(column)?.map(Timestamp::from_millis))
    }

    /// One of the words that a kind of value is written as.
    pub(crate) fn word<T: DeserializeOwned>(&self, column: usize) -> Result<T, StoreError> {
        let text = self.text(column)?;
        serde_json::from_value(Value::String(text.to_owned())).map_err(|error| self.bad(error))
    }

    /// Such a word that may be missing.
    pub(crate) fn optional_word<T: DeserializeOwned>(&self, column: usize) -> Result<Option<T>, StoreError> {
        self.row.text(column)?.map(|_| self.word(column)).transpose()
    }

    /// A value that is stored as JSON, and may be missing.
    pub(crate) fn optional_json<T: DeserializeOwned>(&self, column: usize) -> Result<Option<T>, StoreError> {
        self.row.text(column)?.map(serde_json::from_str).transpose().map_err(|error| self.bad(error))
    }

    pub(crate) fn bad(&self, detail: impl std::fmt::Display) -> StoreError {
        bad(self.table, self.key, detail)
    }
}

/// Reads the rows of a room that a statement finds.
pub(crate) fn collect<T>(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    params: &[Param<'_>],
    read: fn(&RoomId, &dyn Row) -> Result<T, StoreError>,
) -> Result<Vec<T>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        found.push(read(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

pub(crate) fn bad(table: &'static str, key: &str, detail: impl std::fmt::Display) -> StoreError {
    StoreError::BadRow { table, key: key.to_owned(), detail: detail.to_string() }
}

pub(crate) fn number(value: u64) -> i64 {
    // Two's complement keeps all 64 bits of an inode.
    value as i64
}
