-- Sessions of agents whose programs call Baton's hooks. No part of the log, like presence: how far each was told of the room,
-- whether it waits for a prompt, when it was woken, and where its conversation is if a runner may resume it.
CREATE TABLE agent_sessions (
    room_id       TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    agent_id      TEXT COLLATE "C" NOT NULL,
    told_seq      BIGINT NOT NULL,
    idle_since_ms BIGINT,
    woken_seq     BIGINT NOT NULL,
    woken_at_ms   BIGINT,
    wakes_from_ms BIGINT,
    wakes         BIGINT NOT NULL,
    taken_turn    BIGINT,
    origin        TEXT,
    resumption    TEXT,
    PRIMARY KEY (room_id, agent_id)
);

-- A member's own choice of what wakes it; without one the room's policy counts.
ALTER TABLE members ADD COLUMN wake TEXT;

-- The end of a member's session, if it may be resumed: its event, and until when.
ALTER TABLE members ADD COLUMN rest_seq BIGINT;
ALTER TABLE members ADD COLUMN rest_until_ms BIGINT;
