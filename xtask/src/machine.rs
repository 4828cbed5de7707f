//! What the tests need from the machine, and how to get it.

use std::{path::Path, process::Command};

use baton_cluster::Programs;

use crate::run::{Outcome, run, say};

/// Something the tests run, and the Debian package it comes in.
struct Need {
    name: &'static str,
    package: &'static str,
    why: &'static str,
    found: fn(&Self) -> bool,
}

const NEEDS: &[Need] = &[
    Need {
        name: "git",
        package: "git",
        why: "workspaces, worktrees and drafted handoffs are tested on real repositories",
        found: on_path,
    },
    Need {
        name: "curl",
        package: "curl",
        why: "the worked session of docs/protocol.md is played with it",
        found: on_path,
    },
    Need { name: "python3", package: "python3", why: "the example client is a program for it", found: on_path },
    Need {
        name: "mount",
        package: "mount",
        why: "full and read-only disks are real small filesystems",
        found: on_path,
    },
    Need {
        name: "ip",
        package: "iproute2",
        why: "two machines are two network namespaces that can be cut off from each other",
        found: on_path,
    },
    Need {
        name: "setpriv",
        package: "util-linux",
        why: "the database server must not run as root, and must go when the tests do",
        found: on_path,
    },
    Need {
        name: "faketime",
        package: "faketime",
        why: "a wall clock that is set must take nobody's turn",
        found: on_path,
    },
    Need {
        name: POSTGRES,
        package: "postgresql",
        why: "everything stored is tested on a real server too",
        found: |_| Programs::find().is_ok(),
    },
];

/// What it takes to install the programs that agents run in, and to see their screens.
const FOR_CLIENTS: &[Need] = &[
    Need {
        name: "node",
        package: "nodejs",
        why: "npm, which installs the agents' programs, runs on it",
        found: on_path,
    },
    Need {
        name: "npm",
        package: "npm",
        why: "the agents' programs, which tests start, are its packages",
        found: on_path,
    },
    Need { name: "tmux", package: "tmux", why: "the agents' programs are tested in their screens", found: on_path },
];

/// What it takes to look at pages as people do.
const FOR_BROWSER: &[Need] = &[
    Need { name: "chromium", package: "chromium", why: "pages are tested in a real browser", found: on_path },
    Need { name: "chromedriver", package: "chromium-driver", why: "tests work the browser through it", found: on_path },
    Need {
        name: "npm",
        package: "npm",
        why: "axe-core, which looks for barriers on pages, is its package",
        found: on_path,
    },
];

/// What it takes to install and run suites that others wrote.
const FOR_SUITES: &[Need] = &[
    Need {
        name: "node",
        package: "nodejs",
        why: "npm, which installs the MCP suites, is a program for it",
        found: on_path,
    },
    Need { name: "npm", package: "npm", why: "the MCP suites are its packages", found: on_path },
    Need {
        name: "python3 -m venv",
        package: "python3-venv",
        why: "schemathesis is installed with it",
        found: |_| {
            Command::new("python3").args(["-c", "import ensurepip"]).output().is_ok_and(|said| said.status.success())
        },
    },
];

/// The server and `psql`, which must be of one version and are looked for together.
const POSTGRES: &str = "PostgreSQL";

/// Gets what every test run needs.
pub(crate) fn prepare() -> Outcome {
    obtain(NEEDS)
}

/// Gets what the installation of the agents' programs and their screens need.
pub(crate) fn prepare_for_clients() -> Outcome {
    obtain(FOR_CLIENTS)
}

/// Gets a browser, what drives it, and what axe-core is installed with.
pub(crate) fn prepare_for_browser() -> Outcome {
    obtain(FOR_BROWSER)
}

/// Gets what the suites that others wrote need.
pub(crate) fn prepare_for_suites() -> Outcome {
    obtain(FOR_SUITES)
}

/// Installs what is missing, and says plainly what could not be had.
fn obtain(needs: &[Need]) -> Outcome {
    let missing: Vec<&Need> = needs.iter().filter(|need| !(need.found)(need)).collect();
    if missing.is_empty() {
        return Ok(());
    }
    for need in &missing {
        say(&format!("{} is missing ({}): installing {}", need.name, need.why, need.package));
    }
    let installed = install(&missing);
    let still: Vec<&str> = missing.iter().filter(|need| !(need.found)(need)).map(|need| need.name).collect();
    if still.is_empty() {
        return Ok(());
    }
    let why = installed.err().unwrap_or_else(|| "the packages do not have them".to_owned());
    Err(format!("could not get {}: {why}\nInstall them by hand, then run the task again.", still.join(", ")))
}

fn install(missing: &[&Need]) -> Outcome {
    as_root(&["apt-get", "update"])?;
    if missing.iter().any(|need| need.name == POSTGRES) {
        without_main_cluster()?;
    }
    let packages: Vec<&str> = missing.iter().map(|need| need.package).collect();
    as_root(&[&["apt-get", "install", "--yes"], packages.as_slice()].concat())
}

/// Debian starts a server on the usual port with the package. Nobody asked for that one, so it is told not to, in the
/// configuration of a package that is installed before.
fn without_main_cluster() -> Outcome {
    const CONFIGURATION: &str = "/etc/postgresql-common/createcluster.conf";
    const SETTING: &str = "s/^#*create_main_cluster *=.*/create_main_cluster = false/";
    as_root(&["apt-get", "install", "--yes", "postgresql-common"])?;
    as_root(&["sed", "--in-place", SETTING, CONFIGURATION])?;
    as_root(&["grep", "--line-regexp", "create_main_cluster = false", CONFIGURATION])
}

fn as_root(words: &[&str]) -> Outcome {
    let root = std::fs::metadata("/proc/self").map(|me| std::os::unix::fs::MetadataExt::uid(&me) == 0).unwrap_or(false);
    // Through sudo or not, a package must not stop to ask.
    let mut command = Command::new(if root { "env" } else { "sudo" });
    if !root {
        command.arg("env");
    }
    command.arg("DEBIAN_FRONTEND=noninteractive").args(words);
    run(command)
}

fn on_path(need: &Need) -> bool {
    ["/usr/local/bin", "/usr/bin", "/bin", "/usr/sbin", "/sbin"]
        .iter()
        .any(|place| Path::new(place).join(need.name).exists())
        || Command::new(need.name).arg("--version").output().is_ok()
}
