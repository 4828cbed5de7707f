//! The comparison of a caller's id with the store: does another live process have it?
//!
//! Signals tell which conversation calls; only the store knows which process of it came first. A second live process
//! of one conversation is an agent of its own, under an id made of both. Once the first is proven gone, the conversation's
//! next process goes on under the old id. An id that was given by hand is refused while a live process has it.
//!
//! A process that has one conversation at a time (Claude Code) stays the agent it is when it begins another: its MCP
//! server goes on with the old conversation's id, and its shell commands have the new one's.
//!
//! Rooms compare again inside each write (`Room::require_own_id`): whatever happens between the two, no id is shared.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, BROADCAST, RoomId},
    process::ProcessIdentity,
    room::{Actor, Member, Occupant, Refusal, is_occupied, poses},
};
use baton_store::{engine::Tx, hosts, rooms};

use super::Conversation;
use crate::{App, Caller, Failure, bus::SERVER, caller::IdStanding, liveness::Eyes};
use baton_harness::Harness;

/// Beginnings of ids that say what was proven, and that nobody is given by hand.
const PROVEN: [&str; 8] = ["human:", "job:", "runner:", "token:", "browser:", "bus:", "shell:", "role:"];

impl App {
    /// Settles under which id a caller acts. Called before each command; once the caller is a member somewhere, its
    /// connection remembers the answer and nothing is read any more.
    pub fn settle(&self, caller: &Caller) -> Result<(), Failure> {
        let actor = caller.actor();
        let settled = |id: &AgentId| caller.standing(id).is_some();
        if actor.is_overridden() {
            if !settled(&actor.agent_id) && self.check_override(&actor)? == Membership::Own {
                caller.settle(&actor.agent_id, IdStanding::Own);
            }
            return Ok(());
        }
        let id = &caller.found().agent_id;
        if *caller.conversation() == Conversation::Untold || settled(id) {
            return Ok(());
        }
        let standing = match (caller.conversation(), &actor.process) {
            (Conversation::Of { parallel_id, is_single }, Some(process)) => {
                self.standing_of(id, parallel_id, process, *is_single)?
            }
            (Conversation::Sandboxed, _) => self.harness_of(id)?.map(IdStanding::Behind),
            (Conversation::Of { .. } | Conversation::Untold, _) => None,
        };
        if let Some(standing) = standing {
            caller.settle(id, standing);
        }
        Ok(())
    }

    /// The live process of a conversation, for a command in a sandbox that hides it. Knowing the conversation is all the
    /// proof there can be.
    fn harness_of(&self, id: &AgentId) -> Result<Option<ProcessIdentity>, Failure> {
        self.store.read(|tx| {
            let mut members = rooms::of_agent(tx, id)?;
            members.retain(|(_, member)| !member.overridden);
            self.other_user(tx, &members, None, |_| true)
        })
    }

    /// How a process of a conversation stands to the conversation's id. Open until it has joined somewhere: another process
    /// may still come first.
    fn standing_of(
        &self,
        id: &AgentId,
        parallel_id: &AgentId,
        process: &ProcessIdentity,
        is_single: bool,
    ) -> Result<Option<IdStanding>, Failure> {
        self.store.read(|tx| {
            if is_member(process, &rooms::of_agent(tx, parallel_id)?) {
                return Ok(Some(IdStanding::Parallel));
            }
            let members = rooms::of_agent(tx, id)?;
            let is_credentials = members.iter().any(|(_, member)| member.added_by.is_some());
            if is_credentials || self.other_user(tx, &members, Some(process), |_| false)?.is_some() {
                return Ok(Some(IdStanding::Parallel));
            }
            if is_member(process, &members) {
                return Ok(Some(IdStanding::Own));
            }
            let already = if is_single { agent_of(process, id, rooms::of_process(tx, process)?) } else { None };
            Ok(already.map(IdStanding::Already))
        })
    }

