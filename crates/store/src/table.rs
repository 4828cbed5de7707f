//! Tables of parts: each lists its columns once, and every statement about whole rows is made from that list.
//!
//! A table is its row type's [`Table`] implementation, which [`table!`] writes. Reading goes by name: a column is a local
//! variable of that name in the expression that makes the row. Questions that only one table is asked stand beside it, in
//! its file below `tables`.
//!
//! [`save`] is the one way in which rows of parts come into the store: a row that is new is inserted, one that changed is
//! updated, one that is gone is deleted, and each statement must find the store as the rows were loaded from it.

use std::fmt::Display;

use baton_core::{
    event::Recorded,
    ids::RoomId,
    part::{Difference, Part, Rows, Touched},
    room::Room,
};

use crate::{
    StoreError,
    column::{Cells, Params},
    engine::{Changes, Param, Query, Row, Tx},
    fields::collect,
    question::list,
    sql::Shape,
};

/// A part that is kept in a table of its own.
pub trait Table: Part {
    /// The columns.
    #[doc(hidden)]
    const SHAPE: Shape;
    /// Statements about whole rows.
    #[doc(hidden)]
    const STATEMENTS: Statements;

    /// Binds a key.
    #[doc(hidden)]
    fn bind_key(key: &Self::Key, params: &mut Params);
    /// Binds some of a row's columns.
    #[doc(hidden)]
    fn bind(&self, columns: Columns, params: &mut Params);
    /// Reads a row.
    #[doc(hidden)]
    fn read(cells: &mut Cells<'_>) -> Result<Self, StoreError>;
}

/// Groups of columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[doc(hidden)]
pub enum Columns {
    /// Those that move without events, and the fence.
    Moving,
    /// Those that change, and those that move.
    Changing,
    /// Every one.
    All,
}

/// Statements about whole rows of a table. The room is the first parameter, and the key follows.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Statements {
    pub(crate) find: &'static str,
    pub(crate) all: &'static str,
    pub(crate) current: &'static str,
    pub(crate) insert: &'static str,
    pub(crate) update: &'static str,
    pub(crate) shift: &'static str,
    pub(crate) delete: &'static str,
}

/// Makes a row type a [`Table`].
///
/// Each column stands once, with the value that is written for it; `read` makes a row of variables that are called like
/// the columns. `current` is the condition on rows that can still change, where a table keeps others, too.
macro_rules! table {
    (
        $table:literal: $row:ident |$of:ident| {
            key |$key_pattern:pat_param| { $($key:ident = $key_value:expr),* $(,)? }
            once { $($once:ident = $once_value:expr),* $(,)? }
            changes { $($changing:ident = $changing_value:expr),* $(,)? }
            $(moves { $($moving:ident = $moving_value:expr),* $(,)? })?
            $(fence { $($fence:ident = $fence_value:expr),* $(,)? })?
            $(derived_once { $($derived_once:ident = $derived_once_value:expr),* $(,)? })?
            $(derived { $($derived:ident = $derived_value:expr),* $(,)? })?
        }
        $(current $current:literal)?
        read $made:expr
    ) => {
        impl $crate::table::Table for $row {
            const SHAPE: $crate::sql::Shape = $crate::sql::Shape {
                table: $table,
                key: &[$(stringify!($key)),*],
                once: &[$(stringify!($once)),*],
                changes: &[$(stringify!($changing)),*],
                moves: &[$($(stringify!($moving)),*)?],
                fence: &[$($(stringify!($fence)),*)?],
                derived_once: &[$($(stringify!($derived_once)),*)?],
                derived: &[$($(stringify!($derived)),*)?],
            };
            const STATEMENTS: $crate::table::Statements = {
                const SHAPE: &$crate::sql::Shape = &<$row as $crate::table::Table>::SHAPE;
                $crate::table::Statements {
                    find: $crate::sql::text!($crate::sql::find(SHAPE)),
                    all: $crate::sql::text!($crate::sql::list(SHAPE, "")),
                    current: $crate::sql::text!($crate::sql::list(SHAPE, concat!("" $(, " AND ", $current)?))),
                    insert: $crate::sql::text!($crate::sql::insert(SHAPE)),
                    update: $crate::sql::text!($crate::sql::update(SHAPE)),
                    shift: $crate::sql::text!($crate::sql::shift(SHAPE)),
                    delete: $crate::sql::text!($crate::sql::delete(SHAPE)),
                }
            };

            fn bind_key(key: &Self::Key, params: &mut $crate::column::Params) {
                let ($key_pattern, _) = (key, &params);
                $(params.bind($key_value);)*
            }

            fn bind(&self, columns: $crate::table::Columns, params: &mut $crate::column::Params) {
                use $crate::table::Columns;
                let $of = self;
                if columns >= Columns::All {
                    $(params.bind(&$once_value);)*
                    $($(params.bind(&$derived_once_value);)*)?
                }
                if columns >= Columns::Changing {
                    $(params.bind(&$changing_value);)*
                    $($(params.bind(&$derived_value);)*)?
                }
                $($(params.bind(&$moving_value);)*)?
                $(if columns == Columns::Moving {
                    $(params.bind(&$fence_value);)*
                })?
            }

            fn read(cells: &mut $crate::column::Cells<'_>) -> Result<Self, $crate::StoreError> {
                $(let $key = cells.read(stringify!($key))?;)*
                $(let $once = cells.read(stringify!($once))?;)*
                $(let $changing = cells.read(stringify!($changing))?;)*
                $($(let $moving = cells.read(stringify!($moving))?;)*)?
                cells.make(|| Ok($made))
            }
        }
    };
}
pub(crate) use table;

