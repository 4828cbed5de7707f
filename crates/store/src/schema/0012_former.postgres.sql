-- An id stays its credential's when its agent has left. Those that left before this are known from the log.
ALTER TABLE former_names ADD COLUMN added_by TEXT;
UPDATE former_names
   SET added_by = (
           SELECT log.payload::json ->> 'added_by'
             FROM log
            WHERE log.room_id = former_names.room_id AND log.type IN ('member.join', 'agent.resume')
              AND log.actor = former_names.agent_id
            ORDER BY log.seq DESC
            LIMIT 1
       );
