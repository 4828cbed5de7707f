//! Where PostgreSQL's programs are, and how they are run.
//!
//! Debian keeps them off `PATH`; what it puts there, such as `psql`, is a slow wrapper. So we look for the directory
//! that has all of them and run them from there, without the caller's environment: a stray `PGHOST` is not for us.
#![expect(clippy::disallowed_methods, reason = "PATH says which PostgreSQL is meant; nothing else is read")]

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Output},
};

use crate::ClusterError;

const NEEDED: &[&str] = &["initdb", "postgres", "pg_isready", "psql"];

/// A directory with all of PostgreSQL's programs.
#[derive(Clone, Debug)]
pub struct Programs {
    directory: PathBuf,
}

impl Programs {
    /// Finds the PostgreSQL that `PATH` leads to, or else the newest of the Debian packages.
    pub fn find() -> Result<Self, ClusterError> {
        let path = env::var_os("PATH").unwrap_or_default();
        let on_path = env::split_paths(&path).filter_map(|place| {
            let initdb = fs::canonicalize(place.join("initdb")).ok()?;
            initdb.parent().map(Path::to_owned)
        });
        on_path
            .chain(packaged())
            .find(|directory| NEEDED.iter().all(|program| directory.join(program).is_file()))
            .map(|directory| Self { directory })
            .ok_or(ClusterError::NotInstalled)
    }

    /// Where the programs are.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    pub(crate) fn path(&self, program: &str) -> PathBuf {
        self.directory.join(program)
    }

    /// One of the programs, to be run as we are.
    pub(crate) fn command(&self, program: &str) -> Command {
        plain(self.path(program))
    }
}

/// A command without the caller's environment.
pub(crate) fn plain(program: impl AsRef<std::ffi::OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env_clear().env("PATH", "/usr/local/bin:/usr/bin:/bin").env("LC_ALL", "C").env("TZ", "UTC");
    command
}

/// Runs a command to its end and returns what it printed.
pub(crate) fn output(mut command: Command, program: &str) -> Result<String, ClusterError> {
    let Output { status, stdout, stderr } =
        command.output().map_err(ClusterError::system(format!("could not run {program}")))?;
    if !status.success() {
        let said = [stderr, stdout].concat();
        let output = format!("{status}\n{}", String::from_utf8_lossy(&said).trim_end());
        return Err(ClusterError::Program { program: program.to_owned(), output });
    }
    Ok(String::from_utf8_lossy(&stdout).trim_end_matches('\n').to_owned())
}

/// What Debian's packages have installed, newest first.
fn packaged() -> Vec<PathBuf> {
    let version = |path: &Path| path.file_name()?.to_str()?.parse::<u32>().ok();
    let entries = fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> =
        entries.filter_map(|entry| Some((version(&entry.path())?, entry.path().join("bin")))).collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, directory)| directory).collect()
}
