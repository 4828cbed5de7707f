-- Jobs and the runners that do them, what they leave behind, and what is looked for in full text: what
-- 0004_jobs.sqlite.sql has.

-- Which job an event is about, so that a job's thread is read without reading the room's.
ALTER TABLE log ADD COLUMN job BIGINT;
CREATE INDEX log_by_job ON log (room_id, job, seq) WHERE job IS NOT NULL;

-- What a job asks in full is in the event that created it. `attention` is what it wants of a manager, most pressing first,
-- and 0 for nothing: 1 error, 2 question, 3 proof. `priority` is what is claimed first: 0 high, 1 medium, 2 low.
CREATE TABLE jobs (
    room_id              TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    number               BIGINT NOT NULL,
    title                TEXT    NOT NULL,
    kind                 TEXT    NOT NULL,
    priority             BIGINT NOT NULL,
    status               TEXT    NOT NULL CHECK (status IN ('QUEUED', 'RUNNING', 'DONE', 'FAILED', 'CANCELED')),
    task                 BIGINT,
    anchor               TEXT COLLATE "C",
    executor             TEXT COLLATE "C" NOT NULL,
    routing              TEXT    NOT NULL,
    revision             BIGINT NOT NULL,
    runner               TEXT COLLATE "C",
    claimant             TEXT COLLATE "C",
    claim_executor       TEXT,
    claim_expires_at_ms  BIGINT,
    losses               BIGINT NOT NULL,
    last_question        BIGINT NOT NULL,
    last_manager         BIGINT NOT NULL,
    proof_missing        BIGINT NOT NULL,
    has_error            BIGINT NOT NULL,
    attention            BIGINT NOT NULL,
    summary              TEXT,
    refs                 TEXT    NOT NULL,
    meta                 TEXT    NOT NULL,
    last_seq             BIGINT NOT NULL,
    last_kind            TEXT    NOT NULL,
    last_preview         TEXT    NOT NULL,
    created_seq          BIGINT NOT NULL,
    created_by           TEXT COLLATE "C" NOT NULL,
    created_at_ms        BIGINT NOT NULL,
    active_at_ms         BIGINT NOT NULL,
    PRIMARY KEY (room_id, number)
);

CREATE INDEX jobs_queue ON jobs (room_id, executor, priority, number) WHERE status = 'QUEUED';
CREATE INDEX jobs_running ON jobs (room_id, claim_expires_at_ms, number) WHERE status = 'RUNNING';
CREATE INDEX jobs_attention ON jobs (room_id, attention, status DESC, last_seq DESC) WHERE attention > 0;
CREATE INDEX jobs_by_status ON jobs (room_id, status, last_seq);
CREATE INDEX jobs_by_task ON jobs (room_id, task, number) WHERE task IS NOT NULL;
CREATE INDEX jobs_by_anchor ON jobs (room_id, anchor, number) WHERE anchor IS NOT NULL;

CREATE TABLE runners (
    room_id              TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    runner               TEXT COLLATE "C" NOT NULL,
    agent                TEXT COLLATE "C" NOT NULL,
    capabilities         TEXT,
    retired              BIGINT NOT NULL,
    phase                TEXT    NOT NULL CHECK (phase IN ('idle', 'live')),
    active               TEXT    NOT NULL,
    lease_expires_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, runner)
);

CREATE INDEX runners_by_lease ON runners (room_id, lease_expires_at_ms DESC, runner);

ALTER TABLE tasks ADD COLUMN definition_of_done TEXT;
ALTER TABLE tasks ADD COLUMN verification TEXT NOT NULL DEFAULT '[]';

-- The task that an agent has turned to.
CREATE TABLE focus (
    room_id  TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    agent    TEXT COLLATE "C" NOT NULL,
    task     BIGINT NOT NULL,
    PRIMARY KEY (room_id, agent)
);

-- The texts of cards, anchors and plans are in the log, at `seq`.
CREATE TABLE cards (
    room_id        TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    number         BIGINT NOT NULL,
    kind           TEXT    NOT NULL,
    title          TEXT    NOT NULL,
    tags           TEXT    NOT NULL,
    pinned         BIGINT NOT NULL,
    task           BIGINT,
    anchor         TEXT COLLATE "C",
    job            BIGINT,
    seq            BIGINT NOT NULL,
    created_by     TEXT COLLATE "C" NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, number)
);

CREATE INDEX cards_pinned ON cards (room_id, number) WHERE pinned = 1;
CREATE INDEX cards_by_task ON cards (room_id, task, number) WHERE task IS NOT NULL;
CREATE INDEX cards_by_anchor ON cards (room_id, anchor, number) WHERE anchor IS NOT NULL;
CREATE INDEX cards_by_job ON cards (room_id, job, number) WHERE job IS NOT NULL;

CREATE TABLE anchors (
    room_id        TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    anchor         TEXT COLLATE "C" NOT NULL,
    title          TEXT    NOT NULL,
    seq            BIGINT NOT NULL,
    updated_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, anchor)
);

CREATE TABLE plans (
    room_id        TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    number         BIGINT NOT NULL,
    title          TEXT    NOT NULL,
    seq            BIGINT NOT NULL,
    created_by     TEXT COLLATE "C" NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, number)
);

-- Files that work left behind. Their content is in the data directory of `host`, named by its hash.
CREATE TABLE artifacts (
    room_id        TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    number         BIGINT NOT NULL,
    kind           TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    sha256         TEXT    NOT NULL,
    bytes          BIGINT NOT NULL,
    host           TEXT    NOT NULL,
    job            BIGINT,
    seq            BIGINT NOT NULL,
    created_by     TEXT COLLATE "C" NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, number)
);

CREATE INDEX artifacts_by_job ON artifacts (room_id, job, number) WHERE job IS NOT NULL;

-- What is looked for in full text: made from the log when somebody looks, up to `seq`, so that no write waits for it.
CREATE TABLE search_progress (
    room_id  TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES rooms (room_id),
    seq      BIGINT NOT NULL
);

-- `document` is made from words that were settled before: no parser of the server's takes part.
CREATE TABLE search_index (
    room      TEXT     COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    ref       TEXT     NOT NULL,
    kind      TEXT     NOT NULL,
    seq       BIGINT   NOT NULL,
    document  TSVECTOR NOT NULL
);

CREATE INDEX search_index_document ON search_index USING gin (document);
CREATE INDEX search_index_ref ON search_index (room, ref);
