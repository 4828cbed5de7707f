-- Roles and former names of agents, the paths they reserved, their tasks, and their inboxes: what
-- 0003_agents.sqlite.sql has.

ALTER TABLE members ADD COLUMN role TEXT;

-- A name that somebody had and has no more. It is not given out again.
CREATE TABLE former_names (
    room_id   TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    name      TEXT   COLLATE "C" NOT NULL,
    agent_id  TEXT   COLLATE "C" NOT NULL,
    role      TEXT,
    until_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, name)
);

-- Reservations, numbered by the place of their grant in the log. Ended ones are the archive.
CREATE TABLE scopes (
    room_id         TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    reservation     BIGINT NOT NULL,
    scope           TEXT   NOT NULL,
    owner           TEXT   COLLATE "C" NOT NULL,
    bead_id         TEXT,
    reserved_at_ms  BIGINT NOT NULL,
    expires_at_ms   BIGINT NOT NULL,
    ended_at_ms     BIGINT,
    ended_how       TEXT CHECK (ended_how IN ('released', 'expired')),
    PRIMARY KEY (room_id, reservation)
);

CREATE INDEX scopes_in_force ON scopes (room_id, reservation) WHERE ended_at_ms IS NULL;
CREATE INDEX scopes_expired ON scopes (room_id, owner, reservation) WHERE ended_how = 'expired';

CREATE TABLE tasks (
    room_id        TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    number         BIGINT NOT NULL,
    title          TEXT   NOT NULL,
    state          TEXT   NOT NULL CHECK (state IN ('open', 'in_progress', 'done')),
    assignee       TEXT   COLLATE "C",
    scopes         TEXT   NOT NULL,
    created_by     TEXT   NOT NULL,
    created_at_ms  BIGINT NOT NULL,
    updated_at_ms  BIGINT NOT NULL,
    PRIMARY KEY (room_id, number)
);

CREATE INDEX tasks_by_state ON tasks (room_id, state, number);
CREATE INDEX tasks_by_assignee ON tasks (room_id, assignee, state, number);

-- One item per message and recipient. The message itself is in the log.
CREATE TABLE inbox (
    room_id          TEXT   COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    recipient        TEXT   COLLATE "C" NOT NULL,
    message          BIGINT NOT NULL,
    sender           TEXT   COLLATE "C" NOT NULL,
    category         TEXT   NOT NULL,
    requires_ack     BIGINT NOT NULL,
    wakes            BIGINT NOT NULL,
    queued_at_ms     BIGINT NOT NULL,
    delivered_at_ms  BIGINT,
    seen_at_ms       BIGINT,
    accepted_at_ms   BIGINT,
    PRIMARY KEY (room_id, recipient, message)
);

CREATE INDEX inbox_by_message ON inbox (room_id, message, recipient);
CREATE INDEX inbox_pending ON inbox (room_id, recipient, message)
    WHERE seen_at_ms IS NULL OR (requires_ack = 1 AND accepted_at_ms IS NULL);
CREATE INDEX inbox_by_sender ON inbox (room_id, sender, message);
