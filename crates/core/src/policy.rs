//! A room's timings, and what its agents may do with each other. Every member sees the same ones, in the answer to `join_path`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{limits, time::Ttl, words::words};

/// The policy in force in a room; timings are in milliseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Policy {
    /// How long an owner may stay silent before others may take over.
    pub owner_lease_ttl_ms: Ttl,
    /// How often an owner should call `heartbeat`.
    pub heartbeat_interval_ms: Ttl,
    /// How long a reserved recipient has the first right to claim.
    pub claim_ttl_ms: Ttl,
    /// How long `wait_for_turn` waits when the call does not say.
    pub wait_for_turn_max_wait_ms: Ttl,
    /// How often a waiter re-reads the room even if nothing woke it.
    pub wait_for_turn_poll_ms: Ttl,
    /// How long after its last call a member still counts as present.
    pub presence_ttl_ms: Ttl,
    /// Between whom envelopes may go: `mesh` is everybody, `explicit` those with an edge.
    #[serde(default)]
    pub edges: Edges,
    /// What becomes of a request for another agent.
    #[serde(default)]
    pub spawn: Spawning,
    /// How edits without the stick are met where Baton's hooks are installed.
    #[serde(default)]
    pub guard: Guard,
    /// For what an idle agent is woken.
    #[serde(default)]
    pub wake: Wake,
    /// Whether runners resume sessions whose process ended.
    #[serde(default)]
    pub resume: Resume,
}

words! {
    /// Between whom envelopes may go.
    #[derive(Default)]
    Edges {
        /// Everybody.
        #[default]
        Mesh "mesh",
        /// Those between whom there is an edge.
        Explicit "explicit",
    }
}

words! {
    /// What becomes of a request for another agent.
    #[derive(Default)]
    Spawning {
        /// An operator decides.
        #[default]
        Ask "ask",
        /// It is approved.
        Auto "auto",
        /// It is refused.
        Off "off",
    }
}

words! {
    /// How the hooks of agent programs meet an edit without the stick, or in another agent's scope.
    #[derive(Default)]
    Guard {
        /// Every edit passes.
        Off "off",
        /// The edit passes, and the agent is told.
        Warn "warn",
        /// The edit is refused while another member is there.
        #[default]
        On "on",
        /// The same, and shell commands that cannot be read are confined or refused.
        Strict "strict",
    }
}

words! {
    /// For what an idle agent is woken.
    #[derive(Default)]
    Wake {
        /// Nothing.
        Off "off",
        /// Messages and answers to it.
        Messages "messages",
        /// Those, the stick that is kept for it, and jobs that need it.
        #[default]
        All "all",
    }
}

words! {
    /// Whether runners resume sessions whose process ended.
    #[derive(Default)]
    Resume {
        /// A session that ends leaves the room.
        #[default]
        Off "off",
        /// It stays a member for a while, and a runner resumes it for what would have woken it.
        On "on",
    }
}

impl Default for Policy {
    fn default() -> Self {
        Self {
            owner_lease_ttl_ms: Ttl::from_minutes(45),
            heartbeat_interval_ms: Ttl::from_minutes(5),
            claim_ttl_ms: Ttl::from_minutes(20),
            wait_for_turn_max_wait_ms: Ttl::from_secs(30),
            wait_for_turn_poll_ms: Ttl::from_secs(5),
            presence_ttl_ms: Ttl::from_minutes(4 * 60),
            edges: Edges::default(),
            spawn: Spawning::default(),
            guard: Guard::default(),
            wake: Wake::default(),
            resume: Resume::default(),
        }
    }
}

/// What `set_room_policy` changes; what is left out stays.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PolicyChange {
    /// How long an owner may stay silent before others may take over.
    pub owner_lease_ttl_ms: Option<Ttl>,
    /// How often an owner should call `heartbeat`.
    pub heartbeat_interval_ms: Option<Ttl>,
    /// How long a reserved recipient has the first right to claim.
    pub claim_ttl_ms: Option<Ttl>,
    /// How long `wait_for_turn` waits when the call does not say.
    pub wait_for_turn_max_wait_ms: Option<Ttl>,
    /// How often a waiter re-reads the room even if nothing woke it.
    pub wait_for_turn_poll_ms: Option<Ttl>,
    /// How long after its last call a member still counts as present.
    pub presence_ttl_ms: Option<Ttl>,
    /// Between whom envelopes may go: `mesh` is everybody, `explicit` those with an edge.
    pub edges: Option<Edges>,
    /// What becomes of a request for another agent.
    pub spawn: Option<Spawning>,
    /// How edits without the stick are met where Baton's hooks are installed.
    pub guard: Option<Guard>,
    /// For what an idle agent is woken.
    pub wake: Option<Wake>,
    /// Whether runners resume sessions whose process ended.
    pub resume: Option<Resume>,
}

impl PolicyChange {
    /// The first field that decides what agents may do, and so is not the owner's to change.
    pub fn steering_field(&self) -> Option<&'static str> {
        let fields = [
            ("edges", self.edges.is_some()),
            ("spawn", self.spawn.is_some()),
            ("guard", self.guard.is_some()),
            ("wake", self.wake.is_some()),
            ("resume", self.resume.is_some()),
        ];
        fields.into_iter().find_map(|(field, is_given)| is_given.then_some(field))
    }
}

