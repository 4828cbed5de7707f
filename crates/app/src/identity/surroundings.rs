//! What the operating system tells about this process, or about one that is connected to it, gathered once and kept.
//!
//! Kept on purpose: when the harness dies, this process gets another parent, and must not become another agent.

use std::{
    ffi::OsStr,
    str::FromStr,
    sync::{Arc, Mutex, PoisonError},
};

use baton_core::{code::ErrorCode, ids::AgentId, room::Actor};
use baton_harness::Harness;

use super::{
    AgentAbove, Ancestor, Ancestry, Assignment, BATON_JOB, Employment, InvalidAssignment, Resolved, Signals, Surface,
    Told, agent_id, ancestry,
    claude_record::{self, RecordStamp},
    guardian, harness, peer, resolve, terminal,
};
use crate::{Failure, Rights, environment::Environment, liveness};

/// The lasting signals of a process.
#[derive(Clone, Debug)]
pub struct Surroundings {
    environment: Environment,
    ancestry: Ancestry,
    own: Option<Ancestor>,
    user: String,
    tty: Option<String>,
    machine: Option<String>,
    session_leader: Option<u32>,
    override_id: Option<AgentId>,
    employment: Employment,
    /// The Claude Code above, by its place in the ancestry. Every call asks for it.
    claude: Option<usize>,
    /// The conversation that Claude Code has on record for its process.
    recorded: Arc<Mutex<Option<KnownRecord>>>,
}

/// A record that was read, and when it was written.
type KnownRecord = (Option<RecordStamp>, Option<String>);

impl Surroundings {
    /// Gathers them. Fails only on a `BATON_AGENT_ID` that is not an agent id, or a `BATON_JOB` that names no job.
    pub fn gather(environment: Environment) -> Result<Self, Failure> {
        Self::from(environment, ancestry::of_this_process(), std::process::id())
    }

    /// Gathers those of another process of this user, so that it is the same agent when it is connected as when it runs a
    /// command. It counts as one of its own ancestors: it may be the harness itself.
    pub fn of_process(pid: u32) -> Result<Self, Failure> {
        Self::from(peer::environment(pid), ancestry::upwards_from(pid), pid)
    }

    fn from(environment: Environment, ancestry: Ancestry, pid: u32) -> Result<Self, Failure> {
        Ok(Self {
            override_id: read(&environment, "BATON_AGENT_ID")?,
            employment: employment(&environment, &ancestry)?,
            claude: ancestry.processes.iter().position(|above| harness::is(Harness::ClaudeCode, above, &environment)),
            environment,
            ancestry,
            own: ancestry::one(pid),
            user: user_of_process(),
            tty: terminal::controlling(pid),
            machine: None,
            session_leader: terminal::session_leader(pid),
            recorded: Arc::default(),
        })
    }

    /// The same where the store is shared with other machines, which have the same users and terminals.
    #[must_use]
    pub fn among_machines(self) -> Self {
        Self { machine: Some(rustix::system::uname().nodename().to_string_lossy().into_owned()), ..self }
    }

    /// Who makes a call on an MCP connection.
    pub fn mcp_caller(&self, client_name: Option<&str>, thread_id: Option<&str>, told: Option<&Told>) -> Resolved {
        self.resolve(Surface::Mcp { client_name, thread_id, told })
    }

    /// The agent behind a hook, by the conversation that its harness names.
    pub fn hook_caller(&self, harness: Harness, told: &Told) -> Resolved {
        self.resolve(Surface::Hook { harness, told })
    }

    /// Who runs this command.
    pub fn cli_caller(&self) -> Resolved {
        self.resolve(Surface::Cli)
    }

    /// The rights of a command that this process runs. An operator is a person at a terminal, with no harness, minder or
    /// job anywhere above; whoever cannot be seen to be one is not.
    pub fn rights(&self) -> Rights {
        let is_operator = self.employment == Employment::None && self.signals(Surface::Cli).is_person();
        if is_operator { Rights::Operator } else { Rights::Agent }
    }

    /// The agent that this process works for. A service manager or a script is none, though it is no operator either.
    pub fn agent_above(&self) -> Option<AgentAbove> {
        let job = || (self.employment != Employment::None).then_some(AgentAbove::Job);
        self.signals(Surface::Cli).agent_above().or_else(job)
    }

    /// The person whose process this is, where they come in by way of `surface` and not from a terminal.
    pub fn person_over(&self, surface: &str) -> AgentId {
        let place =
            self.machine.as_deref().map_or_else(|| surface.to_owned(), |machine| format!("{surface}@{machine}"));
        agent_id::human(&self.user, &place)
    }

    /// This process, holding for whoever started it.
    pub fn guardian(&self) -> Actor {
        guardian(self.cli_caller().actor, liveness::identify(std::process::id()), self.tty.as_deref())
    }

