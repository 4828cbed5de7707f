//! An MCP client that reads lines and does not understand them, so that what is timed is the server.

use std::{
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::json;

use crate::trouble::Outcome;

/// A connection to a server that runs as our child.
pub(crate) struct Wire {
    child: Child,
    stdin: Option<ChildStdin>,
    stdout: BufReader<ChildStdout>,
    next_id: u64,
    sent: Vec<u8>,
    line: Vec<u8>,
}

impl Wire {
    /// Starts a server and begins a session.
    pub(crate) fn spawn(mut command: Command) -> Outcome<Self> {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let stdin = child.stdin.take();
        let stdout = BufReader::with_capacity(64 * 1024, child.stdout.take().ok_or("a server has no output")?);
        let mut wire = Self { child, stdin, stdout, next_id: 1, sent: Vec::new(), line: Vec::new() };
        let hello =
            r#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"baton-bench","version":"1"}}"#;
        wire.ask("initialize", hello)?;
        wire.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#)?;
        Ok(wire)
    }

    /// The line that answers a request.
    pub(crate) fn ask(&mut self, method: &str, params: &str) -> Outcome<&[u8]> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#))?;
        self.line.clear();
        if self.stdout.read_until(b'\n', &mut self.line)? == 0 {
            return Err("the server hung up".into());
        }
        Ok(&self.line)
    }

    /// Joins the room of a workspace as the server's agent. The answer must name the room.
    pub(crate) fn join(&mut self, workspace: &Path, room_id: &str) -> Outcome<()> {
        let params = json!({"name": "join_path", "arguments": {"context_path": workspace}}).to_string();
        self.ask_naming(&params, room_id).map(|_| ())
    }

    /// The answer to a call, which must contain `name`: an error would be answered faster.
    pub(crate) fn ask_naming(&mut self, params: &str, name: &str) -> Outcome<&[u8]> {
        let answer = self.ask("tools/call", params)?;
        if !answer.windows(name.len()).any(|part| part == name.as_bytes()) {
            return Err(format!("the call was answered with {}", String::from_utf8_lossy(answer)).into());
        }
        Ok(answer)
    }

    /// The server's process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn send(&mut self, message: &str) -> Outcome<()> {
        self.sent.clear();
        self.sent.extend_from_slice(message.as_bytes());
        self.sent.push(b'\n');
        Ok(self.stdin.as_mut().ok_or("the server's input is closed")?.write_all(&self.sent)?)
    }
}

impl Drop for Wire {
    /// Hangs up, and leaves no child behind.
    fn drop(&mut self) {
        self.stdin = None;
        let _ = self.child.wait();
    }
}
