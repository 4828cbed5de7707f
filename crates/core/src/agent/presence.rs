//! How present an agent is: `active`, `stale` or `evicted`, by when it last called.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    lease::expired,
    limits,
    process::Liveness,
    time::{Timestamp, Ttl},
};

/// The contract's three derived states.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Presence {
    /// It called lately: what it has reserved is its own.
    Active,
    /// It has not called for a while: who asks for it may have what it has reserved.
    Stale,
    /// It has not called for long, or its process is proven gone.
    Evicted,
}

impl Presence {
    /// The state as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Stale => "stale",
            Self::Evicted => "evicted",
        }
    }
}

/// How long after its last call an agent is stale. After twice that it is evicted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StaleAfter(Ttl);

impl Default for StaleAfter {
    fn default() -> Self {
        Self(limits::STALE_AFTER)
    }
}

impl StaleAfter {
    /// That many minutes, if it is a sensible number of them.
    pub fn minutes(minutes: u64) -> Option<Self> {
        limits::STALE_MINUTES.contains(&minutes).then(|| Self(Ttl::from_minutes(minutes)))
    }

    /// How present an agent is that was last seen at `last_seen`. Proof that its process is gone beats the clock; that
    /// it is alive does not: an agent shows that it works by calling.
    pub fn presence(self, last_seen: Timestamp, now: Timestamp, process: &Liveness) -> Presence {
        let stale_at = last_seen.plus(self.0);
        if process.is_gone() || expired(stale_at.plus(self.0), now) {
            Presence::Evicted
        } else if expired(stale_at, now) {
            Presence::Stale
        } else {
            Presence::Active
        }
    }
}

impl std::fmt::Display for StaleAfter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Proof;

    fn after(stale: StaleAfter, seconds: i64, process: &Liveness) -> Presence {
        let seen = Timestamp::from_millis(1_000_000);
        stale.presence(seen, Timestamp::from_millis(1_000_000 + seconds * 1000), process)
    }

    #[test]
    fn an_agent_is_active_until_14_59_stale_from_15_00_to_29_59_and_evicted_from_30_00() {
        let default = StaleAfter::default();
        let states = [0, 14 * 60 + 59, 15 * 60, 29 * 60 + 59, 30 * 60, 100 * 60]
            .map(|seconds| after(default, seconds, &Liveness::Unknown));
        use Presence::{Active, Evicted, Stale};
        assert_eq!(states, [Active, Active, Stale, Stale, Evicted, Evicted]);
    }

    #[test]
    fn eviction_comes_after_twice_the_minutes_that_were_set() {
        let five = StaleAfter::minutes(5).unwrap();
        let states = [299, 300, 599, 600].map(|seconds| after(five, seconds, &Liveness::Alive));
        assert_eq!(states, [Presence::Active, Presence::Stale, Presence::Stale, Presence::Evicted]);
    }

    #[test]
    fn minutes_that_make_no_sense_are_not_taken() {
        assert_eq!([0, 43_201, u64::MAX].map(StaleAfter::minutes), [None; 3]);
    }

    #[test]
    fn an_agent_whose_process_is_proven_gone_is_evicted_at_once() {
        assert_eq!(after(StaleAfter::default(), 1, &Liveness::Gone(Proof::Exited)), Presence::Evicted);
    }
}
