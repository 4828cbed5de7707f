//! Where a server may listen: on this machine alone, unless somebody says in so many words that others may come.

use std::net::{Ipv4Addr, SocketAddr};

use baton_app::Failure;
use baton_core::code::ErrorCode;

use super::tls::TlsFiles;
use crate::{gate::Scheme, site::Owner};

/// Where a server listens unless told otherwise.
pub const LISTEN: SocketAddr = SocketAddr::new(std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), 7433);

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
