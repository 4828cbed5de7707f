-- Rooms, their members, the log they are the fold of, and first answers to keyed requests: what 0001_rooms.sqlite.sql
-- has. Text compares by bytes, as it does there.

CREATE TABLE rooms (
    room_id              TEXT   COLLATE "C" NOT NULL PRIMARY KEY,
    canonical_path       TEXT   COLLATE "C",
    state                TEXT   NOT NULL CHECK (state IN ('idle', 'owned', 'reserved', 'closed')),
    sequence_index       BIGINT NOT NULL,
    turn_id              BIGINT NOT NULL,
    owner                TEXT,
    owner_process        TEXT,
    owner_reason         TEXT,
    owned_since_ms       BIGINT,
    lease_id             TEXT,
    lease_expires_at_ms  BIGINT,
    reserved_for         TEXT,
    claim_expires_at_ms  BIGINT,
    handoff_seq          BIGINT,
    handoff_from         TEXT,
    handoff_via          TEXT,
    policy               TEXT   NOT NULL,
    last_seq             BIGINT NOT NULL,
    created_at_ms        BIGINT NOT NULL,
    updated_at_ms        BIGINT NOT NULL,
    closed_at_ms         BIGINT
    -- Every transition rewrites its row: with room on the page the new version stays there and no index changes.
) WITH (fillfactor = 50);

-- A closed room stays readable, and its path is free for a fresh one. A path may be longer than what an ordered
-- index takes, so its digest is unique, and it is found by its hash.
CREATE UNIQUE INDEX rooms_open_path ON rooms (md5(canonical_path)) WHERE closed_at_ms IS NULL;
CREATE INDEX rooms_by_path ON rooms USING hash (canonical_path) WHERE closed_at_ms IS NULL;

CREATE TABLE members (
    room_id                TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    agent_id               TEXT   COLLATE "C" NOT NULL,
    ordinal                BIGINT NOT NULL,
    display_name           TEXT   NOT NULL,
    session_kind           TEXT   NOT NULL,
    host_id                TEXT,
    boot_id                TEXT,
    pid_namespace          BIGINT,
    pid                    BIGINT,
    start_ticks            BIGINT,
    pidfd_inode            BIGINT,
    process_started_at_ms  BIGINT,
    joined_at_ms           BIGINT NOT NULL,
    last_seen_at_ms        BIGINT NOT NULL,
    PRIMARY KEY (room_id, agent_id)
) WITH (fillfactor = 50);

CREATE TABLE log (
    room_id        TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    seq            BIGINT NOT NULL,
    type           TEXT   NOT NULL,
    actor          TEXT   NOT NULL,
    subject        TEXT,
    turn_id        BIGINT NOT NULL,
    payload        TEXT   NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, seq)
);

CREATE TABLE idempotency (
    agent_id       TEXT   COLLATE "C" NOT NULL,
    key            TEXT   COLLATE "C" NOT NULL,
    request        TEXT   NOT NULL,
    answer         TEXT   NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (agent_id, key)
);

CREATE INDEX idempotency_age ON idempotency (created_at_ms);

-- The last change that each connection committed. When one breaks during a commit, this tells what became of it.
CREATE TABLE writers (
    writer_id     TEXT        COLLATE "C" NOT NULL PRIMARY KEY,
    write_number  BIGINT      NOT NULL,
    written_at    TIMESTAMPTZ NOT NULL
) WITH (fillfactor = 50);
