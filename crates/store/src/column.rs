//! Values as columns: how each type of the core is written, and read back.

use std::{fmt::Display, io, ops::Range};

use baton_core::{
    agent::ConnectionState,
    bus::{self, BusId},
    context::Brief,
    envelope::{EnvelopeKind, Expectation, PayloadId},
    ids::{AgentId, AnchorId, BeadId, Role, RoomId, Seq},
    inbox::Category,
    job::{self, CapabilityDigest, JobId},
    lease::Fence,
    library::{ArtifactId, ArtifactKind, CardId, CardKind, PlanId},
    process::ProcessIdentity,
    reference::Reference,
    runner::{Capabilities, Phase},
    scope,
    spawn::{ApprovalId, ApprovalStatus},
    task::{self, TaskId},
    time::Timestamp,
    turn::{self, TurnId},
};
use serde::{
    Deserialize, Serialize,
    de::{IntoDeserializer, value::Error as WordError},
};
use serde_json::{Map, Value};

use crate::{
    StoreError,
    engine::{Param, Row},
    fields::number,
    table::unreadable,
};

/// A type that fits into a column.
pub(crate) trait Column: Sized {
    /// Binds the value as the next parameter.
    fn bind(&self, params: &mut Params);

    /// Reads it back, if the column has a value.
    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError>;

    /// Reads it back from a column that must have a value.
    fn read(cell: Cell<'_>) -> Result<Self, StoreError> {
        Self::read_optional(cell)?.ok_or_else(|| cell.bad("is empty"))
    }
}

/// Parameters of a statement, in their order.
#[derive(Debug, Default)]
pub struct Params {
    values: Vec<Bound>,
    /// Every text, one behind the other.
    texts: Vec<u8>,
    wrong: Option<String>,
}

#[derive(Clone, Debug)]
enum Bound {
    Null,
    Int(i64),
    Text(Range<usize>),
}

impl Params {
    /// The room, which comes first in every statement.
    pub(crate) fn of(room: &RoomId) -> Self {
        let mut params = Self { values: Vec::with_capacity(32), texts: Vec::with_capacity(256), wrong: None };
        params.text(room.as_str());
        params
    }

    pub(crate) fn bind(&mut self, value: &impl Column) {
        value.bind(self);
    }

    fn null(&mut self) {
        self.values.push(Bound::Null);
    }

    fn int(&mut self, value: i64) {
        self.values.push(Bound::Int(value));
    }

    fn text(&mut self, text: &str) {
        let start = self.texts.len();
        self.texts.extend_from_slice(text.as_bytes());
        self.values.push(Bound::Text(start..self.texts.len()));
    }

    pub(crate) fn json(&mut self, value: &impl Serialize) {
        let start = self.texts.len();
        match serde_json::to_writer(&mut self.texts as &mut dyn io::Write, value) {
            Ok(()) => self.values.push(Bound::Text(start..self.texts.len())),
            Err(error) => self.wrong = Some(error.to_string()),
        }
    }

    /// Fails if a value could not be written.
    pub(crate) fn check(&self, table: &'static str, room: &RoomId) -> Result<(), StoreError> {
        self.wrong.as_ref().map_or(Ok(()), |wrong| Err(unreadable(table, room, wrong)))
    }

    /// The parameters as an engine takes them.
    pub(crate) fn list(&self) -> Vec<Param<'_>> {
        let text = |range: &Range<usize>| std::str::from_utf8(&self.texts[range.clone()]).unwrap_or_default();
        self.values
            .iter()
            .map(|value| match value {
                Bound::Null => Param::Null,
                Bound::Int(int) => Param::Int(*int),
                Bound::Text(range) => Param::Text(text(range)),
            })
            .collect()
    }
}

/// The columns of a row, one after the other.
pub struct Cells<'a> {
    table: &'static str,
    room: &'a RoomId,
    row: &'a dyn Row,
    next: usize,
}

impl<'a> Cells<'a> {
    pub(crate) fn new(table: &'static str, room: &'a RoomId, row: &'a dyn Row) -> Self {
        Self { table, room, row, next: 0 }
    }

    /// Reads the next column, which is called `name`.
    pub(crate) fn read<T: Column>(&mut self, name: &'static str) -> Result<T, StoreError> {
        let Self { table, room, row, next: column } = *self;
        self.next += 1;
        T::read(Cell { table, room, row, column, name })
    }

    /// Makes a row of the columns that were read.
    pub(crate) fn make<T>(&self, row: impl FnOnce() -> Result<T, Empty>) -> Result<T, StoreError> {
        row().map_err(|Empty(name)| unreadable(self.table, self.room, format_args!("{name}: is empty")))
    }
}

/// A column that has no value, though others of its row say that it has one.
pub(crate) struct Empty(pub(crate) &'static str);

/// A column of a row.
#[derive(Clone, Copy)]
pub(crate) struct Cell<'a> {
    table: &'static str,
    room: &'a RoomId,
    row: &'a dyn Row,
    column: usize,
    name: &'static str,
}

