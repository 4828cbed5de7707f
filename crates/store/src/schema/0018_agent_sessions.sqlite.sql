-- Sessions of agents whose programs call Baton's hooks. No part of the log, like presence: how far each was told of the room,
-- whether it waits for a prompt, when it was woken, and where its conversation is if a runner may resume it.
CREATE TABLE agent_sessions (
    room_id       TEXT    NOT NULL REFERENCES rooms (room_id),
    agent_id      TEXT    NOT NULL,
    told_seq      INTEGER NOT NULL,
    idle_since_ms INTEGER,
    woken_seq     INTEGER NOT NULL,
    woken_at_ms   INTEGER,
    wakes_from_ms INTEGER,
    wakes         INTEGER NOT NULL,
    taken_turn    INTEGER,
    origin        TEXT,
    resumption    TEXT,
    PRIMARY KEY (room_id, agent_id)
) STRICT;

-- A member's own choice of what wakes it; without one the room's policy counts.
ALTER TABLE members ADD COLUMN wake TEXT;

-- The end of a member's session, if it may be resumed: its event, and until when.
ALTER TABLE members ADD COLUMN rest_seq INTEGER;
ALTER TABLE members ADD COLUMN rest_until_ms INTEGER;
