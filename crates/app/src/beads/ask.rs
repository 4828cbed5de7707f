//! Runs `bd`, within bounds.

use std::{
    io::{self, Read},
    os::unix::process::CommandExt,
    path::Path,
    process::{Child, ChildStderr, ChildStdout, Command, ExitStatus, Stdio},
    sync::mpsc::{self, Sender},
    thread,
    time::Duration,
};

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

use super::read;
use crate::{environment::Environment, programs::find_on_path};

const PROGRAM: &str = "bd";
/// Only what the older `bd` on SQLite and the newer one on Dolt both take: `--sandbox` starts no daemon and syncs
/// nothing, `--readonly` writes nothing, and without `--limit 0` only the first fifty come.
const ARGUMENTS: [&str; 8] = ["--sandbox", "--readonly", "list", "--status", "in_progress", "--limit", "0", "--json"];
const OUTPUT_BYTES: u64 = 1024 * 1024;
const MESSAGE_BYTES: u64 = 4 * 1024;

/// What `bd list` printed for the workspace at `root`, or why nothing.
pub(super) fn list(root: &Path, environment: &Environment, deadline: Duration) -> Result<Vec<u8>, String> {
    let program =
        find_on_path(PROGRAM, environment.var_os("PATH").unwrap_or_default()).ok_or("bd was not found on PATH")?;
    let mut child = spawn(&program, root).map_err(|error| format!("bd could not be run: {error}"))?;
    let (Some(stdout), Some(stderr)) = (child.stdout.take(), child.stderr.take()) else {
        return Err("bd could not be run: its output is missing".to_owned());
    };
    let pid = Pid::from_child(&child);
    let (sender, answers) = mpsc::channel();
    thread::spawn(move || listen(pid, stdout, stderr, &sender));
    let heard = answers.recv_timeout(deadline);
    if heard.is_err() {
        // Whatever it started goes with it. Nobody has waited for it yet, so the id is still its own.
        let _ = kill_process_group(pid, Signal::KILL);
    }
    let status = child.wait().map_err(|error| format!("bd could not be waited for: {error}"))?;
    match heard {
        Ok(heard) => judged(status, heard),
        Err(_) => Err(format!("bd did not answer within {} s", deadline.as_secs_f32())),
    }
}

fn spawn(program: &Path, root: &Path) -> io::Result<Child> {
    let mut command = Command::new(program);
    command.args(ARGUMENTS).current_dir(root);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    // A group of its own, to be ended as a whole.
    command.process_group(0).spawn()
}

/// What it said until it ended.
struct Heard {
    output: io::Result<Vec<u8>>,
    message: Vec<u8>,
}

fn listen(pid: Pid, stdout: ChildStdout, stderr: ChildStderr, sender: &Sender<Heard>) {
    let mut message = Vec::new();
    // Both at once, or a full pipe of one would stop the other.
    let output = thread::scope(|scope| {
        scope.spawn(|| keep_beginning(stderr, &mut message));
        let mut output = Vec::new();
        stdout.take(OUTPUT_BYTES + 1).read_to_end(&mut output).map(|_| output)
    });
    // It may close its output and go on. It is left for the other thread to reap, whose right to kill it hangs on that.
    let _ = waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT);
    // Nobody listens any more when the time was up.
    let _ = sender.send(Heard { output, message });
}

/// Keeps the beginning and reads the rest away. What cannot be read was not said.
fn keep_beginning(mut stream: impl Read, kept: &mut Vec<u8>) {
    let _ = stream.by_ref().take(MESSAGE_BYTES).read_to_end(kept);
    let _ = io::copy(&mut stream, &mut io::sink());
}

fn judged(status: ExitStatus, heard: Heard) -> Result<Vec<u8>, String> {
    let output = heard.output.map_err(|error| format!("the output of bd could not be read: {error}"))?;
    if u64::try_from(output.len()).map_or(true, |bytes| bytes > OUTPUT_BYTES) {
        return Err(format!("bd printed more than {} MiB", OUTPUT_BYTES / 1024 / 1024));
    }
    if status.success() {
        return Ok(output);
    }
    Err(format!("bd failed: {}", read::complaint(&heard.message).unwrap_or_else(|| status.to_string())))
}
