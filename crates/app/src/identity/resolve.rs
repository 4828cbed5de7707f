//! From signals to an actor. No I/O: the same signals always give the same answer.

use std::{borrow::Cow, fmt};

use baton_core::{
    ids::AgentId,
    process::{Keeps, ProcessIdentity, SessionKind},
    room::Actor,
};
use baton_harness::Harness;

use super::{Ancestor, Ancestry, agent_id, harness, shells, terminal};
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
    /// The conversation that the harness has on record for its process.
    pub recorded: Option<&'a str>,
    /// The processes above this one.
    pub ancestry: &'a Ancestry,
    /// This process, for where nothing above it stands for the caller.
    pub own: Option<&'a Ancestor>,
    /// The user's name.
    pub user: &'a str,
    /// The path of the controlling terminal.
    pub tty: Option<&'a str>,
    /// The name of this machine, where the store is shared with others that have the same users and terminals.
    pub machine: Option<&'a str>,
    /// The pid of the process that leads the session on that terminal.
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
        /// The conversation that a hook of the harness signed for this call.
        told: Option<&'a Told>,
    },
    /// By running a command, in a person's shell or a harness's.
    Cli,
    /// By a hook that a harness runs.
    Hook {
        /// Which harness.
        harness: Harness,
        /// The conversation that the harness names on the hook's input.
        told: &'a Told,
    },
}

/// A conversation as a harness names it to its hooks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// The session.
    pub session: String,
    /// The sub-agent in it, where it is one.
    pub agent: Option<String>,
}

impl Told {
    /// The agent that a sub-agent works for.
    #[must_use]
    pub fn main(&self) -> Self {
        Self { session: self.session.clone(), agent: None }
    }
}

/// A caller as its signals show it. Whether another live process has its conversation is for the store to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolved {
    /// The caller.
    pub actor: Actor,
    /// The conversation that it is at.
    pub conversation: Conversation,
}

/// A caller's conversation, as far as it matters to whose id it has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conversation {
    /// None was told: the process is the agent.
    Untold,
    /// One of a process that can be seen.
    Of {
        /// The caller's id where another live process of the conversation has the usual one.
        parallel_id: AgentId,
        /// Whether the process has one conversation at a time, and so is one agent whichever that is.
        is_single: bool,
    },
    /// One whose harness is hidden from a command that it runs in a sandbox.
    Sandboxed,
}

impl From<Actor> for Resolved {
    fn from(actor: Actor) -> Self {
        Self { actor, conversation: Conversation::Untold }
    }
}

/// An agent for which a process works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AgentAbove {
    /// A harness of this name.
    Harness(&'static str),
    /// None that can be seen, but this variable of one is set: what outlives a harness keeps it.
    Variable(&'static str),
    /// A job, or the minder of one.
    Job,
}

impl fmt::Display for AgentAbove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Harness(name) => f.write_str(name),
            Self::Variable(name) => write!(f, "an agent that set {name}"),
            Self::Job => f.write_str("a job"),
        }
    }
}

/// The sort of program that calls.
enum Party<'a> {
    Harness(Harness),
    Client(&'a str),
    Person { leader: &'a Ancestor, tty: &'a str },
    Shell,
}

