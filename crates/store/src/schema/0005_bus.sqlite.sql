-- Names of rooms, and the bus: actions and how far they are, conversations, their tasks, and who is connected.

ALTER TABLE rooms ADD COLUMN name TEXT;

-- Actions, numbered by the place of their event in the log, which is their target's order. What a message says is there.
CREATE TABLE actions (
    room_id          TEXT    NOT NULL REFERENCES rooms (room_id),
    seq              INTEGER NOT NULL,
    group_id         TEXT    NOT NULL,
    action_id        TEXT    NOT NULL,
    action_index     INTEGER NOT NULL,
    sender           TEXT    NOT NULL,
    target           TEXT    NOT NULL,
    control          TEXT,
    kind             TEXT,
    context_id       TEXT    NOT NULL,
    owner            TEXT    NOT NULL,
    depth            INTEGER NOT NULL,
    status           TEXT,
    detail           TEXT,
    new_context_id   TEXT,
    new_task_id      TEXT,
    submitted_at_ms  INTEGER NOT NULL,
    ended_at_ms      INTEGER,
    PRIMARY KEY (room_id, seq)
) STRICT;

CREATE UNIQUE INDEX actions_by_id ON actions (room_id, action_id);
CREATE INDEX actions_by_group ON actions (room_id, group_id, seq);
-- With the column that is always null here: SQLite prefers the index in which it can look up most.
CREATE INDEX actions_open ON actions (room_id, target, ended_at_ms, seq) WHERE ended_at_ms IS NULL;
CREATE INDEX actions_new ON actions (room_id, group_id, target, sender, seq) WHERE control = 'new';
CREATE INDEX actions_of_target ON actions (room_id, target, seq);
CREATE INDEX actions_of_sender ON actions (room_id, sender, seq);

CREATE TABLE conversations (
    room_id     TEXT    NOT NULL REFERENCES rooms (room_id),
    context_id  TEXT    NOT NULL,
    owner       TEXT    NOT NULL,
    task_id     TEXT,
    since       INTEGER NOT NULL,
    PRIMARY KEY (room_id, context_id)
) STRICT;

CREATE TABLE conversation_tasks (
    room_id      TEXT    NOT NULL REFERENCES rooms (room_id),
    task_id      TEXT    NOT NULL,
    context_id   TEXT,
    status       TEXT    NOT NULL CHECK (status IN ('running', 'blocked', 'ready', 'done')),
    reported_by  TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    PRIMARY KEY (room_id, task_id)
) STRICT;

CREATE TABLE connections (
    room_id   TEXT    NOT NULL REFERENCES rooms (room_id),
    agent_id  TEXT    NOT NULL,
    server    TEXT,
    since_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, agent_id)
) STRICT;
