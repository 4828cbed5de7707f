//! A real `baton up` on stage: the page to watch on, and what the bus needs.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Stdio},
};

use baton_app::{
    Failure,
    clock::{Clock, SystemClock},
};
use baton_http::{Facts, Tickets};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use super::{
    super::up::login,
    stage::{Stage, off_script, wrong},
};

/// A server on stage. It ends with whoever holds it, whatever happens.
pub(super) struct Server {
    child: Child,
    pub(super) socket: PathBuf,
    facts: Facts,
}

impl Server {
    /// Starts one, with its socket in the store's directory under this name.
    pub(super) fn start(stage: &Stage, socket: &str) -> Result<Self, Failure> {
        let socket = stage.home().join(socket);
        let mut command = stage.baton(&["up", "--listen", "127.0.0.1:0", "--json"])?;
        command.arg("--socket").arg(&socket);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(wrong)?;
        let mut first = String::new();
        if let Some(stdout) = child.stdout.take() {
            BufReader::new(stdout).read_line(&mut first).map_err(wrong)?;
        }
        let facts: Facts = serde_json::from_value(answer(&first)?).map_err(wrong)?;
        stage.shows_page(&facts.url);
        Ok(Self { child, socket, facts })
    }

    /// An address that logs a browser in, once.
    pub(super) fn login(&self, stage: &Stage) -> Result<String, Failure> {
        let ticket = Tickets::in_directory(stage.home()).issue(SystemClock.now())?;
        Ok(login(&self.facts, ticket.reveal()))
    }

    /// Asks it to end, as Ctrl-C does.
    pub(super) fn end(mut self) -> Result<(), Failure> {
        kill_process(Pid::from_child(&self.child), Signal::TERM).map_err(wrong)?;
        let status = self.child.wait().map_err(wrong)?;
        if status.success() { Ok(()) } else { Err(off_script("the server", "its end", &json!(status.to_string()))) }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // One that has ended cannot be killed, and need not.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The data of an answer.
pub(super) fn answer(shown: &str) -> Result<Value, Failure> {
    let mut answer: Value = serde_json::from_str(shown).map_err(wrong)?;
    Ok(answer["data"].take())
}
