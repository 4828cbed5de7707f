-- Collisions are looked for by whoever watches over a room.
CREATE INDEX log_incursions ON log (room_id, type, created_at_ms) WHERE type = 'scope.incursion';
