-- The newest turn whose holder was gone, of which a session's model was told: no event says that it is over.
ALTER TABLE agent_sessions ADD COLUMN abandoned_turn BIGINT;

-- The screens at which a session may be, if its program serves several: the session is over when all of them are gone.
ALTER TABLE agent_sessions ADD COLUMN screens TEXT;

-- The edits that were stopped because of a turn that the session was not told of.
ALTER TABLE agent_sessions ADD COLUMN stops TEXT;
