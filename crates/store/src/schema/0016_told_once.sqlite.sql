-- A collision that is met again is the same row of the log, and is counted here.
CREATE TABLE incursions (
    room_id      TEXT    NOT NULL REFERENCES rooms (room_id),
    -- The reservation that was met.
    reservation  INTEGER NOT NULL,
    -- A hash of who met it, where, and what came of it.
    collision    TEXT    NOT NULL,
    -- The event that tells of it.
    seq          INTEGER NOT NULL,
    times        INTEGER NOT NULL,
    last_at_ms   INTEGER NOT NULL,
    PRIMARY KEY (room_id, reservation, collision)
) STRICT, WITHOUT ROWID;

CREATE INDEX incursions_by_event ON incursions (room_id, seq);
CREATE INDEX incursions_by_time ON incursions (room_id, last_at_ms, seq);

INSERT INTO incursions (room_id, reservation, collision, seq, times, last_at_ms)
SELECT room_id, 0, CAST(seq AS TEXT), seq, 1, created_at_ms FROM log WHERE type = 'scope.incursion';

DROP INDEX log_incursions;

-- How many events the rooms had that were at this path before: their protocol ids are not given again.
ALTER TABLE rooms ADD COLUMN earlier_events INTEGER NOT NULL DEFAULT 0;

-- What was said with an acknowledgement: its sender reads it beside the message.
ALTER TABLE inbox ADD COLUMN note TEXT;

UPDATE inbox
   SET note = said.note
  FROM (SELECT room_id, actor, json_extract(log.payload, '$.item') AS message, json_extract(plain, '$.note') AS note
          -- An escape of character 0, which no column has, becomes that of U+FFFD; pairs of backslashes are set aside meanwhile.
          FROM (SELECT room_id, actor, payload, replace(replace(replace(payload, '\\', char(1)), '\u0000', '\ufffd'), char(1), '\\') AS plain
                  FROM log
                 WHERE type = 'inbox.accept') AS log) AS said
 WHERE inbox.room_id = said.room_id AND inbox.recipient = said.actor AND inbox.message = said.message;
