//! Where a Postgres store is and how to get in, from a URL and what the environment adds, as libpq reads them.
//!
//! [`Address::parse`] is the whole of it: [`parts`] takes the text apart, [`security`] settles what is encrypted and
//! checked, tokio-postgres reads the parameters that it knows, and [`shown`] makes a text that anyone may see.
//! This module opens no connection, and it reads no environment: the caller does, and passes [`Hints`]. It looks at
//! the disk for a password file, for root certificates and for the directory of the server's socket, all of them
//! places that libpq would look at.
//!
//! What must stay true: no text made here, be it shown, debugged or an error, holds a password or a piece of one.
//! That is why the password is taken out before anything else reads the URL, why a URL that could be read in two ways
//! is refused instead of guessed at, and why errors name the part that is wrong and never repeat it.

mod bad;
mod hints;
mod parts;
mod security;
mod shown;
#[cfg(test)]
mod tests;

use std::{fmt, path::Path, time::Duration};

use tokio_postgres::{Config, config::Host};

use self::parts::{Parts, encode};
pub(super) use self::security::{Identity, Mode, Negotiation, Roots, Security};
pub use self::{
    bad::BadAddress,
    hints::{Hints, Secret},
};
use super::passfile::{self, Login};

/// Where Debian and most others put the server's socket.
const SOCKET_DIRECTORY: &str = "/var/run/postgresql";
const PORT: u16 = 5432;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// More is a mistake, and far more could not even be added to a clock.
const CONNECT_TIMEOUT_MAX: Duration = Duration::from_secs(24 * 60 * 60);
const KEEPALIVES_IDLE: Duration = Duration::from_secs(10);
const KEEPALIVES_INTERVAL: Duration = Duration::from_secs(5);
const KEEPALIVES_RETRIES: u32 = 3;
const TCP_USER_TIMEOUT: Duration = Duration::from_secs(20);

/// The parameters that are tokio-postgres' to read: as libpq names them, and as it does.
///
/// It knows a few more (`hostaddr`, `target_session_attrs`, `load_balance_hosts`) that only its own way of connecting
/// follows, which is not ours. They are refused like unknown ones, since to ignore them would be to do something else.
const PASSED_ON: &[(&str, &str)] = &[
    ("user", "user"),
    ("dbname", "dbname"),
    ("options", "options"),
    ("application_name", "application_name"),
    ("sslnegotiation", "sslnegotiation"),
    ("connect_timeout", "connect_timeout"),
    ("keepalives", "keepalives"),
    ("keepalives_idle", "keepalives_idle"),
    ("keepalives_interval", "keepalives_interval"),
    ("keepalives_retries", "keepalives_retries"),
    ("keepalives_count", "keepalives_retries"),
    ("channel_binding", "channel_binding"),
];

/// Where a Postgres store is and how to get in. Its text never shows the password.
#[derive(Clone)]
pub struct Address {
    pub(super) config: Config,
    pub(super) security: Security,
    shown: String,
    password_in_url: bool,
    warning: Option<String>,
}

impl Address {
    /// Reads a URL, and takes from `hints` what it leaves open.
    pub fn parse(url: &str, hints: &Hints) -> Result<Self, BadAddress> {
        let mut parts = Parts::split(url)?;
        let password = parts.take_password();
        let password_in_url = password.is_some();
        let mode_given = parts.parameters.take_text("sslmode")?;
        let tcp_user_timeout = take_tcp_user_timeout(&mut parts)?;
        let files = security::Files::take(&mut parts.parameters)?;

        let mut config = parse_passed_on(&parts)?;
        add_user_and_database(&mut config, &parts, hints)?;
        add_hosts(&mut config, &parts)?;
        let security = Security::settle(mode_given.as_deref(), files, hints.root_certificates.as_deref(), &config)?;
        config.ssl_mode(security.mode.for_tokio_postgres());
        add_defaults(&mut config, &parts, tcp_user_timeout);

        let mut warning = None;
        let password = password.or_else(|| hints.password.clone().and_then(Secret::unless_empty)).or_else(|| {
            let found = hints.password_file.as_deref().map(|path| passfile::find(path, &login(&config)));
            found.unwrap_or(Ok(None)).unwrap_or_else(|reason| {
                warning = Some(reason.to_string());
                None
            })
        });
        if let Some(password) = password {
            config.password(password.as_bytes());
        }
        let shown = shown::show(&config, mode_given.as_deref());
        Ok(Self { config, security, shown, password_in_url, warning })
    }

    /// A URL without its password, and the password, if it has one.
    pub fn without_password(url: &str) -> Result<(String, Option<Secret>), BadAddress> {
        parts::without_password(url)
    }

    /// A file that the address names by a path which means something else in another directory.
    pub fn relative_file(&self) -> Option<&Path> {
        self.security.files().find(|path| path.is_relative())
    }

