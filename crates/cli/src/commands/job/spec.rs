//! What a job asks of whoever does it, as flags: the same for one job, a delegated one and many.

use std::path::PathBuf;

use baton_app::Failure;
use baton_core::{
    code::ErrorCode,
    job::{Choice, Executor, ExpectedArtifact, Isolation, Policy, Profile},
    limits,
    runner::SkillProfile,
};
use serde_json::{Map, Value, json};

use crate::{parse, text::Text};

/// What an agent is told. A character has up to four bytes; the exact bound is the job's.
const PROMPT: Text = Text::of("prompt", limits::PROMPT_CHARS * 4, ErrorCode::InvalidInput);

/// What to do, in full.
#[derive(Debug, clap::Args)]
#[group(id = "what", required = true, multiple = false)]
pub(in crate::commands) struct PromptArgs {
    /// What to do, in full; `-` is standard input
    #[arg(long, short, value_name = "TEXT", allow_hyphen_values = true)]
    prompt: Option<String>,
    /// A file that says it; `-` is standard input
    #[arg(long, short = 'f', value_name = "FILE")]
    prompt_file: Option<PathBuf>,
}

impl PromptArgs {
    pub(in crate::commands) fn read(&self) -> Result<String, Failure> {
        match (&self.prompt, &self.prompt_file) {
            (Some(prompt), _) => PROMPT.given(prompt.clone()),
            (None, Some(file)) => PROMPT.of_file(file),
            (None, None) => Ok(String::new()),
        }
    }
}

/// How it is to be done.
#[derive(Debug, clap::Args)]
pub(super) struct SpecArgs {
    /// Sort of work, in a word [default: task]
    #[arg(long, value_name = "KIND")]
    kind: Option<String>,
    /// How urgent it is [default: normal]
    #[arg(long, value_name = "PRIORITY", value_parser = ["low", "normal", "high"], ignore_case = true)]
    priority: Option<String>,
    /// With which program [default: auto]
    #[arg(long, value_name = "EXECUTOR", value_parser = parse::one_of(Choice::ALL, Choice::as_str))]
    executor: Option<Choice>,
    /// How much effort it is worth
    #[arg(long, value_name = "PROFILE", value_parser = parse::one_of(Profile::ALL, Profile::as_str))]
    profile: Option<Profile>,
    /// Which model, for a program that has several
    #[arg(long, value_name = "MODEL")]
    model: Option<String>,
    /// Programs for auto, best first
    #[arg(long, value_name = "EXECUTOR,…", value_delimiter = ',', value_parser = parse::one_of(Executor::ALL, Executor::as_str))]
    prefer: Vec<Executor>,
    /// Programs that auto never takes
    #[arg(long, value_name = "EXECUTOR,…", value_delimiter = ',', value_parser = parse::one_of(Executor::ALL, Executor::as_str))]
    forbid: Vec<Executor>,
    /// The least effort that auto may make
    #[arg(long, value_name = "PROFILE", value_parser = parse::one_of(Profile::ALL, Profile::as_str))]
    min_profile: Option<Profile>,
    /// What it is to leave behind
    #[arg(long, value_name = "ARTIFACT,…", value_delimiter = ',', value_parser = parse::one_of(ExpectedArtifact::ALL, ExpectedArtifact::as_str))]
    expect: Vec<ExpectedArtifact>,
    /// Where it works: here, or in a git worktree of its own whose diff comes back [default: workspace]
    #[arg(long, value_name = "WHERE", value_parser = parse::one_of(Isolation::ALL, Isolation::as_str))]
    isolation: Option<Isolation>,
    /// Which behaviour pack its agent is given [default: the runner's]
    #[arg(long, value_name = "PROFILE", value_parser = parse::one_of(SkillProfile::ALL, SkillProfile::as_str))]
    skill: Option<SkillProfile>,
    /// How much of the pack at the most; 0 is none [default: the runner's]
    #[arg(long, value_name = "N")]
    skill_max_chars: Option<u64>,
    /// Let its agent ask for further agents
    #[arg(long)]
    spawn_nodes: bool,
    /// Let its agent only look, and change no file
    #[arg(long)]
    read_only: bool,
    /// A note beside the job; the value may be JSON
    #[arg(long = "meta", value_name = "KEY=VALUE", value_parser = parse::note)]
    meta: Vec<(String, Value)>,
}

/// The same, as the command table takes it.
pub(super) struct Spec {
    pub(super) kind: Option<String>,
    pub(super) priority: Option<String>,
    pub(super) executor: Option<Choice>,
    pub(super) profile: Option<Profile>,
    pub(super) policy: Option<Policy>,
    pub(super) expected: Vec<ExpectedArtifact>,
    pub(super) isolation: Option<Isolation>,
    pub(super) meta: Map<String, Value>,
}

impl SpecArgs {
    pub(super) fn read(self) -> Result<Spec, Failure> {
        let mut meta = notes(self.meta)?;
        put(&mut meta, "executor_model", self.model.map(Value::from))?;
        put(&mut meta, "skill_profile", self.skill.map(|skill| skill.as_str().into()))?;
        put(&mut meta, "skill_max_chars", self.skill_max_chars.map(Value::from))?;
        put(&mut meta, "grants", grants(self.spawn_nodes, self.read_only))?;
        let policy = Policy { prefer: self.prefer, forbid: self.forbid, min_profile: self.min_profile };
        Ok(Spec {
            kind: self.kind,
            priority: self.priority,
            executor: self.executor,
            profile: self.profile,
            policy: (policy != Policy::default()).then_some(policy),
            expected: self.expect,
            isolation: self.isolation,
            meta,
        })
    }
}

/// What its agent may do, as far as it is said.
fn grants(spawn_nodes: bool, read_only: bool) -> Option<Value> {
    let said = [("spawn_nodes", spawn_nodes), ("read_only", read_only)];
    let said: Map<String, Value> =
        said.into_iter().filter(|(_, said)| *said).map(|(name, _)| (name.to_owned(), true.into())).collect();
    (!said.is_empty()).then_some(Value::Object(said))
}

impl Spec {
    /// The notes, with what else is asked for among them, where a command has no other place for it.
    pub(super) fn all_in_meta(mut self) -> Result<Self, Failure> {
        let expected = Some(json!(self.expected)).filter(|_| !self.expected.is_empty());
        put(&mut self.meta, "expected_artifacts", expected)?;
        put(&mut self.meta, "isolation", self.isolation.map(|isolation| isolation.as_str().into()))?;
        Ok(Self { expected: Vec::new(), isolation: None, ..self })
    }
}

/// Notes by their names, each said once.
pub(super) fn notes(given: Vec<(String, Value)>) -> Result<Map<String, Value>, Failure> {
    let mut meta = Map::new();
    for (key, value) in given {
        put(&mut meta, &key, Some(value))?;
    }
    Ok(meta)
}

/// Adds a note, unless something else was said under its name.
fn put(meta: &mut Map<String, Value>, key: &str, value: Option<Value>) -> Result<(), Failure> {
    let Some(value) = value else { return Ok(()) };
    match meta.insert(key.to_owned(), value) {
        None => Ok(()),
        Some(_) => {
            let message = format!("meta.{key} is said twice.");
            Err(Failure::new(ErrorCode::InvalidInput, message).with("field", format!("meta.{key}")))
        }
    }
}
