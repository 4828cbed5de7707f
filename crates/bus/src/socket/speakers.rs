//! For whom a client speaks.
//!
//! Without having said anything, a client is who its process is: the same agent as a command in its shell. With
//! `agent.add` it speaks for agents of its own choice, too; `src` says for which, and without it the one that was added
//! last speaks. Nobody speaks for an agent that this connection did not add.

use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

use baton_app::{
    Caller, Cancel, Connection, Failure, Rights,
    identity::{Employment, Resolved, Surroundings},
    liveness,
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    limits,
    process::{ProcessIdentity, SessionKind},
    room::{Actor, IdOrigin},
};
use tokio::net::unix::UCred;

use crate::{Credential, Hub, blocking};

/// Most agents that one connection speaks for.
pub(crate) const AGENTS_MAX: usize = 64;

/// The agents of a connection.
pub(super) struct Speakers {
    own: Speaker,
    added: Vec<Speaker>,
    process: ProcessIdentity,
    /// The process at the other end, by which limits count.
    credential: Credential,
    cwd: PathBuf,
    employment: Employment,
    /// The client's own identity, and its rights.
    resolved: Resolved,
    rights: Rights,
}

/// One of them, and what it remembers between calls.
struct Speaker {
    actor: Actor,
    connection: Arc<Connection>,
    /// Where it was added: it is spoken for until it was removed from all of them.
    sessions: BTreeSet<RoomId>,
}

impl Speakers {
    /// Finds out who is at the other end.
    pub(super) async fn find(hub: &Hub, peer: UCred) -> Result<Self, Failure> {
        let is_remote = hub.app().is_remote();
        let pid = peer.pid().and_then(|pid| u32::try_from(pid).ok());
        blocking::cross(move || {
            let found = pid.map(|pid| (Surroundings::of_process(pid), liveness::identify(pid)));
            // Looked at last: a process that is still there was there all the while.
            let Some((surroundings, Some(process))) = found else {
                let message = "The process at the other end cannot be seen, so nobody knows who calls.";
                return Err(Failure::new(ErrorCode::Forbidden, message)
                    .advising("Connect from a process that runs while it is connected, in the same pid namespace."));
            };
            let mut surroundings = surroundings?;
            if is_remote {
                surroundings = surroundings.among_machines();
            }
            Ok(Self {
                own: Speaker::new(surroundings.cli_caller().actor),
                resolved: surroundings.cli_caller(),
                rights: surroundings.rights(),
                added: Vec::new(),
                credential: Credential::lasting(format!("process:{}", process.pid)),
                process,
                cwd: surroundings.environment().cwd().to_owned(),
                employment: surroundings.employment().clone(),
            })
        })
        .await
    }

    /// The caller of a request from `src`.
    pub(super) fn caller(&self, src: Option<&str>) -> Result<Caller, Failure> {
        let own = self.own();
        let Some(src) = src else { return Ok(self.added.last().map_or(own, |last| self.caller_of(last))) };
        if own.actor().agent_id.as_str() == src {
            return Ok(own);
        }
        let added = self.added.iter().find(|speaker| speaker.actor.agent_id.as_str() == src);
        added.map(|speaker| self.caller_of(speaker)).ok_or_else(|| {
            let shown: String = src.chars().take(limits::SHOWN_INPUT_CHARS).collect();
            Failure::new(ErrorCode::SourceMismatch, format!("This connection does not speak for {shown:?}."))
                .with("src", shown)
                .with("agents", self.ids().map(|id| id.as_str().into()).collect::<Vec<serde_json::Value>>())
        })
    }

    /// The caller who adds the agent `id`, or itself. Who may be chosen is the command's to say, so it is told who the
    /// client is, and that its process stands for whomever it adds.
    pub(super) fn adder(&self, src: Option<&str>, id: Option<&str>) -> Result<Caller, Failure> {
        let Some(id) = id else { return src.map_or_else(|| Ok(self.own()), |src| self.caller(Some(src))) };
        // Who it says that it is must be one of its own, even when it adds another.
        src.filter(|src| *src != id).map_or(Ok(()), |src| self.caller(Some(src)).map(drop))?;
        if let Ok(known) = self.caller(Some(id)) {
            return Ok(known);
        }
        if self.added.len() >= AGENTS_MAX {
            let message = format!("A connection speaks for at most {AGENTS_MAX} agents.");
            return Err(Failure::new(ErrorCode::RateLimited, message).advising("Open another connection."));
        }
        let process = Some(self.process.clone());
        let actor = Actor { process, origin: IdOrigin::Found, ..self.own().actor() };
        Ok(self.caller_of(&Speaker::new(actor)))
    }

    /// Speaks for an agent in a session from now on, and for it unless told otherwise.
    pub(super) fn add(&mut self, id: &AgentId, session: RoomId) {
        let known = self.added.iter().position(|speaker| speaker.actor.agent_id == *id);
        let mut speaker = match known {
            Some(place) => self.added.remove(place),
            None if *id == self.own().actor().agent_id => return,
            None => {
                let found = Actor::found(id.clone(), Some(self.process.clone()), SessionKind::McpHarness);
                Speaker::new(found.choosing(id.clone()))
            }
        };
        speaker.sessions.insert(session);
        self.added.push(speaker);
    }

    /// Does not speak for an agent in a session any more.
    pub(super) fn remove(&mut self, id: &AgentId, session: &RoomId) {
        for speaker in self.added.iter_mut().filter(|speaker| speaker.actor.agent_id == *id) {
            speaker.sessions.remove(session);
        }
        self.added.retain(|speaker| !speaker.sessions.is_empty());
    }

    /// For whom it speaks, its own identity first.
    pub(super) fn ids(&self) -> impl Iterator<Item = AgentId> {
        let added = self.added.iter().map(|speaker| self.caller_of(speaker).actor().agent_id);
        [self.own().actor().agent_id].into_iter().chain(added)
    }

    /// The proof with which the client came.
    pub(super) fn credential(&self) -> &Credential {
        &self.credential
    }

    fn own(&self) -> Caller {
        Caller::new(self.resolved.clone(), self.cwd.clone())
            .granted(self.rights)
            .on(Arc::clone(&self.own.connection), Cancel::never())
            .assigned(self.employment.clone())
    }

    fn caller_of(&self, speaker: &Speaker) -> Caller {
        let caller = Caller::new(speaker.actor.clone(), self.cwd.clone());
        // Agents that a job's program adds are bound by its job, too.
        caller.on(Arc::clone(&speaker.connection), Cancel::never()).assigned(self.employment.clone())
    }
}

impl Speaker {
    fn new(actor: Actor) -> Self {
        Self { actor, connection: Arc::default(), sessions: BTreeSet::new() }
    }
}
