-- A collision that is met again is the same row of the log, and is counted here.
CREATE TABLE incursions (
    room_id      TEXT    COLLATE "C" NOT NULL REFERENCES rooms (room_id),
    -- The reservation that was met.
    reservation  BIGINT  NOT NULL,
    -- A hash of who met it, where, and what came of it.
    collision    TEXT    COLLATE "C" NOT NULL,
    -- The event that tells of it.
    seq          BIGINT  NOT NULL,
    times        BIGINT  NOT NULL,
    last_at_ms   BIGINT  NOT NULL,
    PRIMARY KEY (room_id, reservation, collision)
);

CREATE INDEX incursions_by_event ON incursions (room_id, seq);
CREATE INDEX incursions_by_time ON incursions (room_id, last_at_ms, seq);

INSERT INTO incursions (room_id, reservation, collision, seq, times, last_at_ms)
SELECT room_id, 0, CAST(seq AS TEXT), seq, 1, created_at_ms FROM log WHERE type = 'scope.incursion';

DROP INDEX log_incursions;

-- How many events the rooms had that were at this path before: their protocol ids are not given again.
ALTER TABLE rooms ADD COLUMN earlier_events BIGINT NOT NULL DEFAULT 0;

-- What was said with an acknowledgement: its sender reads it beside the message.
ALTER TABLE inbox ADD COLUMN note TEXT;

UPDATE inbox
   SET note = said.note
  FROM (SELECT room_id, actor, CAST(payload ->> 'item' AS BIGINT) AS message, payload ->> 'note' AS note
          -- Text has no character 0, which JSON can write: an escape of it becomes that of U+FFFD.
          FROM (SELECT room_id, actor, CAST(regexp_replace(payload, '(?<!\\)((\\\\)*)\\u0000', '\1\\ufffd', 'g') AS JSONB) AS payload
                  FROM log
                 WHERE type = 'inbox.accept') AS accepted) AS said
 WHERE inbox.room_id = said.room_id AND inbox.recipient = said.actor AND inbox.message = said.message;
