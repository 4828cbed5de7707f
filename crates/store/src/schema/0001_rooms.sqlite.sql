-- Rooms, their members, the log they are the fold of, and first answers to keyed requests.

CREATE TABLE rooms (
    room_id              TEXT    NOT NULL PRIMARY KEY,
    canonical_path       TEXT,
    state                TEXT    NOT NULL CHECK (state IN ('idle', 'owned', 'reserved', 'closed')),
    sequence_index       INTEGER NOT NULL,
    turn_id              INTEGER NOT NULL,
    owner                TEXT,
    owner_process        TEXT,
    owner_reason         TEXT,
    owned_since_ms       INTEGER,
    lease_id             TEXT,
    lease_expires_at_ms  INTEGER,
    reserved_for         TEXT,
    claim_expires_at_ms  INTEGER,
    handoff_seq          INTEGER,
    handoff_from         TEXT,
    handoff_via          TEXT,
    policy               TEXT    NOT NULL,
    last_seq             INTEGER NOT NULL,
    created_at_ms        INTEGER NOT NULL,
    updated_at_ms        INTEGER NOT NULL,
    closed_at_ms         INTEGER
) STRICT;

-- A closed room stays readable, and its path is free for a fresh one. No transition of the stick writes a column
-- that this index looks at, or each would rewrite it.
CREATE UNIQUE INDEX rooms_open_path ON rooms (canonical_path) WHERE closed_at_ms IS NULL;

CREATE TABLE members (
    room_id                TEXT    NOT NULL REFERENCES rooms (room_id),
    agent_id               TEXT    NOT NULL,
    ordinal                INTEGER NOT NULL,
    display_name           TEXT    NOT NULL,
    session_kind           TEXT    NOT NULL,
    host_id                TEXT,
    boot_id                TEXT,
    pid_namespace          INTEGER,
    pid                    INTEGER,
    start_ticks            INTEGER,
    pidfd_inode            INTEGER,
    process_started_at_ms  INTEGER,
    joined_at_ms           INTEGER NOT NULL,
    last_seen_at_ms        INTEGER NOT NULL,
    PRIMARY KEY (room_id, agent_id)
) STRICT, WITHOUT ROWID;

-- Clustered by room and place, because it is read newest first, room by room.
CREATE TABLE log (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    seq            INTEGER NOT NULL,
    type           TEXT    NOT NULL,
    actor          TEXT    NOT NULL,
    subject        TEXT,
    turn_id        INTEGER NOT NULL,
    payload        TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, seq)
) STRICT, WITHOUT ROWID;

CREATE TABLE idempotency (
    agent_id       TEXT    NOT NULL,
    key            TEXT    NOT NULL,
    request        TEXT    NOT NULL,
    answer         TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (agent_id, key)
) STRICT, WITHOUT ROWID;

CREATE INDEX idempotency_age ON idempotency (created_at_ms);
