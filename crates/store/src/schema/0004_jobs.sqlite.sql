-- Jobs and the runners that do them, what they leave behind, and what is looked for in full text.

-- Which job an event is about, so that a job's thread is read without reading the room's.
ALTER TABLE log ADD COLUMN job INTEGER;
CREATE INDEX log_by_job ON log (room_id, job, seq) WHERE job IS NOT NULL;

-- What a job asks in full is in the event that created it. `attention` is what it wants of a manager, most pressing first,
-- and 0 for nothing: 1 error, 2 question, 3 proof. `priority` is what is claimed first: 0 high, 1 medium, 2 low.
CREATE TABLE jobs (
    room_id              TEXT    NOT NULL REFERENCES rooms (room_id),
    number               INTEGER NOT NULL,
    title                TEXT    NOT NULL,
    kind                 TEXT    NOT NULL,
    priority             INTEGER NOT NULL,
    status               TEXT    NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELED')),
    task                 INTEGER,
    anchor               TEXT,
    executor             TEXT    NOT NULL,
    routing              TEXT    NOT NULL,
    revision             INTEGER NOT NULL,
    runner               TEXT,
    claimant             TEXT,
    claim_executor       TEXT,
    claim_expires_at_ms  INTEGER,
    losses               INTEGER NOT NULL,
    last_question        INTEGER NOT NULL,
    last_manager         INTEGER NOT NULL,
    proof_missing        INTEGER NOT NULL,
    has_error            INTEGER NOT NULL,
    attention            INTEGER NOT NULL,
    summary              TEXT,
    refs                 TEXT    NOT NULL,
    meta                 TEXT    NOT NULL,
    last_seq             INTEGER NOT NULL,
    last_kind            TEXT    NOT NULL,
    last_preview         TEXT    NOT NULL,
    created_seq          INTEGER NOT NULL,
    created_by           TEXT    NOT NULL,
    created_at_ms        INTEGER NOT NULL,
    active_at_ms         INTEGER NOT NULL,
    PRIMARY KEY (room_id, number)
) STRICT;

CREATE INDEX jobs_queue ON jobs (room_id, executor, priority, number) WHERE status = 'QUEUED';
CREATE INDEX jobs_running ON jobs (room_id, claim_expires_at_ms, number) WHERE status = 'RUNNING';
CREATE INDEX jobs_attention ON jobs (room_id, attention, status DESC, last_seq DESC) WHERE attention > 0;
CREATE INDEX jobs_by_status ON jobs (room_id, status, last_seq);
CREATE INDEX jobs_by_task ON jobs (room_id, task, number) WHERE task IS NOT NULL;
CREATE INDEX jobs_by_anchor ON jobs (room_id, anchor, number) WHERE anchor IS NOT NULL;

CREATE TABLE runners (
    room_id              TEXT    NOT NULL REFERENCES rooms (room_id),
    runner               TEXT    NOT NULL,
    agent                TEXT    NOT NULL,
    capabilities         TEXT,
    retired              INTEGER NOT NULL,
    phase                TEXT    NOT NULL CHECK (phase IN ('idle', 'live')),
    active               TEXT    NOT NULL,
    lease_expires_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, runner)
) STRICT;

CREATE INDEX runners_by_lease ON runners (room_id, lease_expires_at_ms DESC, runner);

ALTER TABLE tasks ADD COLUMN definition_of_done TEXT;
ALTER TABLE tasks ADD COLUMN verification TEXT NOT NULL DEFAULT '[]';

-- The task that an agent has turned to.
CREATE TABLE focus (
    room_id  TEXT    NOT NULL REFERENCES rooms (room_id),
    agent    TEXT    NOT NULL,
    task     INTEGER NOT NULL,
    PRIMARY KEY (room_id, agent)
) STRICT, WITHOUT ROWID;

-- The texts of cards, anchors and plans are in the log, at `seq`.
CREATE TABLE cards (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    number         INTEGER NOT NULL,
    kind           TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    tags           TEXT    NOT NULL,
    pinned         INTEGER NOT NULL,
    task           INTEGER,
    anchor         TEXT,
    job            INTEGER,
    seq            INTEGER NOT NULL,
    created_by     TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, number)
) STRICT;

CREATE INDEX cards_pinned ON cards (room_id, number) WHERE pinned = 1;
CREATE INDEX cards_by_task ON cards (room_id, task, number) WHERE task IS NOT NULL;
CREATE INDEX cards_by_anchor ON cards (room_id, anchor, number) WHERE anchor IS NOT NULL;
CREATE INDEX cards_by_job ON cards (room_id, job, number) WHERE job IS NOT NULL;

CREATE TABLE anchors (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    anchor         TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    seq            INTEGER NOT NULL,
    updated_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, anchor)
) STRICT, WITHOUT ROWID;

CREATE TABLE plans (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    number         INTEGER NOT NULL,
    title          TEXT    NOT NULL,
    seq            INTEGER NOT NULL,
    created_by     TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, number)
) STRICT, WITHOUT ROWID;

-- Files that work left behind. Their content is in the data directory of `host`, named by its hash.
CREATE TABLE artifacts (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    number         INTEGER NOT NULL,
    kind           TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    sha256         TEXT    NOT NULL,
    bytes          INTEGER NOT NULL,
    host           TEXT    NOT NULL,
    job            INTEGER,
    seq            INTEGER NOT NULL,
    created_by     TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, number)
) STRICT;

CREATE INDEX artifacts_by_job ON artifacts (room_id, job, number) WHERE job IS NOT NULL;

-- What is looked for in full text: made from the log when somebody looks, up to `seq`, so that no write waits for it.
CREATE TABLE search_progress (
    room_id  TEXT    NOT NULL PRIMARY KEY REFERENCES rooms (room_id),
    seq      INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- Words were settled before: whatever can be part of one is, as it is.
CREATE VIRTUAL TABLE search_index USING fts5 (
    room, title, body, ref UNINDEXED, kind UNINDEXED, seq UNINDEXED,
    tokenize = "unicode61 remove_diacritics 0 categories 'L* M* N* S* Cn Co'"
);
