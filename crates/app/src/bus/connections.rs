//! Runtimes that are connected, and targets that are gone.
//!
//! A connection that ends loses nothing: what was submitted stays in its target's inbox, and the runtime takes it up when
//! it is back. Only a target whose process is proven gone will not come back, and what it still owed ends in an error.

use std::{path::PathBuf, sync::LazyLock};

use baton_core::{
    agent::{ConnectionState, ConnectionStatus, StaleAfter},
    bus::{Connected, Connection, Disconnected, Event, Returned},
    code::ErrorCode,
    ids::{AgentId, BROADCAST, RoomId},
    job::{Job, job_of},
    process::{ProcessIdentity, SessionKind, Witness},
    room::{Actor, Room, Stick},
    time::Timestamp,
    turn::Turn,
};
use baton_store::{bus, presence, turns};

use crate::{
    App, Caller, Failure,
    app::Request,
    bus::why_lost,
    connection::{SERVER_GONE, SeenStream, Vantage, newest_run, of_job, of_process, seen_streams},
    liveness::identify,
    unit::Change,
};

/// Whoever acts when nobody in particular does: a server that finds a target gone.
pub const SERVER: &str = "bus";

/// The bus as an actor.
pub(crate) static BUS: LazyLock<Actor> = LazyLock::new(|| {
    let id = SERVER.parse().expect("the name of the bus is an id");
    Actor::found(id, None, SessionKind::McpHarness)
});

/// Refuses an id that nobody may choose for an agent: one that would be a process's or a person's, or the bus's own.
pub fn check_chosen(id: &AgentId) -> Result<(), Failure> {
    let is_taken = |taken: &str| id.as_str().eq_ignore_ascii_case(taken);
    if !id.as_str().contains(':') && !is_taken(SERVER) && !is_taken(BROADCAST) {
        return Ok(());
    }
    let message = format!("{id} cannot be chosen: ids with a colon are found out, and bus and broadcast are taken.");
    Err(Failure::new(ErrorCode::InvalidAgentId, message)
        .with("field", "id")
        .advising("Choose an id of letters, digits, dots, dashes or underscores, or leave it out."))
}

impl App {
    /// Notes that the caller's runtime is connected to this process. One at a time.
    pub fn connect(&self, caller: &Caller, room: &RoomId) -> Result<(), Failure> {
        let request = Request { command: "bus.connect", input: room, key: None };
        let server = identify(std::process::id());
        self.change(caller, &request, room, |change| {
            change.require_agent()?;
            let you = change.actor.agent_id.clone();
            if change.is_served(&you)? {
                let message = format!("{you} has a runtime that is connected already.");
                return Err(Failure::new(ErrorCode::DuplicateListener, message));
            }
            change.connect(server.clone())
        })
    }

    /// Notes that the caller's runtime is not connected to this process any more. If it is connected to another one by
    /// now, that is not this one's to end.
    pub fn disconnect(&self, caller: &Caller, room: &RoomId, why: &str) -> Result<(), Failure> {
        let agent = caller.actor().agent_id;
        let server = identify(std::process::id());
        let stale_after = self.stale_after_or_default();
        self.as_server(room, |change| {
            let here = |connection: &Connection| match (&connection.server, &server) {
                (Some(theirs), Some(own)) => theirs.same_process(own),
                (theirs, own) => theirs.is_none() && own.is_none(),
            };
            let own =
                |connection: &Connection| connection.agent_id == agent && connection.is_open() && here(connection);
            if change.store.current::<Connection>()?.iter().any(own) {
                change.cut(&agent, why, stale_after)?;
            }
            Ok(())
        })
    }

    /// Rooms in which somebody's death would be news, at most so many.
    pub fn rooms_watched(&self, limit: u32) -> Result<Vec<RoomId>, Failure> {
        self.store.read(|tx| Ok(bus::rooms_watched(tx, limit)?))
    }

