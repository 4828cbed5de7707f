//! The ids of things, each a type of its own, checked once where it enters.
//!
//! Room and lease ids carry a printed prefix. An agent id is the contract's `<harness-slug>:<hash>` (or
//! `human:<user>:<tty>`), so its prefix is the harness.

use std::{borrow::Borrow, fmt, marker::PhantomData, str::FromStr, sync::Arc};

use schemars::JsonSchema;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{self, Visitor},
};

use crate::limits;

/// Why a string is not an id.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what} must be {rule}, not {shown:?}")]
pub struct InvalidId {
    what: &'static str,
    rule: &'static str,
    shown: String,
}

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident, $what:literal, $rule:literal, $pattern:literal, $accepts:expr) => {
        $(#[$doc])*
        // Shared: every member, row and event of a room names the same few.
        #[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, JsonSchema)]
        #[schemars(inline, with = "String", extend("pattern" = $pattern))]
        pub struct $name(Arc<str>);

        impl $name {
            /// The id as it is written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidId;

            fn from_str(text: &str) -> Result<Self, InvalidId> {
                let accepts: fn(&str) -> bool = $accepts;
                if accepts(text) {
                    return Ok(Self(text.into()));
                }
                let shown = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
                Err(InvalidId { what: $what, rule: $rule, shown })
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidId;

            fn try_from(text: String) -> Result<Self, InvalidId> {
                text.parse()
            }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(&self.0)
            }
        }

        impl<'de> Deserialize<'de> for $name {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                deserializer.deserialize_str(Parsed(PhantomData))
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                (*id.0).to_owned()
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    };
}

/// Reads an id out of a string that need not be owned.
struct Parsed<T>(PhantomData<T>);

impl<T: FromStr<Err = InvalidId>> Visitor<'_> for Parsed<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

id_type!(
    /// A room. `room_` and letters or digits.
    RoomId,
    "a room id",
    "\"room_\" followed by letters or digits",
    "^room_[0-9A-Za-z]{1,59}$",
    |text| prefixed(text, "room_")
);

id_type!(
    /// A lease on the stick. Unguessable, and never handed out twice.
    LeaseId,
    "a lease id",
    "\"lease_\" followed by letters or digits",
    "^lease_[0-9A-Za-z]{1,58}$",
    |text| prefixed(text, "lease_")
);

id_type!(
    /// An agent: a harness conversation, a runner or a person. One identity on every surface.
    AgentId,
    "an agent id",
    "1 to 128 letters, digits or any of : . _ - @ + (like \"codex:9b22\")",
    "^[0-9A-Za-z:._@+-]{1,128}$",
    |text| {
        (1..=limits::AGENT_ID_BYTES).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b":._-@+".contains(&b))
    }
);

id_type!(
    /// What people call an agent: `amber-otter`. Unique in a room, and persistent: another session has it only by
    /// adopting it. Nobody is called `broadcast`, which as an address means everybody.
    AgentName,
    "an agent name",
    "3 to 48 lowercase letters or digits, in words joined by single dashes (like \"amber-otter\")",
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    |text| (limits::AGENT_NAME_CHARS).contains(&text.len()) && is_slug(text) && text != BROADCAST
);

impl AgentName {
    /// A name as the bus's clients choose them, for people to read: letters and digits of any script, with single spaces,
    /// dots, dashes and underscores between them. Nothing that a shell or a terminal could take for more than a word.
    pub fn display(text: &str) -> Result<Self, InvalidId> {
        let is_part = |word: &str| {
            let inside = |c: char| c.is_alphanumeric() || "._-".contains(c);
            word.chars().all(inside) && word.starts_with(char::is_alphanumeric)
        };
        let fits = (1..=*limits::AGENT_NAME_CHARS.end()).contains(&text.chars().count());
        if fits && text != BROADCAST && text.split(' ').all(is_part) {
            return Ok(Self(text.into()));
        }
        let shown = text.chars().take(limits::SHOWN_INPUT_CHARS).collect();
        let rule = "1 to 48 letters or digits, with single spaces, dots, dashes or underscores between them";
        Err(InvalidId { what: "an agent's name", rule, shown })
    }
}

id_type!(
    /// What an agent is here for: `reviewer`. Messages can be addressed to it.
    Role,
    "a role",
    "1 to 48 lowercase letters or digits, in words joined by single dashes (like \"reviewer\")",
    "^[a-z0-9]+(-[a-z0-9]+)*$",
    |text| (limits::ROLE_CHARS).contains(&text.len()) && is_slug(text)
);

impl Role {
    /// The roles that every runner knows; a workspace and a user may have more.
    pub const BUILT_IN: [&'static str; 6] =
        ["implementer", "orchestrator", "planner", "researcher", "reviewer", "tester"];
}

id_type!(
    /// A piece of work that an event is about: one of Baton's own tasks (`TASK-001`), or a bead (`bb-u6f.6.3`).
    BeadId,
    "a task or bead id",
    "1 to 64 letters, digits or any of . _ - : (like \"TASK-001\" or \"bb-u6f.6.3\")",
    "^[0-9A-Za-z._:-]{1,64}$",
    |text| {
        (1..=limits::ID_BYTES).contains(&text.len())
            && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-:".contains(&b))
    }
);

id_type!(
    /// A part of the map that jobs and findings belong to: `a:core`.
    AnchorId,
    "an anchor",
    "\"a:\" followed by letters, digits or any of . _ - / (like \"a:core\")",
    "^a:[0-9A-Za-z][0-9A-Za-z._/-]{0,61}$",
    |text| {
        let inside = |b: u8| b.is_ascii_alphanumeric() || b"._-/".contains(&b);
        let name = text.strip_prefix("a:").filter(|name| !name.is_empty() && text.len() <= limits::ID_BYTES);
        name.is_some_and(|name| name.bytes().all(inside) && name.starts_with(|c: char| c.is_ascii_alphanumeric()))
    }
);

/// The address of everybody in a room.
pub const BROADCAST: &str = "broadcast";

fn is_slug(text: &str) -> bool {
    let is_word =
        |word: &str| !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit());
    text.split('-').all(is_word)
}

fn prefixed(text: &str, prefix: &str) -> bool {
    text.len() <= limits::ID_BYTES
        && text
            .strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_alphanumeric()))
}

/// The place of an event in its room's log. The first is 1 and there are no gaps.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Seq(pub u64);

impl Seq {
    /// The place after this one.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Seq {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The id of an event, made from its place: unique because the place is.
pub fn event_id(room: &RoomId, seq: Seq) -> String {
    let room = room.as_str();
    format!("evt_{}_{seq}", room.strip_prefix("room_").unwrap_or(room))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agent_ids_are_the_contracts_forms_and_nothing_that_could_break_a_terminal() {
        for good in ["claude-code:a3f1", "codex:9b22", "human:wojtek:s003", "codex"] {
            assert_eq!(good.parse::<AgentId>().unwrap().as_str(), good);
        }
        for bad in ["", "a b", "codex\u{1b}[31m", "été", "a/b", &"x".repeat(129)] {
            assert!(bad.parse::<AgentId>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_wrong_id_says_what_it_should_look_like() {
        insta::assert_snapshot!(
            "lobby".parse::<RoomId>().unwrap_err(),
            @r#"a room id must be "room_" followed by letters or digits, not "lobby""#
        );
    }
}
