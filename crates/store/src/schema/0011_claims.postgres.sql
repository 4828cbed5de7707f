-- A claim, and a runner's id, belong to an exact process, or to the credential of a caller that has none.
ALTER TABLE jobs ADD COLUMN claim_process TEXT;
ALTER TABLE jobs ADD COLUMN claim_via TEXT;
ALTER TABLE runners ADD COLUMN process TEXT;
ALTER TABLE runners ADD COLUMN via TEXT;
