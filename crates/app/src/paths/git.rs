//! Runs `git` so that it only reads.
//!
//! None of the programs that a repository's configuration may name runs with it (hooks, pager, file-system
//! monitor, external diff, text conversion), except the filters without which git could not tell what changed. It
//! takes no locks, asks nobody, and its output is bounded.

use std::{
    io::{self, Read},
    path::Path,
    process::{Command, Stdio},
    thread,
};

use baton_core::code::ErrorCode;

use crate::Failure;

/// Variables that would point git elsewhere or make it run or say something else. A harness may itself have been
/// started from a git hook.
pub(super) const UNWANTED: [&str; 15] = [
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_COMMON_DIR",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_NAMESPACE",
    "GIT_PREFIX",
    "GIT_EXTERNAL_DIFF",
    "GIT_DIFF_OPTS",
    "GIT_PAGER",
    "GIT_CONFIG",
    "GIT_CONFIG_COUNT",
    "GIT_CONFIG_PARAMETERS",
    "GIT_LITERAL_PATHSPECS",
];

fn hardened(root: &Path) -> Command {
    let mut command = Command::new("git");
    command.arg("-C").arg(root).arg("--no-optional-locks").arg("--no-pager");
    for setting in ["core.hooksPath=/dev/null", "core.fsmonitor=false", "core.pager=cat", "core.quotePath=false"] {
        command.args(["-c", setting]);
    }
    for name in UNWANTED {
        command.env_remove(name);
    }
    command.env("GIT_CONFIG_NOSYSTEM", "1").env("GIT_TERMINAL_PROMPT", "0").env("LC_ALL", "C");
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

/// Runs git and gives the beginning of what it printed.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    const OUTPUT_BYTES: u64 = 16 * 1024 * 1024;
    const MESSAGE_BYTES: u64 = 4 * 1024;
    let broken = |error: io::Error| failure(format!("git could not be run: {error}."));
    let mut child = hardened(root).args(arguments).spawn().map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failure("git was not found on PATH.".to_owned()),
        _ => broken(error),
    })?;
    let (mut output, mut message) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Both at once, or a full pipe of one would stop the other. What is over the bound is dropped with the pipe,
    // and git ends when it writes there.
    let read = thread::scope(|scope| {
        scope.spawn(|| stderr.map(|stream| drain(stream, &mut message, MESSAGE_BYTES)));
        stdout.map_or(Ok(0), |stream| stream.take(OUTPUT_BYTES).read_to_end(&mut output))
    });
    let status = child.wait().map_err(broken)?;
    read.map_err(broken)?;
    let was_cut = u64::try_from(output.len()).is_ok_and(|bytes| bytes == OUTPUT_BYTES);
    if status.success() || was_cut {
        return Ok(output);
    }
    let said = text(&message);
    if said.contains("not a git repository") {
        return Err(failure(format!("{} is not in a git repository.", root.display())));
    }
    Err(failure(format!("git failed: {}", said.lines().next().unwrap_or("it did not say why"))))
}

/// Keeps the beginning and reads the rest away.
fn drain(mut stream: impl Read, kept: &mut Vec<u8>, bytes: u64) -> io::Result<u64> {
    stream.by_ref().take(bytes).read_to_end(kept)?;
    io::copy(&mut stream, &mut io::sink())
}

/// What was printed, without the end of the line.
pub(super) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}

/// Why git cannot help here.
pub(super) fn failure(message: String) -> Failure {
    Failure::new(ErrorCode::InvalidInput, message)
        .advising("List the artifacts yourself instead of taking them from git.")
}
