//! From signals to an actor. No I/O: the same signals always give the same answer.

use baton_core::{
    ids::AgentId,
    process::{ProcessIdentity, SessionKind},
    room::Actor,
};

use super::{Ancestor, agent_id, harness::Harness, terminal};
use crate::environment::Environment;

/// What is known about a caller.
#[derive(Clone, Copy, Debug)]
pub struct Signals<'a> {
    /// How it calls.
    pub surface: Surface<'a>,
    /// An id given by hand, for tests and debugging.
    pub override_id: Option<&'a AgentId>,
    /// The environment of this process, most of it inherited.
    pub environment: &'a Environment,
    /// The processes above this one, parent first.
    pub ancestors: &'a [Ancestor],
    /// The user's name.
    pub user: &'a str,
    /// The path of the terminal.
    pub tty: Option<&'a str>,
    /// The name of this machine, where the store is shared with others that have the same users and terminals.
    pub machine: Option<&'a str>,
    /// The pid of the process that leads the session on that terminal, if it controls this process.
    pub session_leader: Option<u32>,
}

/// How a caller calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Surface<'a> {
    /// Through an MCP connection over stdio, to a child process of the client.
    Mcp {
        /// `clientInfo.name`.
        client_name: Option<&'a str>,
        /// The conversation that made this call: `_meta.threadId`.
        thread_id: Option<&'a str>,
    },
    /// By running a command, in a person's shell or a harness's.
    Cli,
}

/// What a caller turned out to be.
enum Party<'a> {
    Harness(Harness),
    Client(&'a str),
    Person,
}

/// Finds out who is calling.
pub fn resolve(signals: &Signals<'_>) -> Actor {
    let party = signals.party();
    let process = signals.process_of(&party);
    let identity = process.and_then(|process| process.identity.clone());
    let session_kind = match party {
        Party::Harness(_) | Party::Client(_) => SessionKind::McpHarness,
        Party::Person => SessionKind::Human,
    };
    match signals.override_id {
        Some(agent_id) => Actor { agent_id: agent_id.clone(), process: identity, session_kind, overridden: true },
        None => {
            let agent_id = signals.agent_id(&party, process);
            Actor { agent_id, process: identity, session_kind, overridden: false }
        }
    }
}

/// Who calls through a server: no process and no variables of it can be seen, so it is the conversation that it names,
/// where its harness is known to, and else its `seat`: what the server tells its clients apart by.
pub fn resolve_remote(client_name: Option<&str>, thread_id: Option<&str>, seat: &str) -> Actor {
    let name = client_name.unwrap_or_default();
    let agent_id = match (Harness::of_client(name), thread_id.filter(|id| !id.is_empty())) {
        (Some(Harness::Codex), Some(thread)) => agent_id::hashed(Harness::Codex.slug(), &["conversation", thread]),
        (Some(harness), _) => agent_id::hashed(harness.slug(), &["seat", seat]),
        (None, _) => agent_id::hashed(&agent_id::slug(name), &["seat", name, seat]),
    };
    Actor { agent_id, process: None, session_kind: SessionKind::McpHarness, overridden: false }
}

/// The process that `baton hold` keeps for a person: the same person, held by `own`.
pub fn guardian(person: Actor, own: Option<ProcessIdentity>) -> Actor {
    Actor { process: own, session_kind: SessionKind::HumanGuardian, ..person }
}

impl<'a> Signals<'a> {
    fn party(&self) -> Party<'a> {
        match self.surface {
            Surface::Mcp { client_name: Some(name), .. } => {
                Harness::of_client(name).map_or(Party::Client(name), Party::Harness)
            }
            Surface::Mcp { client_name: None, .. } => self.deepest_harness().map_or(Party::Client(""), Party::Harness),
            Surface::Cli => {
                let by_variables = || Harness::of_variables(self.environment);
                self.deepest_harness().or_else(by_variables).map_or(Party::Person, Party::Harness)
            }
        }
    }

    /// The harness that is closest above us. Those further up only started it.
    fn deepest_harness(&self) -> Option<Harness> {
        self.ancestors.iter().find_map(|ancestor| Harness::of_ancestor(ancestor, self.environment))
    }

    /// The process that stands for the caller after this call is over.
    fn process_of(&self, party: &Party<'_>) -> Option<&'a Ancestor> {
        let parent = self.ancestors.first();
        match party {
            Party::Harness(harness) => {
                let is_it = |a: &&Ancestor| Harness::of_ancestor(a, self.environment) == Some(*harness);
                let found = self.ancestors.iter().find(is_it);
                match self.surface {
                    Surface::Mcp { .. } => found.or(parent),
                    // The parent is a shell that ends with the command.
                    Surface::Cli => found,
                }
            }
            Party::Client(_) => parent,
            // Whatever runs the command may end with it, so a person is the shell of their terminal. Without a
            // terminal nobody can tell what stands for them, and timeouts decide.
            Party::Person => {
                let leader = self.session_leader?;
                self.ancestors.iter().find(|ancestor| ancestor.pid == leader)
            }
        }
    }

    fn agent_id(&self, party: &Party<'_>, process: Option<&Ancestor>) -> AgentId {
        match party {
            Party::Harness(harness) => match (self.conversation_of(*harness), process) {
                (Some(conversation), _) => agent_id::hashed(harness.slug(), &["conversation", conversation]),
                (None, Some(process)) => agent_id::hashed(harness.slug(), &["process", &facts(process)]),
                (None, None) => agent_id::hashed(harness.slug(), &["session", &self.session_of(*harness)]),
            },
            Party::Client(name) => {
                let parent = process.map(facts).unwrap_or_default();
                agent_id::hashed(&agent_id::slug(name), &["client", name, &parent])
            }
            Party::Person => agent_id::human(self.user, &self.terminal()),
        }
    }

    fn conversation_of(&self, harness: Harness) -> Option<&'a str> {
        let said = match (harness, self.surface) {
            (Harness::Codex, Surface::Mcp { thread_id, .. }) => thread_id.filter(|id| !id.is_empty()),
            (Harness::Codex | Harness::ClaudeCode | Harness::Gemini | Harness::OpenCode, _) => None,
        };
        said.or_else(|| self.environment.var(harness.conversation_variable()?))
    }

    /// What stays the same between the commands of a harness that cannot be seen: in a sandbox, say.
    fn session_of(&self, harness: Harness) -> String {
        let pid = harness.pid_variable().and_then(|name| self.environment.var(name)).unwrap_or_default();
        format!("{} {} {pid}", self.user, self.terminal())
    }

    /// What people call the terminal, with its machine where there are several.
    fn terminal(&self) -> String {
        let label = terminal::label(self.tty);
        self.machine.map_or(label.clone(), |machine| format!("{label}@{machine}"))
    }
}

fn facts(process: &Ancestor) -> String {
    process.identity.as_ref().map_or_else(|| process.pid.to_string(), agent_id::process_facts)
}