    /// Whether the URL itself has a password, which others may see in a list of processes or in a shell's history.
    pub fn has_password_in_url(&self) -> bool {
        self.password_in_url
    }

    /// What a person should know, such as why the password file was ignored.
    pub fn warning(&self) -> Option<&str> {
        self.warning.as_deref()
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

/// libpq counts this one in milliseconds and tokio-postgres in seconds. The URL is libpq's.
fn take_tcp_user_timeout(parts: &mut Parts) -> Result<Option<Duration>, BadAddress> {
    let Some(text) = parts.parameters.take_text("tcp_user_timeout")? else { return Ok(Some(TCP_USER_TIMEOUT)) };
    let milliseconds: u32 = text.parse().map_err(|_| BadAddress::Value { name: "tcp_user_timeout" })?;
    Ok((milliseconds > 0).then(|| Duration::from_millis(milliseconds.into())))
}

/// Lets tokio-postgres read its parameters: each by itself first, so that an error can say which one is wrong.
fn parse_passed_on(parts: &Parts) -> Result<Config, BadAddress> {
    let mut url = "postgres:///?".to_owned();
    for (name, value) in parts.parameters.iter() {
        let Some(&(name, spelling)) = PASSED_ON.iter().find(|(known, _)| *known == name) else {
            return Err(parts.parameters.unknown(name));
        };
        let pair = format!("{spelling}={}&", encode(value, b""));
        format!("postgres:///?{pair}").parse::<Config>().map_err(|_| BadAddress::Value { name })?;
        url.push_str(&pair);
    }
    let config: Config = url.parse().map_err(|_| BadAddress::NotText { part: "address" })?;
    match config.get_connect_timeout() {
        Some(timeout) if *timeout > CONNECT_TIMEOUT_MAX => Err(BadAddress::Value { name: "connect_timeout" }),
        _ => Ok(config),
    }
}

fn add_user_and_database(config: &mut Config, parts: &Parts, hints: &Hints) -> Result<(), BadAddress> {
    let named = |name: Option<&str>| name.filter(|name| !name.is_empty()).map(str::to_owned);
    let user = named(config.get_user()).or(named(parts.user.as_deref())).or(named(hints.user.as_deref()));
    let user = user.ok_or(BadAddress::NoUser)?;
    if user.contains(':') {
        return Err(BadAddress::User);
    }
    let database = named(config.get_dbname()).or(named(parts.database.as_deref())).unwrap_or_else(|| user.clone());
    config.user(user).dbname(database);
    Ok(())
}

fn add_hosts(config: &mut Config, parts: &Parts) -> Result<(), BadAddress> {
    let mut hosts = parts.hosts.clone();
    if hosts.is_empty() {
        hosts.push(String::new());
    }
    let ports = match parts.ports.as_slice() {
        [] => vec![PORT; hosts.len()],
        [port] => vec![*port; hosts.len()],
        ports if ports.len() == hosts.len() => ports.to_vec(),
        ports => return Err(BadAddress::Ports { hosts: hosts.len(), ports: ports.len() }),
    };
    for (host, port) in hosts.iter().zip(ports) {
        match host.as_str() {
            "" => config.host(default_host(Path::new(SOCKET_DIRECTORY))),
            host => config.host(host),
        };
        config.port(port);
    }
    Ok(())
}

fn default_host(socket_directory: &Path) -> String {
    if socket_directory.is_dir() { socket_directory.display().to_string() } else { "localhost".to_owned() }
}

/// What the URL leaves open is set so that a server that went away is noticed in seconds, not in hours.
fn add_defaults(config: &mut Config, parts: &Parts, tcp_user_timeout: Option<Duration>) {
    let is_given = |name: &str| parts.parameters.iter().any(|(given, _)| given == name);
    if !is_given("connect_timeout") {
        config.connect_timeout(CONNECT_TIMEOUT);
    }
    if !is_given("keepalives_idle") {
        config.keepalives_idle(KEEPALIVES_IDLE);
    }
    if !is_given("keepalives_interval") {
        config.keepalives_interval(KEEPALIVES_INTERVAL);
    }
    if !is_given("keepalives_retries") && !is_given("keepalives_count") {
        config.keepalives_retries(KEEPALIVES_RETRIES);
    }
    if let Some(timeout) = tcp_user_timeout {
        config.tcp_user_timeout(timeout);
    }
}

/// Who logs in where, for the password file. Of several servers the first one counts.
fn login(config: &Config) -> Login {
    let hosts = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => vec![name.clone()],
        Some(Host::Unix(directory)) => vec!["localhost".to_owned(), directory.display().to_string()],
        None => Vec::new(),
    };
    Login {
        hosts,
        port: config.get_ports().first().copied().unwrap_or(PORT),
        database: config.get_dbname().unwrap_or_default().to_owned(),
        user: config.get_user().unwrap_or_default().to_owned(),
    }
}
