//! What can be configured.

use std::time::Duration;

use baton_core::runner::SkillProfile;

use super::{Fault, reader::Reader};
use crate::executor::{Agent, Choice, CommandLine, ExecutorKind, Profile, Profiles, VariableName};

/// All of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    /// How the runner works.
    pub runner: RunnerSettings,
    /// What it may execute.
    pub executors: Executors,
}

/// How the runner works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunnerSettings {
    /// Its name; one is made up if there is none.
    pub id: Option<String>,
    /// How many jobs it works on at once.
    pub max_parallel: usize,
    /// How long a slice may take until it is asked to stop.
    pub slice: Duration,
    /// How long it then has until it is killed.
    pub grace: Duration,
    /// How long a job may take in all.
    pub job: Duration,
    /// After how many failed slices in a row a job has failed.
    pub failures_max: usize,
    /// The skill that agents get where the job does not say.
    pub skill_profile: SkillProfile,
    /// How much of it; nothing for 0.
    pub skill_max_chars: usize,
    /// Variables of the runner's that every program gets besides those it needs.
    pub env: Vec<VariableName>,
}

impl Default for RunnerSettings {
    fn default() -> Self {
        Self {
            id: None,
            max_parallel: 1,
            slice: minutes(30),
            grace: minutes(5),
            job: minutes(24 * 60),
            failures_max: 3,
            skill_profile: SkillProfile::Strict,
            skill_max_chars: 4_000,
            env: Vec::new(),
        }
    }
}

/// What may be executed: what is named, and nothing else.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Executors {
    /// Codex.
    pub codex: Option<Agent>,
    /// Claude Code.
    pub claude_code: Option<Agent>,
    /// A command line of the user's.
    pub command: Option<CommandLine>,
}

impl Config {
    pub(super) fn read(mut top: Reader<'_>) -> Result<Self, Fault> {
        let runner = top.table("runner")?.map(runner).transpose()?.unwrap_or_default();
        let executors = top.table("executors")?.map(executors).transpose()?.unwrap_or_default();
        top.finish()?;
        Ok(Self { runner, executors })
    }
}

const fn minutes(count: u64) -> Duration {
    Duration::from_secs(60 * count)
}

fn runner(mut table: Reader<'_>) -> Result<RunnerSettings, Fault> {
    let usual = RunnerSettings::default();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"._:-".contains(&byte);
    let is_id = |id: &str| (1..=64).contains(&id.len()) && id.bytes().all(is_plain);
    let settings = RunnerSettings {
        id: table.text_where("id", "up to 64 letters, digits and . _ : -", |id| is_id(id).then(|| id.to_owned()))?,
        max_parallel: table.number("max_parallel", 1..=64)?.unwrap_or(usual.max_parallel),
        slice: table.number("slice_minutes", 1..=24 * 60)?.map_or(usual.slice, minutes),
        grace: table.number("grace_minutes", 0..=60)?.map_or(usual.grace, minutes),
        job: table.number("job_hours", 1..=24 * 7)?.map_or(usual.job, |hours: u64| minutes(60 * hours)),
        failures_max: table.number("failures_max", 1..=100)?.unwrap_or(usual.failures_max),
        skill_profile: table
            .text_where("skill_profile", "daily, strict, research or teamlead", SkillProfile::named)?
            .unwrap_or(usual.skill_profile),
        skill_max_chars: table.number("skill_max_chars", 0..=16_000)?.unwrap_or(usual.skill_max_chars),
        env: variables(&mut table)?,
    };
    table.finish()?;
    Ok(settings)
}

fn executors(mut table: Reader<'_>) -> Result<Executors, Fault> {
    let executors = Executors {
        codex: table.table(ExecutorKind::Codex.as_str())?.map(|table| agent(table, Shell::InItsSandbox)).transpose()?,
        claude_code: table
            .table(ExecutorKind::ClaudeCode.as_str())?
            .map(|table| agent(table, Shell::IfAllowed))
            .transpose()?,
        command: table.table(ExecutorKind::Command.as_str())?.map(command).transpose()?,
    };
    table.finish()?;
    Ok(executors)
}

/// Whether a program has a shell.
enum Shell {
    InItsSandbox,
    IfAllowed,
}

fn agent(mut table: Reader<'_>, shell: Shell) -> Result<Agent, Fault> {
    // A path from here would depend on where the runner is started.
    let is_found = |bin: &str| !bin.is_empty() && (bin.starts_with('/') || !bin.contains('/'));
    let agent = Agent {
        bin: table.text_where("bin", "a whole path, or a name on PATH", |bin| is_found(bin).then(|| bin.into()))?,
        args: table.texts("args")?.unwrap_or_default(),
        profiles: profiles(&mut table)?,
        allow_bash: match shell {
            Shell::InItsSandbox => false,
            Shell::IfAllowed => table.flag("allow_bash")?.unwrap_or_default(),
        },
        env: variables(&mut table)?,
    };
    table.finish()?;
    Ok(agent)
}

fn command(mut table: Reader<'_>) -> Result<CommandLine, Fault> {
    let argv = table.texts("argv")?.unwrap_or_default();
    // Without a program there is nothing that could be run.
    if argv.first().is_none_or(|program| program.trim().is_empty()) {
        return Err(table.wrong("argv", "a program and its arguments, as a list of texts"));
    }
    let line = CommandLine { argv, profiles: profiles(&mut table)?, env: variables(&mut table)? };
    table.finish()?;
    Ok(line)
}

/// `env` names variables of the runner's, whole or by their beginning.
fn variables(table: &mut Reader<'_>) -> Result<Vec<VariableName>, Fault> {
    const WANTED: &str = "a list of names of variables, such as \"CARGO_HOME\" or \"MY_*\"";
    let names = table.texts("env")?.unwrap_or_default();
    let read: Option<Vec<_>> = names.iter().map(|name| VariableName::parse(name)).collect();
    read.ok_or_else(|| table.wrong("env", WANTED))
}

/// `profiles` names those that jobs are taken for, `models` says what they mean.
fn profiles(table: &mut Reader<'_>) -> Result<Profiles, Fault> {
    const WANTED: &str = "a list of fast, deep and audit, and not empty";
    let taken = match table.texts("profiles")? {
        None => Profile::ALL.to_vec(),
        Some(names) => {
            let known: Option<Vec<_>> = names.iter().map(|name| Profile::named(name)).collect();
            known.filter(|known| !known.is_empty()).ok_or_else(|| table.wrong("profiles", WANTED))?
        }
    };
    let mut chosen: Vec<(Profile, Choice)> = taken.iter().map(|profile| (*profile, Choice::default())).collect();
    if let Some(mut models) = table.table("models")? {
        for profile in Profile::ALL {
            let Some(choice) = choice(&mut models, profile.as_str())? else { continue };
            match chosen.iter_mut().find(|(known, _)| *known == *profile) {
                Some((_, unset)) => *unset = choice,
                None => return Err(models.wrong(profile.as_str(), "left out, as it is not one of the profiles")),
            }
        }
        models.finish()?;
    }
    Ok(Profiles::of(chosen))
}

/// A model's name, or a table with a model and an effort.
fn choice(models: &mut Reader<'_>, name: &'static str) -> Result<Option<Choice>, Fault> {
    if models.is_table(name) {
        let Some(mut table) = models.table(name)? else { return Ok(None) };
        let choice = Choice { model: table.text("model")?, effort: table.text("effort")? };
        table.finish()?;
        return Ok(Some(choice));
    }
    Ok(models.text(name)?.map(|model| Choice { model: Some(model), effort: None }))
}
