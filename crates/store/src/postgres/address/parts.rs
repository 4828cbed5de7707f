//! A Postgres URL taken apart, with percent-encoding undone.
//!
//! libpq stops a password at the first `@` and a host at the first `/` or `?`, so that a password with such a
//! character ends up, in part, as a host or a database, which everyone may see. Such URLs are refused here: an `@`
//! may stand only between the password and the servers.

use std::net::Ipv6Addr;

use super::{BadAddress, Secret};

/// What a URL says, before any default.
pub(super) struct Parts {
    pub(super) user: Option<String>,
    password: Option<Secret>,
    /// Names, addresses and directories; an empty one stands for the default.
    pub(super) hosts: Vec<String>,
    pub(super) ports: Vec<u16>,
    pub(super) database: Option<String>,
    pub(super) parameters: Parameters,
}

impl Parts {
    /// Takes `url` apart. Of what is said twice, the parameter counts, as with libpq.
    pub(super) fn split(url: &str) -> Result<Self, BadAddress> {
        let rest = ["postgres://", "postgresql://"].iter().find_map(|scheme| url.strip_prefix(scheme));
        let rest = rest.ok_or(BadAddress::Scheme)?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let (login, servers) = match authority.split_once('@') {
            Some((login, servers)) => (Some(login), servers),
            None => (None, authority),
        };
        if [servers, path, query].iter().any(|part| part.contains('@')) {
            return Err(BadAddress::StrayAt);
        }
        let (user, password) = match login.map(|login| login.split_once(':').unwrap_or((login, ""))) {
            Some((user, password)) => (Some(decode_text(user, "user")?), Some(decode(password, "password")?)),
            None => (None, None),
        };
        let mut parts = Self {
            user,
            password: password.map(Secret::new),
            hosts: Vec::new(),
            ports: Vec::new(),
            database: Some(decode_text(path, "database")?),
            parameters: Parameters::split(query)?,
        };
        parts.add_servers(servers)?;
        Ok(parts)
    }

    /// Takes the password out, so that nothing that reads the rest can show it.
    pub(super) fn take_password(&mut self) -> Option<Secret> {
        let parameter = self.parameters.take("password").map(Secret::new);
        let before_the_servers = self.password.take();
        parameter.and_then(Secret::unless_empty).or(before_the_servers.and_then(Secret::unless_empty))
    }

    fn add_servers(&mut self, servers: &str) -> Result<(), BadAddress> {
        let servers = if servers.is_empty() { Vec::new() } else { servers.split(',').collect() };
        for server in servers {
            let (host, port) = split_server(server)?;
            self.hosts.push(decode_text(host, "server")?);
            self.ports.push(parse_port(&decode_text(port, "port")?)?);
        }
        if let Some(hosts) = self.parameters.take_text("host")?.filter(|hosts| !hosts.is_empty()) {
            self.hosts = hosts.split(',').map(str::to_owned).collect();
        }
        if let Some(ports) = self.parameters.take_text("port")?.filter(|ports| !ports.is_empty()) {
            self.ports = ports.split(',').map(parse_port).collect::<Result<_, _>>()?;
        }
        if self.hosts.iter().all(|host| is_host(host)) { Ok(()) } else { Err(BadAddress::Host) }
    }
}

/// A URL without its password, and the password, for whoever keeps the two apart.
pub(super) fn without_password(url: &str) -> Result<(String, Option<Secret>), BadAddress> {
    let password = Parts::split(url)?.take_password();
    let (rest, query) = url.split_once('?').map_or((url, None), |(rest, query)| (rest, Some(query)));
    let (scheme, rest) = rest.split_once("://").ok_or(BadAddress::Scheme)?;
    let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let authority = match authority.split_once('@') {
        Some((login, servers)) => format!("{}@{servers}", login.split(':').next().unwrap_or_default()),
        None => authority.to_owned(),
    };
    let is_password = |pair: &&str| {
        let name = pair.split_once('=').map_or(*pair, |(name, _)| name);
        decode_text(name, "name of a parameter").is_ok_and(|name| name == "password")
    };
    let kept: Vec<&str> =
        query.unwrap_or_default().split('&').filter(|pair| !pair.is_empty() && !is_password(pair)).collect();
    let query = if kept.is_empty() { String::new() } else { format!("?{}", kept.join("&")) };
    Ok((format!("{scheme}://{authority}{path}{query}"), password))
}

