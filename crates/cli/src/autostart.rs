//! Starting Baton's own runner when jobs wait and none is there. Nothing else is ever started.
//!
//! Every process that sees such jobs may start one; a lock in the data directory sees to it that one stays. It outlives it,
//! and ends by itself when there was nothing to do for a while. A start that failed is noted, and not tried again at once.
#![expect(
    clippy::disallowed_methods,
    reason = "a runner that ends as soon as it was started counts as one that failed"
)]

use std::{
    collections::BTreeSet,
    fs::{self, DirBuilder, File, OpenOptions},
    io,
    os::unix::{
        fs::{DirBuilderExt, OpenOptionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{Arc, Mutex, PoisonError, Weak},
    thread,
    time::{Duration, Instant, SystemTime},
};

use baton_app::{
    App, Failure,
    environment::Environment,
    identity::{AgentAbove, Employment, Surroundings},
};
use baton_core::{code::ErrorCode, ids::RoomId};

/// How long a runner that was started so stays without work.
pub(crate) const IDLE: Duration = Duration::from_secs(10 * 60);
/// A runner that was killed sooner than this could not be started: another one would end the same way.
const SETTLED: Duration = Duration::from_secs(5);
/// The holder of a seat that nothing was heard of for so long stays out of the way of the next one: it may be stopped.
const SILENT: Duration = Duration::from_secs(60);
/// Lines of a runner's log that are noted when it could not be started.
const LAST_LINES: usize = 10;

/// Whether runners are started for jobs that nobody is there for.
#[derive(Clone, Copy, Debug, Default, clap::Args)]
pub(crate) struct AutostartArgs {
    /// Start a runner when jobs wait and none is there [default: as BATON_RUNNER_AUTOSTART=1|0 says; else with the daily
    /// tools, on this machine alone]
    #[arg(long, overrides_with = "no_runner_autostart")]
    runner_autostart: bool,
    /// Never start a runner
    #[arg(long, overrides_with = "runner_autostart")]
    no_runner_autostart: bool,
}

impl AutostartArgs {
    /// The decision: by flag, by variable, or as is usual. Whatever works for a job never starts one.
    pub(crate) fn decide(self, surroundings: &Surroundings, usual: bool) -> Result<bool, Failure> {
        let asked = self.asked(surroundings.environment(), usual)?;
        let is_for_job = surroundings.agent_above() == Some(AgentAbove::Job);
        Ok(asked && !is_for_job && matches!(surroundings.employment(), Employment::None))
    }

    fn asked(self, environment: &Environment, usual: bool) -> Result<bool, Failure> {
        if self.runner_autostart || self.no_runner_autostart {
            return Ok(self.runner_autostart);
        }
        for name in ["BATON_RUNNER_AUTOSTART", "BRANCHMIND_RUNNER_AUTOSTART"] {
            match environment.var(name) {
                None => {}
                Some("1") => return Ok(true),
                Some("0") => return Ok(false),
                Some(_) => {
                    let message = format!("{name} must be 1 or 0.");
                    return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", name));
                }
            }
        }
        Ok(usual)
    }
}

/// Has a runner started wherever jobs are seen to wait and there is none.
pub(crate) fn enable(app: &Arc<App>, store: Option<&str>) -> Result<(), Failure> {
    let starter = Arc::new(Starter {
        program: std::env::current_exe().map_err(|error| failed(&error))?,
        directory: app.runner_directory()?,
        store: store.map(str::to_owned),
        app: Arc::downgrade(app),
        started: Mutex::default(),
    });
    // The jobs wait whatever comes of this; the radar says that nobody is there, and how to start a runner.
    app.when_queued(Box::new(move |room| starter.start(room)));
    Ok(())
}

/// Starts runners for one process.
struct Starter {
    program: PathBuf,
    directory: PathBuf,
    store: Option<String>,
    app: Weak<App>,
    /// The rooms whose runners were started here and have not ended.
    started: Mutex<BTreeSet<RoomId>>,
}

impl Starter {
    /// Starts a runner, unless one is on its way or a start failed just now.
    fn start(self: &Arc<Self>, room: &RoomId) {
        let Some(app) = self.app.upgrade() else { return };
        let is_over = |now| app.runner_start_failure(room).is_none_or(|failure| failure.is_over(now));
        if !app.now().is_ok_and(is_over) || self.is_seated(room) || !self.begin(room) {
            return;
        }
        let begun = Instant::now();
        let watched = self.spawn(room).and_then(|runner| {
            let (starter, room) = (Arc::clone(self), room.clone());
            thread::Builder::new().name("runner".to_owned()).spawn(move || starter.attend(&room, runner, begun))
        });
        if let Err(error) = watched {
            self.end(room);
            app.note_runner_start_failure(room, &format!("A runner could not be started: {error}."));
        }
    }

    fn spawn(&self, room: &RoomId) -> io::Result<Child> {
        DirBuilder::new().recursive(true).mode(0o700).create(&self.directory)?;
        let log = OpenOptions::new().create(true).append(true).mode(0o600).open(self.log(room))?;
        let mut command = Command::new(&self.program);
        command.args(["run", "--room", room.as_str(), "--autostarted"]);
        command.args(self.store.iter().flat_map(|store| ["--store", store]));
        command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0).spawn()
    }

    /// Waits for the end of a runner. One that failed is noted; after one that was killed at work, another is started.
    fn attend(self: &Arc<Self>, room: &RoomId, mut runner: Child, begun: Instant) {
        let before = self.app.upgrade().and_then(|app| app.runner_start_failure(room));
        let ended = runner.wait();
        self.end(room);
        let Some(app) = self.app.upgrade() else { return };
        match ended {
            Ok(status) if status.success() => {}
            Ok(status) if status.code().is_none() && begun.elapsed() >= SETTLED => app.see_to_jobs(room),
            // A runner that could say why it failed has done so.
            Ok(_) | Err(_) if app.runner_start_failure(room) != before => self.try_later(app, room),
            Ok(_) | Err(_) => {
                app.note_runner_start_failure(room, &last_lines(&self.log(room)));
                self.try_later(app, room);
            }
        }
    }

    /// Looks at the jobs of a room again when another start is worth trying, in a process that lives so long.
    fn try_later(&self, app: Arc<App>, room: &RoomId) {
        let Some(failure) = app.runner_start_failure(room) else { return };
        let wait = app.now().map_or(Duration::ZERO, |now| failure.wait(now));
        drop(app);
        thread::sleep(wait);
        if let Some(app) = self.app.upgrade() {
            app.see_to_jobs(room);
        }
    }

    fn log(&self, room: &RoomId) -> PathBuf {
        self.directory.join(format!("{room}.log"))
    }

    /// Whether a runner that was started so is about to be there. Nobody asks while one is.
    fn is_seated(&self, room: &RoomId) -> bool {
        let path = seat_file(&self.directory, room);
        let Ok(file) = OpenOptions::new().write(true).open(&path) else { return false };
        if file.try_lock().is_ok() {
            return false;
        }
        let taken = file.metadata().and_then(|seat| seat.modified()).ok();
        let is_silent = taken.and_then(|taken| taken.elapsed().ok()).is_some_and(|silence| silence > SILENT);
        // Its holder keeps the lock of a file that has another name now.
        !(is_silent && fs::rename(&path, path.with_extension("silent.lock")).is_ok())
    }

    fn begin(&self, room: &RoomId) -> bool {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).insert(room.clone())
    }

    fn end(&self, room: &RoomId) {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).remove(room);
    }
}

