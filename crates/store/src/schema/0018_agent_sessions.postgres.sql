-- Sessions of agents whose programs call Baton's hooks. No part of the log, like presence: how far each was told of the room,
-- whether it waits for a prompt, and when it was woken.
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
    wake          TEXT,
    PRIMARY KEY (room_id, agent_id)
);
