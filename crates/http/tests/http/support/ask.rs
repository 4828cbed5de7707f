//! A request, as it goes over the wire.

use std::fmt::Write;

use serde_json::Value;

/// What is asked.
#[derive(Clone, Debug)]
pub(crate) struct Ask {
    method: &'static str,
    path: String,
    host: Option<String>,
    headers: Vec<(String, String)>,
    body: String,
}

impl Ask {
    pub(crate) fn new(method: &'static str, path: &str) -> Self {
        Self { method, path: path.to_owned(), host: None, headers: Vec::new(), body: String::new() }
    }

    pub(crate) fn get(path: &str) -> Self {
        Self::new("GET", path)
    }

    pub(crate) fn post(path: &str) -> Self {
        Self::new("POST", path)
    }

    /// Calls a command.
    pub(crate) fn call(command: &str, input: Value) -> Self {
        Self::post(&format!("/v1/call/{command}")).json(input)
    }

    pub(crate) fn host(mut self, host: &str) -> Self {
        self.host = Some(host.to_owned());
        self
    }

    pub(crate) fn header(mut self, name: &str, value: &str) -> Self {
        self.headers.push((name.to_owned(), value.to_owned()));
        self
    }

    pub(crate) fn token(self, token: &str) -> Self {
        self.header("Authorization", &format!("Bearer {token}"))
    }

    pub(crate) fn agent(self, agent: &str) -> Self {
        self.header("Baton-Agent", agent)
    }

    pub(crate) fn stream(self) -> Self {
        self.header("Accept", "text/event-stream")
    }

    pub(crate) fn json(self, body: Value) -> Self {
        self.body(&body.to_string())
    }

    pub(crate) fn body(mut self, body: &str) -> Self {
        self.body = body.to_owned();
        self
    }

    /// The bytes of it, for a server that is called `host` unless the request says otherwise.
    pub(crate) fn text(&self, host: &str) -> String {
        let Self { method, path, headers, body, .. } = self;
        let host = self.host.as_deref().unwrap_or(host);
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {host}\r\n");
        for (name, value) in headers {
            let _ = write!(text, "{name}: {value}\r\n");
        }
        if !body.is_empty() || *method != "GET" {
            let _ = write!(text, "Content-Length: {}\r\n", body.len());
        }
        text + "\r\n" + body
    }
}