impl<'a> Cell<'a> {
    fn text(self) -> Result<Option<&'a str>, StoreError> {
        self.row.text(self.column)
    }

    fn int(self) -> Result<Option<i64>, StoreError> {
        self.row.int(self.column)
    }

    /// Reads a text as something else.
    pub(crate) fn parse<T, E: Display>(
        self,
        parse: impl FnOnce(&'a str) -> Result<T, E>,
    ) -> Result<Option<T>, StoreError> {
        self.text()?.map(|text| parse(text).map_err(|error| self.bad(error))).transpose()
    }

    pub(crate) fn bad(self, detail: impl Display) -> StoreError {
        unreadable(self.table, self.room, format_args!("{}: {detail}", self.name))
    }
}

impl<T: Column> Column for Option<T> {
    fn bind(&self, params: &mut Params) {
        match self {
            Some(value) => value.bind(params),
            None => params.null(),
        }
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        T::read_optional(cell).map(Some)
    }
}

impl<T: Column> Column for &T {
    fn bind(&self, params: &mut Params) {
        (*self).bind(params);
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        Err(cell.bad("is written only"))
    }
}

impl Column for String {
    fn bind(&self, params: &mut Params) {
        params.text(self);
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        Ok(cell.text()?.map(str::to_owned))
    }
}

impl Column for u64 {
    fn bind(&self, params: &mut Params) {
        params.int(number(*self));
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        // Inodes use all 64 bits; the rest are never negative.
        Ok(cell.int()?.map(|value| value as Self))
    }
}

impl Column for u32 {
    fn bind(&self, params: &mut Params) {
        params.int((*self).into());
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        let small = |value: i64| value.try_into().map_err(|_| cell.bad("is too large"));
        cell.int()?.map(small).transpose()
    }
}

impl Column for bool {
    fn bind(&self, params: &mut Params) {
        params.int((*self).into());
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        Ok(cell.int()?.map(|value| value != 0))
    }
}

impl Column for Timestamp {
    fn bind(&self, params: &mut Params) {
        params.int(self.as_millis());
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        Ok(cell.int()?.map(Self::from_millis))
    }
}

/// Types that wrap a number.
macro_rules! numbers {
    ($($number:ty: $inner:ty),* $(,)?) => {
        $(impl Column for $number {
            fn bind(&self, params: &mut Params) {
                self.0.bind(params);
            }

            fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
                Ok(<$inner>::read_optional(cell)?.map(Self))
            }
        })*
    };
}
numbers! {
    Seq: u64,
    Fence: u64,
    TaskId: u32,
    JobId: u32,
    CardId: u32,
    PlanId: u32,
    ArtifactId: u32,
    TurnId: u32,
    ApprovalId: u32,
}

/// Types that are a text with rules.
macro_rules! texts {
    ($($text:ty),* $(,)?) => {
        $(impl Column for $text {
            fn bind(&self, params: &mut Params) {
                params.text(self.as_str());
            }

            fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
                cell.parse(str::parse)
            }
        })*
    };
}
texts!(AgentId, AnchorId, BeadId, BusId, PayloadId, Role);

/// Words: what their type is written as.
macro_rules! words {
    ($($word:ty),* $(,)?) => {
        $(impl Column for $word {
            fn bind(&self, params: &mut Params) {
                params.text(self.as_str());
            }

            fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
                cell.parse(|text| Self::deserialize(IntoDeserializer::<WordError>::into_deserializer(text)))
            }
        })*
    };
}
words! {
    task::State,
    scope::End,
    Category,
    job::Status,
    job::Kind,
    job::Executor,
    job::Choice,
    Phase,
    CardKind,
    ArtifactKind,
    bus::Control,
    bus::Kind,
    bus::Status,
    bus::TaskStatus,
    ConnectionState,
    EnvelopeKind,
    Expectation,
    turn::Outcome,
    turn::PromptMode,
    ApprovalStatus,
}

/// Types that are kept as JSON.
macro_rules! json {
    ($($json:ty),* $(,)?) => {
        $(impl $crate::column::Column for $json {
            fn bind(&self, params: &mut Params) {
                params.json(self);
            }

            fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
                cell.parse(serde_json::from_str)
            }
        })*
    };
}
pub(crate) use json;
json! {
    Vec<String>,
    Vec<JobId>,
    Vec<Reference>,
    Map<String, Value>,
    Brief,
    Capabilities,
    ProcessIdentity,
    Box<ProcessIdentity>,
    job::Progress,
}

impl Column for CapabilityDigest {
    fn bind(&self, params: &mut Params) {
        params.text(self.as_str());
    }

    fn read_optional(cell: Cell<'_>) -> Result<Option<Self>, StoreError> {
        Ok(cell.text()?.map(|digest| digest.to_owned().into()))
    }
}