    /// The processes of the members of `room` whose death was not told yet, and those behind claims and runners. A job's
    /// agent is no process, and ends with its job.
    pub fn processes_watched(&self, room: &RoomId) -> Result<Vec<ProcessIdentity>, Failure> {
        self.store
            .read(|tx| {
                let found = self.room(tx, room)?;
                if found.stick == Stick::Closed {
                    return Ok(Vec::new());
                }
                let connections = bus::connections(tx, room)?;
                let watched = found.members.iter().filter(|member| {
                    job_of(&member.agent_id).is_none()
                        && !is_told_gone(&connections, &member.agent_id, member.last_seen_at)
                });
                let processes = watched.filter_map(|member| member.process.as_ref());
                // A person is there for as long as their terminal's shell, whatever becomes of a guardian.
                Ok(processes
                    .flat_map(|process| [Some(process.clone()), process.leader()])
                    .flatten()
                    .collect::<Vec<_>>())
            })
            .and_then(|mut watched| {
                watched.extend(self.processes_at_work(room)?);
                Ok(watched)
            })
    }

    /// Ends what targets owe whose processes are gone, and the turns that are lost. Tells who is gone, and whose server
    /// is.
    pub fn sweep_gone(&self, room: &RoomId) -> Result<(), Failure> {
        self.see_to_jobs(room);
        let lost = self.store.read::<_, Failure>(|tx| {
            let found = self.room(tx, room)?;
            let eyes = self.eyes(tx, &found)?;
            let connections = bus::connections(tx, room)?;
            if found.stick != Stick::Closed
                && (!untold(&found, &connections, &eyes).is_empty()
                    || !without_server(&seen_streams(tx, &connections, &eyes)?).is_empty())
            {
                return Ok(true);
            }
            let owing = bus::owing(tx, room)?;
            for target in owing {
                if why_lost(tx, &found, &target, &eyes)?.is_some() {
                    return Ok(true);
                }
            }
            // A job's turn is ended with its claim, whoever ends that.
            let members = turns::open(tx, room)?.into_iter().filter(|turn| turn.job.is_none());
            let gone = |turn: &Turn| {
                let process = found.member(&turn.agent_id).map(|member| member.liveness(&eyes));
                turn.lost(None, process.as_ref()).is_some()
            };
            Ok(members.into_iter().any(|turn| gone(&turn)))
        })?;
        if !lost {
            return Ok(());
        }
        let stale_after = self.stale_after_or_default();
        self.as_server(room, |change| {
            if !change.is_open() {
                return Ok(());
            }
            change.retire_gone()?;
            change.end_unserved(stale_after)?;
            // Jobs that ended, and turns of who is no member any more.
            for target in bus::owing(change.store.tx()?, &change.room.id)? {
                if let Some(why) = why_lost(change.store.tx()?, &change.room, &target, change.witness)? {
                    change.end_actions_of(&target, why)?;
                }
            }
            for turn in turns::open(change.store.tx()?, &change.room.id)? {
                change.lose_if_lost(&turn.agent_id)?;
            }
            Ok(())
        })
    }

    fn as_server(
        &self,
        room: &RoomId,
        mut work: impl FnMut(&mut Change<'_>) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        let request = Request { command: "bus.server", input: room, key: None };
        self.change(&Caller::new(BUS.clone(), PathBuf::new()), &request, room, &mut work)
    }
}

/// The circumstances of a look at an agent's connection.
#[derive(Clone, Copy)]
struct Moment {
    stale_after: StaleAfter,
    room_closed: bool,
}

impl Change<'_> {
    /// Connects the caller's runtime to a server, which may be another process than the one that joined.
    pub(crate) fn connect(&mut self, server: Option<ProcessIdentity>) -> Result<(), Failure> {
        self.join(None, None)?;
        let agent_id = self.actor.agent_id.clone();
        let name = self.name_of(&agent_id);
        self.record(Event::Connected(Connected { agent_id, name, server }))?;
        Ok(())
    }

    /// Ends the stream of an agent's runtime, if it has one, and tells how the agent is connected from then on.
    pub(crate) fn end_stream(&mut self, agent: &AgentId, why: &str, stale_after: StaleAfter) -> Result<(), Failure> {
        let ended = SeenStream::Ended { at: Some(self.now), why: why.to_owned() };
        let status = self.connection_with(agent, Some(&ended), Moment { stale_after, room_closed: false })?;
        self.disconnect(agent, why, status)
    }

