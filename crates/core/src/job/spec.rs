//! What a job asks of whoever does it. None of it changes once the job is created.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::words::words;

words! {
    /// A program that does the work.
    Executor {
        /// The Codex CLI.
        Codex "codex",
        /// The Claude Code CLI.
        ClaudeCode "claude_code",
        /// A program that the runner's user has configured.
        Command "command",
    }
}

impl Executor {
    /// Whether it shows the commands that it runs, so that a receipt can be looked up among them.
    pub const fn shows_commands(self) -> bool {
        match self {
            Self::Codex | Self::ClaudeCode => true,
            Self::Command => false,
        }
    }

    /// What its program is called.
    pub const fn program(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude",
            Self::Command => "the configured command",
        }
    }
}

words! {
    /// Which executor a job asks for.
    Choice {
        /// The Codex CLI.
        Codex "codex",
        /// The Claude Code CLI.
        ClaudeCode "claude_code",
        /// A program that the runner's user has configured.
        Command "command",
        /// Whichever fits best, by the job's policy.
        Auto "auto",
    }
}

impl Choice {
    /// The executor that is meant, unless it is to be found.
    pub const fn executor(self) -> Option<Executor> {
        match self {
            Self::Codex => Some(Executor::Codex),
            Self::ClaudeCode => Some(Executor::ClaudeCode),
            Self::Command => Some(Executor::Command),
            Self::Auto => None,
        }
    }
}

impl From<Executor> for Choice {
    fn from(executor: Executor) -> Self {
        match executor {
            Executor::Codex => Self::Codex,
            Executor::ClaudeCode => Self::ClaudeCode,
            Executor::Command => Self::Command,
        }
    }
}

words! {
    /// A kind of job that lives on the bus: its agent is one of the session, and goes on until it is told to end. Any
    /// other kind is work that is done once.
    Conversing {
        /// It answers what it is asked.
        Conversation "conversation",
        /// It leads a conversation: what its model says is relayed to others.
        Relay "relay",
    }
}

words! {
    /// How much effort a job is worth, the least first.
    Profile {
        /// Quick and cheap.
        Fast "fast",
        /// Thorough.
        Deep "deep",
        /// As careful as it gets.
        Audit "audit",
    }
}

words! {
    /// Which job is claimed first, the least urgent first.
    Priority {
        /// When nothing else is left.
        Low "LOW",
        /// As usual.
        Medium "MEDIUM",
        /// Before all others.
        High "HIGH",
    }
}

impl Priority {
    /// Reads a priority as callers write it: in any case, with `normal` for the middle one.
    pub fn read(text: &str) -> Option<Self> {
        let is = |word: &str| text.eq_ignore_ascii_case(word);
        match () {
            () if is("low") => Some(Self::Low),
            () if is("normal") || is("medium") => Some(Self::Medium),
            () if is("high") => Some(Self::High),
            () => None,
        }
    }
}

words! {
    /// What a job is to leave behind.
    ExpectedArtifact {
        /// Findings in words.
        Report "report",
        /// What changed in the workspace.
        Diff "diff",
        /// A change to be applied.
        Patch "patch",
        /// Measurements.
        Bench "bench",
        /// Documents brought up to date.
        DocsUpdate "docs_update",
    }
}

words! {
    /// Where a job works.
    Isolation {
        /// In the workspace itself.
        Workspace "workspace",
        /// In a git worktree of its own, whose diff comes back.
        Worktree "worktree",
    }
}

/// Which executors an `auto` job may go to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Policy {
    /// Best first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub prefer: Vec<Executor>,
    /// Never these.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub forbid: Vec<Executor>,
    /// At least this much effort.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_profile: Option<Profile>,
}

/// Who may do a job.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Routing {
    /// Which executor.
    pub executor: Choice,
    /// How much effort.
    pub executor_profile: Option<Profile>,
    /// Which model, for the executor that has it.
    pub executor_model: Option<String>,
    /// Which executors, when it is `auto`.
    pub policy: Option<Policy>,
    /// What it is to leave behind.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub expected_artifacts: Vec<ExpectedArtifact>,
    /// Where it works.
    pub isolation: Isolation,
}

impl Routing {
    /// How much effort it is worth: what was asked for, raised by the policy.
    pub fn profile(&self) -> Profile {
        let asked = self.executor_profile.unwrap_or(Profile::Fast);
        let least = self.policy.as_ref().and_then(|policy| policy.min_profile).unwrap_or(Profile::Fast);
        asked.max(least)
    }

    /// The model that an executor is to use for this job. None where it uses the one that it is set up with.
    ///
    /// A model's name means something to one program only, so a job that falls to another one goes without it: the model
    /// is for the executor that was asked for; of an `auto` job for the vendor's whose name it bears, else for the first
    /// that is preferred and not forbidden. A name that nothing ties to an executor is for any.
    pub fn model_for(&self, executor: Executor) -> Option<&str> {
        let model = self.executor_model.as_deref()?;
        let policy = self.policy.as_ref();
        let first =
            || policy?.prefer.iter().copied().find(|preferred| !policy.is_some_and(|p| p.forbid.contains(preferred)));
        let meant = self.executor.executor().or_else(|| vendor_of(model)).or_else(first);
        meant.is_none_or(|meant| meant == executor).then_some(model)
    }

    /// Whether it is the same to it how much effort it gets.
    pub fn takes_any_profile(&self) -> bool {
        self.executor_profile.is_none() && self.policy.as_ref().is_none_or(|policy| policy.min_profile.is_none())
    }

    /// The routing as it is shown in a job's `meta`.
    pub fn in_meta(&self) -> Map<String, Value> {
        match serde_json::to_value(self) {
            Ok(Value::Object(fields)) => fields,
            Ok(_) | Err(_) => Map::new(),
        }
    }

    /// What of `meta` belongs to the routing, and cannot be set as anything else.
    pub const META: [&'static str; 6] =
        ["executor", "executor_profile", "executor_model", "policy", "expected_artifacts", "isolation"];
}

/// The executor whose vendor's model this is, as far as its name tells: an alias or a family, perhaps with a provider
/// before it (`openai/gpt-5`, `us.anthropic.claude-sonnet-4`).
fn vendor_of(model: &str) -> Option<Executor> {
    let name = model.rsplit('/').next().unwrap_or(model).to_ascii_lowercase();
    let begins = |words: &[&str]| words.iter().any(|word| name.starts_with(word));
    let is_numbered_o =
        || name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|next: char| next.is_ascii_digit()));
    match () {
        () if name.contains("claude") || begins(&["opus", "sonnet", "haiku"]) => Some(Executor::ClaudeCode),
        () if begins(&["gpt-", "chatgpt-", "codex"]) || is_numbered_o() => Some(Executor::Codex),
        () => None,
    }
}
