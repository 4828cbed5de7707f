//! What an agent is told about Baton when it connects: the contract's eleven operating rules, and how to keep out of each
//! other's way beside the stick.
//!
//! Claude cuts instructions at 4 KB and every client pays for them in each conversation, so they stay under two.

/// The operating rules, in the words an agent reads.
pub const INSTRUCTIONS: &str = "\
Baton lets several agents share a workspace. A workspace is a room with one stick; only the member who holds the \
stick works on the shared task. The others wait.

1. First call list_rooms to see what is already happening here.
2. Call join_path with your directory. Use the room_id and canonical_path it returns even if they differ from what \
you asked for: you may have joined a parent room.
3. Do no shared work until wait_for_turn answers your_turn. On not_yet call it again at once; it blocks without \
cost, so never sleep or poll. If it counts messages, read them first: inbox, op list.
4. On your_turn read the attached handoff before anything else, and open its artifacts directly.
5. While you work, call heartbeat every few minutes (join_path returns heartbeat_interval_ms).
6. Send room_id, lease_id and expected_turn_id (the turn_id of your turn) with heartbeat, release_stick and \
pass_stick. Never send an agent id: the server knows who you are.
7. If one of these answers stale_lease, turn_mismatch or unknown_member, stop working and read get_room_state.
8. You give the stick away with a handoff: a truthful status (what I did, what I learned, open risks), an \
actionable next_action, and artifacts (path, lines, role).
9. release_stick continues with the next member in sequence.
10. pass_stick chooses a specific active member.
11. Call takeover_stick only after wait_for_turn or get_room_state reports that takeover is possible, with a \
reason. Then read the last handoffs: get_room_state, get_room_events.

To work on paths of your own beside others: scope reserve first, scope check before you edit, scope release after. \
If refused, work elsewhere or send BLOCKED to the owner (inbox send). tasks says what there is to do: start one, \
then done. Accept messages that require it (inbox ack). Op help explains a tool's ops; workspace (a room_id or a \
path) is for another room than the one you joined.

An answer with an error field is a refusal: message says why, next what to do. When done, release the stick; do \
not just stop.";

/// What an agent is told that a runner started for a job: the rules of its prompt come first.
pub const JOB_INSTRUCTIONS: &str = "\
A runner started you for one delegated job. Your prompt has the rules; these tools are how you keep them.

- jobs, op report: kind checkpoint, progress, question or error, and a message. You need not name the job or the claim.
- jobs, op tail with after and max_wait_ms: wait for your manager's answer. It blocks without cost; never sleep or poll.
- tasks, op card.create: keep what you found where it can be pointed to; it answers CARD-n, which goes into refs.
- open shows whatever a ref points to; tasks, op search finds it; op help explains a tool's ops.

You work alone on this job: you need not join a room or wait for the stick, unless your prompt says so. If a report is \
refused with CONFLICT, the job is not yours any more: stop. An answer with an error is a refusal: message says why, next \
what to do.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_instructions_stay_short_and_name_every_daily_tool_of_the_contract() {
        for text in [INSTRUCTIONS, JOB_INSTRUCTIONS] {
            assert!(text.len() < 2048, "{} bytes", text.len());
        }
        for tool in [
            "list_rooms",
            "join_path",
            "wait_for_turn",
            "heartbeat",
            "release_stick",
            "pass_stick",
            "takeover_stick",
            "get_room_state",
            "get_room_events",
            "scope reserve",
            "inbox",
            "tasks",
        ] {
            assert!(INSTRUCTIONS.contains(tool), "{tool}");
        }
    }
}
