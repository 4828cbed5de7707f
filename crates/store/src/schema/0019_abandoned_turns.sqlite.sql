-- The newest turn whose holder was gone, of which a session's model was told: no event says that it is over.
ALTER TABLE agent_sessions ADD COLUMN abandoned_turn INTEGER;
