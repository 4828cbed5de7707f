//! How agents are connected: the facts are read here, and [`ConnectionFacts::status`] makes one word of them.
//!
//! An agent's connection also tells what its stream does, which program it is and which conversation. Its runner notes
//! that; a note moves without events, like presence.

use baton_core::{
    agent::{ConnectionFacts, ConnectionState, ConnectionStatus, Former, RuntimeStream, StaleAfter, Worker},
    bus::Connection,
    claimant::Claimant,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{Job, job_of},
    limits,
    process::{Liveness, ProcessIdentity, SessionKind, Witness},
    room::{Member, Room, Stick},
    time::Timestamp,
    turn::{Stream, StreamStatus, Turn, TurnId},
};
use baton_store::{
    engine::Tx,
    hosts::{self, Testimony},
    jobs,
    presence::{self, OpenRun},
    table,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Caller, Failure, employment::require_proof};

/// How an agent is connected.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentConnection {
    /// `connected`, `idle`, `disconnected` or `gone`: the same word on every surface.
    pub state: ConnectionState,
    /// Whether it says something, waits for something, or neither.
    pub stream: StreamStatus,
    /// Which program.
    pub provider: Option<String>,
    /// The provider's name for the conversation.
    pub session: Option<String>,
    pub last_activity_at: Option<Timestamp>,
    /// The turn that it is in.
    pub turn: Option<TurnId>,
    /// Why it is so.
    pub why: String,
}

/// What a runtime sees of its agent's stream.
#[derive(Clone, Copy, Debug)]
pub struct StreamNote<'a> {
    /// What it does.
    pub status: StreamStatus,
    /// Which program.
    pub provider: Option<&'a str>,
    /// The provider's name for the conversation.
    pub session: Option<&'a str>,
}

impl App {
    /// Notes what is seen of an agent's stream: by the agent itself, or by who claimed its job. It is no event, and wakes
    /// nobody.
    pub fn note_stream(
        &self,
        caller: &Caller,
        room: &RoomId,
        agent: &AgentId,
        note: &StreamNote<'_>,
    ) -> Result<(), Failure> {
        let (actor, StreamNote { status, provider, session }) = (caller.actor(), *note);
        let (you, by) = (&actor.agent_id, Claimant::of(&actor));
        for (field, text) in [("provider", provider), ("session", session)] {
            if text.is_some_and(|text| text.len() > limits::SESSION_BYTES || text.contains('\0')) {
                let message = format!("{field} has at most {} bytes, none of them zero.", limits::SESSION_BYTES);
                return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", field));
            }
        }
        self.store.write(|tx| {
            require_proof(tx, caller, &actor)?;
            let claims = |job: Job| job.claim.is_some_and(|claim| claim.claimant.is_same(&by));
            let may = match job_of(agent) {
                Some(job) => agent == you || table::find::<Job>(tx, room, &job)?.is_some_and(claims),
                None => agent == you,
            };
            if !may {
                let message = format!("{agent} is neither you nor the agent of a job that you have claimed.");
                return Err(Failure::new(ErrorCode::Conflict, message).with("agent_id", agent.as_str()));
            }
            let stream = Stream {
                agent_id: agent.clone(),
                status,
                provider: provider.map(str::to_owned),
                session: session.map(str::to_owned),
                last_activity_at: tx.now()?,
            };
            Ok(turns::put_stream(tx, room, &stream)?)
        })
    }
}

/// A room, the time, and eyes to look at its agents with.
#[derive(Clone, Copy)]
pub(crate) struct Vantage<'a> {
    pub(crate) room: &'a Room,
    pub(crate) room_closed: bool,
    pub(crate) now: Timestamp,
    pub(crate) stale_after: StaleAfter,
    pub(crate) witness: &'a dyn Witness,
}

impl<'a> Vantage<'a> {
    pub(crate) fn new(room: &'a Room, now: Timestamp, stale_after: StaleAfter, witness: &'a dyn Witness) -> Self {
        Self { room, room_closed: room.stick == Stick::Closed, now, stale_after, witness }
    }
}

/// A runtime's stream, once it was seen whether its server is there.
#[derive(Clone, Debug)]
pub(crate) enum SeenStream {
    Served,
    Ended { at: Option<Timestamp>, why: String },
}

