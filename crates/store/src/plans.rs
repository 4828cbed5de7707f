//! What is asked all the time must not read a room's whole past: SQLite looks it up in an index that fits.

use baton_core::{
    bus::Conversation,
    envelope::{Edge, Posted},
    job::Job,
    library::{Anchor, Artifact, Card, Plan},
    runner::Runner,
    scope::Reservation,
    task::{Focus, Task},
    turn::Turn,
};
use rusqlite::{Connection, params_from_iter};

use crate::{
    bus, envelopes, inbox, incursions, jobs, library, log, presence, references, runners, schema::MIGRATIONS, scopes,
    search, spawns, table::Table, tasks, turns, waits,
};

fn database() -> Connection {
    let connection = Connection::open_in_memory().unwrap();
    for migration in MIGRATIONS {
        connection.execute_batch(migration.sqlite).unwrap();
    }
    connection
}

/// How SQLite looks for the answer, and in which order it gets it.
fn plan(connection: &Connection, sql: &str) -> String {
    let mut explained = connection.prepare(&format!("EXPLAIN QUERY PLAN {sql}")).unwrap();
    let params = params_from_iter(std::iter::repeat_n("x", explained.parameter_count()));
    let steps = explained.query_map(params, |row| row.get::<_, String>(3)).unwrap();
    steps.collect::<Result<Vec<_>, _>>().unwrap().join("; ")
}

/// Reads the row with a key.
fn find<T: Table>() -> &'static str {
    T::STATEMENTS.find
}

/// Reads the rows that can still change.
fn current<T: Table>() -> &'static str {
    T::STATEMENTS.current
}

/// Fails unless each statement is one search in the index that is named with it.
fn each_is_found_in(cases: &[(&str, &str)]) -> Vec<String> {
    let connection = database();
    let mut plans = Vec::new();
    for (sql, index) in cases {
        let plan = plan(&connection, sql);
        assert!(plan.contains(index), "{sql}\n{plan}");
        plans.push(format!("{sql}\n{plan}"));
    }
    plans
}

/// The same, and that the index has the order that is wanted.
fn each_is_found_in_order(cases: &[(&str, &str)]) {
    for plan in each_is_found_in(cases) {
        assert!(!plan.contains("TEMP B-TREE"), "{plan}");
    }
}

#[test]
fn what_is_current_is_found_without_reading_what_is_over() {
    each_is_found_in(&[
        (jobs::PRESSING_IN, "jobs_attention (room_id=? AND attention>?)"),
        (scopes::IN_FORCE, "scopes_in_force (room_id=?)"),
        (current::<Reservation>(), "scopes_in_force (room_id=?)"),
        (scopes::EXPIRED_OF, "scopes_expired (room_id=? AND owner=?)"),
        (inbox::PENDING, "inbox_pending (room_id=? AND recipient=? AND message>?)"),
        (inbox::WAITING, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::SHARED, "inbox_pending (room_id=? AND recipient=?)"),
        (inbox::OF_MESSAGE, "inbox_by_message (room_id=? AND message=?)"),
        (incursions::AT, "incursions_by_event (room_id=?)"),
        (find::<Task>(), "(room_id=? AND number=?)"),
        (tasks::IN_STATE, "tasks_by_state (room_id=? AND state=? AND number<?)"),
        (tasks::IN_PROGRESS_OF, "tasks_by_assignee (room_id=? AND assignee=? AND state=?)"),
        (find::<Focus>(), "(room_id=? AND agent=?)"),
        // Counted by runner in any order: what runs is never much.
        (jobs::LOADS, "jobs_by_status (room_id=? AND status=?)"),
    ]);
}

