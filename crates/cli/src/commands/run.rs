//! `baton run`

use std::{path::PathBuf, process::ExitCode, sync::Arc, thread, time::Duration};

use baton_app::{
    Failure,
    commands::room::{State, StateInput},
    environment::Environment,
    liveness,
};
use baton_core::{
    code::ErrorCode,
    ids::{AgentId, RoomId},
    runner::Injection,
    time::Ttl,
};
use baton_runner::{
    Backoff, Leave, LookAgain, SecretFile, Settings, StoreHint, Summary, Told, Until,
    config::{Config, Whereabouts},
    executor::{self, Equipment, Limits, Named, NotFound},
    process::Child,
};
use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    iterator::Signals,
};

use crate::{
    autostart,
    context::{self, Context},
    select::RoomArgs,
    ui::{self, Ui},
};

/// Run delegated jobs with Codex, Claude Code or a command of yours
///
/// A runner claims jobs of one room, the most urgent first, drives an agent program for each, and reports what it does.
/// Programs are found on PATH, by flag, by BATON_CODEX_BIN and BATON_CLAUDE_BIN, or in ~/.config/baton/config.toml, which
/// is the only place where a command of your own can be named. Ctrl-C gives the jobs back; whatever was started ends with
/// the runner, even when it is killed.
///
/// In a room whose policy says resume: on, it also resumes sessions of yours that ended on this machine, once for each message
/// and whenever the stick is passed to them, with the rights of a job.
#[derive(Debug, Default, clap::Args)]
pub(super) struct RunArgs {
    #[command(flatten)]
    room: RoomArgs,
    /// What this runner is called [default: made from its process]
    #[arg(long, value_name = "ID")]
    runner_id: Option<AgentId>,
    /// How many jobs to work on at a time [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    max_parallel: Option<u32>,
    /// Work on one job, or resume one session, if there is one, then end
    #[arg(long)]
    once: bool,
    /// Where Codex is
    #[arg(long, value_name = "FILE")]
    codex_bin: Option<PathBuf>,
    /// Where Claude Code is
    #[arg(long, value_name = "FILE")]
    claude_bin: Option<PathBuf>,
    /// How many minutes a slice of work may take [default: 30]
    #[arg(long, value_name = "MINUTES", value_parser = clap::value_parser!(u64).range(1..=1440))]
    slice_minutes: Option<u64>,
    /// How many seconds a claim lasts between two reports [default: 180]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=300))]
    claim_ttl: Option<u64>,
    /// How many seconds the runner counts as there after it said so [default: 20]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=300))]
    runner_ttl: Option<u64>,
    /// End when there was nothing to do for this many seconds
    #[arg(long, value_name = "SECONDS", conflicts_with = "once")]
    idle_exit: Option<u64>,
    /// Started for a job that nobody was there for
    #[arg(long, hide = true, conflicts_with_all = ["once", "idle_exit"])]
    autostarted: bool,
}

/// What a runner did.
#[derive(Debug, serde::Serialize)]
struct Ran {
    room_id: RoomId,
    runner_id: AgentId,
    jobs: u64,
    /// Sessions that were resumed.
    sessions: u64,
}

impl RunArgs {
    /// The arguments of a usual runner for a room.
    pub(super) fn for_room(room: RoomArgs) -> Self {
        Self { room, ..Self::default() }
    }

    /// How such a runner works, for whoever runs it beside other things and tells it when to end.
    pub(super) fn prepare(&self, context: &Context, store: Option<&str>) -> Result<Settings, Failure> {
        let room = self.room.find(context)?;
        self.settings(context, context.app.environment(), store, &room)
    }

    pub(super) fn run(self, store: Option<&str>, ui: Ui) -> Result<ExitCode, Failure> {
        let context = Context::open(store)?;
        let room = self.room.find(&context)?;
        let ran = self.work(&context, store, &room, ui);
        if self.autostarted
            && let Err(failure) = &ran
        {
            // Nobody reads what it says, so it is noted for those who wait for it.
            context.app.note_runner_start_failure(&room, format!("{} {}", failure.message, failure.next).trim());
        }
        ran
    }

