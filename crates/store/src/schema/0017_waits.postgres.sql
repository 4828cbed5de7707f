-- Calls that wait for others, while they do. It is no part of the log, like presence: a row counts as long as the process
-- that waits is there, and no longer than its call may last.
CREATE TABLE waits (
    room_id  TEXT COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    wait_id  TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    process  TEXT,
    awaited  TEXT NOT NULL,
    since_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    PRIMARY KEY (room_id, wait_id)
);

-- Whose a task is, is asked before each message that names a new one.
CREATE INDEX conversations_by_task ON conversations (room_id, task_id, context_id);
