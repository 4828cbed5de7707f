//! Fenced leases: at most one holder, and every grant outranks the one before.
//!
//! A lease is a holder, a fence and an expiry. It never reads a clock: callers pass `now`, so a test walks
//! a week in a microsecond. It does not know who may ask (`room::decide`) or where it is kept (the store).
//! Start at [`Lease::grant`].
//!
//! Expiry opens recovery and nothing more: [`Lease::renew`] works on an expired lease, because only a
//! later grant revokes. What must stay true: a fence is never handed out twice, not even after a crash,
//! because the store writes it in the transaction that makes the grant.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    ids::AgentId,
    process::Liveness,
    time::{Timestamp, Ttl},
};

/// Numbers the grants of one lease. For the stick this is the contract's `turn_id`. It only grows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
#[schemars(inline)]
pub struct Fence(pub u64);

impl Fence {
    /// The fence of the next grant.
    pub const fn next(self) -> Self {
        Self(self.0 + 1)
    }
}

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// A grant that one holder has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Who has it.
    pub holder: AgentId,
    /// Which grant this is.
    pub fence: Fence,
    /// When recovery opens.
    pub expires_at: Timestamp,
}

/// How a lease stands at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// In force.
    Held,
    /// Past its expiry: others may recover it, and until one does the holder may still renew.
    Expired,
    /// The holder's process is proven gone: others may recover it at once, and it cannot be renewed.
    Gone,
}

impl Lease {
    /// Grants to `holder` under the fence after `last`.
    pub fn grant(holder: AgentId, last: Fence, now: Timestamp, ttl: Ttl) -> Self {
        Self { holder, fence: last.next(), expires_at: now.plus(ttl) }
    }

    /// Moves the expiry to `ttl` from now.
    pub fn renew(&mut self, now: Timestamp, ttl: Ttl) {
        self.expires_at = now.plus(ttl);
    }

    /// How the lease stands at `now`, given what was seen of its holder. Proof beats the clock.
    pub fn standing(&self, now: Timestamp, holder: &Liveness) -> Standing {
        match holder {
            Liveness::Gone(_) => Standing::Gone,
            Liveness::Alive | Liveness::Unknown if expired(self.expires_at, now) => Standing::Expired,
            Liveness::Alive | Liveness::Unknown => Standing::Held,
        }
    }
}

/// Whether something that lasts until `expires_at` is over at `now`. The last moment is already over.
pub fn expired(expires_at: Timestamp, now: Timestamp) -> bool {
    expires_at <= now
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::Proof;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_millis(millis)
    }

    fn lease() -> Lease {
        Lease::grant("ana".parse().unwrap(), Fence(6), at(100), Ttl::from_millis(50))
    }

    #[test]
    fn a_grant_outranks_the_one_before_it() {
        assert_eq!(lease().fence, Fence(7));
    }

    #[test]
    fn a_lease_is_over_at_its_expiry_and_not_before() {
        assert_eq!(lease().standing(at(149), &Liveness::Alive), Standing::Held);
        assert_eq!(lease().standing(at(150), &Liveness::Alive), Standing::Expired);
    }

    #[test]
    fn proof_of_death_beats_a_lease_that_still_runs() {
        assert_eq!(lease().standing(at(101), &Liveness::Gone(Proof::Exited)), Standing::Gone);
    }

    #[test]
    fn an_expired_lease_can_be_renewed() {
        let mut lease = lease();
        lease.renew(at(500), Ttl::from_millis(50));
        assert_eq!(lease.standing(at(501), &Liveness::Unknown), Standing::Held);
    }
}