    /// The command line of the nearest process above that is this harness.
    pub fn command_line_of(&self, harness: Harness) -> Option<&[String]> {
        let found = self.ancestry.processes.iter().find(|above| harness::is(harness, above, &self.environment));
        found.map(|process| process.argv.as_slice())
    }

    /// The environment it was gathered from.
    pub fn environment(&self) -> &Environment {
        &self.environment
    }

    /// The job that this process works for.
    pub fn employment(&self) -> &Employment {
        &self.employment
    }

    fn resolve(&self, surface: Surface<'_>) -> Resolved {
        let recorded = self.recorded();
        let resolved = resolve(&Signals { recorded: recorded.as_deref(), ..self.signals(surface) });
        match self.employment.assignment() {
            Some(assignment) if !resolved.actor.is_overridden() => {
                Actor { agent_id: assignment.agent_id(), ..resolved.actor }.into()
            }
            Some(_) | None => resolved,
        }
    }

    /// The conversation that Claude Code has on record, read again when the record changes: `claude --continue` starts its
    /// servers before it has found the conversation, and `/clear` begins another under a server that stays.
    fn recorded(&self) -> Option<String> {
        let claude = self.claude()?;
        let stamp = claude_record::stamp(claude, &self.environment);
        let mut known = self.recorded.lock().unwrap_or_else(PoisonError::into_inner);
        match &*known {
            Some((read_at, conversation)) if *read_at == stamp => conversation.clone(),
            _ => {
                let conversation = claude_record::conversation_of(claude, &self.environment);
                *known = Some((stamp, conversation.clone()));
                conversation
            }
        }
    }

    /// Changes when the answer to who calls may have changed.
    pub fn revision(&self) -> Option<RecordStamp> {
        claude_record::stamp(self.claude()?, &self.environment)
    }

    /// Whether the Claude Code above waits for a prompt.
    pub fn is_claude_idle(&self) -> bool {
        self.claude().is_some_and(|claude| claude_record::is_idle(claude, &self.environment))
    }

    fn claude(&self) -> Option<&Ancestor> {
        self.ancestry.processes.get(self.claude?)
    }

    fn signals<'a>(&'a self, surface: Surface<'a>) -> Signals<'a> {
        Signals {
            surface,
            override_id: self.override_id.as_ref(),
            environment: &self.environment,
            recorded: None,
            ancestry: &self.ancestry,
            own: self.own.as_ref(),
            user: &self.user,
            tty: self.tty.as_deref(),
            machine: self.machine.as_deref(),
            session_leader: self.session_leader,
        }
    }
}

/// The job that a process works for: the one of the nearest minder above it, whatever its own environment says, and only
/// without a job's minder that of its own `BATON_JOB`. A job's minder whose job cannot be read still minds one.
fn employment(environment: &Environment, ancestry: &Ancestry) -> Result<Employment, Failure> {
    let told = |minder: &Ancestor| assignment_in(&peer::environment(minder.pid)).ok().flatten();
    if let Some(assignment) = ancestry.minders().find_map(told) {
        return Ok(assignment.into());
    }
    // A minder may be above the processes that were looked at, too.
    if ancestry.minders().any(Ancestor::may_mind_job) || ancestry.is_cut() {
        return Ok(Employment::Hidden);
    }
    Ok(assignment_in(environment)?.into())
}

fn assignment_in(environment: &Environment) -> Result<Option<Assignment>, InvalidAssignment> {
    environment.var_os(BATON_JOB).map(|text| text.to_string_lossy().parse()).transpose()
}

/// What a variable says about who this is.
fn read<T: FromStr<Err: std::fmt::Display>>(environment: &Environment, name: &str) -> Result<Option<T>, Failure> {
    let read = |text: &OsStr| text.to_string_lossy().parse();
    environment.var_os(name).map(read).transpose().map_err(|error| {
        Failure::new(ErrorCode::InvalidInput, format!("{name}: {error}."))
            .advising(format!("Correct {name}, or unset it so that Baton finds out who you are."))
    })
}

/// The user's name, by the account that this process runs under: variables say whatever somebody put there.
#[cfg(unix)]
fn user_of_process() -> String {
    let uid = rustix::process::getuid().as_raw();
    let accounts = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    name_in(&accounts, uid).map_or_else(|| format!("uid{uid}"), str::to_owned)
}

#[cfg(not(unix))]
fn user_of_process() -> String {
    "someone".to_owned()
}

/// The name of an account in lines of `name:password:uid:…`.
#[cfg(unix)]
fn name_in(accounts: &str, uid: u32) -> Option<&str> {
    accounts.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next().filter(|name| !name.is_empty())?;
        (fields.nth(1)?.parse() == Ok(uid)).then_some(name)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_account_is_found_by_its_number() {
        let accounts = "root:x:0:0:root:/root:/bin/sh\nbroken\nana:x:1000:1000::/home/ana:/bin/zsh\n";
        assert_eq!([0, 1000, 7].map(|uid| name_in(accounts, uid)), [Some("root"), Some("ana"), None]);
    }
}