    fn work(&self, context: &Context, store: Option<&str>, room: &RoomId, ui: Ui) -> Result<ExitCode, Failure> {
        let environment = context.app.environment().clone();
        let mut seat = match self.autostarted {
            true => autostart::seat(&context.app, room)?,
            false => None,
        };
        let settings = self.settings(context, &environment, store, room)?;
        let (room_id, runner_id) = (settings.room.clone(), settings.runner.clone());
        let ran = |done: Summary| Ran {
            room_id: room_id.clone(),
            runner_id: runner_id.clone(),
            jobs: done.jobs,
            sessions: done.sessions,
        };
        let text = |ran: &Ran| match ran.sessions {
            0 => format!("{} worked on {} jobs.\n", ran.runner_id, ran.jobs),
            sessions => format!("{} worked on {} jobs and resumed {sessions} sessions.\n", ran.runner_id, ran.jobs),
        };
        if self.autostarted && seat.is_none() {
            // Somebody else's is there already.
            let ran = ran(Summary::default());
            return Ok(ui.answer(&ran, || text(&ran)));
        }
        heed_signals(&settings.leave)?;
        let told = Told::to(|line| ui::complain(&format!("{}\n", ui::clean(line))));
        let mut done = Summary::default();
        loop {
            let more = baton_runner::run(Arc::clone(&context.app), settings.clone(), told.clone())?;
            done = Summary { jobs: done.jobs + more.jobs, sessions: done.sessions + more.sessions };
            // First the seat, then the look: a job that is queued after the look has a runner started, which finds it free.
            drop(seat.take());
            if !self.autostarted || settings.leave.is_asked() || !baton_runner::is_waited_for(&context.app, &settings) {
                break;
            }
            seat = autostart::seat(&context.app, room)?;
            if seat.is_none() {
                break;
            }
        }
        let ran = ran(done);
        Ok(ui.answer(&ran, || text(&ran)))
    }

    fn settings(
        &self,
        context: &Context,
        environment: &Environment,
        store: Option<&str>,
        room: &RoomId,
    ) -> Result<Settings, Failure> {
        let config = config(environment)?;
        let Equipment { executors, missing } = self.equipment(&config, environment)?;
        let look_again = self.look_again(&config, environment);
        let state = context.run::<State>(StateInput { room_id: room.clone() })?;
        let data = context::data_directory(environment, store)?;
        let usual = &config.runner;
        let configured =
            usual.id.as_deref().map(str::parse).transpose().map_err(|error| invalid(&format!("{error}")))?;
        let until = match (self.once, self.idle_exit) {
            (true, _) => Until::OneJob,
            (false, Some(seconds)) => Until::IdleFor(Duration::from_secs(seconds)),
            (false, None) if self.autostarted => Until::IdleFor(autostart::IDLE),
            (false, None) => Until::Told,
        };
        let seconds = |asked: Option<u64>, usual: Ttl| asked.map_or(usual, Ttl::from_secs);
        Ok(Settings {
            room: room.clone(),
            runner: self.runner_id.clone().or(configured).unwrap_or_else(made_up_id),
            employment: context.surroundings.employment().clone(),
            workspace: state.room.canonical_path.map(PathBuf::from),
            executors,
            environment: environment.clone(),
            env: usual.env.clone(),
            missing,
            look_again,
            max_parallel: self.max_parallel.unwrap_or(usual.max_parallel as u32),
            until,
            limits: Limits {
                slice: self.slice_minutes.map_or(usual.slice, |minutes| Duration::from_secs(60 * minutes)),
                grace: usual.grace,
            },
            job_limit: usual.job,
            claim_ttl: seconds(self.claim_ttl, baton_core::limits::CLAIM_TTL),
            runner_ttl: seconds(self.runner_ttl, baton_core::limits::RUNNER_TTL),
            skill: Injection { profile: usual.skill_profile, max_chars: usual.skill_max_chars },
            roles: whereabouts(environment).roles(),
            worktrees: data.join("worktrees"),
            scratch: data.join("slices"),
            locks: data.join("programs").join(context.app.shelf()),
            backoff: Backoff::default(),
            failures_max: usual.failures_max as u32,
            own_program: Child::own_program().to_owned(),
            server_program: server_program(),
            store: store_hint(environment, store)?,
            leave: Leave::new().map_err(|error| invalid(&format!("{error}")))?,
        })
    }

