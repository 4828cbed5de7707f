//! Every bound, by name. Going over one is a refusal that says which.

use std::{ops::RangeInclusive, time::Duration};

use crate::time::Ttl;

/// A bound as the documents state it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limit {
    /// The constant's name. Its last word is the unit.
    pub name: &'static str,
    /// What is bounded, in sentences.
    pub about: String,
    /// The value, with its unit.
    pub value: String,
}

impl Limit {
    /// The bound `name`, which has this value.
    pub fn new(name: &'static str, about: &str, value: &impl Value) -> Self {
        Self { name, about: about.trim().to_owned(), value: value.in_words(unit(name)) }
    }
}

/// The unit that a constant's name says.
fn unit(name: &str) -> &'static str {
    [("BYTES", " bytes"), ("CHARS", " characters"), ("MINUTES", " minutes"), ("TOKENS", " tokens")]
        .into_iter()
        .find_map(|(word, unit)| name.split('_').any(|part| part == word).then_some(unit))
        .unwrap_or_default()
}

/// The value of a bound, for people.
pub trait Value {
    /// The value with its unit.
    fn in_words(&self, unit: &str) -> String;
}

macro_rules! numbers {
    ($($number:ty),*) => {$(
        impl Value for $number {
            fn in_words(&self, unit: &str) -> String {
                format!("{}{unit}", grouped(&self.to_string()))
            }
        }
    )*};
}
numbers!(u32, u64, usize);

impl Value for Ttl {
    fn in_words(&self, _: &str) -> String {
        Duration::from_millis(self.as_millis()).in_words("")
    }
}

impl Value for Duration {
    fn in_words(&self, _: &str) -> String {
        const UNITS: [(u128, &str); 5] = [
            (24 * 60 * 60 * 1000, "day"),
            (60 * 60 * 1000, "hour"),
            (60 * 1000, "minute"),
            (1000, "second"),
            (1, "ms"),
        ];
        let millis = self.as_millis();
        let whole = UNITS.iter().find(|(length, _)| millis >= *length && millis.is_multiple_of(*length));
        match whole.map(|(length, name)| (millis / length, *name)) {
            Some((1, name)) => format!("1 {name}"),
            Some((count, "ms")) => format!("{count} ms"),
            Some((count, name)) => format!("{count} {name}s"),
            None => "0".to_owned(),
        }
    }
}

impl<T: Value> Value for RangeInclusive<T> {
    fn in_words(&self, unit: &str) -> String {
        format!("{} to {}", self.start().in_words(""), self.end().in_words(unit))
    }
}

impl<T: Value> Value for (T, T) {
    fn in_words(&self, unit: &str) -> String {
        format!("{} to {}", self.0.in_words(""), self.1.in_words(unit))
    }
}

/// A number with commas between its thousands.
fn grouped(digits: &str) -> String {
    let place = |index: usize| if index > 0 && (digits.len() - index).is_multiple_of(3) { "," } else { "" };
    digits.chars().enumerate().map(|(index, digit)| format!("{}{digit}", place(index))).collect()
}

