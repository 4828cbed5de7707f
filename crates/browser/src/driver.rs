//! A running chromedriver.

use std::{
    io::{BufRead, BufReader},
    path::Path,
    process::{Child, ChildStdout, Command, Stdio},
};

use crate::{Error, Programs};

/// What it says when it is ready, before the port.
const READY: &str = "started successfully on port ";

/// A driver on a port of its own.
#[derive(Debug)]
pub struct Driver {
    child: Child,
    /// Kept open, so that it can go on talking.
    _said: BufReader<ChildStdout>,
    port: u16,
}

impl Driver {
    /// Starts one that keeps its files below `home`.
    pub fn start(programs: &Programs, home: &Path) -> Result<Self, Error> {
        // `setpriv` has it killed when the thread that starts it ends, however that comes about.
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--"]).arg(&programs.driver).arg("--port=0");
        // Chromium writes to the home directory beside its profile.
        command.env("HOME", home).env("TMPDIR", home);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let read = child.stdout.take().map(BufReader::new).ok_or_else(|| Error::Silent(String::new())).and_then(ready);
        match read {
            Ok((said, port)) => Ok(Self { child, _said: said, port }),
            Err(error) => {
                let _ = child.kill();
                let _ = child.wait();
                Err(error)
            }
        }
    }

    /// Where it listens.
    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Its browsers go with it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn ready(mut out: BufReader<ChildStdout>) -> Result<(BufReader<ChildStdout>, u16), Error> {
    let mut said = String::new();
    loop {
        let begun = said.len();
        if out.read_line(&mut said)? == 0 {
            return Err(Error::Silent(said));
        }
        let port = said[begun..].split_once(READY).and_then(|(_, rest)| rest.trim().trim_end_matches('.').parse().ok());
        if let Some(port) = port {
            return Ok((out, port));
        }
    }
}
