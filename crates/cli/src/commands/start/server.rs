//! A server in the background: `baton up` in a process group of its own, so that Ctrl-C and the end of this terminal's foreground
//! command pass it by.
//!
//! A lock in the data directory sees to it that two calls do not start two. The address with which a browser logs in comes over a
//! pipe: the log is kept, and the address is for one reader.

use std::{
    fs::{File, OpenOptions},
    io::{self, BufRead as _, BufReader},
    net::SocketAddr,
    os::unix::{fs::OpenOptionsExt as _, process::CommandExt as _},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use baton_app::{
    Failure, Rights,
    clock::{Clock as _, SystemClock},
};
use baton_core::code::ErrorCode;
use baton_http::{Facts, Tickets};
use rustix::process::{Pid, Signal, kill_process_group};
use serde::Serialize;
use serde_json::Value;

use crate::{
    commands::{hold::refusal, up::login},
    context::Context,
};

/// A server is up within a second; a store on another machine may take some.
const LIMIT: Duration = Duration::from_secs(30);

/// A server that answers.
#[derive(Debug, Serialize)]
pub(super) struct ServerReport {
    #[serde(flatten)]
    pub(super) facts: Facts,
    /// Whether it was there before.
    pub(super) was_up: bool,
    /// Logs a browser in, once. None for an agent, and where nobody sits at a terminal.
    pub(super) login: Option<String>,
    pub(super) log: PathBuf,
}

/// Brings a server up, unless one is there.
pub(super) fn bring_up(
    context: &Context,
    data: &Path,
    log: &Path,
    listen: Option<SocketAddr>,
) -> Result<ServerReport, Failure> {
    let lock = private(&data.join("up.start.lock")).and_then(|lock| lock.lock().map(|()| lock));
    // Held until the server answers, so that the next one who comes finds it.
    let _lock = lock.map_err(|error| failed(&error.to_string()))?;
    if let Some(facts) = Facts::find(data)? {
        return found(context, data, log, facts);
    }
    match spawn(context, log, listen) {
        Ok(running) => Ok(running),
        // Somebody may have run `baton up` meanwhile, which takes no such lock.
        Err(failure) => match Facts::find(data)? {
            Some(facts) => found(context, data, log, facts),
            None => Err(failure),
        },
    }
}

/// A server that was there before, with a way in for a person.
pub(super) fn found(context: &Context, data: &Path, log: &Path, facts: Facts) -> Result<ServerReport, Failure> {
    let login = match context.surroundings.rights() {
        Rights::Operator => {
            let ticket = Tickets::in_directory(data).issue(SystemClock.now())?;
            Some(login(&facts, ticket.reveal()))
        }
        _ => None,
    };
    Ok(ServerReport { facts, was_up: true, login, log: log.to_owned() })
}

fn spawn(context: &Context, log: &Path, listen: Option<SocketAddr>) -> Result<ServerReport, Failure> {
    let start = || {
        let output = private(log)?;
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["up", "--json"]);
        command.args(listen.map(|address| format!("--listen={address}")));
        // Arguments are for everybody on this machine to see, for as long as it runs.
        command.envs(context.store.as_ref().map(|store| ("BATON_STORE", store)));
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(output).process_group(0).spawn()
    };
    let mut server = start().map_err(|error: io::Error| failed(&error.to_string()))?;
    let line = first_line(&mut server, log)?;
    let mut answer: Value = serde_json::from_str(&line).map_err(|_| ended(log))?;
    if let Value::Object(error) = answer["error"].take() {
        return Err(refusal(error));
    }
    let login = answer["data"]["login"].as_str().map(str::to_owned);
    let facts: Facts = serde_json::from_value(answer["data"].take()).map_err(|_| ended(log))?;
    Ok(ServerReport { facts, was_up: false, login, log: log.to_owned() })
}

/// The line with which it says that it listens, or why it does not.
fn first_line(server: &mut Child, log: &Path) -> Result<String, Failure> {
    let Some(output) = server.stdout.take() else { return Err(ended(log)) };
    let (send, receive) = mpsc::channel();
    thread::spawn(move || {
        let mut line = String::new();
        send.send(BufReader::new(output).read_line(&mut line).map(|_| line))
    });
    match receive.recv_timeout(LIMIT) {
        Ok(Ok(line)) => Ok(line),
        Ok(Err(_)) => Err(ended(log)),
        Err(_) => {
            // One that hangs would keep the next one from starting.
            let _ = kill_process_group(Pid::from_child(server), Signal::KILL);
            Err(failed(&format!("it did not answer within {} s, and was ended", LIMIT.as_secs())))
        }
    }
}

/// A file that only this user reads, for appending.
fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).append(true).mode(0o600).open(path)
}

fn ended(log: &Path) -> Failure {
    failed(&format!("it ended without a word; {} may say why", log.display()))
}

fn failed(why: &str) -> Failure {
    Failure::new(ErrorCode::Internal, format!("No server was started: {why}.")).advising("Run it in view: baton up")
}
