//! Every bound, by name. Going over one is a refusal that says which.

use std::ops::RangeInclusive;

use crate::time::Ttl;

/// Longest agent id.
pub const AGENT_ID_BYTES: usize = 128;
/// How long an agent's name is.
pub const AGENT_NAME_CHARS: RangeInclusive<usize> = 3..=48;
/// How long a role is.
pub const ROLE_CHARS: RangeInclusive<usize> = 1..=48;
/// Longest room or lease id.
pub const ID_BYTES: usize = 64;
/// How much of a wrong input a message repeats.
pub const SHOWN_INPUT_CHARS: usize = 60;

/// Longest `status` or `next_action` of a handoff.
pub const HANDOFF_TEXT_BYTES: usize = 16 * 1024;
/// Most artifacts in a handoff.
pub const HANDOFF_ARTIFACTS: usize = 64;
/// Longest path of an artifact.
pub const ARTIFACT_PATH_BYTES: usize = 4096;
/// Longest note of an artifact.
pub const ARTIFACT_NOTE_BYTES: usize = 1024;
/// Most entries in `open_questions` or `do_not`.
pub const HANDOFF_LIST_ITEMS: usize = 32;
/// Longest entry in `open_questions` or `do_not`.
pub const HANDOFF_ITEM_BYTES: usize = 2048;
/// Largest handoff in all, as JSON: it comes with the answer to a wait, of which most clients pass on 40,000
/// characters.
pub const HANDOFF_BYTES: usize = 32 * 1024;
/// Bytes of JSON in one listing of rooms.
pub const LISTING_BYTES: usize = 30_000;

/// Longest note.
pub const NOTE_BYTES: usize = 16 * 1024;
/// Longest reason of a takeover or a close.
pub const REASON_BYTES: usize = 2048;
/// Most members in a room.
pub const MEMBERS: usize = 256;
/// Longest path of a room.
pub const PATH_BYTES: usize = 4096;
/// Longest idempotency key.
pub const IDEMPOTENCY_KEY_BYTES: usize = 128;
/// How long an idempotency key replays its first answer.
pub const IDEMPOTENCY_TTL: Ttl = Ttl::from_minutes(7 * 24 * 60);

/// How long it is remembered that a process ended, for machines that cannot look. Longer than any lease or presence.
pub const DEPARTURE_TTL: Ttl = Ttl::from_minutes(30 * 24 * 60);

/// Events in one page unless asked otherwise.
pub const EVENTS_DEFAULT: u32 = 20;
/// Most events in one page.
pub const EVENTS_MAX: u32 = 200;
/// Most rooms in one listing.
pub const ROOMS_MAX: u32 = 200;

/// Longest wait a single call may ask for; a client calls again.
pub const WAIT_MAX: Ttl = Ttl::from_secs(50);
/// How fresh a stored presence may be before a call writes it again.
pub const PRESENCE_GRAIN: Ttl = Ttl::from_secs(5);

/// Shortest lease, claim or presence a policy may set.
pub const POLICY_TTL_MIN: Ttl = Ttl::from_millis(100);
/// Shortest heartbeat a policy may set.
pub const POLICY_HEARTBEAT_MIN: Ttl = Ttl::from_millis(10);
/// Longest lease, claim, presence or heartbeat a policy may set.
pub const POLICY_TTL_MAX: Ttl = Ttl::from_minutes(30 * 24 * 60);
/// Shortest safety re-read of a waiter.
pub const POLICY_POLL_MIN: Ttl = Ttl::from_millis(250);
/// Longest safety re-read of a waiter.
pub const POLICY_POLL_MAX: Ttl = Ttl::from_secs(60);

/// How long after its last call an agent is stale, unless told otherwise. After twice that it is evicted.
pub const STALE_AFTER: Ttl = Ttl::from_minutes(15);
/// Fewest and most minutes after which an agent may be told to be stale.
pub const STALE_MINUTES: RangeInclusive<u64> = 1..=30 * 24 * 60;

/// How long a scope is reserved, unless told otherwise.
pub const SCOPE_TTL_MINUTES_DEFAULT: u64 = 120;
/// Fewest and most minutes for which a scope may be reserved.
pub const SCOPE_TTL_MINUTES: RangeInclusive<u64> = 5..=1440;
/// Most scopes in one request, and most that one agent has at a time.
pub const SCOPES_OF_AGENT: usize = 64;
/// Most paths in one check.
pub const CHECKED_PATHS: usize = 20_000;
/// Most ended reservations in one listing.
pub const SCOPES_ARCHIVED_MAX: u32 = 200;

/// Longest title of a task.
pub const TASK_TITLE_BYTES: usize = 200;
/// Most tasks in one listing.
pub const TASKS_MAX: u32 = 200;
/// Tasks in one listing unless asked otherwise.
pub const TASKS_DEFAULT: u32 = 50;

/// Longest subject of a message.
pub const SUBJECT_BYTES: usize = 200;
/// Longest text of a message, all of its parts together.
pub const MESSAGE_BYTES: usize = 16 * 1024;
/// Messages in one listing unless asked otherwise.
pub const INBOX_DEFAULT: u32 = 25;
/// Most messages in one listing.
pub const INBOX_MAX: u32 = 200;
/// Most items that one event passes on, when an identity is adopted.
pub const FORWARDED_ITEMS: usize = 200;