/// Finds out who is calling.
pub fn resolve(signals: &Signals<'_>) -> Resolved {
    let party = signals.party();
    let process = signals.process_of(&party);
    let session_kind = match party {
        Party::Harness(_) | Party::Client(_) => SessionKind::McpHarness,
        Party::Person { .. } => SessionKind::Human,
        Party::Shell => SessionKind::Shell,
    };
    let identity = process.and_then(|process| process.identity.clone());
    let actor = Actor::found(signals.agent_id(&party, process), identity, session_kind);
    match signals.override_id {
        Some(agent_id) => actor.overridden(agent_id.clone()).into(),
        None => Resolved { actor, conversation: signals.conversation(&party, process) },
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
    Actor::found(agent_id, None, SessionKind::McpHarness)
}

/// The process that `baton hold` keeps for a person: their id, held by `own` for as long as their terminal is there.
pub fn guardian(person: Actor, own: Option<ProcessIdentity>, tty: Option<&str>) -> Actor {
    let keeps = person.process.as_ref().zip(tty).map(|(leader, tty)| Keeps {
        terminal: tty.strip_prefix("/dev/").unwrap_or(tty).to_owned(),
        pid: leader.pid,
        start_ticks: leader.start_ticks,
        pidfd_inode: leader.pidfd_inode,
    });
    let process = own.map(|own| ProcessIdentity { keeps, ..own });
    Actor { process, session_kind: SessionKind::HumanGuardian, ..person }
}

impl<'a> Signals<'a> {
    fn party(&self) -> Party<'a> {
        match self.surface {
            Surface::Mcp { client_name: Some(name), .. } => {
                Harness::of_client(name).map_or(Party::Client(name), Party::Harness)
            }
            Surface::Mcp { client_name: None, .. } => self.deepest_harness().map_or(Party::Client(""), Party::Harness),
            Surface::Hook { harness, .. } => Party::Harness(harness),
            Surface::Cli => {
                let by_variables = || harness::of_variables(self.environment);
                let harness = self.deepest_harness().or_else(by_variables);
                harness.map(Party::Harness).or_else(|| self.person()).unwrap_or(Party::Shell)
            }
        }
    }

    /// A person at a terminal, if the caller is one: the leader of the terminal's session is above it, and everything above
    /// was seen and minds no job. An orphan keeps its terminal, but nobody knows any more what started it.
    fn person(&self) -> Option<Party<'a>> {
        let (tty, leader) = (self.tty?, self.session_leader?);
        let own = self.own.into_iter();
        let leader = own.chain(&self.ancestry.processes).find(|process| process.pid == leader)?;
        (self.ancestry.is_whole && !self.is_minded()).then_some(Party::Person { leader, tty })
    }

    fn is_minded(&self) -> bool {
        self.ancestry.processes.iter().any(Ancestor::is_minder)
    }

    /// Whether the caller is a person at a terminal with no harness, minder or job above.
    pub(super) fn is_person(&self) -> bool {
        matches!(self.party(), Party::Person { .. })
    }

    /// The agent that this process works for, if a harness or a minder is above it or its variables say so.
    pub(super) fn agent_above(&self) -> Option<AgentAbove> {
        let harness = self.deepest_harness().map(|harness| AgentAbove::Harness(harness.slug()));
        let minder = || self.is_minded().then_some(AgentAbove::Job);
        harness.or_else(minder).or_else(|| harness::variable_set(self.environment).map(AgentAbove::Variable))
    }

    /// The harness that is closest above us. Those further up only started it.
    fn deepest_harness(&self) -> Option<Harness> {
        self.ancestry.processes.iter().find_map(|ancestor| harness::of_ancestor(ancestor, self.environment))
    }

    /// The process that stands for the caller after this call is over.
    fn process_of(&self, party: &Party<'a>) -> Option<&'a Ancestor> {
        let above = &self.ancestry.processes;
        match party {
            Party::Harness(harness) => {
                let found = above.iter().find(|above| harness::is(*harness, above, self.environment));
                match self.surface {
                    Surface::Mcp { .. } => found.or(above.first()),
                    // In a sandbox the harness is hidden, and all that is seen ends with the command.
                    Surface::Cli if !self.ancestry.is_whole && self.conversation_of(*harness).is_some() => found,
                    // Variables are inherited and can be set by anybody, so they are the program's that runs the command.
                    Surface::Cli | Surface::Hook { .. } => {
                        found.or_else(|| shells::standing_process(above)).or(self.own)
                    }
                }
            }
            Party::Client(_) => above.first(),
            // Whatever runs the command may end with it, so a person is the shell of their terminal.
            Party::Person { leader, .. } => Some(leader),
            Party::Shell => shells::standing_process(above).or(self.own),
        }
    }

    fn agent_id(&self, party: &Party<'_>, process: Option<&Ancestor>) -> AgentId {
        match party {
            Party::Harness(harness) => match (self.conversation_of(*harness), process) {
                (Some(conversation), Some(process)) if !self.is_seen(*harness, process) => {
                    process_of_conversation(*harness, &conversation, process)
                }
                (Some(conversation), _) => agent_id::hashed(harness.slug(), &["conversation", &conversation]),
                (None, Some(process)) => agent_id::hashed(harness.slug(), &["process", &facts(process)]),
                (None, None) => agent_id::hashed(harness.slug(), &["session", self.user, &self.unseen()]),
            },
            Party::Client(name) => {
                let parent = process.map(facts).unwrap_or_default();
                agent_id::hashed(&agent_id::slug(name), &["client", name, &parent])
            }
            Party::Person { tty, .. } => agent_id::human(self.user, &self.among_machines(terminal::label(tty))),
            Party::Shell => agent_id::shell(self.user, &process.map(facts).unwrap_or_else(|| self.unseen())),
        }
    }

    fn conversation(&self, party: &Party<'_>, process: Option<&Ancestor>) -> Conversation {
        let Party::Harness(harness) = party else { return Conversation::Untold };
        match (self.conversation_of(*harness), process) {
            (Some(_), Some(process)) if !self.is_seen(*harness, process) => Conversation::Untold,
            (Some(told), Some(process)) => Conversation::Of {
                parallel_id: process_of_conversation(*harness, &told, process),
                is_single: harness.has_one_conversation() && !self.is_subagent(),
            },
            (Some(_), None) => Conversation::Sandboxed,
            (None, _) => Conversation::Untold,
        }
    }

    /// True if the process that was found for a caller is its harness. A client that tells its conversation with each call
    /// is; the variables of a command tell nothing by themselves, because what outlives a harness keeps them.
    fn is_seen(&self, harness: Harness, process: &Ancestor) -> bool {
        matches!(self.surface, Surface::Mcp { .. }) || harness::is(harness, process, self.environment)
    }

    /// The conversation that the harness names, where it does.
    fn told(&self) -> Option<&'a Told> {
        match self.surface {
            Surface::Mcp { told, .. } => told,
            Surface::Hook { told, .. } => Some(told),
            Surface::Cli => None,
        }
    }

    /// Sub-agents work beside the conversation that their process has.
    fn is_subagent(&self) -> bool {
        self.told().is_some_and(|told| told.agent.is_some())
    }

    fn conversation_of(&self, harness: Harness) -> Option<Cow<'a, str>> {
        let told = self.told();
        let said = match (harness, self.surface) {
            // Neither its MCP servers nor its commands know its conversation: its process is the agent everywhere.
            (Harness::Gemini, _) => return None,
            (Harness::Codex, Surface::Mcp { thread_id, .. }) => {
                thread_id.filter(|id| !id.is_empty()).map(Cow::Borrowed)
            }
            // A sub-agent's own thread is what its calls over MCP name.
            (Harness::Codex, _) => {
                told.map(|told| Cow::Borrowed(told.agent.as_ref().unwrap_or(&told.session).as_str()))
            }
            (Harness::ClaudeCode, _) => match told {
                Some(Told { session, agent: Some(agent) }) => Some(format!("{session}/{agent}").into()),
                Some(told) => Some(Cow::Borrowed(told.session.as_str())),
                None => self.recorded.map(Cow::Borrowed),
            },
            // The variable is set for its commands only; a server of its own may have inherited another's.
            (Harness::OpenCode, Surface::Mcp { .. } | Surface::Hook { .. }) => {
                return told.map(|told| Cow::Borrowed(told.agent.as_ref().unwrap_or(&told.session).as_str()));
            }
            (Harness::OpenCode, Surface::Cli) => None,
        };
        said.filter(|id| !id.is_empty())
            .or_else(|| Some(self.environment.var(harness.conversation_variable()?)?.into()))
    }

    /// The place of a caller of whom no process can be seen: all that is left to tell it from others.
    fn unseen(&self) -> String {
        self.among_machines(self.tty.map_or_else(|| "notty".to_owned(), terminal::label))
    }

    /// A label, with the machine where there are several.
    fn among_machines(&self, label: String) -> String {
        self.machine.map_or(label.clone(), |machine| format!("{label}@{machine}"))
    }
}

/// The id of a process that is not, or not alone, its conversation's harness.
fn process_of_conversation(harness: Harness, conversation: &str, process: &Ancestor) -> AgentId {
    agent_id::hashed(harness.slug(), &["conversation", conversation, "process", &facts(process)])
}

fn facts(process: &Ancestor) -> String {
    process.identity.as_ref().map_or_else(|| process.pid.to_string(), agent_id::process_facts)
}