/// The reason of a stream's end that nobody told.
pub(crate) const SERVER_GONE: &str = "the server that it was connected to is gone";

impl SeenStream {
    /// A connection as it is, if it is open by whether its server is `served`.
    pub(crate) fn of(connection: &Connection, served: bool) -> Self {
        match &connection.ended {
            Some(ended) => Self::Ended { at: Some(ended.at), why: ended.why.clone() },
            None if served => Self::Served,
            None => Self::Ended { at: None, why: SERVER_GONE.to_owned() },
        }
    }

    pub(crate) fn facts(stream: Option<&Self>) -> RuntimeStream<'_> {
        match stream {
            None => RuntimeStream::None,
            Some(Self::Served) => RuntimeStream::Served,
            Some(Self::Ended { at, why }) => RuntimeStream::Ended { at: *at, why },
        }
    }
}

/// Testimony about servers on other machines.
fn told_of(tx: &mut dyn Tx, connections: &[Connection], witness: &dyn Witness) -> Result<Testimony, Failure> {
    let open = connections.iter().filter(|connection| connection.is_open());
    let unseen: Vec<&ProcessIdentity> = open
        .filter_map(|connection| connection.server.as_ref())
        .filter(|server| witness.liveness(server) == Liveness::Unknown)
        .collect();
    if unseen.is_empty() {
        return Ok(Testimony::default());
    }
    Ok(hosts::testimony(tx, &unseen)?)
}

/// Whether the server of a connection may be there: not if it is seen to be gone, or its machine says so.
fn is_served(connection: &Connection, told: &Testimony, witness: &dyn Witness) -> bool {
    let Some(server) = &connection.server else { return true };
    match witness.liveness(server) {
        Liveness::Alive => true,
        Liveness::Gone(_) => false,
        Liveness::Unknown => told.of(server).is_none(),
    }
}

/// The streams of a room's agents, each with its agent.
pub(crate) fn seen_streams(
    tx: &mut dyn Tx,
    connections: &[Connection],
    witness: &dyn Witness,
) -> Result<Vec<(AgentId, SeenStream)>, Failure> {
    let told = told_of(tx, connections, witness)?;
    let seen = |connection: &Connection| {
        let stream = SeenStream::of(connection, is_served(connection, &told, witness));
        (connection.agent_id.clone(), stream)
    };
    Ok(connections.iter().map(seen).collect())
}

/// How much of a room's agents is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    /// Enough for the word and its reason.
    Word,
    /// All that there is.
    All,
}

/// A job whose agent is a member.
struct JobSigns {
    job: Job,
    newest: Option<Turn>,
}

/// Facts about the members of a room, from one look: enough for the word and its reason.
pub(crate) struct Signs {
    streams: Vec<(AgentId, SeenStream)>,
    runs: Vec<OpenRun>,
    jobs: Vec<JobSigns>,
    notes: Vec<Stream>,
}

impl Signs {
    pub(crate) fn read(tx: &mut dyn Tx, room: &Room, witness: &dyn Witness) -> Result<Self, Failure> {
        Self::read_to(tx, room, witness, Extent::Word)
    }

    fn read_to(tx: &mut dyn Tx, room: &Room, witness: &dyn Witness, extent: Extent) -> Result<Self, Failure> {
        let found = presence::signs(tx, &room.id)?;
        let named: Vec<_> = room.members.iter().filter_map(|member| job_of(&member.agent_id)).collect();
        let mut of_jobs = Vec::with_capacity(named.len());
        if !named.is_empty() {
            for job in jobs::find_all(tx, &room.id, &named)? {
                let newest = match extent {
                    // A job that has ended is gone, however its last run went.
                    Extent::Word if !job.status.is_active() => None,
                    Extent::Word | Extent::All => newest_run(tx, room, &job)?,
                };
                of_jobs.push(JobSigns { job, newest });
            }
        }
        let notes = match extent {
            Extent::Word if of_jobs.is_empty() => Vec::new(),
            Extent::Word | Extent::All => turns::streams(tx, &room.id)?,
        };
        let streams = seen_streams(tx, &found.connections, witness)?;
        Ok(Self { streams, runs: found.runs, jobs: of_jobs, notes })
    }