    /// Ends the stream of an agent that may go on without it.
    pub(crate) fn cut(&mut self, agent: &AgentId, why: &str, stale_after: StaleAfter) -> Result<(), Failure> {
        self.end_stream(agent, why, stale_after)?;
        // Presence is stored with a grain, and a call within it is not. The first call after the end of a stream counts
        // as a sign of life, so it must be.
        let stored_until = self.now.minus(self.room.policy.presence_grain());
        Ok(presence::age(self.store.tx()?, &self.room.id, agent, stored_until)?)
    }

    /// Ends the stream of an agent's runtime, if it has one. The agent's connection from then on is `status`.
    pub(crate) fn disconnect(&mut self, agent: &AgentId, why: &str, status: ConnectionStatus) -> Result<(), Failure> {
        if self.connections()?.iter().any(|connection| connection.agent_id == *agent && connection.is_open()) {
            self.record_disconnect(agent, why, status)?;
        }
        Ok(())
    }

    /// The streams of members' runtimes, also those that ended.
    pub(crate) fn connections(&mut self) -> Result<Vec<Connection>, Failure> {
        Ok(self.store.current::<Connection>()?.iter().cloned().collect())
    }

    fn record_disconnect(&mut self, agent: &AgentId, why: &str, status: ConnectionStatus) -> Result<(), Failure> {
        let (agent_id, name, why) = (agent.clone(), self.name_of(agent), why.to_owned());
        self.record(Event::Disconnected(Disconnected { agent_id, name, why, connection: Some(status) }))?;
        Ok(())
    }

    /// Tells every stream that a member's process is gone, once.
    pub(crate) fn tell_gone(&mut self, agent: &AgentId) -> Result<(), Failure> {
        let connections = self.connections()?;
        if untold(&self.room, &connections, self.witness).contains(agent) {
            // A process that is gone is so for everybody, whenever an agent counts as stale.
            let status = self.connection_of(agent, StaleAfter::default())?;
            let why = status.why.clone();
            self.record_disconnect(agent, &why, status)?;
        }
        Ok(())
    }

    /// Tells every stream another word than the last about whoever the change made different: the caller, who is there
    /// again, and the holders of the stick, before and now.
    pub(crate) fn tell_return(&mut self, before: &Room) -> Result<(), Failure> {
        let you = &self.actor.agent_id;
        let returned = before.member(you).zip(self.room.member(you)).is_some_and(|(member, now)| {
            // Whoever was seen since is not looked up again, unless it came back as another process.
            now.process != member.process || self.now.since(member.last_seen_at) >= before.policy.presence_grain()
        });
        let mut different: Vec<AgentId> = returned.then(|| you.clone()).into_iter().collect();
        if before.owner() != self.room.owner() {
            different.extend([before.owner(), self.room.owner()].into_iter().flatten().cloned());
        }
        if different.is_empty() || !self.is_open() {
            return Ok(());
        }
        let connections = self.connections()?;
        for agent in different {
            let connection = connections.iter().find(|connection| connection.agent_id == agent);
            let ended = connection.and_then(|connection| connection.ended.as_ref());
            let (Some(told), Some(_)) = (ended.map(|ended| ended.state), self.room.member(&agent)) else { continue };
            if agent == self.actor.agent_id {
                self.room.touch(&agent, self.now);
            }
            let connection = self.connection_of(&agent, StaleAfter::default())?;
            if connection.state != told {
                self.record(Event::Returned(Returned { name: self.name_of(&agent), agent_id: agent, connection }))?;
            }
        }
        Ok(())
    }

    /// Ends streams whose server is gone without a word.
    fn end_unserved(&mut self, stale_after: StaleAfter) -> Result<(), Failure> {
        let connections = self.connections()?;
        for agent in without_server(&seen_streams(self.store.tx()?, &connections, self.witness)?) {
            self.cut(&agent, SERVER_GONE, stale_after)?;
        }
        Ok(())
    }

