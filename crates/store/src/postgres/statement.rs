//! The store's SQL in Postgres' words, and the values that go with it.

use std::{
    error::Error,
    hash::{Hash, Hasher},
};

use tokio_postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};

use crate::engine::Param;

/// A statement of ours, and what it is made into. It is told from others by where its text is, which is cheaper than
/// by what it says; two of the same words would only be prepared twice.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sql {
    text: &'static str,
    form: Form,
}

impl PartialEq for Sql {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.text, other.text) && self.form == other.form
    }
}

impl Eq for Sql {}

impl Hash for Sql {
    fn hash<H: Hasher>(&self, state: &mut H) {
        (self.text.as_ptr(), self.form).hash(state);
    }
}

/// How a statement is used here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Form {
    /// As it is.
    Plain,
    /// Keeping others off the rows that it finds.
    Locking,
    /// Failing unless it changes a row, so that the statements sent after it, the commit among them, fail too.
    ChangingOne,
}

impl Sql {
    pub(super) const fn new(text: &'static str, form: Form) -> Self {
        Self { text, form }
    }

    pub(super) const fn plain(text: &'static str) -> Self {
        Self::new(text, Form::Plain)
    }

    /// What the server is told.
    pub(super) fn in_postgres(self) -> String {
        let text = self.text.replace('?', "$");
        match self.form {
            Form::Plain => text,
            Form::Locking => format!("{text} FOR UPDATE"),
            Form::ChangingOne => format!("WITH changed AS ({text} RETURNING 1) SELECT 1 / count(*) FROM changed"),
        }
    }
}

/// A value on its way to the server.
#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Int(i64),
    Text(String),
}

impl From<&Param<'_>> for Value {
    fn from(param: &Param<'_>) -> Self {
        match param {
            Param::Null => Self::Null,
            Param::Int(int) => Self::Int(*int),
            Param::Text(text) => Self::Text((*text).to_owned()),
        }
    }
}

impl ToSql for Value {
    fn to_sql(&self, kind: &Type, out: &mut BytesMut) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Int(int) => int.to_sql(kind, out),
            Self::Text(text) => text.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        *kind == Type::INT8 || *kind == Type::TEXT
    }

    to_sql_checked!();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_statement_is_the_same_text_with_what_its_use_adds() {
        let read = Sql::plain("SELECT a FROM t WHERE b = ?1 AND c = ?12");
        assert_eq!(read.in_postgres(), "SELECT a FROM t WHERE b = $1 AND c = $12");
        let lock = Sql::new("SELECT a FROM t WHERE b = ?1", Form::Locking);
        assert_eq!(lock.in_postgres(), "SELECT a FROM t WHERE b = $1 FOR UPDATE");
        let change = Sql::new("UPDATE t SET a = ?1", Form::ChangingOne);
        assert_eq!(
            change.in_postgres(),
            "WITH changed AS (UPDATE t SET a = $1 RETURNING 1) SELECT 1 / count(*) FROM changed"
        );
    }
}
