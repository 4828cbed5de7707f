//! Statements that are put together from a list of columns when the crate is compiled.
//!
//! The engines know a statement by its address and keep it prepared, so a statement must be one `&'static str`; and a
//! list of columns that stands in one place must reach every statement that names it. Hence constant functions.

/// A table's columns, beside `room_id`, which every table begins with.
#[derive(Clone, Copy, Debug)]
#[doc(hidden)]
pub struct Shape {
    /// The table's name.
    pub(crate) table: &'static str,
    /// Tell the rows of a room apart.
    pub(crate) key: &'static [&'static str],
    /// Are written when a row is added, and never again: an index of theirs costs an update nothing.
    pub(crate) once: &'static [&'static str],
    /// Change with events.
    pub(crate) changes: &'static [&'static str],
    /// Move without events, too.
    pub(crate) moves: &'static [&'static str],
    /// Must be stored as in the row for it to move: a lease is not renewed for whom it has passed from.
    pub(crate) fence: &'static [&'static str],
    /// Written like `once`, for indexes only: they say again what another column says.
    pub(crate) derived_once: &'static [&'static str],
    /// Written like `changes`, for indexes only.
    pub(crate) derived: &'static [&'static str],
}

impl Shape {
    /// A table of which only questions are made.
    pub(crate) const fn of(table: &'static str, columns: &'static [&'static str]) -> Self {
        Self { table, key: columns, once: &[], changes: &[], moves: &[], fence: &[], derived_once: &[], derived: &[] }
    }
}

/// The longest statement, with room to spare.
const LONGEST: usize = 4_096;

/// A statement that is being put together.
pub(crate) struct Sql {
    bytes: [u8; LONGEST],
    len: usize,
    /// Parameters so far.
    params: usize,
}

impl Sql {
    const fn new() -> Self {
        Self { bytes: [0; LONGEST], len: 0, params: 0 }
    }

    const fn text(mut self, text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            self.bytes[self.len] = bytes[at];
            self.len += 1;
            at += 1;
        }
        self
    }

    /// The next parameter: `?1`, `?2` …
    const fn param(mut self) -> Self {
        self.params += 1;
        let digits = [b'0' + (self.params / 10) as u8, b'0' + (self.params % 10) as u8];
        self = self.text("?");
        let mut at = if self.params < 10 { 1 } else { 0 };
        while at < digits.len() {
            self.bytes[self.len] = digits[at];
            self.len += 1;
            at += 1;
        }
        self
    }

    /// Columns, each with a comma before it.
    const fn columns(mut self, columns: &[&str]) -> Self {
        let mut at = 0;
        while at < columns.len() {
            self = self.text(", ").text(columns[at]);
            at += 1;
        }
        self
    }

    /// A parameter for each column, with a comma before it.
    const fn values(mut self, columns: &[&str]) -> Self {
        let mut at = 0;
        while at < columns.len() {
            self = self.text(", ").param();
            at += 1;
        }
        self
    }

    /// A condition on each column.
    const fn and(mut self, columns: &[&str]) -> Self {
        let mut at = 0;
        while at < columns.len() {
            self = self.text(" AND ").text(columns[at]).text(" = ").param();
            at += 1;
        }
        self
    }

    /// An assignment for each column. The table's key has the first parameters, and stands behind them.
    const fn set(mut self, columns: &[&str], mut word: &'static str) -> (Self, &'static str) {
        let mut at = 0;
        while at < columns.len() {
            self = self.text(word).text(columns[at]).text(" = ").param();
            word = ", ";
            at += 1;
        }
        (self, word)
    }

    const fn skip(mut self, params: usize) -> Self {
        self.params += params;
        self
    }

    /// Begins to count parameters anew.
    const fn recount(mut self) -> Self {
        self.params = 0;
        self
    }

    pub(crate) const fn len(&self) -> usize {
        self.len
    }

    /// The bytes of the statement, and none more: it is part of the program.
    pub(crate) const fn exact<const LEN: usize>(&self) -> [u8; LEN] {
        let mut exact = [0; LEN];
        let mut at = 0;
        while at < LEN {
            exact[at] = self.bytes[at];
            at += 1;
        }
        exact
    }
}

/// Reads the rows that `which` names: a condition, an order, a limit.
pub(crate) const fn rows(shape: &Shape, which: &str) -> Sql {
    let groups = [shape.key, shape.once, shape.changes, shape.moves];
    let (mut sql, mut word, mut group) = (Sql::new(), "SELECT ", 0);
    while group < groups.len() {
        let mut at = 0;
        while at < groups[group].len() {
            sql = sql.text(word).text(groups[group][at]);
            word = ", ";
            at += 1;
        }
        group += 1;
    }
    sql.text(" FROM ").text(shape.table).text(" ").text(which)
}