/// Reads a row of any statement that selects the table's columns.
pub(crate) fn read<T: Table>(room: &RoomId, row: &dyn Row) -> Result<T, StoreError> {
    T::read(&mut Cells::new(T::SHAPE.table, room, row))
}

/// The row with a key.
pub fn find<T: Table>(tx: &mut dyn Tx, room: &RoomId, key: &T::Key) -> Result<Option<T>, StoreError> {
    let params = keyed::<T>(room, key);
    Ok(collect(tx, T::STATEMENTS.find, room, &params.list(), read)?.into_iter().next())
}

/// Every row of a room, in no order.
pub fn all<T: Table>(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<T>, StoreError> {
    list(tx, T::STATEMENTS.all, room, &[])
}

/// The rows of a room that can still change, in no order.
pub fn current<T: Table>(tx: &mut dyn Tx, room: &RoomId) -> Result<Vec<T>, StoreError> {
    list(tx, T::STATEMENTS.current, room, &[])
}

fn keyed<T: Table>(room: &RoomId, key: &T::Key) -> Params {
    let mut params = Params::of(room);
    T::bind_key(key, &mut params);
    params
}

/// Stores rows of a room that has none of them yet.
pub fn insert<'a, T: Table + 'a>(
    tx: &mut dyn Tx,
    room: &RoomId,
    rows: impl IntoIterator<Item = &'a T>,
) -> Result<(), StoreError> {
    rows.into_iter().try_for_each(|row| execute(tx, room, Difference::Added(row)))
}

/// Stores what differs from how it is stored.
pub fn save<T: Table>(tx: &mut dyn Tx, room: &RoomId, rows: &mut Rows<T>) -> Result<(), StoreError> {
    rows.differences().try_for_each(|difference| execute(tx, room, difference))?;
    rows.settle();
    Ok(())
}

fn execute<T: Table>(tx: &mut dyn Tx, room: &RoomId, difference: Difference<'_, T>) -> Result<(), StoreError> {
    let statements = T::STATEMENTS;
    let (row, sql, columns) = match difference {
        Difference::Added(row) => (row, statements.insert, Some(Columns::All)),
        Difference::Changed { from, to } if is_moved(from, to) => (to, statements.shift, Some(Columns::Moving)),
        Difference::Changed { to, .. } => (to, statements.update, Some(Columns::Changing)),
        Difference::Removed(row) => (row, statements.delete, None),
    };
    let mut params = keyed::<T>(room, &row.key());
    if let Some(columns) = columns {
        row.bind(columns, &mut params);
    }
    params.check(T::SHAPE.table, room)?;
    tx.execute(sql, &params.list(), Changes::One(T::SHAPE.table))
}

/// Whether a row differs only in what moves without events.
fn is_moved<T: Table>(from: &T, to: &T) -> bool {
    !T::SHAPE.moves.is_empty() && from.clone().without_presence() == to.clone().without_presence()
}

/// A look-up of rows that an event touches and nobody looked for yet.
#[derive(Debug)]
pub struct Lookup {
    sql: &'static str,
    params: Params,
}

/// Rows of one part, whichever it is: whoever has many parts walks them as these.
pub trait AnyRows {
    /// The look-ups that must be made before an event is applied.
    fn missing(&self, room: &Room, event: &Recorded) -> Vec<Lookup>;
    /// Notes a row that a look-up found.
    fn note(&mut self, room: &RoomId, row: &dyn Row) -> Result<(), StoreError>;
    /// Notes that the look-ups for an event found no more.
    fn note_looked(&mut self, room: &Room, event: &Recorded);
    /// Applies an event in a room that is as it was before it.
    fn apply(&mut self, event: &Recorded, before: &Room);
    /// Whether some row is not stored as it is.
    fn is_changed(&self) -> bool;
    /// Stores the rows that are not stored as they are.
    fn save(&mut self, tx: &mut dyn Tx, room: &RoomId) -> Result<(), StoreError>;
    /// Takes the rows for stored as they are.
    fn settle(&mut self);
}

impl<T: Table> AnyRows for Rows<T> {
    fn missing(&self, room: &Room, event: &Recorded) -> Vec<Lookup> {
        let lookup = |sql, params| Lookup { sql, params };
        match T::touched(event, room) {
            Touched::Nothing => Vec::new(),
            Touched::Rows(keys) => {
                let unknown = keys.iter().filter(|key| !self.knows(key));
                unknown.map(|key| lookup(T::STATEMENTS.find, keyed::<T>(&room.id, key))).collect()
            }
            Touched::Current if self.knows_current() => Vec::new(),
            Touched::Current => vec![lookup(T::STATEMENTS.current, Params::of(&room.id))],
        }
    }

    fn note(&mut self, room: &RoomId, row: &dyn Row) -> Result<(), StoreError> {
        Self::note(self, [read(room, row)?]);
        Ok(())
    }

    fn note_looked(&mut self, room: &Room, event: &Recorded) {
        match T::touched(event, room) {
            Touched::Nothing => {}
            Touched::Rows(keys) => keys.into_iter().for_each(|key| self.note_absent(key)),
            Touched::Current => self.note_current(),
        }
    }

    fn apply(&mut self, event: &Recorded, before: &Room) {
        T::apply(self, event, before);
    }

    fn is_changed(&self) -> bool {
        Self::is_changed(self)
    }

    fn save(&mut self, tx: &mut dyn Tx, room: &RoomId) -> Result<(), StoreError> {
        save(tx, room, self)
    }

    fn settle(&mut self) {
        Self::settle(self);
    }
}

/// Loads the rows of some parts that an event touches, all in one go.
pub fn load_touched(
    tx: &mut dyn Tx,
    parts: &mut [&mut dyn AnyRows],
    room: &Room,
    event: &Recorded,
) -> Result<(), StoreError> {
    let lookups: Vec<(usize, Lookup)> = parts
        .iter()
        .enumerate()
        .flat_map(|(part, rows)| rows.missing(room, event).into_iter().map(move |lookup| (part, lookup)))
        .collect();
    if lookups.is_empty() {
        return Ok(());
    }
    let bound: Vec<Vec<Param<'_>>> = lookups.iter().map(|(_, lookup)| lookup.params.list()).collect();
    let queries: Vec<Query<'_>> =
        lookups.iter().zip(&bound).map(|((_, lookup), params)| Query::new(lookup.sql, params)).collect();
    tx.query_all(&queries, &mut |which, row| parts[lookups[which].0].note(&room.id, row))?;
    let mut looked: Vec<usize> = lookups.iter().map(|(part, _)| *part).collect();
    looked.dedup();
    looked.into_iter().for_each(|part| parts[part].note_looked(room, event));
    Ok(())
}

/// A row that cannot be read: which, and why.
pub(crate) fn unreadable(table: &'static str, room: &RoomId, detail: impl Display) -> StoreError {
    StoreError::BadRow { table, key: room.as_str().to_owned(), detail: detail.to_string() }
}
