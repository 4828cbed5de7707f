//! What is asked all the time must not read a room's whole past: SQLite looks it up in an index that fits.

use rusqlite::{Connection, params_from_iter};

use crate::{inbox, jobs, log, runners, schema::MIGRATIONS, scopes, tasks};

/// How SQLite looks for the answer, and in which order it gets it.
fn plan(connection: &Connection, sql: &str) -> String {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let params = params_from_iter(std::iter::repeat_n("x", explained.parameter_count()));
    let steps = explained.query_map(params, |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

fn migrated() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for migration in MIGRATIONS {
        connection.execute_batch(migration.sqlite).unwrap();
    }
    connection
}

#[test]
fn what_is_current_is_found_without_reading_what_is_over() {
    let connection = migrated();
    let cases = [
        (scopes::IN_FORCE, "scopes_in_force (room_id=?)"),
        (scopes::EXPIRED_OF, "scopes_expired (room_id=? AND owner=?)"),
        (inbox::PENDING, "inbox_pending (room_id=? AND recipient=? AND message>?)"),
        (inbox::WAITING, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::SHARED, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::OF_MESSAGE, "inbox_by_message (room_id=? AND message=?)"),
        (tasks::FIND, "(room_id=? AND number=?)"),
        (tasks::IN_STATE, "tasks_by_state (room_id=? AND state=? AND number<?)"),
        (jobs::FIND, "(room_id=? AND number=?)"),
        (jobs::LAST, "(room_id=?)"),
        (jobs::QUEUED_BELOW, "jobs_queue (room_id=? AND executor=? AND priority<?)"),
        (jobs::QUEUED_BEHIND, "jobs_queue (room_id=? AND executor=? AND priority=? AND number>?)"),
        (jobs::OVERDUE, "jobs_running (room_id=? AND claim_expires_at_ms>? AND claim_expires_at_ms<?)"),
        (jobs::NEXT_EXPIRY, "jobs_running (room_id=? AND claim_expires_at_ms>?)"),
        (jobs::PRESSING, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::STALE, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
        (jobs::CALM, "jobs_by_status (room_id=? AND status=?)"),
        (jobs::IN_STATUS, "jobs_by_status (room_id=? AND status=? AND last_seq<?)"),
        (jobs::ANY_QUEUED, "jobs_by_status (room_id=? AND status=?)"),
        (jobs::LOADS, "(room_id=? AND status=?)"),
        (jobs::NEWEST, "(room_id=? AND number<?)"),
        (jobs::OF_TASK, "jobs_by_task (room_id=? AND task=? AND number<?)"),
        (jobs::OF_ANCHOR, "jobs_by_anchor (room_id=? AND anchor=? AND number<?)"),
        (runners::FIND, "(room_id=? AND runner=?)"),
        (runners::PRESENT, "runners_by_lease (room_id=? AND lease_expires_at_ms>?)"),
        (runners::OFFLINE, "runners_by_lease (room_id=? AND lease_expires_at_ms>? AND lease_expires_at_ms<?)"),
        (runners::TALLY, "runners_by_lease (room_id=? AND lease_expires_at_ms>?)"),
        (log::OF_JOB_BEFORE, "log_by_job (room_id=? AND job=? AND seq<?)"),
        (log::OF_JOB_AFTER, "log_by_job (room_id=? AND job=? AND seq>?)"),
        (tasks::IN_PROGRESS_OF, "tasks_by_assignee (room_id=? AND assignee=? AND state=?)"),
    ];
    for (sql, index) in cases {
        let plan = plan(&connection, sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
    }
}

#[test]
fn lines_and_pages_come_out_of_their_index_in_order() {
    let connection = migrated();
    let cases = [
        jobs::QUEUED_BELOW,
        jobs::QUEUED_BEHIND,
        jobs::PRESSING,
        jobs::STALE,
        jobs::CALM,
        jobs::IN_STATUS,
        jobs::NEWEST,
        jobs::OF_TASK,
        jobs::OF_ANCHOR,
        log::BEFORE,
        log::AFTER,
        log::OF_JOB_BEFORE,
        log::OF_JOB_AFTER,
    ];
    for sql in cases {
        let plan = plan(&connection, sql);
        assert!(!plan.contains("TEMP B-TREE") && !plan.contains("SCAN"), "{sql}\n{plan}");
    }
}
