//! What a runner may execute: the agent programs that are there, and what the user configured.

use std::path::Path;

use baton_app::environment::Environment;

use super::{
    Agent, Executor, ExecutorKind, NotFound, Profile, Wanted, find,
    kind::{program, variables},
};
use crate::config::Executors;

/// What the command line says about where programs are.
#[derive(Clone, Copy, Debug, Default)]
pub struct Named<'a> {
    /// Codex.
    pub codex: Option<&'a Path>,
    /// Claude Code.
    pub claude_code: Option<&'a Path>,
}

/// A program that jobs may ask for and that is not there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingProgram {
    pub executor: ExecutorKind,
    /// The profiles that it would take jobs for.
    pub profiles: Vec<Profile>,
    pub why: NotFound,
}

/// The programs of a runner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Equipment {
    /// Those that are there.
    pub executors: Vec<Executor>,
    /// Those that are not: jobs that ask for one are told why they wait.
    pub missing: Vec<MissingProgram>,
}

/// Looks for every program that can be driven here. Codex and Claude Code count when they are on PATH; a program that the
/// command line names must be there.
pub fn equip(config: &Executors, named: Named<'_>, environment: &Environment) -> Result<Equipment, NotFound> {
    let search = environment.var_os("PATH");
    let mut found = Equipment::default();
    let agents = [
        (ExecutorKind::Codex, named.codex, &config.codex),
        (ExecutorKind::ClaudeCode, named.claude_code, &config.claude_code),
    ];
    for (kind, flag, configured) in agents {
        let agent: Agent = configured.clone().unwrap_or_default();
        let variable = variables(kind).iter().find_map(|name| Some((*name, environment.var_os(name)?)));
        let wanted = Wanted { flag, variable, configured: agent.bin.as_deref(), search };
        match find(program(kind).unwrap_or_default(), wanted) {
            Ok(path) if kind == ExecutorKind::Codex => found.executors.push(Executor::Codex(path, agent)),
            Ok(path) => found.executors.push(Executor::ClaudeCode(path, agent)),
            Err(wrong) if flag.is_some() => return Err(wrong),
            Err(why) => found.missing.push(MissingProgram { executor: kind, profiles: agent.profiles.names(), why }),
        }
    }
    if let Some(line) = &config.command {
        let first = line.argv.first().map(String::as_str).unwrap_or_default();
        let executor = ExecutorKind::Command;
        match find(first, Wanted { configured: Some(Path::new(first)), search, ..Wanted::default() }) {
            Ok(path) => found.executors.push(Executor::Command(path, line.clone())),
            Err(why) => found.missing.push(MissingProgram { executor, profiles: line.profiles.names(), why }),
        }
    }
    Ok(found)
}