    /// Refuses an id given by hand that would say what was not proven, or that a live process has in any room.
    pub(crate) fn check_override(&self, actor: &Actor) -> Result<Membership, Failure> {
        let id = &actor.agent_id;
        let unproven = || {
            let message = format!("{id} cannot be given by hand: ids of people, agents, jobs and the bus are proven.");
            Failure::new(ErrorCode::InvalidAgentId, message)
                .with("field", "agent_id_override")
                .advising("Choose another id, like test:ana, or leave it out to act as yourself.")
        };
        if says_what_is_proven(id.as_str()) {
            return Err(unproven());
        }
        let membership = self.store.read::<_, Failure>(|tx| {
            let members = rooms::of_agent(tx, &actor.agent_id)?;
            let rightful = |member: &Member| poses(member, actor);
            let process = actor.process.as_ref();
            let other = self.other_user(tx, &members, process, rightful)?;
            let other = other.as_ref().map(Occupant::process).or_else(|| rightful_one(actor, &members));
            match other.or_else(|| other_credential(actor, &members)) {
                Some(occupant) => Err(Refusal::IdInUse { agent_id: actor.agent_id.clone(), occupant }.into()),
                None if process.is_some_and(|process| is_member(process, &members)) => Ok(Membership::Own),
                None => Ok(Membership::Open),
            }
        })?;
        // An agent's id is refused like any other while somebody has it, which is said first, and also later.
        if is_harness_id(id.as_str()) { Err(unproven()) } else { Ok(membership) }
    }

    /// Another process than `process` that has an id, of its memberships in all rooms; or that process itself, as a member
    /// who has it by right.
    fn other_user(
        &self,
        tx: &mut dyn Tx,
        members: &[(RoomId, Member)],
        process: Option<&ProcessIdentity>,
        is_rightful: impl Fn(&Member) -> bool,
    ) -> Result<Option<ProcessIdentity>, Failure> {
        let is_other =
            |member: &&Member| is_rightful(member) || !process.is_some_and(|process| is_behind(process, member));
        let others: Vec<&Member> = members.iter().map(|(_, member)| member).filter(is_other).collect();
        let processes: Vec<&ProcessIdentity> = others.iter().filter_map(|member| member.process.as_ref()).collect();
        if processes.is_empty() {
            return Ok(None);
        }
        let (eyes, now) = (Eyes::new(&self.probe, hosts::testimony(tx, &processes)?), tx.now()?);
        let holds = |member: &&&Member| {
            member.process.as_ref().is_some_and(|known| is_occupied(known, member.last_seen_at, now, &eyes))
        };
        let found = others.iter().find(holds).and_then(|member| member.process.as_ref());
        Ok(found.cloned())
    }
}

/// Whether an id says something about its bearer that has to be proven.
fn says_what_is_proven(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    PROVEN.iter().any(|proven| id.starts_with(proven)) || [SERVER, BROADCAST].contains(&&*id)
}

/// True if an id has the form of those that are worked out for harnesses.
fn is_harness_id(id: &str) -> bool {
    let id = id.to_ascii_lowercase();
    let (program, hash) = id.split_once(':').unwrap_or_default();
    Harness::of_slug(program).is_some() && hash.len() == 8 && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A member of the caller's id that has it by right, whose process has ended: its conversation may go on.
fn rightful_one(actor: &Actor, members: &[(RoomId, Member)]) -> Option<Occupant> {
    let rightful = members.iter().map(|(_, member)| member).find(|member| poses(member, actor))?;
    rightful.process.as_ref().map(|process| Occupant { ended: true, ..Occupant::process(process) })
}

/// Another credential than the caller's that added an agent of its id somewhere.
fn other_credential(actor: &Actor, members: &[(RoomId, Member)]) -> Option<Occupant> {
    let added = members.iter().filter_map(|(_, member)| member.added_by.as_deref());
    let other = added.into_iter().find(|added_by| Some(*added_by) != actor.via.as_deref());
    other.map(Occupant::credential)
}

/// Whether an id is a member's somewhere, in the process at hand.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Membership {
    Own,
    Open,
}

/// The agent of the same harness that a process is already, whose id was found and not chosen.
fn agent_of(process: &ProcessIdentity, id: &AgentId, members: Vec<(RoomId, Member)>) -> Option<AgentId> {
    let harness = |id: &AgentId| id.as_str().split_once(':').map(|(harness, _)| harness.to_owned());
    // A conversation at rest is not the one that its process has.
    let is_found = |member: &Member| !member.overridden && member.added_by.is_none() && member.rest.is_none();
    let own = members
        .into_iter()
        .map(|(_, member)| member)
        .filter(|member| is_found(member) && is_behind(process, member) && harness(&member.agent_id) == harness(id));
    own.max_by_key(|member| member.last_seen_at).map(|member| member.agent_id)
}

fn is_member(process: &ProcessIdentity, members: &[(RoomId, Member)]) -> bool {
    members.iter().any(|(_, member)| is_behind(process, member))
}

fn is_behind(process: &ProcessIdentity, member: &Member) -> bool {
    member.process.as_ref().is_some_and(|known| known.stands_for(process))
}
