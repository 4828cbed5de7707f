//! The screens of a program whose conversations live in a server in the background.
//!
//! Such a server outlives its screens, so its own death says nothing about a session, and it tells no hook which screen a
//! conversation is at. A screen is found as a process of the same program at a terminal in the session's directory.

use std::path::Path;

use baton_core::process::ProcessIdentity;
use baton_harness::Harness;

/// The program's screens in a directory, one process for each terminal, oldest first.
#[cfg(target_os = "linux")]
pub fn screens(harness: Harness, directory: &Path) -> Vec<ProcessIdentity> {
    use std::{collections::BTreeMap, fs, os::unix::fs::MetadataExt as _};

    let Ok(processes) = fs::read_dir("/proc") else { return Vec::new() };
    let user = rustix::process::geteuid().as_raw();
    let mut by_terminal = BTreeMap::new();
    for entry in processes.flatten() {
        let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse::<u32>().ok()) else { continue };
        let is_own = entry.metadata().is_ok_and(|metadata| metadata.uid() == user);
        let is_there = || fs::read_link(entry.path().join("cwd")).is_ok_and(|cwd| cwd == directory);
        let Some(seen) = super::ancestry::one(pid).filter(|_| is_own && is_there()) else { continue };
        let Some(stat) = crate::liveness::seen(pid).filter(|stat| stat.terminal != 0) else { continue };
        let is_screen = Harness::of_process(&seen.comm, &seen.argv) == Some(harness) && !harness.is_server(&seen.argv);
        let Some(identity) = seen.identity.filter(|_| is_screen) else { continue };
        // A launcher and its program are two processes at one terminal.
        by_terminal
            .entry(stat.terminal)
            .and_modify(|known: &mut ProcessIdentity| {
                if identity.start_ticks < known.start_ticks {
                    known.clone_from(&identity);
                }
            })
            .or_insert(identity);
    }
    let mut screens: Vec<ProcessIdentity> = by_terminal.into_values().collect();
    screens.sort_by_key(|screen| (screen.start_ticks, screen.pid));
    screens
}

/// Nothing can be seen of processes here.
#[cfg(not(target_os = "linux"))]
pub fn screens(_harness: Harness, _directory: &Path) -> Vec<ProcessIdentity> {
    Vec::new()
}
