//! How a server is set up, and what PostgreSQL's own files say then.

use std::fmt::Write;

/// How a server is set up.
#[derive(Clone, Debug)]
pub struct Options {
    /// Whether acknowledged commits survive the machine.
    pub durability: Durability,
    /// How the role `baton` logs in, over TCP and over the socket alike.
    pub authentication: Authentication,
    /// Offers TLS, beside plain connections.
    pub tls: Option<Tls>,
    /// The addresses to listen on. The first one is in [`Cluster::url`](crate::Cluster::url).
    pub listen: Vec<String>,
    /// How many sessions there may be at once.
    pub max_connections: u32,
    /// Further lines of `postgresql.conf`; a later one overrides an earlier one and everything above.
    pub settings: Vec<(String, String)>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            durability: Durability::Safe,
            authentication: Authentication::Trust,
            tls: None,
            listen: vec!["127.0.0.1".to_owned()],
            max_connections: 200,
            settings: Vec::new(),
        }
    }
}

/// Whether acknowledged commits survive the machine. They survive the server's own death either way, and its
/// settings are as PostgreSQL ships them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Durability {
    /// On a disk: for measuring.
    Safe,
    /// In memory, where there is enough of it: for tests.
    Fast,
}

/// How the role `baton` logs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Authentication {
    /// Everyone who connects is believed.
    Trust,
    /// SCRAM-SHA-256 with this password.
    Password(String),
}

/// The server's certificate and its key.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate, or a chain of them.
    pub certificate_pem: String,
    /// The private key.
    pub key_pem: String,
}

impl Authentication {
    /// The method's name in `pg_hba.conf` and for initdb.
    pub(crate) fn method(&self) -> &'static str {
        match self {
            Self::Trust => "trust",
            Self::Password(_) => "scram-sha-256",
        }
    }

    pub(crate) fn password(&self) -> Option<&str> {
        match self {
            Self::Trust => None,
            Self::Password(password) => Some(password),
        }
    }
}

impl Options {
    /// The text of `postgresql.conf`, less what differs from start to start.
    pub(crate) fn configuration(&self) -> String {
        let max_connections = self.max_connections.to_string();
        let listen = self.listen.join(",");
        let mut settings = vec![
            ("listen_addresses", listen.as_str()),
            ("max_connections", &max_connections),
            ("timezone", "UTC"),
            ("lc_messages", "C"),
        ];
        if self.durability == Durability::Fast {
            // The log's size is bounded because it may be in memory.
            settings.push(("max_wal_size", "256MB"));
        }
        if self.tls.is_some() {
            settings.extend([("ssl", "on"), ("ssl_cert_file", "server.crt"), ("ssl_key_file", "server.key")]);
        }
        settings.extend(self.settings.iter().map(|(name, value)| (name.as_str(), value.as_str())));
        settings.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = writeln!(text, "{name} = '{}'", value.replace('\'', "''"));
            text
        })
    }

    /// The text of `pg_hba.conf`. A `host` line is for connections with and without TLS, and from everywhere:
    /// `listen` says how far that reaches.
    pub(crate) fn access(&self) -> String {
        let method = self.authentication.method();
        format!("local all all {method}\nhost all all 0.0.0.0/0 {method}\nhost all all ::/0 {method}\n")
    }
}
