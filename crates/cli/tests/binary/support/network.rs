//! Two machines and a server that both can reach, each over a cable of its own.
//!
//! Needs root for the cables. Where they cannot be had, the machines differ by name and processes only, share this
//! host's network, and stand still instead of being cut off; the test says so in its output.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    io::{Write, stderr},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use baton_cluster::{Cluster, Durability, Options};

use super::{Machine, World};

/// What sets a machine apart from this host, beside its name and its processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// A network of its own.
    Network,
    /// No more.
    None,
    /// No more, and without root.
    NoneAsUser,
}

impl Isolation {
    pub(super) fn unshare(self) -> &'static [&'static str] {
        match self {
            Self::Network => &["--net"],
            Self::None => &[],
            Self::NoneAsUser => &["--user", "--map-root-user"],
        }
    }

    pub(super) fn nsenter(self) -> &'static [&'static str] {
        match self {
            Self::Network => &["--net"],
            Self::None => &[],
            Self::NoneAsUser => &["--user", "--preserve-credentials"],
        }
    }
}

/// A cable between a machine and this host, where the server is. It goes with the machine.
pub(super) struct Cable {
    /// This host's end.
    end: String,
    /// This host's address on it.
    address: String,
}

impl Cable {
    /// Lays a cable to `machine`, with addresses that nobody else in this test run has.
    fn lay(machine: &Machine) -> Result<Self, String> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let (process, number) = (std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        let end = format!("bt{process}m{number}");
        let net = format!("10.{}.{}", 64 + process / 256 % 64, process % 256);
        let (here, there) = (format!("{net}.{}", number % 64 * 4 + 1), format!("{net}.{}", number % 64 * 4 + 2));
        let target = machine.first().as_raw_nonzero().to_string();
        ip(&["link", "add", &end, "type", "veth", "peer", "name", "eth0", "netns", &target])?;
        ip(&["address", "add", &format!("{here}/30"), "dev", &end])?;
        ip(&["link", "set", &end, "up"])?;
        machine.run(&["ip", "address", "add", &format!("{there}/30"), "dev", "eth0"])?;
        machine.run(&["ip", "link", "set", "eth0", "up"])?;
        Ok(Self { end, address: here })
    }

    pub(super) fn pull(&self) {
        ip(&["link", "set", &self.end, "down"]).unwrap();
    }

    pub(super) fn plug(&self) {
        ip(&["link", "set", &self.end, "up"]).unwrap();
    }
}

impl Drop for Cable {
    fn drop(&mut self) {
        // Gone already when its machine is.
        let _ = ip(&["link", "delete", &self.end]);
    }
}

fn ip(arguments: &[&str]) -> Result<(), String> {
    let output = Command::new("ip").args(arguments).output().map_err(|error| format!("ip: {error}"))?;
    let complaint = || format!("ip {}: {}", arguments.join(" "), String::from_utf8_lossy(&output.stderr));
    if output.status.success() { Ok(()) } else { Err(complaint()) }
}

/// Two machines with the same workspace, and a store on a server.
pub(crate) struct Network {
    pub(crate) a: Machine,
    pub(crate) b: Machine,
    /// As seen from this host, which is neither of the machines.
    pub(crate) world: World,
    _server: Cluster,
}

impl Network {
    pub(crate) fn new() -> Self {
        let [mut a, mut b] = cabled().unwrap_or_else(|complaint| {
            // Past the test harness, which shows only what tests that fail have said.
            let _ = writeln!(stderr(), "no network namespaces, so two machines are two host names only: {complaint}");
            uncabled()
        });
        let local = || "127.0.0.1".to_owned();
        let seen_from = |machine: &Machine| machine.cable.as_ref().map_or_else(local, |cable| cable.address.clone());
        let mut listen = vec![local(), seen_from(&a), seen_from(&b)];
        listen.dedup();
        let server = Cluster::start(Options { durability: Durability::Fast, listen, ..Options::default() }).unwrap();
        server.create_database("baton").unwrap();
        let url = server.url("baton");
        for machine in [&mut a, &mut b] {
            machine.store = url.replace(&local(), &seen_from(machine));
        }
        Self { a, b, world: World::at(url), _server: server }
    }
}

fn cabled() -> Result<[Machine; 2], String> {
    let cabled = |name| {
        let mut machine = Machine::boot(name, Isolation::Network)?;
        machine.cable = Some(Cable::lay(&machine)?);
        Ok::<_, String>(machine)
    };
    Ok([cabled("machine-a")?, cabled("machine-b")?])
}

fn uncabled() -> [Machine; 2] {
    ["machine-a", "machine-b"].map(|name| {
        Machine::boot(name, Isolation::None)
            .or_else(|_| Machine::boot(name, Isolation::NoneAsUser))
            .unwrap_or_else(|complaint| panic!("this machine grants no namespaces at all; run as root: {complaint}"))
    })
}
