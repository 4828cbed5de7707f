//! Where a server may listen: on this machine alone, unless somebody says in so many words that others may come.

use std::net::{Ipv4Addr, SocketAddr};

use baton_app::Failure;
use baton_core::code::ErrorCode;

use super::tls::TlsFiles;
use crate::{gate::Scheme, site::Owner};

/// Where a server listens unless told otherwise.
pub const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7433);

/// Most connections at a time, unless told otherwise. One more is told so, and closed.
pub const CONNECTIONS_MAX: usize = 4_096;

/// Who may reach it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exposure {
    /// Programs on this machine.
    Loopback,
    /// Other machines, over TLS.
    Remote,
    /// Other machines, and everybody on the way reads along. For networks that are private already.
    RemoteInPlaintext,
}

/// What a server is started with.
#[derive(Clone)]
pub struct Settings {
    /// Where it listens. Port 0 is any that is free.
    pub listen: SocketAddr,
    /// Who may reach it.
    pub exposure: Exposure,
    /// How connections are encrypted, if they are.
    pub tls: Option<TlsFiles>,
    /// Other names that it goes by.
    pub hosts: Vec<String>,
    /// Most connections at a time.
    pub connections_max: usize,
    /// Whose it is.
    pub owner: Owner,
}

impl Settings {
    /// Whether connections are encrypted.
    pub(crate) fn scheme(&self) -> Scheme {
        if self.tls.is_some() { Scheme::Https } else { Scheme::Http }
    }

    /// Refuses to listen where somebody could come who was not meant to.
    pub(super) fn check(&self) -> Result<(), Failure> {
        let refused = |message: String, next: &str| {
            Err(Failure::new(ErrorCode::Forbidden, message).with("listen", self.listen.to_string()).advising(next))
        };
        let is_local = self.listen.ip().is_loopback();
        match (self.exposure, self.scheme()) {
            _ if is_local => Ok(()),
            (Exposure::Loopback, _) => refused(
                format!("{} can be reached from other machines.", self.listen),
                "Listen on 127.0.0.1, or say --allow-remote, with --tls-cert and --tls-key.",
            ),
            (Exposure::Remote, Scheme::Http) => refused(
                format!("Whoever is between {} and its clients would read their tokens.", self.listen),
                "Give --tls-cert and --tls-key; on a network that is private already, say --insecure-plaintext.",
            ),
            (Exposure::Remote, Scheme::Https) | (Exposure::RemoteInPlaintext, _) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{path::PathBuf, sync::Arc};

    use baton_testkit::ManualClock;

    use super::*;

    fn check(listen: &str, exposure: Exposure, tls: bool) -> bool {
        let owner =
            Owner { data: PathBuf::new(), id: "human:ana:http".parse().unwrap(), clock: Arc::new(ManualClock::new()) };
        let tls = tls.then(|| TlsFiles { certificate: PathBuf::new(), key: PathBuf::new() });
        let listen = listen.parse().unwrap();
        Settings { listen, exposure, tls, hosts: Vec::new(), connections_max: 1, owner }.check().is_ok()
    }

    #[test]
    fn other_machines_are_let_in_only_when_somebody_said_so_and_encrypted_unless_somebody_said_so_too() {
        for local in ["127.0.0.1:7433", "127.8.8.8:1", "[::1]:7433"] {
            assert!(check(local, Exposure::Loopback, false) && check(local, Exposure::Remote, false));
        }
        for remote in ["0.0.0.0:7433", "192.0.2.7:7433", "[::]:7433"] {
            assert!(!check(remote, Exposure::Loopback, false) && !check(remote, Exposure::Loopback, true));
            assert!(!check(remote, Exposure::Remote, false) && check(remote, Exposure::Remote, true));
            assert!(check(remote, Exposure::RemoteInPlaintext, false));
        }
    }
}
