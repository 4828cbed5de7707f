//! A small MCP client over a child process's stdin and stdout: the other end of `baton mcp`.
//!
//! Synchronous and lean, for the demo, the bench and tests: a request is one write, and several may be in flight.
//! Start at [`Client::spawn`]; [`Client::call`] asks and waits, [`Client::start`] and [`Client::finish`] do the two
//! apart.

use std::{
    collections::HashMap,
    io::{self, BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
};

use serde_json::{Value, json};

/// The revision the client asks for: the newest that begins with `initialize`.
const PROTOCOL_VERSION: &str = "2025-11-25";

/// A connection to a server that runs as our child.
#[derive(Debug)]
pub struct Client {
    child: Child,
    /// `None` once the connection was closed.
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
    /// Answers that came while another was awaited.
    early: HashMap<u64, Value>,
    /// The line being read or written, kept for its memory.
    line: Vec<u8>,
    /// What the server said about itself.
    server: Value,
    progress: u64,
}

/// A request in flight.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CallId(u64);

/// What a tool answered.
#[derive(Clone, Debug, PartialEq)]
pub struct CallResult {
    /// Whether it is a refusal.
    pub is_error: bool,
    /// The answer.
    pub content: Value,
}

impl CallResult {
    /// What the command itself said: a portal's envelope is opened.
    pub fn into_data(mut self) -> Value {
        let inside = if self.is_error { "error" } else { "data" };
        let is_envelope = self.content["ok"].is_boolean() && self.content["command"].is_string();
        if is_envelope { self.content[inside].take() } else { self.content }
    }
}

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The connection broke.
    #[error("the connection to the MCP server broke")]
    Io(#[from] io::Error),
    /// The server refused the request itself, or what it sent is no answer.
    #[error("the MCP server answered {code}: {message}")]
    Protocol {
        /// The JSON-RPC code.
        code: i64,
        /// What the server said.
        message: String,
    },
}

impl Client {
    /// Starts `command` and begins a session as `client_name`.
    pub fn spawn(mut command: Command, client_name: &str) -> io::Result<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let stdout = child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?;
        let mut client = Self {
            child,
            stdin,
            stdout: BufReader::with_capacity(64 * 1024, stdout),
            next_id: 1,
            early: HashMap::new(),
            line: Vec::new(),
            server: Value::Null,
            progress: 0,
        };
        let hello = json!({
            "protocolVersion": PROTOCOL_VERSION,
            "capabilities": {},
            "clientInfo": {"name": client_name, "version": env!("CARGO_PKG_VERSION")},
        });
        let id = client.send("initialize", hello)?;
        client.server = client.receive(id).map_err(io::Error::other)?;
        client.write(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}))?;
        Ok(client)
    }

    /// Calls a tool and waits for its answer.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Result<CallResult, ClientError> {
        let id = self.start(tool, arguments)?;
        self.finish(id)
    }

    /// Calls a tool. [`Client::finish`] has the answer.
    pub fn start(&mut self, tool: &str, arguments: Value) -> io::Result<CallId> {
        self.start_with_meta(tool, arguments, Value::Null)
    }

    /// Calls a tool with a `_meta` of one's own, unless that is null.
    pub fn start_with_meta(&mut self, tool: &str, arguments: Value, meta: Value) -> io::Result<CallId> {
        let mut params = json!({"name": tool, "arguments": arguments});
        if !meta.is_null() {
            params["_meta"] = meta;
        }
        self.send("tools/call", params)
    }

    /// Waits for the answer to a call.
    pub fn finish(&mut self, id: CallId) -> Result<CallResult, ClientError> {
        let mut result = self.receive(id)?;
        let content = match result["structuredContent"].take() {
            Value::Null => result["content"].take(),
            content => content,
        };
        Ok(CallResult { is_error: result["isError"] == true, content })
    }

    /// Withdraws a call. It will not be answered.
    pub fn cancel(&mut self, id: CallId) -> io::Result<()> {
        let params = json!({"requestId": id.0, "reason": "withdrawn"});
        self.write(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}))
    }

    /// The tools the server offers, as it describes them.
    pub fn list_tools(&mut self) -> Result<Vec<Value>, ClientError> {
        let id = self.send("tools/list", json!({}))?;
        match self.receive(id)?["tools"].take() {
            Value::Array(tools) => Ok(tools),
            _ => Err(ClientError::Protocol { code: 0, message: "there is no list of tools".to_owned() }),
        }
    }

    /// What the server said about itself: `serverInfo`, `instructions`, `protocolVersion`.
    pub const fn server(&self) -> &Value {
        &self.server
    }

    /// How many progress notifications have come.
    pub const fn progress(&self) -> u64 {
        self.progress
    }

    /// The server's process.
    pub const fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// The server's process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Hangs up and waits for the server to end.
    pub fn close(mut self) -> io::Result<ExitStatus> {
        self.stdin = None;
        self.child.wait()
    }

    /// Ends the server at once, as a crash would.
    pub fn kill(mut self) -> io::Result<ExitStatus> {
        self.child.kill()?;
        self.child.wait()
    }

    fn send(&mut self, method: &str, params: Value) -> io::Result<CallId> {
        let id = self.next_id;
        self.next_id += 1;
        self.write(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(CallId(id))
    }

    fn write(&mut self, message: &Value) -> io::Result<()> {
        self.line.clear();
        serde_json::to_writer(&mut self.line, message)?;
        self.line.push(b'\n');
        self.stdin.as_mut().ok_or(io::ErrorKind::NotConnected)?.write_all(&self.line)
    }

    /// The result of a request. Answers to others are kept for them.
    fn receive(&mut self, id: CallId) -> Result<Value, ClientError> {
        let mut message = match self.early.remove(&id.0) {
            Some(message) => message,
            None => self.read_until(id)?,
        };
        match message.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => Err(ClientError::Protocol {
                code: message["error"]["code"].as_i64().unwrap_or_default(),
                message: message["error"]["message"].as_str().unwrap_or("there is no result").to_owned(),
            }),
        }
    }

    fn read_until(&mut self, id: CallId) -> Result<Value, ClientError> {
        loop {
            self.line.clear();
            if self.stdout.read_until(b'\n', &mut self.line)? == 0 {
                return Err(ClientError::Io(io::ErrorKind::UnexpectedEof.into()));
            }
            let message: Value = serde_json::from_slice(&self.line).map_err(io::Error::from)?;
            match message.get("id").and_then(Value::as_u64) {
                Some(answered) if answered == id.0 => return Ok(message),
                Some(other) => drop(self.early.insert(other, message)),
                None if message["method"] == "notifications/progress" => self.progress += 1,
                None => {}
            }
        }
    }
}

impl Drop for Client {
    /// Leaves no child behind.
    fn drop(&mut self) {
        if !matches!(self.child.try_wait(), Ok(Some(_))) {
            // It may have ended in between, and then there is nothing to end.
            let _ = self.child.kill();
            let _ = self.child.wait();
        }
    }
}
