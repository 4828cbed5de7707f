//! What the tests need from the machine, and how to get it.

use std::{path::Path, process::Command};

use crate::run::{Outcome, run, say};

/// A program the tests run, and the Debian package it comes in.
struct Need {
    program: &'static str,
    package: &'static str,
    why: &'static str,
}

const NEEDS: &[Need] = &[
    Need {
        program: "git",
        package: "git",
        why: "workspaces, worktrees and drafted handoffs are tested on real repositories",
    },
    Need { program: "mount", package: "mount", why: "full and read-only disks are real small filesystems" },
];

/// Installs what is missing, and says plainly what could not be had.
pub(crate) fn prepare() -> Outcome {
    let missing: Vec<&Need> = NEEDS.iter().filter(|need| !on_path(need.program)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        say(&format!("{} is missing ({}): installing {}", need.program, need.why, need.package));
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    let installed = apt(&["update"]).and_then(|()| apt(&[&["install", "--yes"], packages.as_slice()].concat()));
    let still: Vec<&str> = missing.iter().map(|need| need.program).filter(|program| !on_path(program)).collect();
    if still.is_empty() {
        return Ok(());
    }
    let why = installed.err().unwrap_or_else(|| "the packages do not have them".to_owned());
    Err(format!("could not get {}: {why}\nInstall them by hand, then run `cargo xtask test` again.", still.join(", ")))
}

fn apt(arguments: &[&str]) -> Outcome {
    let root = std::fs::metadata("/proc/self").map(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0).unwrap_or(false);
    let mut command = Command::new(if root { "apt-get" } else { "sudo" });
    if !root {
        command.arg("apt-get");
    }
    command.args(arguments).env("DEBIAN_FRONTEND", "noninteractive");
    run(command)
}

fn on_path(program: &str) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|place| Path::new(place).join(program).exists())
        || Command::new(program).arg("--version").output().is_ok()
}