/// The host and the port of one server, each as written. IPv6 addresses stand in brackets.
fn split_server(server: &str) -> Result<(&str, &str), BadAddress> {
    let Some(bracketed) = server.strip_prefix('[') else { return Ok(server.split_once(':').unwrap_or((server, ""))) };
    let (host, rest) = bracketed.split_once(']').ok_or(BadAddress::Host)?;
    match rest.strip_prefix(':') {
        Some(port) => Ok((host, port)),
        None if rest.is_empty() => Ok((host, "")),
        None => Err(BadAddress::Host),
    }
}

fn parse_port(text: &str) -> Result<u16, BadAddress> {
    match text {
        "" => Ok(super::PORT),
        text => text.parse().ok().filter(|port| *port > 0).ok_or(BadAddress::Port),
    }
}

/// Whether this can be a server at all: nothing, a directory, an IPv6 address, or a name of one word.
fn is_host(text: &str) -> bool {
    match text.split('%').next() {
        _ if text.starts_with('/') => true,
        Some(address) if text.contains(':') => address.parse::<Ipv6Addr>().is_ok(),
        _ => text.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_')),
    }
}

/// The parameters of a URL in their order. Values are bytes, since a password need not be text.
pub(super) struct Parameters {
    pairs: Vec<(String, Vec<u8>)>,
    names_may_be_secret: bool,
}

impl Parameters {
    fn split(query: &str) -> Result<Self, BadAddress> {
        let mut pairs = Vec::new();
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').ok_or(BadAddress::NoValue)?;
            let name = decode_text(name, "name of a parameter")?;
            let value = decode(value, "value of a parameter")?;
            pairs.push((name, value));
        }
        // A bare & in a password makes the rest of it look like a parameter.
        let names_may_be_secret = pairs.iter().any(|(name, _)| name.contains("pass"));
        Ok(Self { pairs, names_may_be_secret })
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.pairs.iter().map(|(name, value)| (name.as_str(), value.as_slice()))
    }

    /// Takes a parameter out; of several with one name, the last one counts.
    pub(super) fn take(&mut self, name: &str) -> Option<Vec<u8>> {
        self.pairs.extract_if(.., |(given, _)| given == name).map(|(_, value)| value).last()
    }

    /// Takes out a parameter that must be text.
    pub(super) fn take_text(&mut self, name: &'static str) -> Result<Option<String>, BadAddress> {
        let value = self.take(name).map(String::from_utf8).transpose();
        value.map_err(|_| BadAddress::Value { name })
    }

    /// The error for a parameter that nobody knows, with its name unless that could be a piece of a password.
    pub(super) fn unknown(&self, name: &str) -> BadAddress {
        let is_name = !name.is_empty() && name.len() <= 40 && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
        // libpq's own parameters about passwords are names for certain.
        let is_known = ["passfile", "sslpassword", "requirepeer", "require_auth"].contains(&name);
        if is_known || (is_name && !self.names_may_be_secret) {
            BadAddress::UnknownParameter { name: name.to_owned() }
        } else {
            BadAddress::UnnamedParameter
        }
    }
}

/// Undoes percent-encoding, strictly: a stray `%` is more likely a forgotten `%25` than meant.
fn decode(text: &str, part: &'static str) -> Result<Vec<u8>, BadAddress> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        rest = after;
        if first != b'%' {
            bytes.push(first);
            continue;
        }
        let Some((&[high, low], after)) = rest.split_first_chunk() else { return Err(BadAddress::Percent { part }) };
        let digit = |byte: u8| char::from(byte).to_digit(16).ok_or(BadAddress::Percent { part });
        bytes.push((digit(high)? * 16 + digit(low)?) as u8);
        rest = after;
    }
    if bytes.contains(&0) { Err(BadAddress::NotText { part }) } else { Ok(bytes) }
}

fn decode_text(text: &str, part: &'static str) -> Result<String, BadAddress> {
    String::from_utf8(decode(text, part)?).map_err(|_| BadAddress::NotText { part })
}

/// Percent-encodes all but letters, digits and a few marks. The result is also safe to show on a terminal.
pub(super) fn encode(bytes: &[u8], kept: &[u8]) -> String {
    let is_kept = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) || kept.contains(&byte);
    let encoded = |byte: &u8| if is_kept(*byte) { char::from(*byte).to_string() } else { format!("%{byte:02X}") };
    bytes.iter().map(encoded).collect()
}
