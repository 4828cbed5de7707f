//! Questions: a statement about some rows of a room, and the function that asks it.
//!
//! [`questions!`] writes both from one declaration, so that a statement stands beside its parameters and has one doc
//! comment. The room is every statement's first parameter, and the function's arguments follow in their order. A question
//! that needs more than its arguments is a function of its own, which calls [`list`], [`first`] or [`number`].

use baton_core::{
    bus::BusId,
    envelope::PayloadId,
    ids::{AgentId, AnchorId, RoomId, Seq},
    inbox::Stage,
    job::{self, JobId},
    library::{ArtifactId, CardId, PlanId},
    runner::Phase,
    spawn::ApprovalId,
    task::{self, TaskId},
    time::Timestamp,
    turn::TurnId,
};
use serde::de::DeserializeOwned;

use crate::{
    StoreError,
    engine::{Param, Query, Row, Tx},
    fields::{Fields, collect},
    sql::Shape,
    table::{self, Table},
};

/// A type that rows are read as.
pub(crate) trait Answer: Sized {
    /// The columns that [`select!`](crate::sql::select) reads, in their order.
    const SHAPE: Shape;

    /// Reads a row.
    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError>;
}

impl<T: Table> Answer for T {
    const SHAPE: Shape = <T as Table>::SHAPE;

    fn read(room: &RoomId, row: &dyn Row) -> Result<Self, StoreError> {
        table::read(room, row)
    }
}

/// A value that a statement compares with.
pub(crate) trait Argument {
    fn param(&self) -> Param<'_>;
}

impl<T: Argument + ?Sized> Argument for &T {
    fn param(&self) -> Param<'_> {
        (**self).param()
    }
}

/// The end of a page. Without one, the page begins with the newest row.
impl<T: Argument> Argument for Option<T> {
    fn param(&self) -> Param<'_> {
        self.as_ref().map_or(Param::Int(i64::MAX), Argument::param)
    }
}

/// A place that a caller names. None is beyond the largest number.
impl Argument for Seq {
    fn param(&self) -> Param<'_> {
        i64::try_from(self.0).unwrap_or(i64::MAX).into()
    }
}

/// Types that a statement compares as a number.
macro_rules! numbers {
    ($($of:ty: |$value:ident| $number:expr),* $(,)?) => {
        $(impl Argument for $of {
            fn param(&self) -> Param<'_> {
                let $value = self;
                i64::from($number).into()
            }
        })*
    };
}
numbers! {
    i64: |number| *number,
    u32: |number| *number,
    Timestamp: |time| time.as_millis(),
    TaskId: |id| id.0,
    JobId: |id| id.0,
    CardId: |id| id.0,
    PlanId: |id| id.0,
    ArtifactId: |id| id.0,
    TurnId: |id| id.0,
    ApprovalId: |id| id.0,
}

/// Types that a statement compares as a text.
macro_rules! texts {
    ($($of:ty),* $(,)?) => {
        $(impl Argument for $of {
            fn param(&self) -> Param<'_> {
                self.as_str().into()
            }
        })*
    };
}
texts!(AgentId, AnchorId, BusId, PayloadId, String, Phase, Stage, job::Choice, job::Status, task::State);

impl Argument for str {
    fn param(&self) -> Param<'_> {
        self.into()
    }
}

/// Declares questions: `fn name(arguments) -> Vec<Row> = STATEMENT: "which rows, in which order"`, or `-> Option<Row>` for
/// the first of them.
macro_rules! questions {
    (@Vec) => { $crate::question::list };
    (@Option) => { $crate::question::first };
    ($(
        $(#[$doc:meta])*
        pub fn $name:ident($($argument:ident: $of:ty),* $(,)?) -> $found:ident<$row:ty> = $sql:ident: $which:expr;
    )*) => {$(
        pub(crate) const $sql: &str = $crate::sql::select!($row, $which);

        $(#[$doc])*
        pub fn $name(
            tx: &mut dyn $crate::engine::Tx,
            room: &baton_core::ids::RoomId,
            $($argument: $of),*
        ) -> Result<$found<$row>, $crate::StoreError> {
            $crate::question::questions!(@$found)(tx, $sql, room, &[$(&$argument),*])
        }
    )*};
}
pub(crate) use questions;

/// The parameters of a statement: the room, then its arguments.
fn params<'a>(room: &'a RoomId, arguments: &[&'a dyn Argument]) -> Vec<Param<'a>> {
    std::iter::once(room.as_str().into()).chain(arguments.iter().copied().map(Argument::param)).collect()
}

/// Lists the rows that a statement finds.
pub(crate) fn list<T: Answer>(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    arguments: &[&dyn Argument],
) -> Result<Vec<T>, StoreError> {
    collect(tx, sql, room, &params(room, arguments), T::read)
}

/// Reads the first row that a statement finds.
pub(crate) fn first<T: Answer>(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    arguments: &[&dyn Argument],
) -> Result<Option<T>, StoreError> {
    Ok(list(tx, sql, room, arguments)?.into_iter().next())
}

/// Lists the rows that a statement finds for each of some arguments, in the order of these. All are asked for at once.
pub(crate) fn list_each<'a, T: Answer, const N: usize>(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    each: impl IntoIterator<Item = [&'a dyn Argument; N]>,
) -> Result<Vec<T>, StoreError> {
    let params: Vec<Vec<Param<'_>>> = each.into_iter().map(|arguments| params(room, &arguments)).collect();
    let queries: Vec<Query<'_>> = params.iter().map(|params| Query::new(sql, params)).collect();
    let mut found = Vec::new();
    tx.query_all(&queries, &mut |_, row| {
        found.push(T::read(room, row)?);
        Ok(())
    })?;
    Ok(found)
}

/// Whether a statement finds anything.
pub(crate) fn any(
    tx: &mut dyn Tx,
    sql: &'static str,
    room: &RoomId,
    arguments: &[&dyn Argument],
) -> Result<bool, StoreError> {
    Ok(!collect(tx, sql, room, &params(room, arguments), |_, _| Ok(()))?.is_empty())
}

/// Reads the number that a statement finds in a table, or 0 if it finds none.
pub(crate) fn number(
    tx: &mut dyn Tx,
    (table, sql): (&'static str, &'static str),
    room: &RoomId,
    arguments: &[&dyn Argument],
) -> Result<u64, StoreError> {
    let mut number = 0;
    tx.query(sql, &params(room, arguments), &mut |row| {
        number = Fields { table, key: room.as_str(), row }.number(0)?;
        Ok(())
    })?;
    Ok(number)
}

/// Reads the last number in a table, and returns the one after it. The room must be locked.
pub(crate) fn next_number(
    tx: &mut dyn Tx,
    (table, sql): (&'static str, &'static str),
    room: &RoomId,
) -> Result<u32, StoreError> {
    let last = number(tx, (table, sql), room, &[])?;
    Ok(u32::try_from(last + 1).unwrap_or(u32::MAX))
}

/// Reads the values that a statement finds in a table as JSON, each once.
pub(crate) fn distinct<T: DeserializeOwned + PartialEq>(
    tx: &mut dyn Tx,
    (table, sql): (&'static str, &'static str),
    room: &RoomId,
    arguments: &[&dyn Argument],
) -> Result<Vec<T>, StoreError> {
    let mut found: Vec<T> = Vec::new();
    tx.query(sql, &params(room, arguments), &mut |row| {
        let value = Fields { table, key: room.as_str(), row }.optional_json::<T>(0)?;
        found.extend(value.filter(|value| !found.contains(value)));
        Ok(())
    })?;
    Ok(found)
}
