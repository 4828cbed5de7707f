//! Whether a caller may act under its id in a room, or somebody else has it.
//!
//! An id is a name; the process or the credential behind it decides. A member's id belongs to the process it was last seen
//! in, or to the credential that added it, until that process is proven gone. Then the next process of the same
//! conversation goes on under it. A credential that was made for an id has it before any other credential, and one that
//! added an agent keeps its id when that leaves. A job's own agent is the exception: runners come and go, and its
//! capability is checked with the job's claim.

use serde::Serialize;

use super::{Actor, IdOrigin, Member, Refusal, Room};
use crate::{
    agent::{Former, Presence, StaleAfter},
    ids::AgentId,
    job::{agent_of, job_of},
    process::{Liveness, ProcessIdentity, SessionKind, Witness},
    time::Timestamp,
};

/// The rightful user of an id.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Occupant {
    /// Its pid, where it is a process.
    pub pid: Option<u32>,
    /// The terminal, where a guardian keeps the id for a person.
    pub terminal: Option<String>,
    /// The credential, where it came with one.
    pub added_by: Option<String>,
    /// Whether the process has ended, or the agent has left. Its id goes on with another process, and with no credential.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub ended: bool,
}

impl Occupant {
    /// A process.
    pub fn process(process: &ProcessIdentity) -> Self {
        let terminal = process.keeps.as_ref().map(|keeps| keeps.terminal.clone());
        Self { pid: Some(process.pid), terminal, added_by: None, ended: false }
    }

    /// The holder of a credential.
    pub fn credential(name: &str) -> Self {
        Self { pid: None, terminal: None, added_by: Some(name.to_owned()), ended: false }
    }

    /// Names the occupant for a sentence: `process 4711`.
    pub fn describe(&self) -> String {
        match (self.pid, &self.terminal, &self.added_by) {
            (Some(pid), _, _) if self.ended => format!("process {pid}, which has ended"),
            (Some(pid), Some(terminal), _) => format!("process {pid} on {terminal}"),
            (Some(pid), None, _) => format!("process {pid}"),
            (None, _, None) if self.ended => "somebody who was here before".to_owned(),
            (None, _, Some(credential)) => format!("the holder of the credential {credential:?}"),
            (None, _, None) => "somebody else".to_owned(),
        }
    }
}

impl Room {
    /// Refuses a caller whose id another live process, or another credential, has in this room.
    pub fn require_own_id(&self, now: Timestamp, by: &Actor, witness: &dyn Witness) -> Result<(), Refusal> {
        let Some(member) = self.member(&by.agent_id) else { return Ok(()) };
        match self.occupant(now, member, by, witness) {
            Some(occupant) => Err(Refusal::IdInUse { agent_id: by.agent_id.clone(), occupant }),
            None => Ok(()),
        }
    }

    /// Refuses an id under which somebody else was a member: what is in its inbox, and owed to it, is not the caller's. A
    /// process that was found to be at a conversation goes on with that, and a credential that was made for an id has it.
    pub(super) fn require_own_former_id(&self, by: &Actor, former: &[Former]) -> Result<(), Refusal> {
        let is_proven = by.origin == IdOrigin::Bound || (by.origin == IdOrigin::Found && by.via.is_none());
        if is_proven || is_job_agent(self, &by.agent_id) {
            return Ok(());
        }
        let own = former.iter().filter(|former| former.agent_id == by.agent_id);
        let last = own.max_by_key(|former| former.until);
        match last.filter(|former| former.added_by.as_deref() != by.via.as_deref()) {
            Some(former) => {
                let added_by = former.added_by.clone();
                let occupant = Occupant { pid: None, terminal: None, added_by, ended: true };
                Err(Refusal::IdInUse { agent_id: by.agent_id.clone(), occupant })
            }
            None => Ok(()),
        }
    }

    /// Somebody other than `by` who has the member's id, if there is one.
    fn occupant(&self, now: Timestamp, member: &Member, by: &Actor, witness: &dyn Witness) -> Option<Occupant> {
        if is_job_agent(self, &member.agent_id) {
            return None;
        }
        match (&member.process, &by.process) {
            (Some(known), Some(caller)) if is_one_user(known, caller) && !poses(member, by) => None,
            // A person who logged in with a browser speaks for their own terminals; the server compares the users. The
            // stick stays with the terminal's process all the same.
            (Some(_), None) if member.session_kind.is_person() && is_person_with_credential(by) => None,
            (Some(known), None) if by.via.is_some() => {
                let ended = witness.liveness(known).is_gone();
                Some(Occupant { ended, ..Occupant::process(known) })
            }
            (Some(known), _) => is_occupied(known, member.last_seen_at, now, witness).then(|| Occupant::process(known)),
            (None, None) if by.origin == IdOrigin::Bound => None,
            (None, caller) => {
                let others = member.added_by.as_deref() != by.via.as_deref();
                // A member without credential and process is one that nothing is known of: anybody may be it.
                let added_by = member.added_by.as_deref().filter(|_| others || caller.is_some());
                added_by.map(Occupant::credential)
            }
        }
    }

    /// Whether joining as `by` puts another process behind the member, which is allowed by now.
    pub(super) fn changes_process(&self, member: &Member, by: &Actor) -> bool {
        match (&member.process, &by.process) {
            (Some(old), Some(new)) => !old.same_process(new),
            (None, Some(_)) => true,
            // A person's browser does not displace the shell of their terminal.
            (Some(_), None) => !is_job_agent(self, &member.agent_id) && !by.session_kind.is_person(),
            (None, None) => by.origin == IdOrigin::Bound && member.added_by.as_deref() != by.via.as_deref(),
        }
    }
}

/// Whether `by` was given the id of a member by hand who has it by right. One process may stand behind many agents, so
/// being that process is not enough. An id without a colon was chosen by its process, whose commands may name it.
pub fn poses(member: &Member, by: &Actor) -> bool {
    by.is_overridden() && !member.overridden && member.agent_id.as_str().contains(':')
}

/// Whether a process that has an id keeps others from it. One that cannot be seen from here, on another machine or in
/// another pid namespace, is believed to be there for as long as it calls.
pub fn is_occupied(process: &ProcessIdentity, last_seen_at: Timestamp, now: Timestamp, witness: &dyn Witness) -> bool {
    match witness.liveness(process) {
        Liveness::Alive => true,
        Liveness::Gone(_) => false,
        seen @ Liveness::Unknown => StaleAfter::default().presence(last_seen_at, now, &seen) == Presence::Active,
    }
}

/// Whether two processes are one user of an id: one process, or a terminal session and its guardians.
fn is_one_user(known: &ProcessIdentity, caller: &ProcessIdentity) -> bool {
    let leaders = known.leader().zip(caller.leader());
    known.stands_for(caller) || caller.stands_for(known) || leaders.is_some_and(|(one, other)| one.same_process(&other))
}

fn is_person_with_credential(by: &Actor) -> bool {
    by.session_kind == SessionKind::Human && by.origin == IdOrigin::Found && by.via.is_some()
}

fn is_job_agent(room: &Room, agent: &AgentId) -> bool {
    job_of(agent).is_some_and(|job| agent_of(&room.id, job) == *agent)
}
