//! How an agent is connected: whether something comes from it, whether it waits, or whether it is not there.
//!
//! All of it is derived, here and nowhere else: from the turn it is in, from the claim on its job or from its process, and
//! from what was last seen of its stream, which its runner notes. A note moves without events, like presence.

use baton_core::{
    agent::Presence,
    code::ErrorCode,
    ids::{AgentId, RoomId},
    job::{Job, Status, job_of},
    limits,
    process::Liveness,
    room::{Member, Room, Stick},
    time::Timestamp,
    turn::{Outcome, Stream, StreamStatus, Turn, TurnId},
};
use baton_store::{
    engine::Tx,
    jobs,
    turns::{self, Which},
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{App, Caller, Failure, commands::bus::AgentStatus};

/// Whether an agent is there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum ConnectionState {
    /// Its stream is active.
    Connected,
    /// It is there and waits for input.
    Idle,
    /// Its session ended, or failed.
    Disconnected,
}

impl ConnectionState {
    /// The state as it is written.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Connected => "connected",
            Self::Idle => "idle",
            Self::Disconnected => "disconnected",
        }
    }
}

/// How an agent is connected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AgentConnection {
    pub state: ConnectionState,
    /// Whether it says something, waits for something, or neither.
    pub stream: StreamStatus,
    /// Which program.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The provider's name for the conversation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last_activity_at: Option<Timestamp>,
    /// The turn that it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
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
        let (you, StreamNote { status, provider, session }) = (caller.actor().agent_id, *note);
        for (field, text) in [("provider", provider), ("session", session)] {
            if text.is_some_and(|text| text.len() > limits::SESSION_BYTES || text.contains('\0')) {
                let message = format!("{field} has at most {} bytes, none of them zero.", limits::SESSION_BYTES);
                return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", field));
            }
        }
        self.store.write(|tx| {
            let claims = |job: Job| job.claim.is_some_and(|claim| claim.claimant == you);
            let may = match job_of(agent) {
                Some(job) => *agent == you || jobs::find(tx, room, job)?.is_some_and(claims),
                None => *agent == you,
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

/// What is known of the streams of a room's agents, from one look.
pub(crate) struct Streams {
    open: Vec<Turn>,
    streams: Vec<Stream>,
    /// Jobs whose agents are members, each with its newest turn.
    jobs: Vec<(Job, Option<Turn>)>,
}

impl Streams {
    /// Of all members.
    pub(crate) fn of_members(tx: &mut dyn Tx, room: &Room) -> Result<Self, Failure> {
        let named: Vec<_> = room.members.iter().filter_map(|member| job_of(&member.agent_id)).collect();
        let mut of_jobs = Vec::with_capacity(named.len());
        for job in jobs::find_all(tx, &room.id, &named)? {
            let newest = newest(tx, room, &job)?;
            of_jobs.push((job, newest));
        }
        Ok(Self { open: turns::open(tx, &room.id)?, streams: turns::streams(tx, &room.id)?, jobs: of_jobs })
    }

    /// A member's connection. A job's agent is as connected as its claim is in force, whatever process it last called from.
    pub(crate) fn member(&self, room: &Room, member: &Member, seen: &Seen) -> AgentConnection {
        let stream = self.streams.iter().find(|stream| stream.agent_id == member.agent_id);
        let job = job_of(&member.agent_id).and_then(|id| self.jobs.iter().find(|(job, _)| job.id == id));
        match job {
            Some((job, newest)) => of_job(room, job, newest.as_ref(), stream, seen.now),
            None => {
                let open = self.open.iter().find(|turn| turn.agent_id == member.agent_id);
                of_member(room, member, seen, open, stream)
            }
        }
    }
}

/// What is seen of a member.
pub(crate) struct Seen {
    pub(crate) process: Liveness,
    pub(crate) presence: Presence,
    /// Whether its runtime is there.
    pub(crate) runtime: AgentStatus,
    pub(crate) now: Timestamp,
}

impl AgentConnection {
    /// Of a job's own agent.
    pub(crate) fn of_job(tx: &mut dyn Tx, room: &Room, job: &Job, now: Timestamp) -> Result<Self, Failure> {
        let agent = baton_core::job::agent_of(&room.id, job.id);
        let stream = turns::stream_of(tx, &room.id, &agent)?;
        let newest = newest(tx, room, job)?;
        Ok(of_job(room, job, newest.as_ref(), stream.as_ref(), now))
    }

    /// Of who is no member, and perhaps never was one.
    pub(crate) fn outside() -> Self {
        Self {
            state: ConnectionState::Disconnected,
            stream: StreamStatus::Closed,
            provider: None,
            session: None,
            last_activity_at: None,
            turn: None,
            why: "it is no member of the room".to_owned(),
        }
    }

    /// Of who is no member any more.
    pub(crate) fn left(at: Timestamp) -> Self {
        Self {
            state: ConnectionState::Disconnected,
            stream: StreamStatus::Closed,
            provider: None,
            session: None,
            last_activity_at: Some(at),
            turn: None,
            why: "it left, or goes by another name".to_owned(),
        }
    }
}

fn newest(tx: &mut dyn Tx, room: &Room, job: &Job) -> Result<Option<Turn>, Failure> {
    Ok(turns::before(tx, &room.id, Which::Job(job.id), None, 1)?.into_iter().next())
}

const CLOSED: &str = "the room is closed";

fn of_job(room: &Room, job: &Job, newest: Option<&Turn>, stream: Option<&Stream>, now: Timestamp) -> AgentConnection {
    use ConnectionState::{Connected, Disconnected, Idle};
    let open = newest.filter(|turn| turn.is_open());
    let broken = newest.filter(|turn| matches!(turn.outcome, Some(Outcome::Failed | Outcome::Lost)));
    // What was noted before the turn began is about another one.
    let fresh = stream.filter(|stream| newest.is_none_or(|turn| stream.last_activity_at >= turn.began_at));
    let noted = fresh.map_or(StreamStatus::Reading, |stream| stream.status);
    let id = job.id;
    let (state, status, why) = match (job.status, open, broken) {
        _ if room.stick == Stick::Closed => (Disconnected, StreamStatus::Closed, CLOSED.to_owned()),
        (Status::Done | Status::Failed | Status::Canceled, ..) => {
            (Disconnected, StreamStatus::Closed, format!("{id} is {}", job.status))
        }
        (Status::Running, ..) if job.is_stale(now) => {
            (Disconnected, StreamStatus::Closed, format!("its runner fell silent: the claim on {id} ran out"))
        }
        (Status::Running, Some(turn), _) if noted == StreamStatus::Closed => {
            (Idle, noted, format!("{} ends: its stream is closed", turn.id))
        }
        (Status::Running, Some(turn), _) => (Connected, noted, format!("{} goes on", turn.id)),
        (Status::Queued | Status::Running, _, Some(turn)) => (Disconnected, StreamStatus::Closed, ended(turn)),
        (Status::Queued, ..) => (Disconnected, StreamStatus::Closed, format!("no runner has {id}")),
        (Status::Running, None, None) => (Idle, StreamStatus::Reading, "it waits for its next turn".to_owned()),
    };
    let executor = newest.and_then(|turn| turn.executor).or(job.claim.as_ref().and_then(|claim| claim.executor));
    let spoke = newest.map(|turn| turn.ended_at.unwrap_or(turn.began_at));
    AgentConnection {
        state,
        stream: status,
        provider: fresh.and_then(|stream| stream.provider.clone()).or(executor.map(|known| known.to_string())),
        session: fresh.and_then(|stream| stream.session.clone()).or(newest.and_then(|turn| turn.session.clone())),
        last_activity_at: stream.map(|stream| stream.last_activity_at).max(spoke),
        turn: open.map(|turn| turn.id),
        why,
    }
}

/// How a turn ended that did not go well.
fn ended(turn: &Turn) -> String {
    let why = turn.why.as_deref().map(|why| format!(": {}", why.lines().next().unwrap_or_default()));
    let how = if turn.outcome == Some(Outcome::Lost) { "was lost" } else { "failed" };
    format!("{} {how}{}", turn.id, why.unwrap_or_default())
}

fn of_member(
    room: &Room,
    member: &Member,
    seen: &Seen,
    open: Option<&Turn>,
    stream: Option<&Stream>,
) -> AgentConnection {
    use ConnectionState::{Connected, Disconnected, Idle};
    let lately = seen.now.since(member.last_seen_at) <= limits::CONNECTED_FOR;
    let alive = seen.process == Liveness::Alive;
    let (state, status, why) = match open {
        _ if room.stick == Stick::Closed => (Disconnected, StreamStatus::Closed, CLOSED.to_owned()),
        _ if seen.process.is_gone() => (Disconnected, StreamStatus::Closed, "its process is gone".to_owned()),
        Some(turn) if lately || alive => (Connected, StreamStatus::Writing, format!("{} goes on", turn.id)),
        _ if lately => (Connected, StreamStatus::Writing, "it called a moment ago".to_owned()),
        _ if seen.runtime == AgentStatus::Connected => {
            (Connected, StreamStatus::Reading, "its runtime is connected".to_owned())
        }
        _ if seen.presence == Presence::Evicted && !alive => {
            (Disconnected, StreamStatus::Closed, "it has been silent for long".to_owned())
        }
        _ => (Idle, StreamStatus::Reading, "it is there and has not called for a while".to_owned()),
    };
    let noted =
        stream.filter(|stream| state == Connected && open.is_none_or(|turn| stream.last_activity_at >= turn.began_at));
    let harness = member.agent_id.as_str().split_once(':').map(|(harness, _)| harness.to_owned());
    AgentConnection {
        state,
        stream: noted.map_or(status, |stream| stream.status),
        provider: stream.and_then(|stream| stream.provider.clone()).or(harness),
        session: stream.and_then(|stream| stream.session.clone()),
        last_activity_at: Some(member.last_seen_at).max(stream.map(|stream| stream.last_activity_at)),
        turn: open.map(|turn| turn.id),
        why,
    }
}