    /// The word for a member, and its reason.
    pub(crate) fn status(&self, from: &Vantage<'_>, member: &Member) -> ConnectionStatus {
        let stream = self.streams.iter().find(|(agent, _)| *agent == member.agent_id).map(|(_, stream)| stream);
        let stream = SeenStream::facts(stream);
        match self.job(member) {
            Some(JobSigns { job, newest }) => {
                let note = self.note(&member.agent_id);
                of_job(from, job, newest.as_ref(), note, stream, member.last_seen_at)
            }
            None => of_process(from, member, self.run(member).map(|run| run.id), stream),
        }
    }

    fn job(&self, member: &Member) -> Option<&JobSigns> {
        let id = job_of(&member.agent_id)?;
        self.jobs.iter().find(|signs| signs.job.id == id)
    }

    fn run(&self, member: &Member) -> Option<&OpenRun> {
        self.runs.iter().find(|run| run.agent_id == member.agent_id)
    }

    fn note(&self, agent: &AgentId) -> Option<&Stream> {
        self.notes.iter().find(|note| note.agent_id == *agent)
    }
}

/// The word for a member behind which a process stands.
pub(crate) fn of_process(
    from: &Vantage<'_>,
    member: &Member,
    run: Option<TurnId>,
    stream: RuntimeStream<'_>,
) -> ConnectionStatus {
    let liveness = member.liveness(from.witness);
    // A turn whose process is gone is nobody's work any more, though another process of the agent be there.
    let holds_stick = from.room.ownership().is_some_and(|ownership| {
        ownership.lease.holder == member.agent_id && !ownership.liveness(from.witness).is_gone()
    });
    let worker = Worker::Process { liveness: &liveness, holds_stick, run };
    facts(from, stream, member.last_seen_at, worker).status()
}

/// The word for the agent of a job.
pub(crate) fn of_job(
    from: &Vantage<'_>,
    job: &Job,
    newest: Option<&Turn>,
    note: Option<&Stream>,
    stream: RuntimeStream<'_>,
    last_seen_at: Timestamp,
) -> ConnectionStatus {
    let output_ended = fresh(note, newest).is_some_and(|note| note.status == StreamStatus::Closed);
    facts(from, stream, last_seen_at, Worker::Job { job, newest, output_ended }).status()
}

fn facts<'a>(
    from: &Vantage<'_>,
    stream: RuntimeStream<'a>,
    last_seen_at: Timestamp,
    worker: Worker<'a>,
) -> ConnectionFacts<'a> {
    let Vantage { room_closed, now, stale_after, .. } = *from;
    ConnectionFacts { now, room_closed, last_seen_at, stale_after, stream, worker }
}

/// A note that is about the newest run. One from before its begin is about an earlier one.
fn fresh<'a>(note: Option<&'a Stream>, newest: Option<&Turn>) -> Option<&'a Stream> {
    note.filter(|note| newest.is_none_or(|run| note.last_activity_at >= run.began_at))
}

/// All that is known of the streams of a room's agents, from one look.
pub(crate) struct Streams {
    signs: Signs,
}

impl Streams {
    /// Of all members.
    pub(crate) fn of_members(tx: &mut dyn Tx, room: &Room, witness: &dyn Witness) -> Result<Self, Failure> {
        Ok(Self { signs: Signs::read_to(tx, room, witness, Extent::All)? })
    }

    /// A member's connection. A job's agent is as connected as its claim is in force, whatever process it last called from.
    pub(crate) fn member(&self, from: &Vantage<'_>, member: &Member) -> AgentConnection {
        let status = self.signs.status(from, member);
        let note = self.signs.note(&member.agent_id);
        match self.signs.job(member) {
            Some(JobSigns { job, newest }) => AgentConnection::at_job(status, job, newest.as_ref(), note),
            None => AgentConnection::at_process(status, member, self.signs.run(member), note, from.room),
        }
    }
}

impl AgentConnection {
    /// Of a job's own agent, which need not be a member.
    pub(crate) fn of_job(tx: &mut dyn Tx, from: &Vantage<'_>, job: &Job) -> Result<Self, Failure> {
        let room = from.room;
        let agent = baton_core::job::agent_of(&room.id, job.id);
        let note = turns::stream_of(tx, &room.id, &agent)?;
        let newest = newest_run(tx, room, job)?;
        let member = room.member(&agent);
        // Only members have streams.
        let mut connections = match member {
            Some(_) => presence::signs(tx, &room.id)?.connections,
            None => Vec::new(),
        };
        connections.retain(|connection| connection.agent_id == agent);
        let streams = seen_streams(tx, &connections, from.witness)?;
        let stream = SeenStream::facts(streams.first().map(|(_, stream)| stream));
        let last_seen_at = member.map_or(job.active_at, |member| member.last_seen_at);
        let status = of_job(from, job, newest.as_ref(), note.as_ref(), stream, last_seen_at);
        Ok(Self::at_job(status, job, newest.as_ref(), note.as_ref()))
    }

