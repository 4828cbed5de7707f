-- A stream is kept after its end, for as long as its agent is a member: with its time, the agent's state from then on, and
-- the reason. Streams that ended before this are not on record.
ALTER TABLE connections ADD COLUMN ended_at_ms INTEGER;
ALTER TABLE connections ADD COLUMN ended_as TEXT;
ALTER TABLE connections ADD COLUMN ended_why TEXT;
