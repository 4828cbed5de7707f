//! The names that this server goes by, and so which `Host` and `Origin` a request may have.
//!
//! A page on the web can have its name point to this machine (DNS rebinding) and then talk to us as if it were our own; its
//! `Host` gives it away.

use std::net::SocketAddr;

use axum::http::{HeaderMap, HeaderName, Uri, header};
use baton_app::Failure;
use baton_core::{code::ErrorCode, limits};

/// Whether connections are encrypted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

impl Scheme {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    const fn usual_port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

/// What a request may call this server.
#[derive(Clone, Debug)]
pub struct Names {
    /// As `Host` has them, in lower case.
    hosts: Vec<String>,
    /// As `Origin` has them.
    origins: Vec<String>,
}

impl Names {
    /// The names of a server that listens at `address`: those of this machine's own loopback, the address itself, and
    /// `others`, which it has been given. Another name may come with a port, or without where a proxy stands before it.
    pub(crate) fn of(address: SocketAddr, scheme: Scheme, others: &[String]) -> Self {
        let mut names = Self { hosts: Vec::new(), origins: Vec::new() };
        let port = address.port();
        for own in ["localhost".to_owned(), "127.0.0.1".to_owned(), "[::1]".to_owned(), bracketed(address)] {
            names.add(&format!("{own}:{port}"), scheme);
            if port == scheme.usual_port() {
                names.add(&own, scheme);
            }
        }
        for other in others.iter().map(|other| other.to_ascii_lowercase()) {
            let has_port = other.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
            if !has_port {
                names.add(&format!("{other}:{port}"), scheme);
            }
            names.add(&other, scheme);
            // A proxy that encrypts for us.
            names.add(&other, Scheme::Https);
        }
        names
    }

    /// As `Host` has them.
    pub fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// As `Origin` has them.
    pub fn origins(&self) -> &[String] {
        &self.origins
    }

    fn add(&mut self, host: &str, scheme: Scheme) {
        self.hosts.push(host.to_owned());
        self.origins.push(format!("{}://{host}", scheme.as_str()));
    }

    /// Refuses a request that is meant for somebody else.
    pub(crate) fn check_host(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), Failure> {
        let host = only(headers, header::HOST)?
            .ok_or_else(|| forbidden("The request does not say which host it is for.", "host", ""))?;
        let named = uri.authority().map(|authority| authority.as_str());
        for name in [Some(host), named].into_iter().flatten() {
            if !self.hosts.contains(&name.to_ascii_lowercase()) {
                return Err(forbidden(
                    "This server does not go by the name that the request has for it.",
                    "host",
                    name,
                )
                .advising("Use the address that `baton up` printed; for another name start it with --host NAME."));
            }
        }
        Ok(())
    }

    /// Refuses a request from a page that is not this server's own. Tells whether it is from one.
    pub(crate) fn check_origin(&self, headers: &HeaderMap) -> Result<bool, Failure> {
        match only(headers, header::ORIGIN)? {
            None => Ok(false),
            Some(origin) if self.origins.iter().any(|own| own.eq_ignore_ascii_case(origin)) => Ok(true),
            Some(origin) => Err(forbidden("Pages of another origin have no business here.", "origin", origin)),
        }
    }
}

/// A header that is there once or not at all.
pub(crate) fn only(headers: &HeaderMap, name: HeaderName) -> Result<Option<&str>, Failure> {
    let mut values = headers.get_all(&name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    let text = value.to_str().ok().filter(|_| values.next().is_none());
    text.map(Some).ok_or_else(|| {
        let message = format!("The header {name} must be there once, and be plain text.");
        Failure::new(ErrorCode::InvalidInput, message).with("field", name.as_str())
    })
}

fn forbidden(message: &str, field: &str, shown: &str) -> Failure {
    let shown: String = shown.chars().take(limits::SHOWN_INPUT_CHARS).collect();
    Failure::new(ErrorCode::Forbidden, message).with(field, shown)
}

fn bracketed(address: SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn host(names: &Names, host: &str) -> bool {
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_str(host).unwrap())]);
        names.check_host(&Uri::from_static("/"), &headers).is_ok()
    }

    fn origin(names: &Names, origin: &str) -> bool {
        let headers = HeaderMap::from_iter([(header::ORIGIN, HeaderValue::from_str(origin).unwrap())]);
        names.check_origin(&headers).is_ok()
    }

    #[test]
    fn only_names_of_this_machine_with_the_right_port_are_hosts() {
        let names = Names::of("127.0.0.1:7433".parse().unwrap(), Scheme::Http, &[]);
        for own in ["localhost:7433", "127.0.0.1:7433", "[::1]:7433", "LOCALHOST:7433"] {
            assert!(host(&names, own), "{own}");
        }
        for foreign in
            ["localhost", "localhost:80", "evil.example:7433", "127.0.0.1.nip.io:7433", "localhost:7433.", ""]
        {
            assert!(!host(&names, foreign), "{foreign}");
        }
        assert!(names.check_host(&Uri::from_static("/"), &HeaderMap::new()).is_err());
        let headers = HeaderMap::from_iter([(header::HOST, HeaderValue::from_static("localhost:7433"))]);
        assert!(names.check_host(&Uri::from_static("http://evil.example/"), &headers).is_err());
        let mut twice = headers;
        twice.append(header::HOST, HeaderValue::from_static("localhost:7433"));
        assert!(names.check_host(&Uri::from_static("/"), &twice).is_err());
    }

    #[test]
    fn origins_are_exact() {
        let names = Names::of("127.0.0.1:7433".parse().unwrap(), Scheme::Http, &[]);
        assert!(origin(&names, "http://localhost:7433") && origin(&names, "http://127.0.0.1:7433"));
        for foreign in
            ["null", "https://localhost:7433", "http://localhost", "http://localhost:3000", "http://localhost:7433/"]
        {
            assert!(!origin(&names, foreign), "{foreign}");
        }
        assert_eq!(names.check_origin(&HeaderMap::new()).ok(), Some(false));
    }

    #[test]
    fn a_server_goes_by_other_names_when_it_is_told_so() {
        let others = ["Baton.Example".to_owned(), "proxy.example:8443".to_owned()];
        let names = Names::of("192.0.2.7:7433".parse().unwrap(), Scheme::Https, &others);
        for own in ["192.0.2.7:7433", "baton.example", "baton.example:7433", "proxy.example:8443"] {
            assert!(host(&names, own), "{own}");
        }
        assert!(!host(&names, "proxy.example") && !host(&names, "192.0.2.7"));
        assert!(origin(&names, "https://baton.example") && !origin(&names, "http://baton.example"));
    }
}
