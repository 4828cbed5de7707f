//! Why a runner cannot use one of its executors for now.
//!
//! A runner that sees the same failure again and again stops claiming jobs for that executor (an open circuit), says so with
//! what it can do, and tries again by itself or when a person says so. Executors that it looked for and did not find are told
//! in the same way, so that a job that waits for one can say why.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Refusal;
use crate::{job::Executor, limits, time::Timestamp, words::words};

words! {
    /// What is wrong with an executor.
    TroubleKind {
        /// Its program was looked for when the runner started, and is not there.
        Missing "missing",
        /// Its program is gone or cannot be executed.
        CannotStart "cannot_start",
        /// It is not logged in, or its login is refused.
        NotLoggedIn "not_logged_in",
        /// Its account has used up what it may use.
        UsageLimit "usage_limit",
        /// Its model does not answer, or not now.
        ModelDown "model_down",
        /// It ends without an answer, whatever the job.
        Crash "crash",
    }
}

impl TroubleKind {
    /// What it means, for a person, behind the name of the executor.
    pub const fn meaning(self) -> &'static str {
        match self {
            Self::Missing => "is not there",
            Self::CannotStart => "cannot be started",
            Self::NotLoggedIn => "is not logged in",
            Self::UsageLimit => "has reached its usage limit",
            Self::ModelDown => "gets no answer from its model",
            Self::Crash => "ends without an answer, job after job",
        }
    }

    /// Whether it passes by itself.
    pub const fn may_pass(self) -> bool {
        match self {
            Self::UsageLimit | Self::ModelDown => true,
            Self::Missing | Self::CannotStart | Self::NotLoggedIn | Self::Crash => false,
        }
    }

    /// What to do about it.
    pub fn remedy(self, executor: Executor) -> String {
        match (self, executor) {
            (Self::Missing | Self::CannotStart, Executor::Codex) => {
                "Install codex, or say where it is with BATON_CODEX_BIN or --codex-bin.".to_owned()
            }
            (Self::Missing | Self::CannotStart, Executor::ClaudeCode) => {
                "Install claude, or say where it is with BATON_CLAUDE_BIN or --claude-bin.".to_owned()
            }
            (Self::Missing | Self::CannotStart, Executor::Command) => {
                "Name a program that exists under [executors.command] in ~/.config/baton/config.toml.".to_owned()
            }
            (Self::NotLoggedIn, Executor::Codex) => "Log in with `codex login` as the runner's user.".to_owned(),
            (Self::NotLoggedIn, Executor::ClaudeCode) => {
                "Log in with `claude`, /login, as the runner's user.".to_owned()
            }
            (Self::NotLoggedIn, Executor::Command) => "Give the configured command its credentials.".to_owned(),
            (Self::UsageLimit, _) => "Wait until the limit is reset, or use another account.".to_owned(),
            (Self::ModelDown, _) => "Wait: it is tried again.".to_owned(),
            (Self::Crash, _) => "Run the program by hand and see why it ends.".to_owned(),
        }
    }
}

/// Why an executor is not used.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
#[schemars(inline)]
pub struct Trouble {
    /// What is wrong.
    pub kind: TroubleKind,
    /// What was seen, in a line.
    pub message: String,
    /// Since when. It also names this trouble: another one of the same executor has another time.
    pub since: Timestamp,
    /// When one job is let through to try. Without it: not before something else happens.
    pub next_probe_at: Option<Timestamp>,
    /// When a person said that it is mended, until the runner has heard of it.
    pub reset_at: Option<Timestamp>,
}

impl Trouble {
    /// Whether a job may be claimed for the executor in spite of it: to try.
    pub fn is_probed(&self, now: Timestamp) -> bool {
        self.next_probe_at.is_some_and(|next| next <= now)
    }

    /// What is wrong with `executor`, in a sentence.
    pub fn words(&self, executor: Executor) -> String {
        let Self { kind, message, .. } = self;
        let name = executor.program();
        if message.is_empty() {
            format!("{name} {}.", kind.meaning())
        } else {
            format!("{name} {}: {message}.", kind.meaning())
        }
    }

    pub(super) fn check(&self) -> Result<(), Refusal> {
        if self.message.chars().count() > limits::TROUBLE_CHARS {
            let why = format!("must have at most {} characters", limits::TROUBLE_CHARS);
            return Err(Refusal::Invalid { field: "capabilities.executors.trouble.message", why });
        }
        Ok(())
    }
}
