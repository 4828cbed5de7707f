//! Runtimes that are connected, and targets that are gone.
//!
//! A connection that ends loses nothing: what was submitted stays in its target's inbox, and the runtime takes it up when
//! it is back. Only a target whose process is proven gone will not come back, and what it still owed ends in an error.

use baton_core::{
    bus::{Connected, Connection, Disconnected, Event},
    code::ErrorCode,
    ids::{AgentId, BROADCAST, RoomId},
    process::{Liveness, ProcessIdentity, SessionKind},
    room::Actor,
    turn::Turn,
};
use baton_store::{bus, hosts, turns};

use crate::{
    App, Caller, Failure, app::Request, bus::why_lost, change::Change, commands::bus::AgentStatus, liveness::identify,
};

/// Whoever acts when nobody in particular does: a server that finds a target gone.
pub const SERVER: &str = "bus";

/// Refuses an id that nobody may choose for an agent: one that would be a process's or a person's, or the bus's own.
pub fn check_chosen(id: &AgentId) -> Result<(), Failure> {
    if !id.as_str().contains(':') && ![SERVER, BROADCAST].contains(&id.as_str()) {
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
            let connection = change.connections()?.into_iter().find(|connection| connection.agent_id == you);
            if let Some(connection) = connection
                && change.is_served(&connection)?
            {
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
        self.as_server(room, |change| {
            let here = |connection: &Connection| match (&connection.server, &server) {
                (Some(theirs), Some(own)) => theirs.same_process(own),
                (theirs, own) => theirs.is_none() && own.is_none(),
            };
            let own = |connection: &Connection| connection.agent_id == agent && here(connection);
            if change.connections()?.iter().any(own) {
                change.disconnect(&agent, why)?;
            }
            Ok(())
        })
    }

    /// Ends what targets owe whose processes are gone, and the turns that are lost.
    pub fn sweep_gone(&self, room: &RoomId) -> Result<(), Failure> {
        let lost = self.store.read::<_, Failure>(|tx| {
            let found = self.room(tx, room)?;
            let eyes = self.eyes(tx, &found)?;
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
        self.as_server(room, |change| {
            if !change.is_open() {
                return Ok(());
            }
            for target in bus::owing(change.tx, &change.room.id)? {
                if let Some(why) = why_lost(change.tx, &change.room, &target, change.witness)? {
                    change.end_actions_of(&target, why)?;
                }
            }
            for turn in turns::open(change.tx, &change.room.id)? {
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
        let agent_id: AgentId = SERVER.parse().map_err(crate::app::internal)?;
        let actor = Actor::found(agent_id, None, SessionKind::McpHarness);
        let request = Request { command: "bus.server", input: room, key: None };
        self.once(&actor, &request, |tx| self.change_in(tx, &actor, room, &mut work))
    }
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

    /// Ends the connection of an agent's runtime, if it has one.
    pub(crate) fn disconnect(&mut self, agent: &AgentId, why: &str) -> Result<(), Failure> {
        if self.connections()?.iter().any(|connection| connection.agent_id == *agent) {
            let (agent_id, name, why) = (agent.clone(), self.name_of(agent), why.to_owned());
            self.record(Event::Disconnected(Disconnected { agent_id, name, why }))?;
        }
        Ok(())
    }

    /// Whether the server of a connection may be there: not if it is seen to be gone, or its machine says so.
    fn is_served(&mut self, connection: &Connection) -> Result<bool, Failure> {
        let Some(server) = &connection.server else { return Ok(true) };
        match self.witness.liveness(server) {
            Liveness::Alive => Ok(true),
            Liveness::Gone(_) => Ok(false),
            Liveness::Unknown => Ok(hosts::testimony(self.tx, &[server])?.of(server).is_none()),
        }
    }

    /// What people call an agent.
    pub(crate) fn name_of(&self, agent: &AgentId) -> String {
        self.room.member(agent).map_or_else(|| agent.to_string(), |member| member.display_name.clone())
    }

    /// Whether an agent's runtime is there.
    pub(crate) fn status_of(&mut self, agent: &AgentId) -> Result<AgentStatus, Failure> {
        let connections = self.connections()?;
        let connection = connections.iter().find(|connection| connection.agent_id == *agent);
        let Some(member) = self.room.member(agent) else { return Ok(AgentStatus::Disconnected) };
        Ok(AgentStatus::of(connection, &member.liveness(self.witness), self.witness))
    }
}