    fn equipment(&self, config: &Config, environment: &Environment) -> Result<Equipment, Failure> {
        let named = Named { codex: self.codex_bin.as_deref(), claude_code: self.claude_bin.as_deref() };
        let wrong = |missing: &NotFound| {
            invalid(&format!("{missing}.")).advising("Correct where it is, or leave that out and put it on PATH.")
        };
        let found = executor::equip(&config.executors, named, environment).map_err(|missing| wrong(&missing))?;
        if found.executors.is_empty() {
            // Who said where a program is meant that one.
            let named = found.missing.iter().find(|program| matches!(program.why, NotFound::Wrong { .. }));
            if let Some(program) = named {
                return Err(wrong(&program.why));
            }
            let next = "Put codex or claude on PATH, name one with --codex-bin or --claude-bin, or configure a command \
                        in ~/.config/baton/config.toml.";
            let message = "There is nothing to execute jobs with.";
            return Err(Failure::new(ErrorCode::PreconditionFailed, message).advising(next));
        }
        Ok(found)
    }

    /// Looks for programs as at the start, with what the user configured then.
    fn look_again(&self, config: &Config, environment: &Environment) -> LookAgain {
        let (executors, environment) = (config.executors.clone(), environment.clone());
        let (codex, claude_code) = (self.codex_bin.clone(), self.claude_bin.clone());
        LookAgain::with(move || {
            let named = Named { codex: codex.as_deref(), claude_code: claude_code.as_deref() };
            executor::equip(&executors, named, &environment).ok()
        })
    }
}

fn whereabouts(environment: &Environment) -> Whereabouts<'_> {
    Whereabouts {
        chosen: environment.var_os("BATON_CONFIG"),
        config_home: environment.var_os("XDG_CONFIG_HOME"),
        home: environment.home(),
        cwd: environment.cwd(),
    }
}

fn config(environment: &Environment) -> Result<Config, Failure> {
    Config::load(whereabouts(environment)).map_err(|error| {
        let next = error.fault.remedy();
        invalid(&format!("{error}.")).advising(next)
    })
}

/// What the Baton of an agent program needs to find the same store. A password goes by way of a file, as the program has
/// the variables as well.
fn store_hint(environment: &Environment, store: Option<&str>) -> Result<StoreHint, Failure> {
    let (place, password_file) = environment.store_for_child(store)?;
    let carried = ["BATON_DATA_DIR", "PGUSER", "PGPASSFILE", "PGSSLROOTCERT"];
    let mut env = vec![("BATON_STORE".to_owned(), place)];
    env.extend(carried.into_iter().filter_map(|name| Some((name.to_owned(), environment.var(name)?.to_owned()))));
    let files = password_file.map(|content| SecretFile { variable: "PGPASSFILE".to_owned(), content });
    Ok(StoreHint { args: Vec::new(), env, files: files.into_iter().collect() })
}

/// This program as others can start it. One that was replaced on disk is started by way of this process.
fn server_program() -> PathBuf {
    let through_this = || PathBuf::from(format!("/proc/{}/exe", std::process::id()));
    std::env::current_exe().ok().filter(|path| path.is_file()).unwrap_or_else(through_this)
}

/// Has the runner end on Ctrl-C and when it is asked to.
fn heed_signals(leave: &Leave) -> Result<(), Failure> {
    let mut signals = Signals::new([SIGINT, SIGTERM, SIGHUP]).map_err(|error| invalid(&format!("{error}")))?;
    let leave = leave.clone();
    thread::spawn(move || signals.forever().for_each(|_| leave.ask()));
    Ok(())
}

/// An id that no other runner has while this one lives, also on machines and in containers of the same name.
fn made_up_id() -> AgentId {
    let host = rustix::system::uname().nodename().to_string_lossy().into_owned();
    let plain: String =
        host.chars().filter(|letter| letter.is_ascii_alphanumeric() || *letter == '-').take(40).collect();
    let plain = if plain.is_empty() { "runner" } else { plain.trim_matches('-') };
    let pid = std::process::id();
    let start = liveness::identify(pid).map_or_else(String::new, |process| {
        // Enough to tell processes apart that have the same number; which of them it is, is known otherwise.
        format!("-{:04x}", (process.start_ticks ^ process.pid_namespace) & 0xffff)
    });
    format!("{plain}-{pid}{start}").parse().expect("letters, digits and dashes make an id")
}

fn invalid(message: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, message)
}
