-- Events of callers whose id was given by hand are marked, all of them.
ALTER TABLE log ADD COLUMN overridden BIGINT NOT NULL DEFAULT 0;

-- An id belongs to the process or the credential behind it.
ALTER TABLE members ADD COLUMN keeps TEXT;
ALTER TABLE members ADD COLUMN added_by TEXT;
ALTER TABLE members ADD COLUMN parallel_to TEXT;
ALTER TABLE members ADD COLUMN overridden BIGINT NOT NULL DEFAULT 0;

-- Somebody who was retired is a member again as soon as it calls; somebody who left is not.
ALTER TABLE former_names ADD COLUMN retired BIGINT NOT NULL DEFAULT 0;

-- A caller is looked for by its id, and by its process, before it has named a room.
CREATE INDEX members_by_agent ON members (agent_id);
CREATE INDEX members_by_process ON members (pid);

-- A job's agent shows a secret that was made with the claim. Only its hash is kept.
ALTER TABLE jobs ADD COLUMN capability TEXT;
