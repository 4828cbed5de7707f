//! Another process of this user, as far as it can be seen: its environment and its directory.
//!
//! Everything is as it was when that process started its program, except the directory. What cannot be read is left
//! out, as for a process that has ended.

use crate::environment::Environment;

/// Most bytes of another process's environment. The kernel allows more; nobody who says who they are needs it.
#[cfg(target_os = "linux")]
const ENVIRONMENT_BYTES: u64 = 1024 * 1024;

/// The environment of process `pid`.
#[cfg(target_os = "linux")]
pub(super) fn environment(pid: u32) -> Environment {
    use std::{
        ffi::OsStr,
        fs::{self, File},
        io::Read,
        os::unix::ffi::OsStrExt,
    };

    let mut text = Vec::new();
    let file = File::open(format!("/proc/{pid}/environ"));
    if file.and_then(|file| file.take(ENVIRONMENT_BYTES).read_to_end(&mut text)).is_err() {
        text.clear();
    }
    let variables = text.split(|byte| *byte == 0).filter_map(|line| {
        let equals = line.iter().position(|byte| *byte == b'=')?;
        Some((OsStr::from_bytes(&line[..equals]), OsStr::from_bytes(&line[equals + 1..])))
    });
    let cwd = fs::read_link(format!("/proc/{pid}/cwd")).unwrap_or_else(|_| "/".into());
    Environment::of(variables, cwd)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn environment(_pid: u32) -> Environment {
    Environment::default()
}
