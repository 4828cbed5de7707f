//! Who is calling, as the adapter found out. The body of a request never says.

use std::{
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    process::ProcessIdentity,
    room::{Actor, Authority, Room},
};
use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::{
    Failure,
    boundary::Boundary,
    identity::{Assignment, Conversation, Employment, Resolved},
    table::Role,
};

/// How many agents of one connection are remembered by the room they joined. Only Codex has more than one.
const JOINED_MAX: usize = 64;

/// A caller for the length of one call.
#[derive(Clone, Debug)]
pub struct Caller {
    identity: Actor,
    conversation: Conversation,
    /// Where a relative path starts. Empty for a caller whose directory is not known, which must send absolute ones.
    pub cwd: PathBuf,
    /// What outlives the call: what `join_path` told.
    pub connection: Arc<Connection>,
    /// Lets the adapter withdraw the call.
    pub cancel: Cancel,
    /// The job that it works for. That it does is proven inside each transaction.
    employment: Employment,
    /// Where it is left that the caller is interrupted, if it is told so.
    boundary: Option<Boundary>,
    rights: Rights,
    /// Whether the rights were told by credentials, and so the identity too.
    vouched: bool,
}

/// What a caller may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rights {
    /// See everything and change nothing.
    Viewer,
    /// Whatever agents do.
    Agent,
    /// That, and what concerns other agents: a person who steers.
    Operator,
}

impl Rights {
    /// The role as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Viewer => "viewer",
            Self::Agent => "agent",
            Self::Operator => "operator",
        }
    }
}

/// What a connection remembers between calls.
#[derive(Debug, Default)]
pub struct Connection {
    /// The process that is this connection, where it is one of its own: the MCP server that a client started. An id that is
    /// given to the connection by hand is that process's.
    server: Option<ProcessIdentity>,
    /// Ids that were given by hand, by the id that was found. Several, because conversations share a connection.
    overrides: Mutex<Vec<(AgentId, AgentId)>>,
    /// Ids that were compared with the store. Several, because conversations share a connection.
    settled: Mutex<Vec<Settled>>,
    /// Where each agent on this connection joined last, the latest at the end. By agent, because conversations that
    /// share a connection work in different rooms.
    joined: Mutex<Vec<(AgentId, RoomId)>>,
}

/// An id that was compared with the store.
#[derive(Clone, Debug)]
struct Settled {
    id: AgentId,
    standing: IdStanding,
}

/// How a caller stands to an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum IdStanding {
    /// The id is its own.
    Own,
    /// A live process of the same conversation had the id first.
    Parallel,
    /// Its process is an agent already, since an earlier conversation.
    Already(AgentId),
    /// The id is that of its conversation, whose harness is this process.
    Behind(ProcessIdentity),
}

impl Connection {
    /// A connection that is a process of its own.
    pub fn of_server(server: Option<ProcessIdentity>) -> Self {
        Self { server, ..Self::default() }
    }
}

impl Caller {
    /// A caller with the identity that was found for it, and the rights of an agent.
    pub fn new(identity: impl Into<Resolved>, cwd: PathBuf) -> Self {
        let Resolved { actor, conversation } = identity.into();
        Self {
            identity: actor,
            conversation,
            cwd,
            connection: Arc::default(),
            cancel: Cancel::never(),
            employment: Employment::None,
            boundary: None,
            rights: Rights::Agent,
            vouched: false,
        }
    }

    /// A caller whose rights were worked out from its process and terminal.
    #[must_use]
    pub fn granted(self, rights: Rights) -> Self {
        Self { rights, ..self }
    }

    /// A caller whose role was told by its credentials.
    #[must_use]
    pub fn with_rights(self, rights: Rights) -> Self {
        Self { rights, vouched: true, ..self }
    }

    /// Rights are granted, never assumed: an agent's, unless the resolver or a credential says otherwise. Under an id that
    /// was given by hand nobody is more than an agent.
    pub fn rights(&self) -> Rights {
        let poses = self.identity.is_overridden() || self.override_id().is_some();
        if poses { self.rights.min(Rights::Agent) } else { self.rights }
    }

    /// What the caller acts as in a room.
    pub(crate) fn authority(&self) -> Authority {
        match self.rights() {
            Rights::Operator => Authority::Operator,
            Rights::Agent | Rights::Viewer => Authority::Member,
        }
    }

    /// The authority of the caller in one room, where it may work on a job.
    pub(crate) fn authority_in(&self, room: &RoomId) -> Authority {
        if self.own_job_in(room).is_some() { Authority::JobAgent } else { self.authority() }
    }

