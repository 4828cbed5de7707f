//! Another machine, as far as its processes can tell: a name, processes and a network of its own.
//!
//! It is a set of Linux namespaces that live as long as its first process, and that one reads a pipe from this test:
//! however the test ends, the kernel takes the machine apart, with its processes and its cable.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    io::{BufRead, BufReader},
    os::unix::process::CommandExt,
    process::{Child, Command, Stdio},
    time::Duration,
};

use baton_cluster::processes::{Process, children_of};
use rustix::process::{Pid, Signal};

use super::{
    Agent, Ran, World,
    network::{Cable, Isolation},
    world::BATON,
};

/// A stand-in for a harness: see [`World::agent`]. It starts in the workspace, which is at the same path everywhere.
const HARNESS: &str = r#"cd "$1" && "$0" mcp --tools full; :"#;

/// Longer than the kernel takes to end a process.
const END_LIMIT: Duration = Duration::from_secs(20);

/// A machine that runs agents.
pub(crate) struct Machine {
    /// The parent of its first process.
    starter: Child,
    /// Its first process, as it is numbered here. Everything on it ends with that one.
    first: Pid,
    isolation: Isolation,
    pub(super) cable: Option<Cable>,
    /// Where the store is, as seen from there.
    pub(super) store: String,
}

impl Machine {
    /// Boots a machine of this name, without a cable.
    pub(super) fn boot(name: &str, isolation: Isolation) -> Result<Self, String> {
        let mut command = Command::new("unshare");
        command.args(isolation.unshare()).args(["--uts", "--pid", "--fork", "--kill-child", "--mount-proc"]);
        command.args(["sh", "-c", r#"hostname "$0" && echo up && exec cat"#, name]);
        // In a group of its own: Ctrl-C is for the test, whose end the machine then follows.
        command.process_group(0).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut starter = command.spawn().map_err(|error| format!("unshare: {error}"))?;
        let mut said = String::new();
        BufReader::new(starter.stdout.as_mut().unwrap()).read_line(&mut said).unwrap();
        if said != "up\n" {
            let output = starter.wait_with_output().unwrap();
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let first = children_of(Pid::from_child(&starter)).unwrap()[0];
        Ok(Self { starter, first, isolation, cable: None, store: String::new() })
    }

    /// Its first process, by which others find its namespaces.
    pub(super) fn first(&self) -> Pid {
        self.first
    }

    /// Runs something there to its end.
    pub(super) fn run(&self, program: &[&str]) -> Result<(), String> {
        let mut command = Command::new("nsenter");
        self.enter(&mut command);
        let output = command.args(program).output().map_err(|error| format!("nsenter: {error}"))?;
        let complaint = || format!("{}: {}", program.join(" "), String::from_utf8_lossy(&output.stderr));
        if output.status.success() { Ok(()) } else { Err(complaint()) }
    }

    fn enter(&self, command: &mut Command) {
        command.args(["--target", &self.first.as_raw_nonzero().to_string(), "--uts", "--pid", "--mount"]);
        command.args(self.isolation.nsenter()).arg("--");
    }

    /// An agent on this machine, behind a harness of its own, which has joined the workspace's room.
    pub(crate) fn agent(&self, world: &World, name: &str) -> Agent {
        let mut command = world.command("nsenter");
        self.enter(&mut command);
        command.args(["sh", "-c", HARNESS, BATON]).arg(world.workspace()).env("BATON_STORE", &self.store);
        Agent::join(command, name).0
    }

    /// Runs the program there to its end.
    pub(crate) fn baton(&self, world: &World, arguments: &[&str]) -> Ran {
        let mut command = world.command("nsenter");
        self.enter(&mut command);
        command.arg(BATON).args(arguments).env("BATON_STORE", &self.store);
        Ran::of(command)
    }

    /// Kills the harness of an agent here, and only that, with SIGKILL, and returns when it is gone.
    pub(crate) fn kill_harness(&self, agent: &Agent) {
        // What was started here is the way into the machine; the harness is its child.
        let entrance = Pid::from_raw(i32::try_from(agent.pid()).unwrap()).unwrap();
        for harness in children_of(entrance).unwrap() {
            end(&Process::open(harness).unwrap());
        }
    }

    /// Ends the machine and everything on it in one moment. Nothing on it can say a word.
    pub(crate) fn dies(&mut self) {
        if let Ok(first) = Process::open(self.first) {
            end(&first);
        }
        let _ = self.starter.wait();
    }

    /// Takes it off the network. Its processes go on.
    pub(crate) fn cut_off(&self) {
        match &self.cable {
            Some(cable) => cable.pull(),
            None => self.signal_all("STOP"),
        }
    }

    /// Puts it back on the network.
    pub(crate) fn reconnect(&self) {
        match &self.cable {
            Some(cable) => cable.plug(),
            None => self.signal_all("CONT"),
        }
    }

    /// Without a cable to pull, a machine whose processes stand still is as silent as one that is cut off.
    fn signal_all(&self, signal: &str) {
        self.run(&["sh", "-c", r#"kill -"$0" -1"#, signal]).unwrap();
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        self.dies();
    }
}

fn end(process: &Process) {
    process.signal(Signal::KILL).unwrap();
    assert!(process.ends_within(END_LIMIT).unwrap(), "a killed process ends");
}
