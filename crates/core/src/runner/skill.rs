//! Which behaviour pack a job's agent is given. The same job always gets the same.

use serde_json::{Map, Value};

use crate::{limits, words::words};

words! {
    /// A behaviour pack.
    SkillProfile {
        /// How to work with Baton from day to day.
        Daily "daily",
        /// The same, with proof of everything.
        Strict "strict",
        /// Finding things out.
        Research "research",
        /// Handing work to others.
        Teamlead "teamlead",
    }
}

/// What is put into a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Injection {
    /// Which pack.
    pub profile: SkillProfile,
    /// How much of it at the most.
    pub max_chars: usize,
}

impl Injection {
    /// What a job of this `kind` with this `meta` gets, given what the runner does by default. Nothing, if it wants none.
    pub fn choose(kind: &str, meta: &Map<String, Value>, default: Self) -> Option<Self> {
        let asked = meta.get("skill_profile").and_then(Value::as_str).and_then(SkillProfile::named);
        let inferred = || {
            let kind = kind.to_ascii_lowercase();
            SkillProfile::ALL.iter().copied().find(|profile| kind.contains(profile.as_str()))
        };
        let max_chars = match meta.get("skill_max_chars").and_then(Value::as_u64) {
            Some(asked) => usize::try_from(asked).unwrap_or(usize::MAX),
            None => default.max_chars,
        };
        let max_chars = max_chars.min(limits::SKILL_CHARS_MAX);
        let profile = asked.or_else(inferred).unwrap_or(default.profile);
        (max_chars > 0).then_some(Self { profile, max_chars })
    }
}
