//! A running `baton up`, and somebody who talks to it over HTTP.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use rustix::process::Signal;
use serde_json::Value;

use super::{Live, PATIENCE, World};

/// A server.
pub(crate) struct Web {
    live: Live,
    /// What it told when it was up.
    pub(crate) facts: Value,
    token: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: String,
    pub(crate) body: String,
}

/// A stream of events.
pub(crate) struct Events(BufReader<TcpStream>);

impl World {
    /// Starts a server on a free port, with more arguments.
    pub(crate) fn up(&self, arguments: &[&str]) -> Web {
        self.up_at("127.0.0.1:0", arguments)
    }

    /// Starts a server at an address.
    pub(crate) fn up_at(&self, address: &str, arguments: &[&str]) -> Web {
        let mut live = Live::start(self.baton(&[&["up", "--json", "--listen", address], arguments].concat()));
        let facts: Value = serde_json::from_str(live.shows("\n").trim()).unwrap();
        assert_eq!(facts["ok"], true, "{facts}");
        let facts = facts["data"].clone();
        let token = fs::read_to_string(facts["token_file"].as_str().unwrap()).unwrap();
        Web { live, facts, token: token.trim().to_owned() }
    }
}

impl Web {
    /// Calls a command as an agent of the owner's, and must be answered.
    pub(crate) fn call(&self, agent: &str, command: &str, input: &Value) -> Value {
        let answer = self.send("POST", &format!("/v1/call/{command}"), &[("Baton-Agent", agent)], &input.to_string());
        assert_eq!(answer.status, 200, "{answer:?}");
        serde_json::from_str::<Value>(&answer.body).unwrap()["data"].clone()
    }

    /// Asks as the owner.
    pub(crate) fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let bearer = format!("Bearer {}", self.token);
        self.send_as_stranger(method, path, &[headers, &[("Authorization", &bearer)]].concat(), body)
    }

    /// Asks without a token.
    pub(crate) fn send_as_stranger(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut reader = self.open(method, path, &[headers, &[("Connection", "close")]].concat(), body);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").unwrap();
        let status = head.split(' ').nth(1).unwrap().parse().unwrap();
        Answer { status, headers: head.to_owned(), body: body.to_owned() }
    }

    /// Follows what happens in a room.
    pub(crate) fn events(&self, room: &str, after: u64) -> Events {
        self.follow(&format!("Bearer {}", self.token), &format!("/v1/rooms/{room}/events?after={after}"))
    }

    /// A stream with another token, from the beginning.
    pub(crate) fn events_as(&self, bearer: &str, room: &str) -> Events {
        self.follow(bearer, &format!("/v1/rooms/{room}/events?after=0"))
    }

    fn follow(&self, bearer: &str, path: &str) -> Events {
        Events(self.open("GET", path, &[("Accept", "text/event-stream"), ("Authorization", bearer)], ""))
    }

    /// Asks it to end, as Ctrl-C does.
    pub(crate) fn interrupt(&self) {
        self.signal(Signal::INT);
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        self.live.signal(signal);
    }

    /// Waits for its end, and tells how it ended.
    pub(crate) fn ends(self) -> i32 {
        self.live.ends().0
    }

    fn open(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> BufReader<TcpStream> {
        let address = self.facts["listen"].as_str().unwrap();
        let mut stream = TcpStream::connect(address).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        let mut text = format!("{method} {path} HTTP/1.1\r\nHost: {address}\r\nContent-Length: {}\r\n", body.len());
        headers.iter().for_each(|(name, value)| text.push_str(&format!("{name}: {value}\r\n")));
        write!(stream, "{text}\r\n{body}").unwrap();
        BufReader::new(stream)
    }
}

impl Events {
    /// Waits for an event of this type, and tells what it says.
    pub(crate) fn next_of(&mut self, kind: &str) -> Value {
        let expected = format!("event: {kind}");
        let mut found = false;
        loop {
            let mut line = String::new();
            assert!(self.0.read_line(&mut line).unwrap() > 0, "the stream ended without {kind}");
            match line.trim_end().strip_prefix("data: ") {
                Some(data) if found => return serde_json::from_str(data).unwrap(),
                Some(_) => {}
                None => found |= line.trim_end() == expected,
            }
        }
    }

    /// Whether nothing more comes.
    pub(crate) fn are_over(mut self) -> bool {
        self.0.read_to_end(&mut Vec::new()).is_ok()
    }
}
