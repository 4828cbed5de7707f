//! What became of a commit whose answer was lost.
//!
//! Every connection has a name, and each change that others can see is numbered under it, in the same transaction.
//! While the transaction lasts it also holds a lock of that name, which it had before it was asked to commit. So
//! whoever takes the lock afterwards knows that it is over, and the number tells how it ended.

use tokio_postgres::Row;

use super::{
    failure::Trouble,
    link::Link,
    pipeline::{self, Failed, Step},
    statement::{Sql, Value},
};

/// Under which name a connection commits, and how often it has.
#[derive(Clone, Debug)]
pub(super) struct Writer {
    pub(super) id: String,
    pub(super) number: i64,
}

impl Writer {
    pub(super) fn new() -> Result<Self, String> {
        let mut bytes = [0; 16];
        getrandom::fill(&mut bytes).map_err(|error| format!("there are no random numbers: {error}"))?;
        let id = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(Self { id, number: 0 })
    }

    /// Numbers the next change.
    pub(super) fn mark(&mut self) -> Step {
        self.number += 1;
        Step::Run { sql: Sql::plain(MARK), values: vec![Value::Text(self.id.clone()), Value::Int(self.number)] }
    }

    /// What is done after the first change of a connection, and need not be waited for.
    pub(super) fn tidy(&self) -> Option<Step> {
        (self.number == 1).then_some(Step::Text(FORGET))
    }
}

const MARK: &str = "
    INSERT INTO writers (writer_id, write_number, written_at)
    VALUES (?1, ?2, now())
        ON CONFLICT (writer_id) DO UPDATE
       SET write_number = excluded.write_number, written_at = excluded.written_at
";

/// Forgets connections that nobody will ask about again.
const FORGET: &str = "DELETE FROM writers WHERE written_at < now() - interval '1 day'";

/// Ends whatever still runs on the lost connection. It may be waiting for us without knowing that we are gone.
const END: &str = "
    SELECT count(pg_terminate_backend(pid))
      FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(?1, 0)
       AND pid <> pg_backend_pid()
";

/// Waits until it is over.
const WAIT: &str = "SELECT 1 FROM pg_advisory_xact_lock(hashtextextended(?1, 0))";

/// It locks, because a standby cannot: one that lags behind must not be believed.
const LAST: &str = "
    SELECT write_number
      FROM writers
     WHERE writer_id = ?1
       FOR UPDATE
";

/// Holds the name of a connection for as long as the session lasts, so that it can be ended by that name.
const SIGN: &str = "SELECT 1 FROM pg_advisory_lock(hashtextextended(?1, 0))";

/// Has a session that is kept for long carry its connection's name.
pub(super) fn sign(link: &mut Link) -> Result<(), Trouble> {
    let id = link.writer.id.clone();
    pipeline::run(link, &[about(SIGN, &id)]).map(|_| ()).map_err(|Failed { trouble, .. }| trouble)
}

/// Ends the session that carries the name of a connection which was lost, if the server still has it.
pub(super) fn end(link: &mut Link, lost: &Writer) -> Result<(), Trouble> {
    pipeline::run(link, &[about(END, &lost.id)]).map(|_| ()).map_err(|Failed { trouble, .. }| trouble)
}

fn about(sql: &'static str, id: &str) -> Step {
    Step::Run { sql: Sql::plain(sql), values: vec![Value::Text(id.to_owned())] }
}

/// Whether the change that `lost` numbered last was committed. Asked on another connection.
pub(super) fn was_committed(link: &mut Link, lost: &Writer) -> Result<bool, Trouble> {
    let ask = |sql| about(sql, &lost.id);
    let steps = [Step::Text("BEGIN"), ask(END), ask(WAIT), ask(LAST), Step::Text("COMMIT")];
    let rows = pipeline::run(link, &steps).map_err(|Failed { trouble, .. }| trouble)?;
    let last = rows[3].first().map(|row: &Row| row.try_get::<_, i64>(0)).transpose().map_err(Trouble::Server)?;
    Ok(last == Some(lost.number))
}