    /// Whether an agent's runtime is connected to a server that may be there.
    fn is_served(&mut self, agent: &AgentId) -> Result<bool, Failure> {
        Ok(matches!(self.stream_of(agent)?, Some(SeenStream::Served)))
    }

    fn stream_of(&mut self, agent: &AgentId) -> Result<Option<SeenStream>, Failure> {
        let mut connections = self.connections()?;
        connections.retain(|connection| connection.agent_id == *agent);
        let seen = seen_streams(self.store.tx()?, &connections, self.witness)?;
        Ok(seen.into_iter().next().map(|(_, stream)| stream))
    }

    /// What people call an agent.
    pub(crate) fn name_of(&self, agent: &AgentId) -> String {
        self.room.member(agent).map_or_else(|| agent.to_string(), |member| member.display_name.clone())
    }

    /// How an agent is connected, by all that this transaction knows.
    pub(crate) fn connection_of(
        &mut self,
        agent: &AgentId,
        stale_after: StaleAfter,
    ) -> Result<ConnectionStatus, Failure> {
        let stream = self.stream_of(agent)?;
        self.connection_with(agent, stream.as_ref(), Moment { stale_after, room_closed: !self.is_open() })
    }

    /// How an agent will be connected once the room is closed.
    pub(crate) fn connection_when_closed(&mut self, agent: &AgentId) -> Result<ConnectionStatus, Failure> {
        self.connection_with(agent, None, Moment { stale_after: StaleAfter::default(), room_closed: true })
    }

    /// How an agent is connected with such a stream, at such a moment.
    fn connection_with(
        &mut self,
        agent: &AgentId,
        stream: Option<&SeenStream>,
        moment: Moment,
    ) -> Result<ConnectionStatus, Failure> {
        let job = match job_of(agent) {
            Some(id) => self.store.find::<Job>(&id)?.cloned(),
            None => None,
        };
        let run = turns::open_of(self.store.tx()?, &self.room.id, agent)?;
        let (newest, note) = match &job {
            Some(job) => {
                let newest = match run.clone() {
                    Some(run) => Some(run),
                    None => newest_run(self.store.tx()?, &self.room, job)?,
                };
                (newest, turns::stream_of(self.store.tx()?, &self.room.id, agent)?)
            }
            None => (None, None),
        };
        let Some(member) = self.room.member(agent) else { return Ok(ConnectionStatus::stranger()) };
        let Moment { stale_after, room_closed } = moment;
        let from = Vantage { room: &self.room, room_closed, now: self.now, stale_after, witness: self.witness };
        let stream = SeenStream::facts(stream);
        Ok(match &job {
            Some(job) => of_job(&from, job, newest.as_ref(), note.as_ref(), stream, member.last_seen_at),
            None => of_process(&from, member, run.map(|run| run.id), stream),
        })
    }
}

/// Members whose process is proven gone, and of whom that was not told since they were last heard.
fn untold(room: &Room, connections: &[Connection], witness: &dyn Witness) -> Vec<AgentId> {
    let gone = room.members.iter().filter(|member| {
        // A job's agent is gone with its job.
        job_of(&member.agent_id).is_none()
            && !is_told_gone(connections, &member.agent_id, member.last_seen_at)
            && member.liveness(witness).is_gone()
    });
    gone.map(|member| member.agent_id.clone()).collect()
}

fn is_told_gone(connections: &[Connection], agent: &AgentId, last_seen_at: Timestamp) -> bool {
    let connection = connections.iter().find(|connection| connection.agent_id == *agent);
    let ended = connection.and_then(|connection| connection.ended.as_ref());
    ended.is_some_and(|ended| ended.state == ConnectionState::Gone && last_seen_at <= ended.at)
}

/// Agents whose stream has no end on record and no server that is there.
fn without_server(streams: &[(AgentId, SeenStream)]) -> Vec<AgentId> {
    let lost = streams.iter().filter(|(_, stream)| matches!(stream, SeenStream::Ended { at: None, .. }));
    lost.map(|(agent, _)| agent.clone()).collect()
}
