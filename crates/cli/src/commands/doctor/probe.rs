//! A trial run of an installed hook: the command that stands in the configuration, with a sample, in an empty directory.
#![expect(clippy::disallowed_methods, reason = "a report says how long a hook took; nothing is decided by it")]

use std::{
    io::{self, Write as _},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Command, Output, Stdio},
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use baton_app::{
    environment::Environment,
    programs::{find_on_path, is_program, without_relative_entries},
};
use baton_harness::{
    Harness,
    inspect::{HookShell, Invocation},
};
use rustix::process::{Pid, Signal, kill_process_group};
use serde_json::Value;

/// As long as the programs themselves wait for a guard.
const LIMIT: Duration = Duration::from_secs(10);

/// The result of a trial run.
pub(super) struct Probe {
    pub(super) elapsed_ms: u64,
    pub(super) problem: Option<String>,
}

/// Runs a hook as its program would.
pub(super) fn probe(harness: Harness, invocation: &Invocation, environment: &Environment) -> Probe {
    let begun = Instant::now();
    let ran = run(harness, invocation, environment);
    let elapsed_ms = u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX);
    let problem = match ran {
        Ok(output) => check(harness, &output),
        Err(error) if error.kind() == io::ErrorKind::TimedOut => {
            Some(format!("it did not answer within {} s", LIMIT.as_secs()))
        }
        Err(error) => Some(format!("it could not be run: {error}")),
    };
    Probe { elapsed_ms, problem }
}

fn check(harness: Harness, output: &Output) -> Option<String> {
    if !output.status.success() {
        return Some(format!("it ended with {}", output.status));
    }
    let answer = String::from_utf8_lossy(&output.stdout);
    if answer.trim().is_empty() {
        return None;
    }
    match serde_json::from_str::<Value>(&answer) {
        Ok(answer) if harness.is_hook_answer(&answer) => None,
        Ok(_) => Some(format!("its answer is none that {} understands", harness.title())),
        Err(_) => Some("its answer is not JSON".to_owned()),
    }
}

fn run(harness: Harness, invocation: &Invocation, environment: &Environment) -> io::Result<Output> {
    // Empty, so that nothing there can be meant, and outside of any room of this repository.
    let directory = tempfile::tempdir()?;
    let mut command = command(invocation, environment)?;
    if let Some(search) = environment.var_os("PATH") {
        command.env("PATH", without_relative_entries(search));
    }
    command.current_dir(directory.path()).process_group(0);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let group = Pid::from_child(&child);
    if let Some(mut input) = child.stdin.take() {
        // A hook that does not read is judged by its answer.
        let _ = input.write_all(harness.sample_hook(directory.path()).to_string().as_bytes());
    }
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(child.wait_with_output()));
    receive.recv_timeout(LIMIT).unwrap_or_else(|_| {
        // The thread waits for it, so its id is still its own.
        let _ = kill_process_group(group, Signal::KILL);
        Err(io::ErrorKind::TimedOut.into())
    })
}

fn command(invocation: &Invocation, environment: &Environment) -> io::Result<Command> {
    let (line, shell) = match invocation {
        Invocation::Program(words) => {
            let (program, arguments) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
            let mut command = Command::new(program);
            command.args(arguments);
            return Ok(command);
        }
        Invocation::Line { line, shell } => (line, shell),
    };
    let search = environment.var_os("PATH").unwrap_or_default();
    let shell = match shell {
        HookShell::Sh => "/bin/sh".into(),
        HookShell::Bash => find_on_path("bash", search)
            .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "there is no bash on PATH"))?,
        HookShell::Personal => {
            let personal = environment.var_os("SHELL").map(Path::new).filter(|shell| is_program(shell));
            personal.unwrap_or(Path::new("/bin/sh")).to_owned()
        }
    };
    let mut command = Command::new(shell);
    command.arg("-c").arg(line);
    Ok(command)
}
