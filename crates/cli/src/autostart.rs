//! Starting Baton's own runner when a job waits and none is there. Nothing else is ever started.
//!
//! Whoever delegates may start one; a lock in the data directory sees to it that one stays. It outlives who started it, and
//! ends by itself when there was nothing to do for a while.

use std::{
    fs::{DirBuilder, File, OpenOptions},
    io,
    os::unix::{
        fs::{DirBuilderExt, OpenOptionsExt},
        process::CommandExt,
    },
    path::{Path, PathBuf},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use baton_app::{App, Failure, environment::Environment};
use baton_core::{code::ErrorCode, ids::RoomId};

use crate::context;

/// How long a runner that was started so stays without work.
pub(crate) const IDLE: Duration = Duration::from_secs(10 * 60);

/// Has a runner started for each job that is queued where there is none.
pub(crate) fn enable(app: &App, environment: &Environment, store: Option<&str>) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(|error| failed(&error))?;
    let directory = directory(environment, store)?;
    let store = store.map(str::to_owned);
    app.when_queued(Box::new(move |room| {
        // The job is queued whatever comes of this; the radar says that nobody is there, and how to start a runner.
        let _ = start(&program, &directory, room, store.as_deref());
    }));
    Ok(())
}

fn start(program: &Path, directory: &Path, room: &RoomId, store: Option<&str>) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
    let log = OpenOptions::new().create(true).append(true).mode(0o600).open(directory.join(format!("{room}.log")))?;
    let mut command = Command::new(program);
    command.args(["run", "--room", room.as_str(), "--autostarted"]);
    command.args(store.into_iter().flat_map(|store| ["--store", store]));
    command.stdin(Stdio::null()).stdout(log.try_clone()?).stderr(log).process_group(0);
    let mut runner = command.spawn()?;
    thread::Builder::new().name("runner".to_owned()).spawn(move || runner.wait())?;
    Ok(())
}

/// The right to be the one runner that was started so for a room, until this process ends. Nothing, if another has it.
pub(crate) fn seat(environment: &Environment, store: Option<&str>, room: &RoomId) -> Result<Option<File>, Failure> {
    let directory = directory(environment, store)?;
    let open = || {
        DirBuilder::new().recursive(true).mode(0o700).create(&directory)?;
        let path = directory.join(format!("{room}.lock"));
        OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(path)
    };
    let file = open().map_err(|error| failed(&error))?;
    Ok(file.try_lock().is_ok().then_some(file))
}

/// Where locks and logs of such runners are.
fn directory(environment: &Environment, store: Option<&str>) -> Result<PathBuf, Failure> {
    Ok(context::data_directory(environment, store)?.join("runner"))
}

fn failed(error: &io::Error) -> Failure {
    Failure::new(ErrorCode::Internal, format!("A runner cannot be started from here: {error}."))
}
