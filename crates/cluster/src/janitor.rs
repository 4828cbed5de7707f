//! Removing the server's directory, whatever becomes of its starter.
//!
//! The janitor is a small shell in a process group of its own, where neither Ctrl-C nor a signal to the starter's
//! group reaches it; the end of a terminal it ignores. It reads a pipe that only the starter holds open. Once that
//! closes it sees the server out and removes the directory.

use std::{
    os::unix::process::CommandExt,
    path::{Path, PathBuf},
    process::{Child, Stdio},
};

use crate::{ClusterError, programs::plain};

/// `$1` is the directory. The kernel has asked the server to quit already; asking again covers a starter that died
/// before it could arrange for that. A pid alone proves nothing, so it must be a process that works in our data
/// directory. Ten seconds are twice what the server gives its sessions. An initdb that is cut off may still be writing
/// while its files are removed, hence more than one attempt.
const SCRIPT: &str = r#"
trap '' HUP INT TERM
cat
for attempt in $(seq 100); do
    read -r pid < "$1/data/postmaster.pid" || break
    test "$(readlink "/proc/$pid/cwd")" = "$1/data" || break
    kill -QUIT "$pid"
    sleep 0.1
done
for attempt in $(seq 10); do rm -rf -- "$1" && break; sleep 0.5; done
"#;

#[derive(Debug)]
pub(crate) struct Janitor {
    shell: Child,
    directory: PathBuf,
}

impl Janitor {
    /// Makes a directory in `place` that goes when the janitor is dropped, or with this process.
    pub(crate) fn with_directory(place: &Path) -> Result<Self, ClusterError> {
        let directory = tempfile::Builder::new()
            .prefix("baton-cluster-")
            .tempdir_in(place)
            .map_err(ClusterError::system("could not make a directory for the server"))?;
        let path =
            directory.path().canonicalize().map_err(ClusterError::system("could not resolve a new directory"))?;
        let shell = plain("sh")
            .args(["-c", SCRIPT, "janitor"])
            .arg(&path)
            .current_dir("/")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .process_group(0)
            .spawn()
            .map_err(ClusterError::system("could not start a shell"))?;
        // From here on the directory is the janitor's to remove.
        let _ = directory.keep();
        Ok(Self { shell, directory: path })
    }

    pub(crate) fn directory(&self) -> &Path {
        &self.directory
    }
}

impl Drop for Janitor {
    fn drop(&mut self) {
        // Waiting closes the pipe first.
        let _ = self.shell.wait();
    }
}
