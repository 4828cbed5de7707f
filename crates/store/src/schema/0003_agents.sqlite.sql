-- Roles and former names of agents, the paths they reserved, their tasks, and their inboxes.

ALTER TABLE members ADD COLUMN role TEXT;

-- A name that somebody had and has no more. It is not given out again.
CREATE TABLE former_names (
    room_id   TEXT    NOT NULL REFERENCES rooms (room_id),
    name      TEXT    NOT NULL,
    agent_id  TEXT    NOT NULL,
    role      TEXT,
    until_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, name)
) STRICT, WITHOUT ROWID;

-- These tables have a rowid: of one without, SQLite takes the primary key for cheaper than an index that fits, and would
-- read a room's whole past to find the little that is current.

-- Reservations, numbered by the place of their grant in the log. Ended ones are the archive.
CREATE TABLE scopes (
    room_id         TEXT    NOT NULL REFERENCES rooms (room_id),
    reservation     INTEGER NOT NULL,
    scope           TEXT    NOT NULL,
    owner           TEXT    NOT NULL,
    bead_id         TEXT,
    reserved_at_ms  INTEGER NOT NULL,
    expires_at_ms   INTEGER NOT NULL,
    ended_at_ms     INTEGER,
    ended_how       TEXT CHECK (ended_how IN ('released', 'expired')),
    PRIMARY KEY (room_id, reservation)
) STRICT;

CREATE INDEX scopes_in_force ON scopes (room_id, reservation) WHERE ended_at_ms IS NULL;
CREATE INDEX scopes_expired ON scopes (room_id, owner, reservation) WHERE ended_how = 'expired';

CREATE TABLE tasks (
    room_id        TEXT    NOT NULL REFERENCES rooms (room_id),
    number         INTEGER NOT NULL,
    title          TEXT    NOT NULL,
    state          TEXT    NOT NULL CHECK (state IN ('open', 'in_progress', 'done')),
    assignee       TEXT,
    scopes         TEXT    NOT NULL,
    created_by     TEXT    NOT NULL,
    created_at_ms  INTEGER NOT NULL,
    updated_at_ms  INTEGER NOT NULL,
    PRIMARY KEY (room_id, number)
) STRICT;

CREATE INDEX tasks_by_state ON tasks (room_id, state, number);
CREATE INDEX tasks_by_assignee ON tasks (room_id, assignee, state, number);

-- One item per message and recipient. The message itself is in the log.
CREATE TABLE inbox (
    room_id          TEXT    NOT NULL REFERENCES rooms (room_id),
    recipient        TEXT    NOT NULL,
    message          INTEGER NOT NULL,
    sender           TEXT    NOT NULL,
    category         TEXT    NOT NULL,
    requires_ack     INTEGER NOT NULL,
    wakes            INTEGER NOT NULL,
    queued_at_ms     INTEGER NOT NULL,
    delivered_at_ms  INTEGER,
    seen_at_ms       INTEGER,
    accepted_at_ms   INTEGER,
    PRIMARY KEY (room_id, recipient, message)
) STRICT;

CREATE INDEX inbox_by_message ON inbox (room_id, message, recipient);
CREATE INDEX inbox_pending ON inbox (room_id, recipient, message)
    WHERE seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL);
CREATE INDEX inbox_by_sender ON inbox (room_id, sender, message);