/// Why a policy cannot be.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field} {problem}")]
pub struct InvalidPolicy {
    /// The field at fault.
    pub field: &'static str,
    /// What is wrong with it.
    pub problem: String,
}

impl Policy {
    /// This policy with `change` made, if the result makes sense.
    pub fn changed(&self, change: &PolicyChange) -> Result<Self, InvalidPolicy> {
        let policy = Self {
            owner_lease_ttl_ms: change.owner_lease_ttl_ms.unwrap_or(self.owner_lease_ttl_ms),
            heartbeat_interval_ms: change.heartbeat_interval_ms.unwrap_or(self.heartbeat_interval_ms),
            claim_ttl_ms: change.claim_ttl_ms.unwrap_or(self.claim_ttl_ms),
            wait_for_turn_max_wait_ms: change.wait_for_turn_max_wait_ms.unwrap_or(self.wait_for_turn_max_wait_ms),
            wait_for_turn_poll_ms: change.wait_for_turn_poll_ms.unwrap_or(self.wait_for_turn_poll_ms),
            presence_ttl_ms: change.presence_ttl_ms.unwrap_or(self.presence_ttl_ms),
            edges: change.edges.unwrap_or(self.edges),
            spawn: change.spawn.unwrap_or(self.spawn),
            guard: change.guard.unwrap_or(self.guard),
            wake: change.wake.unwrap_or(self.wake),
            resume: change.resume.unwrap_or(self.resume),
        };
        policy.check()?;
        Ok(policy)
    }

    /// How old a stored presence may be before it is written again: so fresh that a member who calls, or waits in a call,
    /// never counts as absent.
    pub fn presence_grain(&self) -> Ttl {
        let third = Ttl::from_millis(self.presence_ttl_ms.as_millis() / 3);
        third.min(limits::PRESENCE_GRAIN)
    }

    fn check(&self) -> Result<(), InvalidPolicy> {
        let (min, max) = (limits::POLICY_TTL_MIN, limits::POLICY_TTL_MAX);
        within("owner_lease_ttl_ms", self.owner_lease_ttl_ms, min, max)?;
        within("heartbeat_interval_ms", self.heartbeat_interval_ms, limits::POLICY_HEARTBEAT_MIN, max)?;
        within("claim_ttl_ms", self.claim_ttl_ms, min, max)?;
        within("presence_ttl_ms", self.presence_ttl_ms, limits::POLICY_PRESENCE_MIN, max)?;
        within("wait_for_turn_max_wait_ms", self.wait_for_turn_max_wait_ms, Ttl::from_millis(0), limits::WAIT_MAX)?;
        within("wait_for_turn_poll_ms", self.wait_for_turn_poll_ms, limits::POLICY_POLL_MIN, limits::POLICY_POLL_MAX)?;
        if self.heartbeat_interval_ms >= self.owner_lease_ttl_ms {
            let problem = format!(
                "must be shorter than owner_lease_ttl_ms ({}), or a lease lapses between two heartbeats",
                self.owner_lease_ttl_ms.as_millis()
            );
            return Err(InvalidPolicy { field: "heartbeat_interval_ms", problem });
        }
        Ok(())
    }
}

fn within(field: &'static str, value: Ttl, min: Ttl, max: Ttl) -> Result<(), InvalidPolicy> {
    if (min..=max).contains(&value) {
        return Ok(());
    }
    let problem = format!("must be from {} to {} milliseconds", min.as_millis(), max.as_millis());
    Err(InvalidPolicy { field, problem })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_defaults_are_the_contracts() {
        let policy = Policy::default();
        assert_eq!(policy.owner_lease_ttl_ms.as_millis(), 45 * 60 * 1000);
        assert_eq!(policy.heartbeat_interval_ms.as_millis(), 5 * 60 * 1000);
        assert_eq!(policy.claim_ttl_ms.as_millis(), 20 * 60 * 1000);
        assert_eq!(policy.wait_for_turn_max_wait_ms.as_millis(), 30 * 1000);
        assert_eq!(policy.presence_ttl_ms.as_millis(), 4 * 60 * 60 * 1000);
        assert_eq!(policy.check(), Ok(()));
    }

    #[test]
    fn presence_is_written_more_often_than_it_lapses() {
        let with = |ttl| Policy { presence_ttl_ms: ttl, ..Policy::default() };
        assert_eq!(Policy::default().presence_grain(), limits::PRESENCE_GRAIN);
        assert_eq!(with(limits::POLICY_PRESENCE_MIN).presence_grain().as_millis(), 333);
        let change = PolicyChange { presence_ttl_ms: Some(Ttl::from_millis(999)), ..PolicyChange::default() };
        insta::assert_snapshot!(
            Policy::default().changed(&change).unwrap_err(),
            @"presence_ttl_ms must be from 1000 to 2592000000 milliseconds"
        );
    }

    #[test]
    fn a_heartbeat_that_cannot_keep_a_lease_is_refused() {
        let change = PolicyChange { owner_lease_ttl_ms: Some(Ttl::from_minutes(5)), ..PolicyChange::default() };
        insta::assert_snapshot!(
            Policy::default().changed(&change).unwrap_err(),
            @"heartbeat_interval_ms must be shorter than owner_lease_ttl_ms (300000), or a lease lapses between two heartbeats"
        );
    }
}