#[test]
fn a_queue_a_radar_and_a_listing_of_jobs_are_read_in_the_order_of_an_index() {
    each_is_found_in_order(&[
        (find::<Job>(), "(room_id=? AND number=?)"),
        (jobs::LAST, "(room_id=?)"),
        (jobs::QUEUED_FOR, "jobs_queue (room_id=? AND executor=? AND (priority,number)>(?,?))"),
        (jobs::OVERDUE, "jobs_running (room_id=? AND (claim_expires_at_ms,number)>(?,?) AND claim_expires_at_ms<?)"),
        (jobs::PRESSING, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::STALE, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
        (jobs::CALM, "jobs_by_status (room_id=? AND status=?)"),
        (jobs::IN_STATUS, "jobs_by_status (room_id=? AND status=? AND last_seq<?)"),
        (jobs::NEWEST, "(room_id=? AND number<?)"),
        (jobs::OLDEST, "(room_id=? AND number>?)"),
        (jobs::OLDEST_IN_STATUS, "jobs_by_status (room_id=? AND status=? AND last_seq>?)"),
        (jobs::WITH_ERROR, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::WITH_QUESTION, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::WITHOUT_PROOF, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::RUN_OUT, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
        (jobs::COUNT_IN_STATUS, "COVERING INDEX jobs_by_status (room_id=? AND status=?)"),
        (jobs::COUNT_WITH_ERROR, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::COUNT_WITH_QUESTION, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::COUNT_WITHOUT_PROOF, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::COUNT_RUN_OUT, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
        (jobs::OF_TASK, "jobs_by_task (room_id=? AND task=? AND number<?)"),
        (jobs::OF_ANCHOR, "jobs_by_anchor (room_id=? AND anchor=? AND number<?)"),
        (jobs::ANY_QUEUED, "jobs_queue (room_id=?)"),
        (jobs::NEXT_EXPIRY, "jobs_running (room_id=? AND claim_expires_at_ms>?)"),
        (jobs::PROCESSES, "jobs_running (room_id=? AND claim_expires_at_ms>?)"),
        (jobs::ANY_OVERDUE, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
    ]);
}

#[test]
fn what_waits_for_a_person_is_read_in_the_order_of_an_index() {
    each_is_found_in_order(&[
        (jobs::PRESSING, "jobs_attention (room_id=? AND attention>?)"),
        (jobs::STALE, "jobs_running (room_id=? AND claim_expires_at_ms<?)"),
        (jobs::IN_STATUS, "jobs_by_status (room_id=? AND status=? AND last_seq<?)"),
        (spawns::PENDING, "approvals_pending (room_id=? AND status=?)"),
        (inbox::TO_ACCEPT, "inbox_pending (room_id=? AND recipient>? AND recipient<?)"),
        (envelopes::OWED_WITHIN, "envelopes_owed (room_id=? AND expectation=? AND answered_by=?)"),
        (incursions::SINCE, "incursions_by_time (room_id=? AND last_at_ms>?)"),
        (incursions::FIND, "(room_id=? AND reservation=? AND collision=?)"),
        (incursions::TOLD, "incursions_by_event (room_id=? AND seq>? AND seq<?)"),
    ]);
}

#[test]
fn runners_are_read_by_when_they_were_last_there() {
    each_is_found_in_order(&[
        (find::<Runner>(), "(room_id=? AND runner=?)"),
        (runners::PRESENT, "runners_by_lease (room_id=? AND lease_expires_at_ms>?)"),
        (runners::OFFLINE, "runners_by_lease (room_id=? AND lease_expires_at_ms>? AND lease_expires_at_ms<?)"),
        (runners::PROCESSES, "runners_by_lease (room_id=? AND lease_expires_at_ms>?)"),
        (runners::TALLY, "runners_by_lease (room_id=? AND lease_expires_at_ms>?)"),
    ]);
}

#[test]
fn a_library_is_read_by_what_its_things_belong_to() {
    each_is_found_in_order(&[
        (find::<Card>(), "(room_id=? AND number=?)"),
        (library::CARDS_ALL, "(room_id=? AND number<?)"),
        (library::CARDS_PINNED, "cards_pinned (room_id=? AND number<?)"),
        (library::CARDS_OF_TASK, "cards_by_task (room_id=? AND task=? AND number<?)"),
        (library::CARDS_OF_ANCHOR, "cards_by_anchor (room_id=? AND anchor=? AND number<?)"),
        (library::CARDS_OF_JOB, "cards_by_job (room_id=? AND job=? AND number<?)"),
        (find::<Anchor>(), "(room_id=? AND anchor=?)"),
        (library::ANCHORS_AFTER, "(room_id=? AND anchor>?)"),
        (find::<Plan>(), "(room_id=? AND number=?)"),
        (library::PLANS, "(room_id=? AND number<?)"),
        (find::<Artifact>(), "(room_id=? AND number=?)"),
        (library::ARTIFACTS_OF_JOB, "artifacts_by_job (room_id=? AND job=? AND number<?)"),
        (library::ARTIFACTS_OF_TURN, "artifacts_of_turn (room_id=? AND turn=?)"),
        (library::ARTIFACTS_OF_TURN_BEFORE, "artifacts_of_turn (room_id=? AND turn=? AND number<?)"),
        (library::ARTIFACTS_BEFORE, "(room_id=? AND number<?)"),
        (library::ANY_ARTIFACT_BEFORE, "(room_id=?)"),
        (library::NAMED, "artifacts_by_hash (sha256=?)"),
        (library::NAMING, "artifacts_by_hash (sha256=?)"),
        (library::FIND_PACK, "artifacts_by_name (room_id=? AND name=?)"),
        (library::LAST_CARD, "(room_id=?)"),
        (library::LAST_PLAN, "(room_id=?)"),
        (library::LAST_ARTIFACT, "(room_id=?)"),
    ]);
}

#[test]
fn a_jobs_thread_is_read_without_reading_the_rooms_log() {
    each_is_found_in_order(&[
        (log::FIND, "(room_id=? AND seq=?)"),
        (log::BEFORE, "(room_id=? AND seq<?)"),
        (log::AFTER, "(room_id=? AND seq>?)"),
        (log::OF_JOB_BEFORE, "log_by_job (room_id=? AND job>? AND (job,seq)<(?,?))"),
        (log::WORDS_OF_JOB_BEFORE, "log_by_job (room_id=? AND job>? AND (job,seq)<(?,?))"),
        (log::CLAIMS_OF_JOB_BEFORE, "log_by_job (room_id=? AND job>? AND (job,seq)<(?,?))"),
        (log::OF_JOB_AFTER, "log_by_job (room_id=? AND (job,seq)>(?,?) AND job<?)"),
        (log::FIRST_CLAIM, "log_by_job (room_id=? AND (job,seq)>(?,?) AND job<?)"),
        (log::OF_ACTOR, "(room_id=? AND seq>?)"),
    ]);
}

#[test]
fn a_reference_is_looked_up_by_its_key() {
    each_is_found_in_order(&[
        (references::JOB, "(room_id=? AND number=?)"),
        (references::JOB_EVENT, "(room_id=? AND seq=?)"),
        (references::TASK, "(room_id=? AND number=?)"),
        (references::CARD, "(room_id=? AND number=?)"),
        (references::PLAN, "(room_id=? AND number=?)"),
        (references::NOTE, "(room_id=? AND seq=?)"),
        (references::RUNNER, "(room_id=? AND runner=?)"),
        (references::ARTIFACT, "(room_id=? AND number=?)"),
        (references::PACK, "artifacts_by_name (room_id=? AND name=?)"),
        (references::ANCHOR, "(room_id=? AND anchor=?)"),
    ]);
}

#[test]
fn what_a_target_was_asked_and_still_owes_is_read_in_the_order_of_an_index() {
    each_is_found_in_order(&[
        (bus::BY_ID, "actions_by_id (room_id=? AND action_id=?)"),
        (bus::OPEN, "actions_open (room_id=? AND target=? AND ended_at_ms=? AND seq>?)"),
        (bus::TARGETS, "actions_open (room_id=?)"),
        // All that is open anywhere, which is never much.
        (bus::ROOMS_WATCHED, "SCAN actions USING COVERING INDEX actions_open"),
        (bus::ROOMS_WATCHED, "USING INDEX turns_open"),
        (bus::OF_GROUP, "actions_by_group (room_id=? AND group_id=? AND seq>?)"),
        (bus::OF_TARGET, "actions_of_target (room_id=? AND target=? AND seq>?)"),
        (bus::OF_SENDER, "actions_of_sender (room_id=? AND sender=? AND seq>?)"),
        (bus::AFTER, "(room_id=? AND seq>?)"),
        (bus::LAST_NEW, "actions_new (room_id=? AND group_id=? AND target=? AND sender=? AND seq<?)"),
        (bus::LAST_OTHER, "actions_by_group (room_id=? AND group_id=? AND seq<?)"),
        (find::<Conversation>(), "(room_id=? AND context_id=?)"),
        // Of one room, where few tasks are looked for that nobody spoke of.
        (bus::OF_TASK, "conversations_by_task (room_id=? AND task_id=?)"),
        (find::<baton_core::bus::Task>(), "(room_id=? AND task_id=?)"),
        (bus::CONNECTIONS, "(room_id=?)"),
        (current::<baton_core::bus::Connection>(), "(room_id=?)"),
        (inbox::UNDELIVERED, "inbox_pending (room_id=? AND recipient=?)"),
    ]);
    // As many as wait in a room at a time.
    each_is_found_in(&[(waits::OF_ROOM, "(room_id=?)")]);
}

#[test]
fn turns_are_read_by_whose_they_are_and_what_they_have() {
    each_is_found_in_order(&[
        (find::<Turn>(), "(room_id=? AND turn=?)"),
        (turns::OPEN_OF, "turns_open (room_id=? AND agent_id=? AND ended_at_ms=?)"),
        (turns::OPEN, "turns_open (room_id=?)"),
        (presence::OPEN_RUNS, "turns_open (room_id=?)"),
        (turns::NEWEST, "(room_id=? AND turn<?)"),
        (turns::OF_AGENT, "turns_of_agent (room_id=? AND agent_id=? AND turn<?)"),
        (turns::OF_JOB, "turns_of_job (room_id=? AND job=? AND turn<?)"),
        (turns::TOTAL_OF_JOB, "turns_of_job (room_id=? AND job=?)"),
        (turns::TOTAL_OF_AGENT, "turns_of_agent (room_id=? AND agent_id=?)"),
        (turns::EVENTS_BACK, "(room_id=? AND seq>? AND seq<?)"),
        (inbox::NEWEST, "(room_id=? AND recipient=? AND message<?)"),
        (turns::EVENTS, "(room_id=? AND seq>? AND seq<?)"),
        (turns::STREAMS, "(room_id=?)"),
        (turns::STREAM, "(room_id=? AND agent_id=?)"),
        (inbox::OF_TURN, "inbox_of_turn (room_id=? AND turn=?)"),
        (inbox::INTERRUPTS, "inbox_interrupts (room_id=? AND recipient=?)"),
        (inbox::INTERRUPTED, "inbox_interrupts (room_id=? AND recipient=?)"),
        (library::ARTIFACTS_OF_TURN, "artifacts_of_turn (room_id=? AND turn=?)"),
    ]);
    // Interrupts come first, so what waits is put in order: it is what waits, and not all that ever came.
    each_is_found_in(&[(inbox::UNTAKEN, "inbox_pending (room_id=? AND recipient=?)")]);
}

#[test]
fn envelopes_and_what_is_owed_for_them_are_read_in_the_order_of_an_index() {
    let owed = "envelopes_owed (room_id=? AND expectation=? AND answered_by=?)";
    each_is_found_in_order(&[
        (envelopes::BY_ID, "envelopes_by_id (room_id=? AND envelope_id=?)"),
        (find::<Posted>(), "(room_id=? AND seq=?)"),
        (current::<Posted>(), owed),
        (envelopes::OWED, owed),
        (envelopes::OWED_BETWEEN, owed),
        (envelopes::OWED_BY, owed),
        (envelopes::OWED_TO, owed),
        (envelopes::CONCERNING, owed),
        (envelopes::RECEIVED, "envelopes_of_recipient (room_id=? AND recipient=? AND seq<?)"),
        (envelopes::SENT, "envelopes_of_sender (room_id=? AND sender=? AND seq<?)"),
        (envelopes::BETWEEN, "envelopes_of_sender (room_id=? AND sender=? AND seq>?)"),
        (envelopes::LAST_BETWEEN, "envelopes_of_sender (room_id=? AND sender=?)"),
        (envelopes::EDGES, "(room_id=?)"),
        (current::<Edge>(), "(room_id=?)"),
        (references::PAYLOAD, "envelopes_by_id (room_id=? AND envelope_id=?)"),
        (inbox::INTERRUPTS, "inbox_interrupts (room_id=? AND recipient=?)"),
        (jobs::AHEAD, "jobs_queue (room_id=? AND executor=? AND (priority,number)<(?,?))"),
    ]);
}

#[test]
fn what_is_looked_for_in_full_text_is_found_through_its_words() {
    each_is_found_in(&[
        (search::PROGRESS, "(room_id=?)"),
        (search::FIND_IN_SQLITE, "search_index VIRTUAL TABLE INDEX 0:M"),
        (search::FORGET_IN_SQLITE, "search_index VIRTUAL TABLE INDEX 0:M"),
    ]);
}