fn last_lines(log: &Path) -> String {
    let text = fs::read(log).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(LAST_LINES)..].join("\n")
}

/// The right to be the one runner that was started so for a room, until this process ends. Nothing, if another has it.
pub(crate) fn seat(app: &App, room: &RoomId) -> Result<Option<File>, Failure> {
    let directory = app.runner_directory()?;
    let open = || {
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let path = seat_file(&directory, room);
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
    };
    let file = open().map_err(|error| failed(&error))?;
    if file.try_lock().is_err() {
        return Ok(None);
    }
    file.set_modified(SystemTime::now()).map_err(|error| failed(&error))?;
    Ok(Some(file))
}

fn seat_file(directory: &Path, room: &RoomId) -> PathBuf {
    directory.join(format!("{room}.lock"))
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("A runner cannot be started from here: {error}."))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seat_whose_holder_was_not_heard_of_for_long_is_free() {
        let directory = tempfile::tempdir().unwrap();
        let starter = Starter {
            program: PathBuf::new(),
            directory: directory.path().to_owned(),
            store: None,
            app: Weak::new(),
            started: Mutex::default(),
        };
        let room: RoomId = "room_1".parse().unwrap();
        assert!(!starter.is_seated(&room), "nobody ever sat there");
        let holder = File::create(seat_file(directory.path(), &room)).unwrap();
        assert!(!starter.is_seated(&room), "nobody sits there any more");
        holder.try_lock().unwrap();
        assert!(starter.is_seated(&room));
        holder.set_modified(SystemTime::now() - SILENT * 2).unwrap();
        assert!(!starter.is_seated(&room), "it is silent");
        let next = File::create(seat_file(directory.path(), &room)).unwrap();
        next.try_lock().unwrap();
        assert!(starter.is_seated(&room), "the next one has a seat of its own");
    }
}
