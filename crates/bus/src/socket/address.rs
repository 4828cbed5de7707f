//! Where the socket is.
//!
//! It is where it was asked for, `<data>/bus.sock` by default. A path that is too long for a socket gets a short one in
//! a private directory of the user, and a file beside the place that was asked for says which, so that clients
//! need to know only that.

use std::{
    fs::{self, DirBuilder, OpenOptions},
    hash::{DefaultHasher, Hash, Hasher},
    io::{self, Write},
    os::unix::{
        ffi::OsStrExt,
        fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    },
    path::{Path, PathBuf},
};

use baton_app::{Failure, environment::Environment};
use baton_core::code::ErrorCode;

/// The socket's name in the data directory.
pub const FILE_NAME: &str = "bus.sock";
/// Longest path that a socket can have.
pub const PATH_BYTES: usize = 107;
/// What the file is called that says where the socket is, instead of the socket.
const POINTER_EXTENSION: &str = "addr";
const DIRECTORY_MODE: u32 = 0o700;
const FILE_MODE: u32 = 0o600;

/// Where a client finds the socket that was asked for at `wanted`.
pub fn find(wanted: &Path) -> PathBuf {
    if fits(wanted) {
        return wanted.to_owned();
    }
    // Without the file nobody listens, and connecting to the long path says so.
    fs::read_to_string(pointer(wanted)).map_or_else(|_| wanted.to_owned(), |path| path.trim_end().into())
}

/// Where the server listens when it was asked to at `wanted`. Makes the directory, private to the user.
pub(super) fn place(wanted: &Path, environment: &Environment) -> Result<PathBuf, Failure> {
    if let Some(directory) = wanted.parent().filter(|directory| !directory.as_os_str().is_empty()) {
        make(directory)?;
    }
    if fits(wanted) {
        return Ok(wanted.to_owned());
    }
    let directory = runtime_directory(environment);
    make(&directory)?;
    require_private(&directory)?;
    let mut hasher = DefaultHasher::new();
    wanted.hash(&mut hasher);
    let short = directory.join(format!("{:016x}.sock", hasher.finish()));
    if !fits(&short) {
        let message = format!("{} is too long for a socket, and so is {}.", wanted.display(), short.display());
        return Err(Failure::new(ErrorCode::InvalidPath, message).advising("Name a shorter path with --socket."));
    }
    Ok(short)
}

/// Tells clients where the socket is, if it is not where it was asked for.
pub(super) fn point(wanted: &Path, actual: &Path) -> Result<(), Failure> {
    if wanted == actual {
        return Ok(());
    }
    let pointer = pointer(wanted);
    let written = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(FILE_MODE)
        .open(&pointer)
        .and_then(|mut file| writeln!(file, "{}", actual.display()));
    written.map_err(|error| trouble(&pointer, &error))
}

/// Forgets where the socket was.
pub(super) fn forget(wanted: &Path, actual: &Path) {
    if wanted != actual {
        let _ = fs::remove_file(pointer(wanted));
    }
}

/// A failure of the file system.
pub(super) fn trouble(path: &Path, error: &io::Error) -> Failure {
    let message = format!("The socket cannot be made: {}: {error}.", path.display());
    Failure::new(ErrorCode::StoreUnavailable, message).advising("Name a place that you may write with --socket.")
}

fn fits(path: &Path) -> bool {
    path.as_os_str().as_bytes().len() <= PATH_BYTES
}

fn pointer(wanted: &Path) -> PathBuf {
    wanted.with_extension(POINTER_EXTENSION)
}

fn runtime_directory(environment: &Environment) -> PathBuf {
    let given = environment.var_os("XDG_RUNTIME_DIR").map(Path::new).filter(|directory| directory.is_absolute());
    match given {
        Some(directory) => directory.join("baton"),
        None => format!("/tmp/baton-{}", rustix::process::geteuid().as_raw()).into(),
    }
}

fn make(directory: &Path) -> Result<(), Failure> {
    if fs::metadata(directory).is_ok_and(|found| found.is_dir()) {
        return Ok(());
    }
    let made = DirBuilder::new().recursive(true).mode(DIRECTORY_MODE).create(directory);
    made.map_err(|error| trouble(directory, &error))
}

/// A directory that others can write to could be somebody else's trap.
fn require_private(directory: &Path) -> Result<(), Failure> {
    let found = fs::symlink_metadata(directory).map_err(|error| trouble(directory, &error))?;
    let is_ours = found.is_dir() && found.uid() == rustix::process::geteuid().as_raw();
    if is_ours && found.mode() & 0o077 == 0 {
        return Ok(());
    }
    let message = format!("{} is not a directory that only you may use.", directory.display());
    Err(Failure::new(ErrorCode::Forbidden, message)
        .with("path", directory.display().to_string())
        .advising("Remove it, or name a shorter path with --socket."))
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_path_that_is_too_long_gets_a_short_one_and_clients_find_it() {
        let directory = tempfile::tempdir().unwrap();
        let runtime = directory.path().join("run");
        let environment = Environment::of([("XDG_RUNTIME_DIR", &runtime)], "/");
        let short = directory.path().join(FILE_NAME);
        assert_eq!(place(&short, &environment).unwrap(), short);
        assert_eq!(find(&short), short);

        let long = directory.path().join("x".repeat(PATH_BYTES)).join(FILE_NAME);
        let actual = place(&long, &environment).unwrap();
        assert_eq!(actual.parent(), Some(&*runtime.join("baton")));
        assert_eq!(fs::metadata(runtime.join("baton")).unwrap().mode() & 0o777, 0o700);
        assert_eq!(find(&long), long, "nobody listens yet");
        point(&long, &actual).unwrap();
        assert_eq!(find(&long), actual);
        forget(&long, &actual);
        assert_eq!(find(&long), long);

        fs::set_permissions(runtime.join("baton"), fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(place(&long, &environment).unwrap_err().code, ErrorCode::Forbidden);
    }
}
