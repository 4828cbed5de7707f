-- More can be found than before: handoffs, envelopes, messages, files and requests for agents. What was looked at is
-- looked at once more, by whoever searches next.
DELETE FROM search_index;
DELETE FROM search_progress;

-- Collisions are looked for by whoever watches over a room. With the type that is always the same here: SQLite prefers the
-- index in which it can look up most.
CREATE INDEX log_incursions ON log (room_id, type, created_at_ms) WHERE type = 'scope.incursion';
