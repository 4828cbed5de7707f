//! Claude Code's inbox: a socket on which a running session takes messages from processes that it started.
//!
//! Its MCP servers are such processes, so a message of theirs starts a turn in an idle session, whatever the session's
//! permissions are. The token comes from the environment, and is never stored or printed.

use std::{
    fmt,
    io::{self, Write as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    time::Duration,
};

use serde_json::json;

/// A session that reads is there at once.
const PATIENCE: Duration = Duration::from_secs(5);

/// The inbox of the session that started this process.
pub struct ClaudeInbox {
    socket: PathBuf,
    token: String,
}

impl ClaudeInbox {
    /// The inbox that the environment names, if it does.
    pub fn find<'a>(variable: impl Fn(&str) -> Option<&'a str>) -> Option<Self> {
        let socket = variable("CLAUDE_CODE_MESSAGING_SOCKET")?.into();
        Some(Self { socket, token: variable("CLAUDE_CODE_MESSAGING_TOKEN")?.to_owned() })
    }

    /// Puts a message into it. The session answers nothing.
    pub fn send(&self, text: &str) -> io::Result<()> {
        let mut stream = UnixStream::connect(&self.socket)?;
        stream.set_write_timeout(Some(PATIENCE))?;
        let auth = json!({ "type": "auth", "token": self.token });
        let message = json!({ "type": "user", "message": { "role": "user", "content": text }, "priority": "next" });
        stream.write_all(format!("{auth}\n{message}\n").as_bytes())
    }
}

impl fmt::Debug for ClaudeInbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClaudeInbox").field("socket", &self.socket).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::{io::Read as _, os::unix::net::UnixListener, thread};

    use super::*;

    #[test]
    fn a_message_comes_with_its_token_and_the_token_is_not_printed() {
        let directory = tempfile::tempdir().unwrap();
        let socket = directory.path().join("inbox");
        let listener = UnixListener::bind(&socket).unwrap();
        let reader = thread::spawn(move || {
            let mut text = String::new();
            listener.accept().unwrap().0.read_to_string(&mut text).unwrap();
            text
        });
        let path = socket.to_str().unwrap().to_owned();
        let inbox = ClaudeInbox::find(|name| match name {
            "CLAUDE_CODE_MESSAGING_SOCKET" => Some(path.as_str()),
            "CLAUDE_CODE_MESSAGING_TOKEN" => Some("t0ken"),
            _ => None,
        });
        let inbox = inbox.unwrap();
        inbox.send("hello\n\"you\"").unwrap();
        let lines: Vec<serde_json::Value> =
            reader.join().unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(lines[0], json!({"type": "auth", "token": "t0ken"}));
        assert_eq!(lines[1]["message"]["content"], "hello\n\"you\"");
        assert!(!format!("{inbox:?}").contains("t0ken"));
    }
}
