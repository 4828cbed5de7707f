-- The end of the last claim on a job that its claimant did not give up: its program may run until then, and a grace longer.
ALTER TABLE jobs ADD COLUMN earlier_claim_ends_at_ms BIGINT;
