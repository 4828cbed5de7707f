//! What is encrypted and what is checked, with the meaning that libpq gives to `sslmode` and its files.
//!
//! This decides; `tls` builds. Two of libpq's rules are easy to miss. `require` checks the chain when there is a file
//! of root certificates, as `verify-ca` does. The system's roots serve `verify-full` only: with any other check, every
//! certificate that anyone was ever sold would do.

use std::path::{Path, PathBuf};

use tokio_postgres::{
    Config,
    config::{Host, SslMode, SslNegotiation},
};

use super::{BadAddress, parts::Parameters};

/// How a connection is secured.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::postgres) struct Security {
    pub(in crate::postgres) mode: Mode,
    pub(in crate::postgres) roots: Roots,
    pub(in crate::postgres) identity: Option<Identity>,
    pub(in crate::postgres) negotiation: Negotiation,
}

/// What is asked of the server, from nothing to everything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(in crate::postgres) enum Mode {
    /// No encryption.
    Disable,
    /// Encryption if the server has it.
    Prefer,
    /// Encryption, with whomever it may be.
    Require,
    /// A certificate that the roots vouch for.
    VerifyCa,
    /// And it has the server's name in it.
    VerifyFull,
}

/// Who vouches for servers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::postgres) enum Roots {
    /// Whom the system trusts.
    System,
    /// The certificates in a PEM file.
    File(PathBuf),
}

/// How the client shows who it is, besides a password.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::postgres) struct Identity {
    pub(in crate::postgres) certificate: PathBuf,
    pub(in crate::postgres) key: PathBuf,
}

/// How TLS begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::postgres) enum Negotiation {
    /// After asking the server whether it has TLS.
    Asked,
    /// At once, saying by ALPN which protocol is meant.
    Direct,
}

impl Mode {
    fn parse(text: &str) -> Result<Self, BadAddress> {
        match text {
            "disable" => Ok(Self::Disable),
            // libpq's `allow` tries without encryption first. Nobody gains by that.
            "allow" | "prefer" => Ok(Self::Prefer),
            "require" => Ok(Self::Require),
            "verify-ca" => Ok(Self::VerifyCa),
            "verify-full" => Ok(Self::VerifyFull),
            _ => Err(BadAddress::Value { name: "sslmode" }),
        }
    }

    /// What tokio-postgres needs to know of it; the rest is the connector's.
    pub(super) fn for_tokio_postgres(self) -> SslMode {
        match self {
            Self::Disable => SslMode::Disable,
            Self::Prefer => SslMode::Prefer,
            Self::Require | Self::VerifyCa | Self::VerifyFull => SslMode::Require,
        }
    }
}

/// The files that a URL names.
pub(super) struct Files {
    roots: Option<String>,
    certificate: Option<String>,
    key: Option<String>,
}

impl Files {
    pub(super) fn take(parameters: &mut Parameters) -> Result<Self, BadAddress> {
        let mut take = |name| Ok(parameters.take_text(name)?.filter(|path| !path.is_empty()));
        Ok(Self { roots: take("sslrootcert")?, certificate: take("sslcert")?, key: take("sslkey")? })
    }
}

impl Security {
    /// The files that it names.
    pub(super) fn files(&self) -> impl Iterator<Item = &Path> {
        let roots = match &self.roots {
            Roots::System => None,
            Roots::File(path) => Some(path.as_path()),
        };
        let identity =
            self.identity.iter().flat_map(|identity| [identity.certificate.as_path(), identity.key.as_path()]);
        roots.into_iter().chain(identity)
    }

    /// Settles what the URL and the environment say. `default_roots` counts if there is such a file.
    pub(super) fn settle(
        mode: Option<&str>,
        files: Files,
        default_roots: Option<&Path>,
        config: &Config,
    ) -> Result<Self, BadAddress> {
        let asked = mode.map(Mode::parse).transpose()?;
        let wants_system = files.roots.as_deref() == Some("system");
        let roots = match files.roots {
            Some(_) if wants_system => Roots::System,
            Some(path) => Roots::File(path.into()),
            None => default_roots.filter(|path| path.exists()).map_or(Roots::System, |path| Roots::File(path.into())),
        };
        let negotiation = match config.get_ssl_negotiation() {
            SslNegotiation::Direct => Negotiation::Direct,
            _ => Negotiation::Asked,
        };
        let mode = match (asked, &roots) {
            (None, _) if wants_system => Mode::VerifyFull,
            (Some(Mode::Require), Roots::File(_)) => Mode::VerifyCa,
            (asked, _) => asked.unwrap_or(Mode::Prefer),
        };
        let identity = match (files.certificate, files.key) {
            (None, None) => None,
            _ if mode == Mode::Disable => None,
            (Some(certificate), Some(key)) => Some(Identity { certificate: certificate.into(), key: key.into() }),
            _ => return Err(BadAddress::Security("sslcert and sslkey come together: one of them is missing")),
        };
        let security = Self { mode, roots, identity, negotiation };
        if config.get_hosts().iter().all(|host| matches!(host, Host::Unix(_))) {
            // A Unix socket has no TLS and needs none; libpq ignores the mode there, and so does this. Where only
            // some of the servers are sockets, whoever connects leaves TLS out for those.
            return Ok(Self { mode: Mode::Disable, identity: None, ..security });
        }
        security.check(wants_system)?;
        Ok(security)
    }

    fn check(&self, wants_system: bool) -> Result<(), BadAddress> {
        if wants_system && self.mode != Mode::VerifyFull {
            return Err(BadAddress::Security("sslrootcert=system goes only with sslmode=verify-full"));
        }
        if self.mode == Mode::VerifyCa && self.roots == Roots::System {
            return Err(BadAddress::Security(
                "sslmode=verify-ca needs a file of root certificates: give sslrootcert, or use sslmode=verify-full",
            ));
        }
        if self.negotiation == Negotiation::Direct && self.mode < Mode::Require {
            return Err(BadAddress::Security("sslnegotiation=direct needs sslmode=require, verify-ca or verify-full"));
        }
        Ok(())
    }
}