    /// The caller's role in the command table. Only a room knows who holds its stick, so nobody is an owner here.
    pub(crate) fn role(&self) -> Role {
        match self.rights() {
            Rights::Viewer => Role::Viewer,
            Rights::Agent if *self.employment() != Employment::None => Role::JobAgent,
            Rights::Agent => Role::Agent,
            Rights::Operator => Role::Operator,
        }
    }

    /// Whether the caller is one of a room, or a person who steers, whom acting there makes one.
    pub(crate) fn may_act_in(&self, room: &Room) -> bool {
        self.rights() >= Rights::Operator || room.member(&self.actor().agent_id).is_some()
    }

    /// A caller on a connection that may have overridden its identity.
    #[must_use]
    pub fn on(self, connection: Arc<Connection>, cancel: Cancel) -> Self {
        Self { connection, cancel, ..self }
    }

    /// A caller that works for a job.
    #[must_use]
    pub fn assigned(self, employment: impl Into<Employment>) -> Self {
        let employment = employment.into();
        // Whatever started it: a job's agent does not steer.
        let is_free = employment == Employment::None;
        let rights = if is_free { self.rights } else { self.rights.min(Rights::Agent) };
        Self { employment, rights, ..self }
    }

    /// This caller in another of its identities. It has no more rights for that, and works for the job that it works for.
    #[must_use]
    pub fn acting_as(&self, identity: impl Into<Resolved>) -> Self {
        Self { rights: self.rights, employment: self.employment.clone(), ..Self::new(identity, self.cwd.clone()) }
    }

    /// The job that the caller works for.
    pub(crate) fn employment(&self) -> &Employment {
        &self.employment
    }

    /// A caller that is told of interrupts with the answer to its call.
    #[must_use]
    pub fn interruptible(self, boundary: &Boundary) -> Self {
        Self { boundary: Some(boundary.clone()), ..self }
    }

    pub(crate) fn boundary(&self) -> Option<&Boundary> {
        self.boundary.as_ref()
    }

    /// Its boundary, where it is told of interrupts in `room`. The agent of a job is left to its runner, which stops it.
    pub(crate) fn boundary_in(&self, room: &RoomId) -> Option<&Boundary> {
        self.boundary.as_ref().filter(|_| self.own_job_in(room).is_none())
    }

    /// The job that the caller works on in `room`, if its runner started it for one.
    pub(crate) fn assignment_in(&self, room: &RoomId) -> Option<&Assignment> {
        self.employment.assignment().filter(|assignment| assignment.room == *room)
    }

    /// The same, if it calls as that job's own agent and not as somebody else.
    pub(crate) fn own_job_in(&self, room: &RoomId) -> Option<&Assignment> {
        self.assignment_in(room).filter(|assignment| assignment.agent_id() == self.actor().agent_id)
    }

    /// The room of the job that the caller works on.
    pub(crate) fn assigned_room(&self) -> Option<&RoomId> {
        self.employment.assignment().map(|assignment| &assignment.room)
    }

    /// Who is calling.
    pub fn actor(&self) -> Actor {
        if let Some(agent_id) = self.override_id() {
            return self.posing(agent_id);
        }
        let found = self.identity.clone();
        // Only a caller that may share a conversation has anything to settle.
        if self.conversation == Conversation::Untold {
            return found;
        }
        match (self.standing(&found.agent_id), &self.conversation) {
            (Some(IdStanding::Parallel), Conversation::Of { parallel_id, .. }) => {
                Actor { agent_id: parallel_id.clone(), parallel_to: Some(found.agent_id.clone()), ..found }
            }
            (Some(IdStanding::Already(agent_id)), _) => Actor { agent_id, ..found },
            (Some(IdStanding::Behind(process)), _) => Actor { process: Some(process), ..found },
            (Some(IdStanding::Own | IdStanding::Parallel) | None, _) => found,
        }
    }

    /// The id that was given by hand to this conversation on its connection.
    fn override_id(&self) -> Option<AgentId> {
        let given = self.connection.overrides.lock().unwrap_or_else(PoisonError::into_inner);
        let own = given.iter().find(|(found, _)| *found == self.identity.agent_id);
        own.map(|(_, given)| given.clone())
    }

    /// The caller under an id that its connection is given by hand.
    pub(crate) fn posing(&self, agent_id: AgentId) -> Actor {
        let found = self.identity.clone().overridden(agent_id);
        Actor { process: self.connection.server.clone().or(found.process), ..found }
    }

    /// The conversation that it is at.
    pub(crate) fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The identity as it was found, before it was compared with the store.
    pub(crate) fn found(&self) -> &Actor {
        &self.identity
    }

    /// How it stands to an id, if that was settled on this connection.
    pub(crate) fn standing(&self, id: &AgentId) -> Option<IdStanding> {
        let settled = self.connection.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.iter().find(|settled| settled.id == *id).map(|settled| settled.standing.clone())
    }

