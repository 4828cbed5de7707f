//! The stable codes of everything that can be answered with "no".
//!
//! A code never changes its meaning. Each says its cause and what to do; `docs/errors.md` is generated from
//! here, and every adapter maps codes to its own statuses in one exhaustive match.

use std::fmt;

use serde::{Serialize, Serializer};

macro_rules! codes {
    ($($variant:ident $text:literal $kind:ident $cause:literal $remedy:literal)*) => {
        /// A stable error code.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorCode {
            $(#[doc = $cause] $variant,)*
        }

        impl ErrorCode {
            /// Every code, in the order of the reference page.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The code as it is written on every surface.
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $text,)* }
            }

            /// What sort of "no" it is.
            pub const fn kind(self) -> Kind {
                match self { $(Self::$variant => Kind::$kind,)* }
            }

            /// Why it happens.
            pub const fn cause(self) -> &'static str {
                match self { $(Self::$variant => $cause,)* }
            }

            /// What to do about it.
            pub const fn remedy(self) -> &'static str {
                match self { $(Self::$variant => $remedy,)* }
            }
        }
    };
}

/// What sort of "no" a code is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// The request itself is wrong; sending it again will not help.
    Invalid,
    /// What it names does not exist.
    NotFound,
    /// The request is fine, but the room's state says no.
    Refused,
    /// Baton or its store failed.
    Failed,
}

