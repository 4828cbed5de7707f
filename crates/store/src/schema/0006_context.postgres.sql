-- Briefs, envelopes, turns, spawning: what 0006_context.sqlite.sql has.

CREATE TABLE briefs (
    room_id        TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES rooms (room_id),
    brief          TEXT COLLATE "C" NOT NULL,
    seq            BIGINT NOT NULL,
    updated_by     TEXT COLLATE "C" NOT NULL,
    updated_at_ms  BIGINT NOT NULL
);

CREATE TABLE edges (
    room_id     TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    from_agent  TEXT COLLATE "C" NOT NULL,
    to_agent    TEXT COLLATE "C" NOT NULL,
    both_ways   BIGINT NOT NULL,
    seq         BIGINT NOT NULL,
    PRIMARY KEY (room_id, from_agent, to_agent)
);

-- Envelopes, numbered by the place of their event in the log. What they say is there.
CREATE TABLE envelopes (
    room_id      TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    seq          BIGINT NOT NULL,
    envelope_id  TEXT COLLATE "C" NOT NULL,
    kind         TEXT COLLATE "C" NOT NULL,
    sender       TEXT COLLATE "C" NOT NULL,
    recipient    TEXT COLLATE "C" NOT NULL,
    expectation  TEXT COLLATE "C" NOT NULL,
    reply_to     TEXT COLLATE "C" NOT NULL,
    context_ref  TEXT COLLATE "C",
    answered_by  BIGINT,
    sent_at_ms   BIGINT NOT NULL,
    PRIMARY KEY (room_id, seq)
);

CREATE UNIQUE INDEX envelopes_by_id ON envelopes (room_id, envelope_id);
CREATE INDEX envelopes_of_recipient ON envelopes (room_id, recipient, seq);
CREATE INDEX envelopes_of_sender ON envelopes (room_id, sender, seq);
CREATE INDEX envelopes_owed ON envelopes (room_id, expectation, answered_by, seq)
    WHERE expectation = 'required' AND answered_by IS NULL;

-- Turns of agents, numbered in their room.
CREATE TABLE turns (
    room_id         TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    turn            BIGINT NOT NULL,
    agent_id        TEXT COLLATE "C" NOT NULL,
    number          BIGINT NOT NULL,
    job             BIGINT,
    revision        BIGINT,
    runner          TEXT COLLATE "C",
    executor        TEXT COLLATE "C",
    mode            TEXT COLLATE "C",
    role            TEXT COLLATE "C",
    tokens          BIGINT NOT NULL,
    sent_tokens     BIGINT NOT NULL,
    tools           BIGINT NOT NULL,
    outcome         TEXT COLLATE "C",
    why             TEXT COLLATE "C",
    session         TEXT COLLATE "C",
    input_tokens    BIGINT NOT NULL,
    cached_tokens   BIGINT NOT NULL,
    output_tokens   BIGINT NOT NULL,
    cost_microusd   BIGINT,
    returned        BIGINT NOT NULL,
    seq             BIGINT NOT NULL,
    began_at_ms     BIGINT NOT NULL,
    ended_at_ms     BIGINT,
    PRIMARY KEY (room_id, turn)
);

CREATE INDEX turns_of_agent ON turns (room_id, agent_id, turn);
CREATE INDEX turns_of_job ON turns (room_id, job, turn) WHERE job IS NOT NULL;
CREATE INDEX turns_open ON turns (room_id, agent_id, ended_at_ms, turn) WHERE ended_at_ms IS NULL;

-- What is seen of an agent's stream. It moves without events, like presence.
CREATE TABLE streams (
    room_id           TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    agent_id          TEXT COLLATE "C" NOT NULL,
    status            TEXT COLLATE "C" NOT NULL,
    provider          TEXT COLLATE "C",
    session           TEXT COLLATE "C",
    last_activity_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, agent_id)
);

CREATE TABLE approvals (
    room_id          TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    approval         BIGINT NOT NULL,
    requested_by     TEXT COLLATE "C" NOT NULL,
    title            TEXT COLLATE "C" NOT NULL,
    status           TEXT COLLATE "C" NOT NULL,
    job              BIGINT,
    decided_by       TEXT COLLATE "C",
    reason           TEXT COLLATE "C",
    seq              BIGINT NOT NULL,
    requested_at_ms  BIGINT NOT NULL,
    decided_at_ms    BIGINT,
    PRIMARY KEY (room_id, approval)
);

CREATE INDEX approvals_pending ON approvals (room_id, status, approval) WHERE status = 'pending';

-- What agents may do beyond what all may. A job's agent has what its job was given.
CREATE TABLE grants (
    room_id      TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    agent_id     TEXT COLLATE "C" NOT NULL,
    spawn_nodes  BIGINT NOT NULL,
    read_only    BIGINT NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (room_id, agent_id)
);

ALTER TABLE inbox ADD COLUMN turn BIGINT;
ALTER TABLE inbox ADD COLUMN interrupts BIGINT NOT NULL DEFAULT 0;
CREATE INDEX inbox_of_turn ON inbox (room_id, turn, message) WHERE turn IS NOT NULL;
CREATE INDEX inbox_interrupts ON inbox (room_id, recipient, message) WHERE interrupts = 1 AND seen_at_ms IS NULL;

-- What managers said before is in the inboxes of the jobs' agents too.
INSERT INTO inbox (room_id, recipient, message, sender, category, requires_ack, wakes, queued_at_ms, interrupts)
SELECT room_id,
       'job:' || (payload::json ->> 'job') || '@'
           || CASE WHEN substr(room_id, 1, 5) = 'room_' THEN substr(room_id, 6) ELSE room_id END,
       seq, actor, 'MANAGER', 0, 1, created_at_ms, 0
  FROM log
 WHERE type = 'job.manager';

ALTER TABLE artifacts ADD COLUMN node TEXT COLLATE "C";
ALTER TABLE artifacts ADD COLUMN turn BIGINT;
ALTER TABLE artifacts ADD COLUMN dropped_at_ms BIGINT;
CREATE INDEX artifacts_of_turn ON artifacts (room_id, turn, number) WHERE turn IS NOT NULL;
CREATE INDEX artifacts_by_name ON artifacts (room_id, name) WHERE kind = 'contextpack';
CREATE INDEX artifacts_by_hash ON artifacts (sha256);