    /// Of who is no member, and perhaps never was one.
    pub(crate) fn outside() -> Self {
        Self::without_stream(ConnectionStatus::stranger(), None)
    }

    /// Of who is no member any more.
    pub(crate) fn left(former: &Former) -> Self {
        Self::without_stream(ConnectionStatus::left(former.retired), Some(former.until))
    }

    fn without_stream(status: ConnectionStatus, last_activity_at: Option<Timestamp>) -> Self {
        let ConnectionStatus { state, why } = status;
        let stream = StreamStatus::Closed;
        Self { state, stream, provider: None, session: None, last_activity_at, turn: None, why }
    }

    fn at_job(status: ConnectionStatus, job: &Job, newest: Option<&Turn>, note: Option<&Stream>) -> Self {
        let ConnectionStatus { state, why } = status;
        let open = newest.filter(|run| run.is_open());
        let fresh = fresh(note, newest);
        let noted = fresh.filter(|_| open.is_some()).map(|note| note.status);
        let executor = newest.and_then(|run| run.executor).or(job.claim.as_ref().and_then(|claim| claim.executor));
        let spoke = newest.map(|run| run.ended_at.unwrap_or(run.began_at));
        Self {
            state,
            stream: match state {
                ConnectionState::Connected => open_stream(noted).unwrap_or(StreamStatus::Reading),
                ConnectionState::Idle => noted.unwrap_or(StreamStatus::Reading),
                ConnectionState::Disconnected | ConnectionState::Gone => StreamStatus::Closed,
            },
            provider: fresh.and_then(|note| note.provider.clone()).or(executor.map(|known| known.to_string())),
            session: fresh.and_then(|note| note.session.clone()).or(newest.and_then(|run| run.session.clone())),
            last_activity_at: note.map(|note| note.last_activity_at).max(spoke),
            turn: open.map(|run| run.id),
            why,
        }
    }

    fn at_process(
        status: ConnectionStatus,
        member: &Member,
        run: Option<&OpenRun>,
        note: Option<&Stream>,
        room: &Room,
    ) -> Self {
        let ConnectionStatus { state, why } = status;
        let at_work = run.is_some() || room.owner() == Some(&member.agent_id);
        let noted = note.filter(|note| run.is_none_or(|run| note.last_activity_at >= run.began_at));
        let noted = open_stream(noted.map(|note| note.status));
        let harness = match member.session_kind {
            SessionKind::McpHarness => member.agent_id.as_str().split_once(':').map(|(harness, _)| harness.to_owned()),
            SessionKind::Human | SessionKind::HumanGuardian | SessionKind::Shell => None,
        };
        Self {
            state,
            stream: match (state, noted) {
                (ConnectionState::Connected, Some(status)) => status,
                (ConnectionState::Connected, None) if at_work => StreamStatus::Writing,
                (ConnectionState::Connected | ConnectionState::Idle, _) => StreamStatus::Reading,
                (ConnectionState::Disconnected | ConnectionState::Gone, _) => StreamStatus::Closed,
            },
            provider: note.and_then(|note| note.provider.clone()).or(harness),
            session: note.and_then(|note| note.session.clone()),
            last_activity_at: Some(member.last_seen_at).max(note.map(|note| note.last_activity_at)),
            turn: run.map(|run| run.id),
            why,
        }
    }
}

/// A noted status that does not contradict that the agent is connected.
fn open_stream(noted: Option<StreamStatus>) -> Option<StreamStatus> {
    noted.filter(|status| *status != StreamStatus::Closed)
}

pub(crate) fn newest_run(tx: &mut dyn Tx, room: &Room, job: &Job) -> Result<Option<Turn>, Failure> {
    Ok(turns::before(tx, &room.id, Which::Job(job.id), None, 1)?.into_iter().next())
}
