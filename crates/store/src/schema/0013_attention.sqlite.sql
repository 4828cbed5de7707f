-- The event that asks for a manager is kept, not only that there is one; 0 is none.
ALTER TABLE jobs RENAME COLUMN has_error TO open_error;
ALTER TABLE jobs RENAME COLUMN proof_missing TO open_gate;
UPDATE jobs
   SET open_error = coalesce((SELECT max(log.seq)
                                FROM log
                               WHERE log.room_id = jobs.room_id AND log.job = jobs.number AND log.type = 'job.error'), 0)
 WHERE open_error <> 0;
UPDATE jobs
   SET open_gate = coalesce((SELECT max(log.seq)
                               FROM log
                              WHERE log.room_id = jobs.room_id AND log.job = jobs.number AND log.type = 'job.proof_gate'), 0)
 WHERE open_gate <> 0;
-- How far a job is right now. It moves with heartbeats, like the end of its claim.
ALTER TABLE jobs ADD COLUMN progress TEXT NOT NULL DEFAULT '{}';
