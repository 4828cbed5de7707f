//! Another process of the same test binary.
//!
//! A test that needs one has an ignored test named `the_other_process` in the same file, which asks [`Role::mine`]
//! what to do. The two talk in lines: what the other says begins with `@`, because the test harness talks too.

use std::{
    io::{BufRead, BufReader, Write, stdin, stdout},
    path::{Path, PathBuf},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
};

use baton_app::environment::Environment;
use baton_store::{Location, Store, clock::Time};
use rustix::process::{Pid, Signal, kill_process};

use crate::{Place, backend::location};

const ROLE: &str = "BATON_TEST_ROLE";
const DIRECTORY: &str = "BATON_TEST_DIRECTORY";
const STORE: &str = "BATON_TEST_STORE";

/// A process that plays a role. It is killed when the test ends.
#[derive(Debug)]
pub struct Other {
    child: Child,
    lines: BufReader<ChildStdout>,
    input: Option<ChildStdin>,
}

impl Other {
    /// Starts one that is about a directory.
    pub fn start(role: &str, directory: &Path) -> Self {
        Self::start_with(Command::new(std::env::current_exe().unwrap()), role, directory)
    }

    /// Starts one that is about a store, on whichever engine.
    pub fn start_at(role: &str, place: &Place) -> Self {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.env(STORE, place.address());
        Self::start_with(command, role, &place.data_directory())
    }

    /// Starts one through another command, which must run the arguments that follow (as `setpriv` does).
    pub fn start_through(program: &str, arguments: &[&str], role: &str, directory: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(arguments).arg(std::env::current_exe().unwrap());
        Self::start_with(command, role, directory)
    }

    fn start_with(mut command: Command, role: &str, directory: &Path) -> Self {
        let mut child = command
            .args(["--ignored", "--exact", "the_other_process", "--nocapture"])
            .env(ROLE, role)
            .env(DIRECTORY, directory)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Self { input: child.stdin.take(), child, lines }
    }

    /// What it says next. When it has nothing more to say, that is nothing.
    pub fn says(&mut self) -> Option<String> {
        loop {
            let mut line = String::new();
            if self.lines.read_line(&mut line).unwrap() == 0 {
                return None;
            }
            if let Some(said) = line.strip_prefix('@') {
                return Some(said.trim_end().to_owned());
            }
        }
    }

    /// Tells it to go on.
    pub fn go(&mut self) {
        writeln!(self.input.as_mut().unwrap(), "go").unwrap();
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Kills it, as by kill -9, and waits until it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Stops it.
    pub fn stop(&self) {
        kill_process(Pid::from_child(&self.child), Signal::STOP).unwrap();
    }

    /// Waits for its end.
    pub fn ends(&mut self) -> ExitStatus {
        drop(self.input.take());
        self.child.wait().unwrap()
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// What this process is to do, when it is the other one.
#[derive(Clone, Debug)]
pub struct Role {
    /// Its name.
    pub name: String,
    /// The directory it is about.
    pub directory: PathBuf,
}

impl Role {
    /// The role this process was started for. None when somebody runs ignored tests.
    pub fn mine() -> Option<Self> {
        let environment = Environment::read();
        let name = environment.var(ROLE)?.to_owned();
        Some(Self { name, directory: environment.var_os(DIRECTORY)?.into() })
    }

    /// Where the store is that it is about.
    pub fn location(&self) -> Location {
        match Environment::read().var(STORE) {
            Some(address) => location(address),
            None => Location::Directory(self.directory.clone()),
        }
    }

    /// Opens the store it is about.
    pub fn open(&self) -> Store {
        Store::open(&self.location(), Time::Own).unwrap()
    }

    /// Says something to the test.
    pub fn say(&self, line: &str) {
        // On a line of its own: the harness has begun one with the name of this test.
        let mut out = stdout().lock();
        write!(out, "\n@{line}\n").unwrap();
        out.flush().unwrap();
    }

    /// Waits until the test says go, or is gone.
    pub fn hear(&self) {
        let _ = stdin().lock().read_line(&mut String::new());
    }
}
