//! One spelling for every directory.

use std::{
    fs, io,
    path::{Component, Path, PathBuf},
};

use baton_core::{code::ErrorCode, limits};
use rustix::{
    fs::{CWD, Mode, OFlags, ResolveFlags, openat2},
    io::Errno,
};

use super::casing::{self, Disk};
use crate::Failure;

/// The canonical path of the directory that `path` is or lies in. Relative paths start at `cwd`.
pub fn canonical(path: &Path, cwd: &Path) -> Result<String, Failure> {
    if path.as_os_str().is_empty() {
        return Err(invalid(path, "is empty"));
    }
    if path.as_os_str().len() > limits::PATH_BYTES {
        return Err(invalid(path, "is too long"));
    }
    if path.is_relative() && cwd.as_os_str().is_empty() {
        let failure = invalid(path, "is relative, and a server does not know to what");
        return Err(failure.advising("Send an absolute path."));
    }
    let mut real = real(&cwd.join(path)).map_err(|error| unreachable(path, &error))?;
    let is_dir = fs::metadata(&real).map_err(|error| unreachable(path, &error))?.is_dir();
    if !is_dir {
        real.pop();
    }
    let real = casing::as_stored(&real, &Disk);
    match real.to_str() {
        Some(text) if text.len() <= limits::PATH_BYTES => Ok(text.to_owned()),
        Some(_) => Err(invalid(path, "leads to a path that is too long")),
        None => Err(invalid(path, "is not valid UTF-8")),
    }
}

/// The real path of what is at `path`, as [`fs::canonicalize`] tells it.
///
/// Paths that Baton keeps are real already. The kernel confirms that in one call, where `canonicalize` makes one for each
/// component, and each handoff asks.
pub(crate) fn real(path: &Path) -> io::Result<PathBuf> {
    let plain: PathBuf = path.components().collect();
    // With `..`, a doubled or a last slash the kernel would confirm another path than the one written.
    let is_plain = path.is_absolute()
        && plain.as_os_str() == path.as_os_str()
        && !path.components().any(|part| part == Component::ParentDir);
    if is_plain {
        let flags = OFlags::PATH | OFlags::CLOEXEC;
        match openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS) {
            Ok(_) => return Ok(plain),
            Err(error @ (Errno::NOENT | Errno::NOTDIR)) => return Err(error.into()),
            // A link, or a kernel or sandbox without this call.
            Err(_) => {}
        }
    }
    fs::canonicalize(path)
}

fn unreachable(path: &Path, error: &io::Error) -> Failure {
    match error.kind() {
        io::ErrorKind::InvalidFilename => invalid(path, "is too long"),
        io::ErrorKind::InvalidInput => invalid(path, "holds a NUL byte"),
        io::ErrorKind::NotFound => failure(ErrorCode::PathNotFound, path, "does not exist"),
        io::ErrorKind::PermissionDenied => failure(ErrorCode::PathNotFound, path, "may not be read"),
        io::ErrorKind::NotADirectory => failure(ErrorCode::PathNotFound, path, "leads through a file"),
        _ => failure(ErrorCode::PathNotFound, path, &format!("cannot be reached ({error})")),
    }
}

fn invalid(path: &Path, problem: &str) -> Failure {
    failure(ErrorCode::InvalidPath, path, problem)
}

fn failure(code: ErrorCode, path: &Path, problem: &str) -> Failure {
    // The message repeats what was asked, but not a megabyte of it.
    let shown: String = path.to_string_lossy().chars().take(limits::PATH_BYTES).collect();
    let sentence: String = shown.chars().take(limits::SHOWN_INPUT_CHARS * 4).collect();
    Failure::new(code, format!("The path {sentence:?} {problem}.")).with("path", shown)
}
