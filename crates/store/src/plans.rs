//! What is asked all the time must not read a room's whole past: SQLite looks it up in an index that fits.

use rusqlite::{Connection, params_from_iter};

use crate::{inbox, schema::MIGRATIONS, scopes, tasks};

/// How SQLite looks for the answer, and in which order it gets it.
fn plan(connection: &Connection, sql: &str) -> String {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let params = params_from_iter(std::iter::repeat_n("x", explained.parameter_count()));
    let steps = explained.query_map(params, |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

#[test]
fn what_is_current_is_found_without_reading_what_is_over() {
    let connection = Connection::open_in_memory().unwrap();
    for migration in MIGRATIONS {
        connection.execute_batch(migration.sqlite).unwrap();
    }
    let cases = [
        (scopes::IN_FORCE, "scopes_in_force (room_id=?)"),
        (scopes::EXPIRED_OF, "scopes_expired (room_id=? AND owner=?)"),
        (inbox::PENDING, "inbox_pending (room_id=? AND recipient=? AND message>?)"),
        (inbox::WAITING, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::SHARED, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::OF_MESSAGE, "inbox_by_message (room_id=? AND message=?)"),
        (tasks::FIND, "(room_id=? AND number=?)"),
        (tasks::IN_STATE, "tasks_by_state (room_id=? AND state=? AND number<?)"),
        (tasks::IN_PROGRESS_OF, "tasks_by_assignee (room_id=? AND assignee=? AND state=?)"),
    ];
    for (sql, index) in cases {
        let plan = plan(&connection, sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
    }
}