/// Makes each constant, and the list of them for the documents.
macro_rules! limits {
    ($($(#[doc = $about:literal])* pub const $name:ident: $kind:ty = $value:expr;)*) => {
        $($(#[doc = $about])* pub const $name: $kind = $value;)*

        /// Every bound of this file, in its order.
        pub fn all() -> Vec<Limit> {
            vec![$(Limit::new(stringify!($name), concat!($($about),*), &$name),)*]
        }
    };
}

limits! {
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

/// Most files in the record of a tree that goes with a handoff. It says how many more there are.
pub const TREE_FILES: usize = 500;
/// Largest record of a tree, as JSON.
pub const TREE_BYTES: usize = 64 * 1024;

/// Longest note.
pub const NOTE_BYTES: usize = 16 * 1024;
/// Longest reason of a takeover or a close.
pub const REASON_BYTES: usize = 2048;
/// Most members in a room.
pub const MEMBERS: usize = 256;
/// Members that an answer lists. It says how many more there are.
pub const MEMBERS_SHOWN: usize = 32;
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
/// Most bytes of context that a hook adds at a session's start or with a prompt.
pub const HOOK_CONTEXT_BYTES: usize = 1000;
/// The span in which wakes of a session are counted.
pub const WAKE_HOUR: Ttl = Ttl::from_minutes(60);
/// Most wakes of one session in that span: more would burn model requests without anybody looking.
pub const WAKES_PER_HOUR: u32 = 20;
/// A woken session that does nothing for this long needs a person.
pub const WAKE_UNANSWERED: Ttl = Ttl::from_minutes(5);
/// Most sessions of a room that rest until a runner resumes them: more would let one message start old work in a crowd. The one
/// that rests the longest makes place for another.
pub const RESTING_SESSIONS: usize = 8;
/// How long a session rests before it leaves: programs throw conversations away, and nobody expects last month's to answer.
pub const REST_TTL: Ttl = Ttl::from_minutes(7 * 24 * 60);
/// How long a runner whose process nobody can look at counts as busy with a session that it resumed: longer than any slice.
pub const RESUMPTION_TTL: Ttl = Ttl::from_minutes(25 * 60);
/// Longest reason of a resumption that failed.
pub const RESUME_FAILURE_CHARS: usize = 400;
/// Most rooms in one listing.
pub const ROOMS_MAX: u32 = 200;

/// Longest wait a single call may ask for; a client calls again.
pub const WAIT_MAX: Ttl = Ttl::from_secs(50);
/// How fresh a stored presence may be before a call writes it again.
pub const PRESENCE_GRAIN: Ttl = Ttl::from_secs(5);

/// Shortest lease or claim a policy may set.
pub const POLICY_TTL_MIN: Ttl = Ttl::from_millis(100);
/// Shortest presence a policy may set. Who waits has to write that it is there more often than that.
pub const POLICY_PRESENCE_MIN: Ttl = Ttl::from_secs(1);
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
/// How often writes of one process look for members whose processes are gone.
pub const SWEEP_GRAIN: Ttl = Ttl::from_secs(1);
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

/// Longest reference or receipt.
pub const REFERENCE_BYTES: usize = 256;
/// Most references with one event.
pub const REFERENCES: usize = 32;

/// Longest title of a job, a card, an anchor or a plan.
pub const TITLE_CHARS: usize = 200;
/// Longest prompt of a job.
pub const PROMPT_CHARS: usize = 50_000;
/// Longest kind of a job.
pub const JOB_KIND_CHARS: usize = 48;
/// Longest message of a job's event. What a runner reports is cut to it, what a manager writes is refused beyond it.
pub const JOB_MESSAGE_CHARS: usize = 400;
/// How much of a summary a job's row shows. The event that ended it has all of it.
pub const JOB_SUMMARY_CHARS: usize = 800;
/// Longest summary.
pub const JOB_SUMMARY_BYTES: usize = 16 * 1024;
/// How much of its last message a job's row shows.
pub const JOB_PREVIEW_CHARS: usize = 80;
/// Largest `meta` of a job, as JSON.
pub const JOB_META_BYTES: usize = 8 * 1024;
/// How often in a row a job may lose its runner before it counts as failed.
pub const JOB_LOSSES: u32 = 8;
/// How long a claim lasts unless told otherwise.
pub const CLAIM_TTL: Ttl = Ttl::from_secs(180);
/// How long after the end of a claim its program may take to end: no program of the next claim starts before. The minder
/// asks it to stop when the claim has run out, and kills it well within this.
pub const PROGRAM_GRACE: Ttl = Ttl::from_secs(5);
/// How long a runner counts as there after it said so.
pub const RUNNER_TTL: Ttl = Ttl::from_secs(20);
/// Shortest and longest claim and runner lease; what is asked beyond is brought within.
pub const LEASE_TTL: (Ttl, Ttl) = (Ttl::from_secs(1), Ttl::from_secs(300));
/// Jobs in one listing or on the radar unless asked otherwise.
pub const JOBS_DEFAULT: u32 = 25;
/// Most jobs in one listing or on the radar.
pub const JOBS_MAX: u32 = 200;
/// Events of a job that are shown with it unless asked otherwise.
pub const JOB_EVENTS_DEFAULT: u32 = 10;
/// Events in one page of a job's thread unless asked otherwise.
pub const JOB_TAIL_DEFAULT: u32 = 50;
/// Most executors in a policy or of a runner.
pub const EXECUTORS: usize = 8;
/// Most jobs that one runner works on at a time.
pub const RUNNER_PARALLEL: u32 = 64;
/// What is told of why an executor cannot be used, in characters.
pub const TROUBLE_CHARS: usize = 240;
/// Most jobs of one runner that wait for a person without a place of their own. Beyond that they keep their place.
pub const RUNNER_WAITING: u32 = 16;
/// Longest description of a runner's sandbox.
pub const SANDBOX_POLICY_CHARS: usize = 200;
/// Most runners that the radar shows of those that are here. Those at work come first.
pub const RUNNERS_SHOWN: u32 = 50;
/// Most runners that the radar shows of those that are gone.
pub const RUNNERS_GONE_SHOWN: u32 = 10;
/// Most runners that are weighed for one job.
pub const RUNNERS_WEIGHED: u32 = 200;
/// How long a runner that is gone is still shown.
pub const RUNNER_OFFLINE_SHOWN: Ttl = Ttl::from_minutes(24 * 60);
/// Most anchors in one fan-out.
pub const FANOUT_ANCHORS: usize = 10;
/// Most jobs in one merge report.
pub const MERGED_JOBS: usize = 32;

/// Longest text of a card, an anchor or a plan.
pub const CARD_BYTES: usize = 16 * 1024;
/// Most tags on a card.
pub const TAGS: usize = 16;
/// Longest tag.
pub const TAG_CHARS: usize = 48;
/// Cards, anchors, plans or artifacts in one listing unless asked otherwise.
pub const CARDS_DEFAULT: u32 = 25;
/// Most cards, anchors, plans or artifacts in one listing.
pub const CARDS_MAX: u32 = 200;
/// Largest artifact.
pub const ARTIFACT_BYTES: u64 = 16 * 1024 * 1024;
/// Longest name of an artifact.
pub const ARTIFACT_NAME_CHARS: usize = 120;
/// How much of an artifact one look shows.
pub const ARTIFACT_SHOWN_BYTES: usize = 8 * 1024;
/// Longest definition of done, and longest step of a verification.
pub const DEFINITION_BYTES: usize = 4096;
/// Most steps of a verification.
pub const VERIFICATION_STEPS: usize = 16;
/// Longest text that is searched for.
pub const QUERY_CHARS: usize = 200;
/// Hits of a search unless asked otherwise.
pub const HITS_DEFAULT: u32 = 20;
/// Most hits of a search.
pub const HITS_MAX: u32 = 100;

/// Characters of lines on the radar and in other views, unless asked otherwise: Codex passes on 12,000.
pub const LINES_CHARS: usize = 10_000;
/// Fewest and most characters that may be asked for.
pub const LINES_CHARS_RANGE: RangeInclusive<usize> = 200..=40_000;
/// Characters of a skill pack unless asked otherwise.
pub const SKILL_CHARS: usize = 6_000;
/// Most characters of a skill pack.
pub const SKILL_CHARS_MAX: usize = 16_000;
/// How many jobs of one task or anchor a radar that is narrowed to it looks at, newest first.
pub const JOBS_OF_ONE: u32 = 2_000;

/// Longest id of a context pack.
pub const PACK_ID_BYTES: usize = 64;
/// Longest id of an envelope.
pub const PAYLOAD_ID_BYTES: usize = 128;
/// Longest message of an envelope: a summary; what is long belongs into an artifact.
pub const ENVELOPE_MESSAGE_BYTES: usize = 4096;
/// Largest structured output in an envelope, as JSON.
pub const ENVELOPE_STRUCTURED_BYTES: usize = 24 * 1024;
/// How deep the JSON in an envelope may be nested.
pub const ENVELOPE_DEPTH: usize = 32;
/// Most artifacts that an envelope points to.
pub const ENVELOPE_ARTIFACTS: usize = 32;
/// Longest type of such an artifact.
pub const ENVELOPE_TYPE_BYTES: usize = 64;
/// Largest `meta` of an envelope, as JSON.
pub const ENVELOPE_META_BYTES: usize = 4096;
/// Largest envelope in all, as JSON: whoever reads it gets it whole, and most clients pass on 40,000 characters.
pub const ENVELOPE_BYTES: usize = 32 * 1024;
/// Most agents and jobs that one call waits for.
pub const AWAITED: usize = 64;
/// Most edges in a room.
pub const EDGES: usize = 1024;
/// Most open requests that are shown to who owes or awaits them.
pub const REQUESTS_SHOWN: u32 = 25;

/// Most items that one turn takes; the rest waits for the next.
pub const TURN_ITEMS: usize = 200;
/// How much of them, as JSON, the answer that begins a turn holds unless asked otherwise: Codex passes on 12,000 characters.
pub const TURN_BYTES: usize = 11_000;
/// The same for a turn that a runner begins, which makes a prompt of it.
pub const TURN_BYTES_OF_JOB: usize = 100_000;
/// Least and most that may be asked for.
pub const TURN_BYTES_RANGE: RangeInclusive<usize> = 1_000..=1_000_000;
/// Turns in one listing unless asked otherwise.
pub const TURNS_DEFAULT: u32 = 25;
/// Most turns in one listing.
pub const TURNS_MAX: u32 = 200;
/// Most uses of tools in one event.
pub const TOOL_USES: usize = 100;
/// Longest name of a tool. What is longer is cut.
pub const TOOL_NAME_CHARS: usize = 120;
/// Longest detail of the use of a tool. What is longer is cut.
pub const TOOL_DETAIL_CHARS: usize = 2_000;
/// Longest name that a provider gives a conversation.
pub const SESSION_BYTES: usize = 256;

/// Longest name that a client of the bus gives a group, an action, a conversation or a task.
pub const BUS_ID_BYTES: usize = 128;
/// Most actions in one submission.
pub const BUS_ACTIONS: usize = 256;
/// Longest arguments of a control command.
pub const CONTROL_ARGS_BYTES: usize = 4096;
/// Most steps of a plan that comes with a message.
pub const PLAN_STEPS: usize = 64;
/// Longest step or note of such a plan.
pub const PLAN_STEP_BYTES: usize = 2048;
/// Longest detail of a result.
pub const RESULT_DETAIL_BYTES: usize = 2048;
/// How many messages may follow from each other before that counts as a loop.
pub const RELAY_DEPTH: u32 = 16;
/// Actions in one listing or one delivery unless asked otherwise.
pub const ACTIONS_DEFAULT: u32 = 50;
/// Most actions in one listing or one delivery.
pub const ACTIONS_MAX: u32 = 200;
/// Most things that wait for a target's runtime; beyond, they are rejected.
pub const RECEIVER_WAITING: usize = 1_000;
/// Longest name of a session.
pub const SESSION_NAME_CHARS: usize = 120;
/// Longest output of a model that is read as a relay.
pub const RELAY_OUTPUT_BYTES: usize = 256 * 1024;

/// Longest goal of a brief.
pub const BRIEF_TEXT_BYTES: usize = 4096;
/// Most entries in a brief's definition of done, and most constraints.
pub const BRIEF_ITEMS: usize = 32;
/// Longest entry in a definition of done, and longest constraint as JSON.
pub const BRIEF_ITEM_BYTES: usize = 1024;
/// Longest name of a constraint.
pub const CONSTRAINT_NAME_BYTES: usize = 64;
/// Largest brief in all, as JSON.
pub const BRIEF_BYTES: usize = 12 * 1024;
/// Longest path of the documents.
pub const DOCS_ROOT_BYTES: usize = 512;

/// Tokens of a context pack unless asked otherwise.
pub const PACK_TOKENS: u32 = 4_000;
/// Fewest and most tokens that a context pack may be given.
pub const PACK_TOKENS_RANGE: RangeInclusive<u32> = 2_000..=6_000;
/// Longest excerpt of a document, summary of a file or message of an input in a context pack.
pub const PACK_TEXT_BYTES: usize = 1024;
/// Longest path, reference or name in a context pack.
pub const PACK_NAME_BYTES: usize = 512;
/// Longest id, branch or other short fact in a context pack.
pub const PACK_FACT_BYTES: usize = 128;
/// Most entries of one list that are weighed for a context pack.
pub const PACK_ITEMS: usize = 256;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bound_is_told_with_its_unit() {
        let told: Vec<_> = [
            Limit::new("NOTE_BYTES", "", &16_384_usize),
            Limit::new("EVENTS_MAX", "", &200_u32),
            Limit::new("SCOPE_TTL_MINUTES", "", &(5_u64..=1440)),
            Limit::new("WAIT_MAX", "", &Ttl::from_secs(50)),
            Limit::new("LEASE_TTL", "", &(Ttl::from_secs(1), Ttl::from_secs(300))),
            Limit::new("POLICY_POLL_MIN", "", &Ttl::from_millis(250)),
            Limit::new("BATCH", "", &1_000_000_u64),
        ]
        .into_iter()
        .map(|limit| limit.value)
        .collect();
        let expected =
            ["16,384 bytes", "200", "5 to 1,440 minutes", "50 seconds", "1 second to 5 minutes", "250 ms", "1,000,000"];
        assert_eq!(told, expected);
    }
}
