-- Names of rooms, and the bus: what 0005_bus.sqlite.sql has.

ALTER TABLE rooms ADD COLUMN name TEXT;

-- Actions, numbered by the place of their event in the log, which is their target's order. What a message says is there.
CREATE TABLE actions (
    room_id          TEXT COLLATE "C"    NOT NULL REFERENCES rooms (room_id),
    seq              BIGINT NOT NULL,
    group_id         TEXT COLLATE "C"    NOT NULL,
    action_id        TEXT COLLATE "C"    NOT NULL,
    action_index     BIGINT NOT NULL,
    sender           TEXT COLLATE "C"    NOT NULL,
    target           TEXT COLLATE "C"    NOT NULL,
    control          TEXT,
    kind             TEXT,
    context_id       TEXT COLLATE "C"    NOT NULL,
    owner            TEXT COLLATE "C"    NOT NULL,
    depth            BIGINT NOT NULL,
    status           TEXT,
    detail           TEXT,
    new_context_id   TEXT COLLATE "C",
    new_task_id      TEXT COLLATE "C",
    submitted_at_ms  BIGINT NOT NULL,
    ended_at_ms      BIGINT,
    PRIMARY KEY (room_id, seq)
);

CREATE UNIQUE INDEX actions_by_id ON actions (room_id, action_id);
CREATE INDEX actions_by_group ON actions (room_id, group_id, seq);
CREATE INDEX actions_open ON actions (room_id, target, ended_at_ms, seq) WHERE ended_at_ms IS NULL;
CREATE INDEX actions_new ON actions (room_id, group_id, target, sender, seq) WHERE control = 'new';
CREATE INDEX actions_of_target ON actions (room_id, target, seq);
CREATE INDEX actions_of_sender ON actions (room_id, sender, seq);

CREATE TABLE conversations (
    room_id     TEXT COLLATE "C"    NOT NULL REFERENCES rooms (room_id),
    context_id  TEXT COLLATE "C"    NOT NULL,
    owner       TEXT COLLATE "C"    NOT NULL,
    task_id     TEXT COLLATE "C",
    since       BIGINT NOT NULL,
    PRIMARY KEY (room_id, context_id)
);

CREATE TABLE conversation_tasks (
    room_id      TEXT COLLATE "C"    NOT NULL REFERENCES rooms (room_id),
    task_id      TEXT COLLATE "C"    NOT NULL,
    context_id   TEXT COLLATE "C",
    status       TEXT    NOT NULL CHECK (status IN ('running', 'blocked', 'ready', 'done')),
    reported_by  TEXT COLLATE "C"    NOT NULL,
    seq          BIGINT NOT NULL,
    PRIMARY KEY (room_id, task_id)
);

CREATE TABLE connections (
    room_id   TEXT COLLATE "C"    NOT NULL REFERENCES rooms (room_id),
    agent_id  TEXT COLLATE "C"    NOT NULL,
    server    TEXT,
    since_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, agent_id)
);
