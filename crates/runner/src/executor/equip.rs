//! What a runner may execute: the agent programs that are there, and what the user configured.

use std::path::Path;

use baton_app::environment::Environment;

use super::{
    Agent, Executor, ExecutorKind, NotFound, Wanted, find,
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

/// Every program that can be driven here. Codex and Claude Code count when they are on PATH; whatever is said about where a
/// program is must be right.
pub fn equip(config: &Executors, named: Named<'_>, environment: &Environment) -> Result<Vec<Executor>, NotFound> {
    let search = environment.var_os("PATH");
    let mut found = Vec::new();
    let agents = [
        (ExecutorKind::Codex, named.codex, &config.codex),
        (ExecutorKind::ClaudeCode, named.claude_code, &config.claude_code),
    ];
    for (kind, flag, configured) in agents {
        let agent: Agent = configured.clone().unwrap_or_default();
        let variable = variables(kind).iter().find_map(|name| Some((*name, environment.var_os(name)?)));
        let wanted = Wanted { flag, variable, configured: agent.bin.as_deref(), search };
        match find(program(kind).unwrap_or_default(), wanted) {
            Ok(path) if kind == ExecutorKind::Codex => found.push(Executor::Codex(path, agent)),
            Ok(path) => found.push(Executor::ClaudeCode(path, agent)),
            Err(NotFound::Nowhere { .. }) if configured.is_none() => {}
            Err(missing) => return Err(missing),
        }
    }
    if let Some(line) = &config.command {
        let first = line.argv.first().map(String::as_str).unwrap_or_default();
        let path = find(first, Wanted { configured: Some(Path::new(first)), search, ..Wanted::default() })?;
        found.push(Executor::Command(path, line.clone()));
    }
    Ok(found)
}