    /// Remembers on this connection how it stands to an id.
    pub(crate) fn settle(&self, id: &AgentId, standing: IdStanding) {
        let mut settled = self.connection.settled.lock().unwrap_or_else(PoisonError::into_inner);
        settled.retain(|settled| settled.id != *id);
        if settled.len() == JOINED_MAX {
            settled.remove(0);
        }
        settled.push(Settled { id: id.clone(), standing });
    }

    /// Whether relative paths, and the place where the caller works, mean nothing.
    pub(crate) fn is_from_afar(&self) -> bool {
        self.cwd.as_os_str().is_empty()
    }

    /// Refuses an identity given by hand to a caller whose credentials say who it is, unless it may steer others.
    pub(crate) fn may_pose(&self) -> Result<(), Failure> {
        if !self.vouched || self.rights >= Rights::Operator {
            return Ok(());
        }
        let message = "Who calls with a token may not choose another identity: the token says who it is.";
        Err(Failure::new(ErrorCode::Forbidden, message)
            .with("field", "agent_id_override")
            .advising("Leave agent_id_override out, or get a token of your own from whoever runs the server."))
    }

    /// Sets the identity of this conversation by hand, until its connection ends. For tests and debugging.
    pub(crate) fn override_identity(&self, agent_id: AgentId) {
        let mut given = self.connection.overrides.lock().unwrap_or_else(PoisonError::into_inner);
        given.retain(|(found, _)| *found != self.identity.agent_id);
        if given.len() == JOINED_MAX {
            given.remove(0);
        }
        given.push((self.identity.agent_id.clone(), agent_id));
    }

    /// Notes that the caller joined `room`: what it says next without naming a room is about this one.
    pub(crate) fn has_joined(&self, room: &RoomId) {
        let agent_id = self.actor().agent_id;
        let mut joined = self.connection.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.retain(|(agent, _)| *agent != agent_id);
        if joined.len() == JOINED_MAX {
            joined.remove(0);
        }
        joined.push((agent_id, room.clone()));
    }

    /// The room that the caller joined last on this connection.
    pub fn room_joined_last(&self) -> Option<RoomId> {
        let agent_id = self.actor().agent_id;
        let joined = self.connection.joined.lock().unwrap_or_else(PoisonError::into_inner);
        joined.iter().find(|(agent, _)| *agent == agent_id).map(|(_, room)| room.clone())
    }
}

/// A bell that withdraws a waiting call. A descriptor, so that a wait can watch it beside its other events.
#[derive(Clone, Debug)]
pub struct Cancel(Option<Arc<OwnedFd>>);

impl Cancel {
    /// A call that nobody withdraws.
    pub const fn never() -> Self {
        Self(None)
    }

    /// A call that can be withdrawn with [`Cancel::ring`].
    pub fn new() -> std::io::Result<Self> {
        let flags = rustix::event::EventfdFlags::CLOEXEC | rustix::event::EventfdFlags::NONBLOCK;
        Ok(Self(Some(Arc::new(rustix::event::eventfd(0, flags)?))))
    }

    /// This one, or a new one if it is one that nobody can ring.
    pub fn or_new(self) -> std::io::Result<Self> {
        if self.0.is_some() { Ok(self) } else { Self::new() }
    }

    /// Withdraws the call.
    pub fn ring(&self) {
        if let Some(fd) = &self.0 {
            // The counter cannot overflow here, and a bell that rang already needs no second ring.
            let _ = rustix::io::write(fd, &1_u64.to_ne_bytes());
        }
    }

    /// Waits for the bell for `most`, and tells whether it rang. One that nobody can ring is waited for in vain.
    pub fn wait(&self, most: Duration) -> bool {
        self.wait_also(None, most)
    }

    /// The same, or until something else becomes readable.
    pub fn wait_also(&self, other: Option<BorrowedFd<'_>>, most: Duration) -> bool {
        let timeout = Timespec { tv_sec: most.as_secs() as i64, tv_nsec: i64::from(most.subsec_nanos()) };
        let fds = self.fd().into_iter().chain(other);
        let mut fds: Vec<PollFd<'_>> = fds.map(|fd| PollFd::from_borrowed_fd(fd, PollFlags::IN)).collect();
        poll(&mut fds, Some(&timeout)).is_ok_and(|rung| rung > 0)
    }

    /// Forgets that it rang.
    pub fn clear(&self) {
        if let Some(fd) = &self.0 {
            // It does not block: a bell that did not ring has nothing to forget.
            let _ = rustix::io::read(fd, &mut [0_u8; 8]);
        }
    }

    /// What a wait watches.
    pub(crate) fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.as_ref().map(|fd| fd.as_fd())
    }
}
