-- Who took the stick over finds the last handoff, and whose turn was lost, where it looks for them. Turns that began as
-- takeovers before this are known from the log.
ALTER TABLE rooms ADD COLUMN taken_from TEXT;
UPDATE rooms
   SET taken_from = (
           SELECT log.subject
             FROM log
            WHERE log.room_id = rooms.room_id AND log.type = 'stick.takeover'
            ORDER BY log.seq DESC
            LIMIT 1
       ),
       handoff_seq = (
           SELECT max(log.seq)
             FROM log
            WHERE log.room_id = rooms.room_id AND log.type IN ('stick.release', 'stick.pass')
       )
 WHERE owner_reason = 'takeover';
UPDATE rooms
   SET handoff_from = (
           SELECT log.actor
             FROM log
            WHERE log.room_id = rooms.room_id AND log.seq = rooms.handoff_seq
       ),
       handoff_via = (
           SELECT CASE log.type WHEN 'stick.pass' THEN 'pass' ELSE 'release' END
             FROM log
            WHERE log.room_id = rooms.room_id AND log.seq = rooms.handoff_seq
       )
 WHERE owner_reason = 'takeover' AND handoff_seq IS NOT NULL;
