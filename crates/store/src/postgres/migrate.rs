//! Bringing a database up to date, as the embedded engine does it: numbered steps, once, however many start.

use tokio_postgres::Row;

use super::{
    link::Link,
    pipeline::{self, Failed, Step},
    silence::Silence,
    statement::{Sql, Value},
};
use crate::{
    StoreError,
    schema::{MIGRATIONS, SCHEMA_VERSION},
};

/// What is there: our schema, something in it, and our mark; and in which letters it is written.
const LOOK: &str = "
    SELECT (SELECT count(*) FROM pg_class WHERE relnamespace = to_regnamespace('baton')),
           (SELECT count(*) FROM pg_class WHERE oid = to_regclass('baton.schema_version')),
           current_setting('server_encoding')
";

const VERSION: &str = "SELECT version FROM baton.schema_version";

/// One at a time, and patiently: the first start makes what the others will find.
const BEGIN: &str = "
    BEGIN;
    SET LOCAL lock_timeout = '10s';
    SET LOCAL statement_timeout = '12s';
    SELECT pg_advisory_xact_lock(hashtextextended('baton schema', 0));
";

/// A schema that is there, and empty, was made for us by somebody who may: we need not be allowed to.
const CREATE: &str = "
    DO $$ BEGIN
        IF to_regnamespace('baton') IS NULL THEN
            CREATE SCHEMA baton;
        END IF;
    END $$;
    CREATE TABLE baton.schema_version (version BIGINT NOT NULL);
    INSERT INTO baton.schema_version VALUES (0);
";

const RECORD: &str = "UPDATE baton.schema_version SET version = ?1";

/// Brings the schema up to date, if it is ours and older than this program.
pub(super) fn run(link: &mut Link, place: &str) -> Result<(), StoreError> {
    let found = version(link, place)?;
    if found.is_none_or(|version| version < SCHEMA_VERSION) {
        let silence = std::mem::replace(&mut link.silence, Silence::patient());
        apply(link, place).inspect_err(|_| pipeline::post(link, "ROLLBACK"))?;
        link.silence = silence;
    }
    Ok(())
}

/// The schema that is there, if there is one and it is ours.
pub(super) fn version(link: &mut Link, place: &str) -> Result<Option<i64>, StoreError> {
    let looked = ask(link, LOOK, place)?;
    let encoding = looked.as_ref().and_then(|row| row.try_get::<_, String>(2).ok()).unwrap_or_default();
    if encoding != "UTF8" {
        let detail = format!("its encoding is {encoding}; create it with ENCODING 'UTF8'");
        return Err(StoreError::Unavailable { place: place.to_owned(), detail });
    }
    let count = |column| looked.as_ref().and_then(|row| row.try_get::<_, i64>(column).ok()).unwrap_or_default();
    match (count(0), count(1)) {
        (0, _) => Ok(None),
        (_, 0) => {
            let detail = "its schema \"baton\" belongs to another program".to_owned();
            Err(StoreError::Corrupt { place: place.to_owned(), detail })
        }
        _ => Ok(ask(link, VERSION, place)?.and_then(|row| row.try_get(0).ok())),
    }
}

fn apply(link: &mut Link, place: &str) -> Result<(), StoreError> {
    let wrong = |Failed { trouble, .. }: Failed| explain(trouble.at(place));
    pipeline::run(link, &[Step::Text(BEGIN)]).map_err(wrong)?;
    // Looked at again under the lock: another start may have done it.
    let found = version(link, place)?;
    let mut steps = Vec::new();
    if found.is_none() {
        steps.push(Step::Text(CREATE));
    }
    let done = found.unwrap_or(0).max(0) as usize;
    steps.extend(MIGRATIONS.iter().skip(done).map(|migration| Step::Text(migration.postgres)));
    // One at a time: each step has the whole time that the server may take.
    for step in steps {
        pipeline::run(link, &[step]).map_err(wrong)?;
    }
    if done < MIGRATIONS.len() {
        let record = Step::Run { sql: Sql::plain(RECORD), values: vec![Value::Int(SCHEMA_VERSION)] };
        pipeline::run(link, &[record]).map_err(wrong)?;
    }
    pipeline::run(link, &[Step::Text("COMMIT")]).map_err(wrong)?;
    Ok(())
}

fn explain(error: StoreError) -> StoreError {
    match error {
        StoreError::Denied { place, detail } => {
            let detail = format!("{detail}; have somebody who may create schemas run `baton store migrate` there");
            StoreError::Denied { place, detail }
        }
        other => other,
    }
}

fn ask(link: &mut Link, sql: &'static str, place: &str) -> Result<Option<Row>, StoreError> {
    let steps = [Step::Run { sql: Sql::plain(sql), values: Vec::new() }];
    let rows = pipeline::run(link, &steps).map_err(|Failed { trouble, .. }: Failed| trouble.at(place))?;
    Ok(rows.into_iter().flatten().next())
}