/// Reads the row with a key: the room, then the key.
pub(crate) const fn find(shape: &Shape) -> Sql {
    rows(shape, "WHERE room_id = ").param().and(shape.key)
}

/// Reads the rows of a room that `which` names, in the order of their keys.
pub(crate) const fn list(shape: &Shape, which: &str) -> Sql {
    rows(shape, "WHERE room_id = ").param().text(which)
}

/// Adds a row.
pub(crate) const fn insert(shape: &Shape) -> Sql {
    let sql = Sql::new().text("INSERT INTO ").text(shape.table).text(" (room_id").columns(shape.key);
    let sql = sql.columns(shape.once).columns(shape.derived_once).columns(shape.changes).columns(shape.derived);
    let sql = sql.columns(shape.moves).text(") VALUES (").param().values(shape.key).values(shape.once);
    sql.values(shape.derived_once).values(shape.changes).values(shape.derived).values(shape.moves).text(")")
}

/// Changes the row with a key.
pub(crate) const fn update(shape: &Shape) -> Sql {
    let sql = Sql::new().text("UPDATE ").text(shape.table).skip(1 + shape.key.len());
    let (sql, word) = sql.set(shape.changes, " SET ");
    let (sql, word) = sql.set(shape.derived, word);
    let (sql, _) = sql.set(shape.moves, word);
    sql.recount().text(" WHERE room_id = ").param().and(shape.key)
}

/// Moves the row with a key: as much as moves without events.
pub(crate) const fn shift(shape: &Shape) -> Sql {
    let sql = Sql::new().text("UPDATE ").text(shape.table).skip(1 + shape.key.len());
    let (sql, _) = sql.set(shape.moves, " SET ");
    let sql = sql.recount().text(" WHERE room_id = ").param().and(shape.key);
    sql.skip(shape.moves.len()).and(shape.fence)
}

/// Removes the row with a key.
pub(crate) const fn delete(shape: &Shape) -> Sql {
    Sql::new().text("DELETE FROM ").text(shape.table).text(" WHERE room_id = ").param().and(shape.key)
}

/// A statement as the engines take it.
macro_rules! text {
    ($sql:expr) => {{
        const SQL: &$crate::sql::Sql = &$sql;
        const LEN: usize = SQL.len();
        const TEXT: &[u8; LEN] = &SQL.exact();
        match std::str::from_utf8(TEXT) {
            Ok(text) => text,
            Err(_) => panic!("statements are put together from text"),
        }
    }};
}
pub(crate) use text;

/// Reads the rows of a type that a condition, an order and a limit name.
macro_rules! select {
    ($row:ty, $which:expr) => {
        $crate::sql::text!($crate::sql::rows(&<$row as $crate::question::Answer>::SHAPE, $which))
    };
}
pub(crate) use select;

/// Reads a page of a table's rows before one in the order of a column, newest first, perhaps of those that a condition
/// names. The room, the end and the limit are the first parameters.
macro_rules! newest {
    ($row:ty, $column:literal $(, $condition:literal)?) => {
        $crate::sql::select!(
            $row,
            concat!(
                "WHERE room_id = ?1 AND ", $column, " < ?2", $(" AND ", $condition,)?
                " ORDER BY ", $column, " DESC LIMIT ?3",
            )
        )
    };
}
pub(crate) use newest;

#[cfg(test)]
mod tests {
    use super::*;

    const SHAPE: Shape = Shape {
        table: "things",
        key: &["number", "agent"],
        once: &["title"],
        changes: &["state", "owner"],
        moves: &["seen_ms"],
        fence: &["owner"],
        derived_once: &["sort"],
        derived: &["rank"],
    };

    #[test]
    fn every_statement_is_made_of_one_list_of_columns() {
        let told = [
            text!(find(&SHAPE)),
            text!(list(&SHAPE, " AND state = 'open' ORDER BY number")),
            text!(insert(&SHAPE)),
            text!(update(&SHAPE)),
            text!(shift(&SHAPE)),
            text!(delete(&SHAPE)),
        ];
        insta::assert_snapshot!(told.join("\n"), @r"
        SELECT number, agent, title, state, owner, seen_ms FROM things WHERE room_id = ?1 AND number = ?2 AND agent = ?3
        SELECT number, agent, title, state, owner, seen_ms FROM things WHERE room_id = ?1 AND state = 'open' ORDER BY number
        INSERT INTO things (room_id, number, agent, title, sort, state, owner, rank, seen_ms) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
        UPDATE things SET state = ?4, owner = ?5, rank = ?6, seen_ms = ?7 WHERE room_id = ?1 AND number = ?2 AND agent = ?3
        UPDATE things SET seen_ms = ?4 WHERE room_id = ?1 AND number = ?2 AND agent = ?3 AND owner = ?5
        DELETE FROM things WHERE room_id = ?1 AND number = ?2 AND agent = ?3
        ");
    }
}
