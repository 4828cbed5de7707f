//! How a runner works: what it may execute, how long, and where it keeps things.

use std::{
    fmt, io,
    path::PathBuf,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use baton_app::{Cancel, environment::Environment, identity::Employment};
use baton_core::{
    ids::{AgentId, RoomId},
    runner::{Ability, Capabilities, Injection},
    time::Ttl,
};

use crate::{
    circuit::Backoff,
    executor::{Equipment, Executor, Limits, MissingProgram, VariableName},
};

/// What a runner is started with.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The room it works for.
    pub room: RoomId,
    /// What it is called.
    pub runner: AgentId,
    /// The job that it was started from, if so. Such a runner is refused: a job's agent works on its own job.
    pub employment: Employment,
    /// The workspace of the room, if it has one.
    pub workspace: Option<PathBuf>,
    /// The programs it may execute.
    pub executors: Vec<Executor>,
    /// Its own surroundings, of which programs get what they need and what is named.
    pub environment: Environment,
    /// Variables that every program gets besides.
    pub env: Vec<VariableName>,
    /// The programs that it looked for and did not find.
    pub missing: Vec<MissingProgram>,
    /// Looks for programs again: one that is installed later is used from then on.
    pub look_again: LookAgain,
    /// How many jobs it works on at a time.
    pub max_parallel: u32,
    /// How long it goes on.
    pub until: Until,
    /// How long a slice may take.
    pub limits: Limits,
    /// How long a job may take in all.
    pub job_limit: Duration,
    /// How long a claim lasts between two reports.
    pub claim_ttl: Ttl,
    /// How long it counts as there after it said so.
    pub runner_ttl: Ttl,
    /// The behaviour pack that jobs get which ask for none.
    pub skill: Injection,
    /// The user's own roles: a directory of texts, which need not be there.
    pub roles: Option<PathBuf>,
    /// Where worktrees are made.
    pub worktrees: PathBuf,
    /// Where the lock files of jobs are: one program of a job runs at a time.
    pub locks: PathBuf,
    /// This program, to be started again as a minder.
    pub own_program: PathBuf,
    /// The same for its children, to be started as their MCP server: a path that means this program for them, too.
    pub server_program: PathBuf,
    /// What its children's Baton needs to find the same store: arguments and variables.
    pub store: StoreHint,
    /// Where slices have their scratch directories.
    pub scratch: PathBuf,
    /// How long a program that failed whatever the job is left alone.
    pub backoff: Backoff,
    /// After how many failures in a row a job has failed.
    pub failures_max: u32,
    /// Asked when the runner is to end.
    pub leave: Leave,
}

/// Looks for programs once more.
#[derive(Clone)]
pub struct LookAgain(Arc<dyn Fn() -> Option<Equipment> + Send + Sync>);

impl LookAgain {
    /// Looks with `look`, which tells nothing where it could not.
    pub fn with(look: impl Fn() -> Option<Equipment> + Send + Sync + 'static) -> Self {
        Self(Arc::new(look))
    }

    /// Finds nothing new.
    pub fn never() -> Self {
        Self::with(|| None)
    }

    pub(crate) fn look(&self) -> Option<Equipment> {
        (self.0)()
    }
}

impl fmt::Debug for LookAgain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("LookAgain")
    }
}

/// Asks a runner to end. It stops its programs, gives its jobs back and signs off.
#[derive(Clone, Debug)]
pub struct Leave {
    asked: Arc<AtomicBool>,
    poke: Cancel,
}

impl Leave {
    /// One that nobody has asked yet.
    pub fn new() -> io::Result<Self> {
        Ok(Self { asked: Arc::default(), poke: Cancel::new()? })
    }

    /// Asks.
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        self.poke.ring();
    }

    /// Whether somebody has.
    pub fn is_asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// Wakes the loop for another reason.
    pub(crate) const fn poke(&self) -> &Cancel {
        &self.poke
    }
}

/// How a child's Baton finds the store.
#[derive(Clone, Debug, Default)]
pub struct StoreHint {
    /// Arguments of `baton mcp`.
    pub args: Vec<String>,
    /// Variables. A program has them, too, and may show them: none is secret.
    pub env: Vec<(String, String)>,
    /// Files that hold secrets.
    pub files: Vec<SecretFile>,
}

/// A file that is there for as long as a slice, in its own directory, and whose path is in a variable.
#[derive(Clone)]
pub struct SecretFile {
    /// The variable.
    pub variable: String,
    /// What it holds.
    pub content: Vec<u8>,
}

impl fmt::Debug for SecretFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.variable)
    }
}

/// How long a runner goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// Until it is told to end.
    Told,
    /// Until one job is over, or there is none.
    OneJob,
    /// Until there was nothing to do for this long.
    IdleFor(Duration),
}

impl Settings {
    /// What it can do, as it tells everybody.
    pub fn capabilities(&self) -> Capabilities {
        let ability = |executor: &Executor| Ability {
            executor: executor.kind(),
            profiles: executor.profiles().names(),
            trouble: None,
        };
        Capabilities {
            executors: self.executors.iter().map(ability).collect(),
            max_parallel: self.max_parallel,
            supports_artifacts: true,
            sandbox_policy: Some(
                "codex: workspace-write; claude_code: edits, no shell unless configured; command: as configured"
                    .to_owned(),
            ),
        }
    }
}
