-- Sessions of agents whose programs call Baton's hooks. No part of the log, like presence: how far each was told of the room,
-- whether it waits for a prompt, and when it was woken.
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
    wake          TEXT,
    PRIMARY KEY (room_id, agent_id)
) STRICT;
