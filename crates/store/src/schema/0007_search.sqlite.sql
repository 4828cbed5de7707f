-- More can be found than before: handoffs, envelopes, messages, files and requests for agents. What was looked at is
-- looked at once more, by whoever searches next.
DELETE FROM search_index;
DELETE FROM search_progress;
