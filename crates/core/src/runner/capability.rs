//! What a runner can do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Refusal, Trouble};
use crate::{
    job::{Executor, Profile},
    limits,
    time::Timestamp,
};

/// An executor that a runner has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Ability {
    /// Which.
    pub executor: Executor,
    /// With how much effort it can work.
    pub profiles: Vec<Profile>,
    /// Why it is not used for now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trouble: Option<Trouble>,
}

/// What a runner advertises.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Capabilities {
    /// Its executors.
    pub executors: Vec<Ability>,
    /// How many jobs it works on at a time.
    #[serde(default = "one")]
    pub max_parallel: u32,
    /// Whether it keeps what jobs leave behind.
    #[serde(default)]
    pub supports_artifacts: bool,
    /// What its children may do, in words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_policy: Option<String>,
}

const fn one() -> u32 {
    1
}

impl Capabilities {
    /// Refuses what cannot be.
    pub fn check(&self) -> Result<(), Refusal> {
        let invalid = |field, why: &str| Err(Refusal::Invalid { field, why: why.to_owned() });
        if self.executors.is_empty() || self.executors.len() > limits::EXECUTORS {
            return invalid("capabilities.executors", "must name one to eight executors");
        }
        if self.executors.iter().any(|ability| ability.profiles.is_empty()) {
            return invalid("capabilities.executors", "must give each a profile: fast, deep or audit");
        }
        self.troubles().try_for_each(|(_, trouble)| trouble.check())?;
        let named = |executor| self.executors.iter().filter(|ability| ability.executor == executor).count();
        if self.executors.iter().any(|ability| named(ability.executor) > 1) {
            return invalid("capabilities.executors", "must name each executor once");
        }
        if !(1..=limits::RUNNER_PARALLEL).contains(&self.max_parallel) {
            return invalid("capabilities.max_parallel", "must be from 1 to 64");
        }
        if self.sandbox_policy.as_ref().is_some_and(|policy| policy.chars().count() > limits::SANDBOX_POLICY_CHARS) {
            return invalid("capabilities.sandbox_policy", "must have at most 200 characters");
        }
        Ok(())
    }

    /// Executors that are not used for now, each with the reason.
    pub fn troubles(&self) -> impl Iterator<Item = (Executor, &Trouble)> {
        self.executors.iter().filter_map(|ability| Some((ability.executor, ability.trouble.as_ref()?)))
    }

    /// What of it can be used at `now`: executors in trouble are left out, unless it is time to try them.
    #[must_use]
    pub fn usable(&self, now: Timestamp) -> Self {
        let is_usable = |ability: &Ability| ability.trouble.as_ref().is_none_or(|trouble| trouble.is_probed(now));
        let executors = self.executors.iter().filter(|ability| is_usable(ability)).cloned().collect();
        Self { executors, ..self.clone() }
    }

    /// The executors that work, as far as is known.
    #[must_use]
    pub(super) fn untroubled(&self) -> Self {
        let executors = self.executors.iter().filter(|ability| ability.trouble.is_none()).cloned().collect();
        Self { executors, ..self.clone() }
    }

    /// Takes over which troubles a person said are mended, as long as they are the same ones.
    pub(super) fn keep_resets(&mut self, known: &Self) {
        for ability in &mut self.executors {
            let before = known.executors.iter().find(|before| before.executor == ability.executor);
            if let (Some(trouble), Some(before)) =
                (&mut ability.trouble, before.and_then(|before| before.trouble.as_ref()))
                && trouble.since == before.since
            {
                trouble.reset_at = trouble.reset_at.or(before.reset_at);
            }
        }
    }

    /// Whether it has `executor`, and with enough effort.
    pub fn has(&self, executor: Executor, profile: Profile) -> bool {
        self.executors.iter().any(|ability| ability.executor == executor && ability.profiles.contains(&profile))
    }
}
