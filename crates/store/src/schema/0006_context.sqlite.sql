-- Briefs, envelopes and edges, turns and what they consumed, requests to spawn and what agents may do.

CREATE TABLE briefs (
    room_id        TEXT    NOT NULL PRIMARY KEY REFERENCES rooms (room_id),
    brief          TEXT    NOT NULL,
    seq            INTEGER NOT NULL,
    updated_by     TEXT    NOT NULL,
    updated_at_ms  INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
    room_id     TEXT    NOT NULL REFERENCES rooms (room_id),
    from_agent  TEXT    NOT NULL,
    to_agent    TEXT    NOT NULL,
    both_ways   INTEGER NOT NULL,
    seq         INTEGER NOT NULL,
    PRIMARY KEY (room_id, from_agent, to_agent)
) STRICT, WITHOUT ROWID;

-- Envelopes, numbered by the place of their event in the log. What they say is there.
CREATE TABLE envelopes (
    room_id      TEXT    NOT NULL REFERENCES rooms (room_id),
    seq          INTEGER NOT NULL,
    envelope_id  TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    sender       TEXT    NOT NULL,
    recipient    TEXT    NOT NULL,
    expectation  TEXT    NOT NULL,
    reply_to     TEXT    NOT NULL,
    context_ref  TEXT,
    answered_by  INTEGER,
    sent_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (room_id, seq)
) STRICT;

CREATE UNIQUE INDEX envelopes_by_id ON envelopes (room_id, envelope_id);
CREATE INDEX envelopes_of_recipient ON envelopes (room_id, recipient, seq);
CREATE INDEX envelopes_of_sender ON envelopes (room_id, sender, seq);
-- With the column that is always null here: SQLite prefers the index in which it can look up most.
CREATE INDEX envelopes_owed ON envelopes (room_id, expectation, answered_by, seq)
    WHERE expectation = 'required' AND answered_by IS NULL;

-- Turns of agents, numbered in their room.
CREATE TABLE turns (
    room_id         TEXT    NOT NULL REFERENCES rooms (room_id),
    turn            INTEGER NOT NULL,
    agent_id        TEXT    NOT NULL,
    number          INTEGER NOT NULL,
    job             INTEGER,
    revision        INTEGER,
    runner          TEXT,
    executor        TEXT,
    mode            TEXT,
    role            TEXT,
    tokens          INTEGER NOT NULL,
    sent_tokens     INTEGER NOT NULL,
    tools           INTEGER NOT NULL,
    outcome         TEXT,
    why             TEXT,
    session         TEXT,
    input_tokens    INTEGER NOT NULL,
    cached_tokens   INTEGER NOT NULL,
    output_tokens   INTEGER NOT NULL,
    cost_microusd   INTEGER,
    returned        INTEGER NOT NULL,
    seq             INTEGER NOT NULL,
    began_at_ms     INTEGER NOT NULL,
    ended_at_ms     INTEGER,
    PRIMARY KEY (room_id, turn)
) STRICT;

CREATE INDEX turns_of_agent ON turns (room_id, agent_id, turn);
CREATE INDEX turns_of_job ON turns (room_id, job, turn) WHERE job IS NOT NULL;
CREATE INDEX turns_open ON turns (room_id, agent_id, ended_at_ms, turn) WHERE ended_at_ms IS NULL;

-- What is seen of an agent's stream. It moves without events, like presence.
CREATE TABLE streams (
    room_id           TEXT    NOT NULL REFERENCES rooms (room_id),
    agent_id          TEXT    NOT NULL,
    status            TEXT    NOT NULL,
    provider          TEXT,
    session           TEXT,
    last_activity_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, agent_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
    room_id          TEXT    NOT NULL REFERENCES rooms (room_id),
    approval         INTEGER NOT NULL,
    requested_by     TEXT    NOT NULL,
    title            TEXT    NOT NULL,
    status           TEXT    NOT NULL,
    job              INTEGER,
    decided_by       TEXT,
    reason           TEXT,
    seq              INTEGER NOT NULL,
    requested_at_ms  INTEGER NOT NULL,
    decided_at_ms    INTEGER,
    PRIMARY KEY (room_id, approval)
) STRICT;

CREATE INDEX approvals_pending ON approvals (room_id, status, approval) WHERE status = 'pending';

-- What agents may do beyond what all may. A job's agent has what its job was given.
CREATE TABLE grants (
    room_id      TEXT    NOT NULL REFERENCES rooms (room_id),
    agent_id     TEXT    NOT NULL,
    spawn_nodes  INTEGER NOT NULL,
    read_only    INTEGER NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (room_id, agent_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE inbox ADD COLUMN turn INTEGER;
ALTER TABLE inbox ADD COLUMN interrupts INTEGER NOT NULL DEFAULT 0;
CREATE INDEX inbox_of_turn ON inbox (room_id, turn, message) WHERE turn IS NOT NULL;
CREATE INDEX inbox_interrupts ON inbox (room_id, recipient, message) WHERE interrupts = 1 AND seen_at_ms IS NULL;

-- What managers said before is in the inboxes of the jobs' agents too.
INSERT INTO inbox (room_id, recipient, message, sender, category, requires_ack, wakes, queued_at_ms, interrupts)
SELECT room_id,
       'job:' || json_extract(payload, '$.job') || '@'
           || CASE WHEN substr(room_id, 1, 5) = 'room_' THEN substr(room_id, 6) ELSE room_id END,
       seq, actor, 'MANAGER', 0, 1, created_at_ms, 0
  FROM log
 WHERE type = 'job.manager';

ALTER TABLE artifacts ADD COLUMN node TEXT;
ALTER TABLE artifacts ADD COLUMN turn INTEGER;
ALTER TABLE artifacts ADD COLUMN dropped_at_ms INTEGER;
CREATE INDEX artifacts_of_turn ON artifacts (room_id, turn, number) WHERE turn IS NOT NULL;
CREATE INDEX artifacts_by_name ON artifacts (room_id, name) WHERE kind = 'contextpack';
CREATE INDEX artifacts_by_hash ON artifacts (sha256);