codes! {
    TurnMismatch "turn_mismatch" Refused
        "The `expected_turn_id` is not the room's current turn: someone was granted the stick since."
        "Stop working as the owner, read `get_room_state`, then wait for your turn again."
    IdInUse "id_in_use" Refused
        "Another live process, or another credential, has the agent id that the caller would act under."
        "Leave `agent_id_override` and `BATON_AGENT_ID` out to act as yourself, or choose an id that nobody has. The answer names the process or the credential that has it."
    StaleLease "stale_lease" Refused
        "The turn is current, but you are not its owner or this is not its lease."
        "Stop working as the owner and read `get_room_state`. If your own process was replaced while it held the stick, take it over."
    UnknownMember "unknown_member" Refused
        "The caller, or the target of a pass, is not an active member of the room."
        "Call `join_path` first; pass only to an active member listed by `get_room_state`."
    InvalidTarget "invalid_target" Refused
        "The stick cannot be passed to its present owner."
        "Name another member, or release to continue the sequence."
    TakeoverUnavailable "takeover_unavailable" Refused
        "Nothing has timed out and no process is known to be gone, so there is nothing to take over."
        "Call `wait_for_turn`; take over only after it answers `takeover_available`."
    PriorOwner "prior_owner" Refused
        "You passed the stick on, its recipient missed the claim, and another active member can take it over."
        "Let one of the named candidates take over; you may when none of them is active any more."
    HoldsStick "holds_stick" Refused
        "A member who holds the stick cannot leave with it."
        "Release or pass the stick with a handoff, then leave."
    RoomClosed "room_closed" Refused
        "The room was closed; it can be read but takes no more turns."
        "Call `join_path` on the same path: it opens a fresh room."
    DuplicateListener "duplicate_listener" Refused
        "This member is already waiting on this room in another call."
        "Use the wait that is running, or cancel it first."
    IdempotencyConflict "idempotency_conflict" Refused
        "This idempotency key was used before for a different request."
        "Use a new key for a new request."
    UnknownRoom "unknown_room" NotFound
        "No room has this id, or no room covers this path."
        "Call `list_rooms`, or `join_path` to open one."
    PathNotFound "path_not_found" NotFound
        "The path does not exist or cannot be reached."
        "Give an existing directory or file."
    UnknownTool "UNKNOWN_TOOL" NotFound
        "There is no tool or command of this name."
        "List the tools and use one of those names."
    UnknownOp "UNKNOWN_OP" NotFound
        "The portal has no op of this name."
        "Use one of the ops that are listed."
    UnknownCmd "UNKNOWN_CMD" NotFound
        "There is no command of this name, or it belongs to another tool."
        "Use one of the commands that are listed, or the tool that the message names."
    AgentNotFound "AGENT_NOT_FOUND" NotFound
        "No agent of this room has this name or id, or you are not one of its agents yet."
        "List them with `agent list`; call `join_path` or `agent register` to become one."
    MessageNotFound "MESSAGE_NOT_FOUND" NotFound
        "There is no message with this number in the room."
        "List yours with `inbox list`."
    ReservationNotFound "RESERVATION_NOT_FOUND" NotFound
        "You have no reservation of this scope: it ended, or it is written differently."
        "See what is reserved with `scope status`."
    UnknownId "UNKNOWN_ID" NotFound
        "Nothing in this room has this id."
        "List what there is: `tasks list`, `jobs list`, `tasks card.list`; or look for it with `tasks search`."
    InvalidAgentId "INVALID_AGENT_ID" Invalid
        "An agent's name is 3 to 48 lowercase letters or digits, in words joined by single dashes."
        "Choose a name like amber-otter, or leave it out to be given one."
    InvalidRole "INVALID_ROLE" Invalid
        "A role is 1 to 48 lowercase letters or digits, in words joined by single dashes."
        "Choose a role like reviewer."
    InvalidCategory "INVALID_CATEGORY" Invalid
        "A message is HANDOFF, BLOCKED, DECISION or INFO."
        "Use one of these."
    InvalidMessage "INVALID_MESSAGE" Invalid
        "A part of the message is missing, empty, too long, or belongs to another category."
        "Correct the named field."
    InvalidEnvelope "INVALID_ENVELOPE" Invalid
        "A field of the envelope is missing, empty, too long, unknown or of the wrong sort."
        "Correct the named field: the message says what belongs there."
    InvalidState "INVALID_STATE" Invalid
        "There is no such state."
        "Use one of those that the answer lists."
    InvalidLimit "INVALID_LIMIT" Invalid
        "A listing has a largest size."
        "Ask for a number within the bounds."
    InvalidArgs "INVALID_ARGS" Invalid
        "An argument is missing, out of bounds, or contradicts another."
        "Correct the named field."
    DuplicateAgentId "DUPLICATE_AGENT_ID" Refused
        "Another agent has this name in the room, or had it: names are not used twice."
        "Register under another name; to go on as that agent, use `agent adopt`."
    PreconditionFailed "PRECONDITION_FAILED" Refused
        "What is asked does not go with the state that this is in, or with whose it is."
        "The message says how it stands; do what leads on from there."
    Conflict "CONFLICT" Refused
        "Somebody else has it, or had it taken from you: the claim or lease that this leans on is not in force."
        "Stop working on it; what is in force is in the answer."
    BudgetExceeded "BUDGET_EXCEEDED" Invalid
        "What a job asks is longer than the `max_chars` that its claimant can take, so it was not claimed."
        "Raise `max_chars`, or leave the job to another runner."
    UnknownSender "UNKNOWN_SENDER" Refused
        "Only an agent of the room can send there."
        "Call `join_path` or `agent register` first."
    UnknownRecipient "UNKNOWN_RECIPIENT" Refused
        "Nobody in the room is meant by this address."
        "Use a name or id of `agent list`, role:NAME or broadcast."
    NoEdge "NO_EDGE" Refused
        "The room's policy asks for an edge between sender and recipient of an envelope, and there is none."
        "Write to one of `may_write_to`, or have an operator add an edge with `baton edge add`."
    SpawnForbidden "SPAWN_FORBIDDEN" Refused
        "Another agent was asked for by one that may not ask, or that asked for more than it may do itself."
        "Ask for less, or have an operator allow it: `baton agent grant NAME --spawn`."
    ReadForbidden "READ_FORBIDDEN" Refused
        "Only its recipient may read a message."
        "Read your own with `inbox list`."
    AckForbidden "ACK_FORBIDDEN" Refused
        "Only its recipient may accept a message."
        "Leave it to the recipient; what you sent is in `inbox sent`."
    ReservationConflict "RESERVATION_CONFLICT" Refused
        "An active agent has reserved these paths."
        "Work elsewhere, or ask the owner: run the command in `resolution_hint`."
    ReservationStaleFound "RESERVATION_STALE_FOUND" Refused
        "An agent that does not respond has reserved these paths."
        "Run the command in `resolution_hint` to take its reservation over."
    StickNeeded "STICK_NEEDED" Refused
        "Files of the workspace are changed by the holder of the stick, or by an agent that has reserved all of them; the caller is neither."
        "Take the stick with `wait_for_turn`, or reserve the paths with `scope reserve`, then try again."
    ConfinementUnavailable "CONFINEMENT_UNAVAILABLE" Refused
        "A command was to run without write access to a room, and this machine cannot keep it from writing; it was not run."
        "Use Linux 6.2 or later with Landlock switched on, outside of sandboxes that forbid it; or take the stick with `wait_for_turn` and run the command as it is."
    PatchConflict "PATCH_CONFLICT" Refused
        "The patch does not apply to the workspace as it is; nothing was changed."
        "Commit or set aside what is in the way, or make a branch of the patch with `jobs branch` and merge that."
    PatchUnusable "PATCH_UNUSABLE" Refused
        "The patch that was kept is not all that the job changed, or what it was made against is not here."
        "The message says what is missing; send the job back with `jobs send_back`, so that it keeps a patch that can be used."
    ReleaseForbidden "RELEASE_FORBIDDEN" Refused
        "Only its owner may release a reservation."
        "Ask the owner, or take it over once the owner is stale."
    AmbiguousSession "AMBIGUOUS_SESSION" Refused
        "There are identities here whose work was left unfinished, and nobody said whether to go on as one of them."
        "Choose: run one of the commands in `choices`."
    AdoptionRejected "ADOPTION_REJECTED" Refused
        "An identity is resumed only with evidence: uncommitted changes in its scope, or a task of its own in progress."
        "Register under a name of your own with `agent register`."
    InvalidHandoff "invalid_handoff" Invalid
        "A field of the handoff is missing, empty, too long or of the wrong type."
        "Correct the named field. `status` and `next_action` must say something."
    InvalidReason "invalid_reason" Invalid
        "A takeover or close needs a reason of reasonable length."
        "Say in a sentence why."
    InvalidNote "invalid_note" Invalid
        "A note must say something and stay within its size."
        "Shorten it, or put it in a file and point to that."
    InvalidPolicy "invalid_policy" Invalid
        "A timing is out of bounds or contradicts another."
        "Correct the named field."
    InvalidOrder "invalid_order" Invalid
        "The new order must name every member exactly once."
        "Take the members from `get_room_state` and reorder those."
    InvalidPath "invalid_path" Invalid
        "The path is not valid UTF-8, is too long or is empty."
        "Use a path that can be written as text."
    InvalidInput "INVALID_INPUT" Invalid
        "A field is missing, unknown or of the wrong type."
        "Correct the named field."
    InvalidFrame "INVALID_FRAME" Invalid
        "A line on the socket is not an envelope: no JSON object, not UTF-8, too deep, too long, or without `v`, `type` or `id`."
        "Send one JSON object per line: {\"v\":1,\"type\":…,\"id\":…,\"payload\":{…}}."
    TooLarge "PAYLOAD_TOO_LARGE" Invalid
        "The request is larger than is taken at once."
        "Send less; put large text into a file and point to it."
    SourceMismatch "SOURCE_MISMATCH" Refused
        "The `src` or the id that was given is not the agent that this connection speaks for."
        "Leave it out, or use the id that `agent.add` answered on this connection."
    NotOwner "NOT_OWNER" Refused
        "Only its owner leads a conversation, submits to a group, and changes, ends or relays a task."
        "Reply with kind `reply`, or begin a conversation, a group or a task of your own under another name."
    LoopDetected "LOOP_DETECTED" Refused
        "The message would go on a chain of messages that answer each other."
        "Stop here, and let the conversation's owner or a person go on."
    DuplicateAction "DUPLICATE_ACTION" Refused
        "An action with this action_id was submitted in this session before."
        "Use a new action_id for a new action; to repeat a request safely, repeat its idempotency_key."
    AlreadyEnded "ALREADY_ENDED" Refused
        "The action, the task or the relay has ended before; it ends once."
        "Nothing is left to do; look at how it ended with `action.list`."
    Unauthorized "UNAUTHORIZED" Refused
        "The request has no token or ticket, or one that is not known."
        "Send `Authorization: Bearer TOKEN`; `baton up` says where the token is, `baton token` makes others."
    Forbidden "FORBIDDEN" Refused
        "Whoever calls may not do that: its role, its origin or its user does not allow it."
        "Use a token with the role that is named, or have an operator do it."
    RateLimited "RATE_LIMITED" Refused
        "This agent asks more often than is allowed."
        "Wait as long as `retry_after_ms` says, then go on; nothing was changed."
    SlowConsumer "SLOW_CONSUMER" Refused
        "The subscriber did not read what it was sent, and was dropped."
        "Connect again with the cursor of the last event you have; nothing is lost."
    ShuttingDown "SHUTTING_DOWN" Failed
        "The server is about to end."
        "Connect again in a moment, with your cursor; nothing is lost."
    TooManyMembers "too_many_members" Refused
        "The room has as many members as it can have."
        "Have members that are done call `leave_path`."
    Canceled "canceled" Failed
        "The caller withdrew the call before it was answered."
        "Nothing was changed; call again if you still want it."
    StoreBusy "store_busy" Failed
        "Another process held the store's write lock for the whole deadline."
        "The message names the process. Resume or end it, then try again; nothing was changed."
    StoreNewer "store_newer" Failed
        "The store, or an event in it, was written by a newer Baton; this one reads what it knows and will not write."
        "Update this Baton."
    StoreReplaced "store_replaced" Failed
        "The database file was deleted or replaced while it was open."
        "Restart the process; nothing more is written to the old file."
    StoreCorrupt "store_corrupt" Failed
        "The database is damaged or is not a Baton store."
        "Run `baton doctor`, and restore from a backup or move the file away; on a server, use another database."
    StoreFull "store_full" Failed
        "The disk is full."
        "Free some space and try again; nothing was changed."
    StoreReadOnly "store_read_only" Failed
        "The store, its directory or its server cannot be written."
        "Give your user the directory, or set BATON_DATA_DIR to one you may write; on a server, use one that is no standby."
    StoreUnreachable "store_unreachable" Failed
        "No Postgres server answers at the store's address."
        "See that the server runs, that host and port are right, and that its certificate is one you trust; then try again. Nothing was changed."
    StoreDenied "store_denied" Failed
        "The Postgres server does not let this user in, or not do what Baton needs."
        "Correct user, password (`~/.pgpass` or PGPASSWORD) and database, or have an administrator run `baton store migrate` and grant the rights."
    StoreOutcomeUnknown "store_outcome_unknown" Failed
        "The connection broke during a commit and the server could not be asked what became of it."
        "Repeat the call with the same idempotency_key, which does it at most once; without one, look at `get_room_state` first."
    StoreNotEmpty "store_not_empty" Refused
        "A store can only be copied into one that has no rooms."
        "Copy into an empty database or directory."
    StoreMoved "store_moved" Refused
        "The store that was copied changed while it was being copied."
        "End the agents that use it, empty the target, and copy again."
    StoreUnavailable "store_unavailable" Failed
        "The store could not be opened or used."
        "The message has the cause; `baton doctor` checks the rest."
    NetworkFilesystem "network_filesystem" Failed
        "The data directory is on a network filesystem, where SQLite's locks cannot be trusted."
        "Set BATON_DATA_DIR to a local directory."
    Internal "internal" Failed
        "Baton itself failed; this is a bug."
        "Nothing was changed. Run `baton doctor` and report the message."
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for ErrorCode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn codes_are_distinct_and_each_says_what_to_do() {
        let texts: HashSet<_> = ErrorCode::ALL.iter().map(|code| code.as_str()).collect();
        assert_eq!(texts.len(), ErrorCode::ALL.len());
        assert!(ErrorCode::ALL.iter().all(|code| code.cause().ends_with('.') && code.remedy().ends_with('.')));
    }
}
