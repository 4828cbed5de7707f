//! Asks `git`, with a bound on what it answers. How it is kept from executing anything is in [`crate::git`].

use std::{
    ffi::OsStr,
    io::{self, Read},
    path::{Path, PathBuf},
    thread,
};

use baton_core::code::ErrorCode;

use crate::{
    Failure,
    git::{Hooks, command},
};

/// What a caller needs besides reading: nothing, as a rule.
#[derive(Clone, Copy)]
pub(crate) enum Setup<'a> {
    /// The repository's own index, and no hooks.
    Plain,
    /// The index that git names to the hooks it runs; a relative path starts at the top of the working tree.
    Index(&'a OsStr),
    /// With the configuration that says where hooks are, for a question that runs none.
    HooksAsConfigured,
}

/// What git printed, perhaps not all of it.
struct Printed {
    bytes: Vec<u8>,
    was_cut: bool,
}

/// Runs git and gives the beginning of what it printed.
pub(super) fn run(root: &Path, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    printed(root, Setup::Plain, arguments).map(|printed| printed.bytes)
}

/// Runs git where half an answer would be a wrong one. `index` is the value of `GIT_INDEX_FILE` that a hook was
/// given; `root` is the top of the working tree then.
pub(super) fn run_whole(root: &Path, index: Option<&OsStr>, arguments: &[&str]) -> Result<Vec<u8>, Failure> {
    let printed = printed(root, index.map_or(Setup::Plain, Setup::Index), arguments)?;
    if printed.was_cut {
        return Err(failure("git printed more than can be looked at.".to_owned()));
    }
    Ok(printed.bytes)
}

/// Fails where there is nothing to compare with what is committed.
pub(super) fn must_have_working_tree(root: &Path) -> Result<(), Failure> {
    let inside = run(root, &["rev-parse", "--is-inside-work-tree"])?;
    if inside.trim_ascii() != b"true" {
        return Err(failure(format!("{} has no working tree.", root.display())));
    }
    Ok(())
}

/// The top of the working tree around `root`.
pub(super) fn top_level(root: &Path) -> Result<PathBuf, Failure> {
    must_have_working_tree(root)?;
    run(root, &["rev-parse", "--show-toplevel"]).map(|printed| path(line(&printed)))
}

/// Asks git for a path, hooks being where the configuration says.
pub(super) fn path_as_configured(root: &Path, arguments: &[&str]) -> Result<PathBuf, Failure> {
    printed(root, Setup::HooksAsConfigured, arguments).map(|printed| path(line(&printed.bytes)))
}

fn printed(root: &Path, setup: Setup<'_>, arguments: &[&str]) -> Result<Printed, Failure> {
    const OUTPUT_BYTES: u64 = 16 * 1024 * 1024;
    const MESSAGE_BYTES: u64 = 4 * 1024;
    let broken = |error: io::Error| failure(format!("git could not be run: {error}."));
    let hooks = if matches!(setup, Setup::HooksAsConfigured) { Hooks::AsConfigured } else { Hooks::Off };
    let (subcommand, more) = arguments.split_first().ok_or_else(|| failure("git was asked nothing.".to_owned()))?;
    let mut git = command(root, subcommand, hooks).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => failure("git was not found on PATH.".to_owned()),
        _ => broken(error),
    })?;
    if let Setup::Index(index) = setup {
        git.env("GIT_INDEX_FILE", index);
    }
    let mut child = git.args(more).spawn().map_err(broken)?;
    let (mut bytes, mut message) = (Vec::new(), Vec::new());
    let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
    // Both at once, or a full pipe of one would stop the other. What is over the bound is dropped with the pipe,
    // and git ends when it writes there.
    let read = thread::scope(|scope| {
        scope.spawn(|| stderr.map(|stream| drain(stream, &mut message, MESSAGE_BYTES)));
        stdout.map_or(Ok(0), |stream| stream.take(OUTPUT_BYTES).read_to_end(&mut bytes))
    });
    let status = child.wait().map_err(broken)?;
    read.map_err(broken)?;
    let was_cut = u64::try_from(bytes.len()).is_ok_and(|count| count == OUTPUT_BYTES);
    if status.success() || was_cut {
        return Ok(Printed { bytes, was_cut });
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
pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.trim_ascii()).into_owned()
}

/// The one line that was printed. A file name may end in blanks, so only the end of the line goes.
fn line(bytes: &[u8]) -> &[u8] {
    bytes.strip_suffix(b"\n").unwrap_or(bytes)
}

/// A path as git stores it, byte for byte.
#[cfg(unix)]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    OsStr::from_bytes(bytes).into()
}

/// A path as git stores it. Names that are not UTF-8 do not occur where paths are text.
#[cfg(not(unix))]
pub(crate) fn path(bytes: &[u8]) -> PathBuf {
    String::from_utf8_lossy(bytes).into_owned().into()
}

/// Why git cannot help here.
pub(super) fn failure(message: String) -> Failure {
    Failure::new(ErrorCode::InvalidInput, message)
        .advising("List the artifacts yourself instead of taking them from git.")
}
