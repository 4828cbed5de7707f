//! Just enough HTTP: one request on each connection, which is closed after the answer.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use serde_json::Value;

use super::talk::Event;

/// A request.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) method: String,
    /// Without what follows a question mark.
    pub(super) path: String,
    /// Names in lower case.
    headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl Request {
    /// Reads one, or none if the other end only opened the connection.
    pub(super) fn read(stream: &TcpStream) -> io::Result<Option<Self>> {
        let mut input = BufReader::new(stream);
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut length, mut headers) = (0, Vec::new());
        loop {
            let mut header = String::new();
            if input.read_line(&mut header)? == 0 || header.trim().is_empty() {
                break;
            }
            let (name, value) = header.split_once(':').unwrap_or_default();
            let (name, value) = (name.to_ascii_lowercase(), value.trim());
            match name.as_str() {
                "content-length" => length = value.parse().map_err(io::Error::other)?,
                "transfer-encoding" | "content-encoding" => {
                    return Err(io::Error::other(format!("a body that is {value}")));
                }
                _ => headers.push((name, value.to_owned())),
            }
        }
        let mut body = vec![0; length];
        input.read_exact(&mut body)?;
        let path = target.split('?').next().unwrap_or_default().to_owned();
        Ok(Some(Self { method, path, headers, body }))
    }

    /// The value of a header, by its name in lower case.
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other == name).map(|(_, value)| value.as_str())
    }
}

/// Sends a whole answer.
pub(super) fn send(mut stream: &TcpStream, status: u16, body: &Value) -> io::Result<()> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let head = format!("HTTP/1.1 {status} Scripted\r\nContent-Type: application/json\r\nConnection: close\r\n");
    stream.write_all(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes())
}

/// Sends an answer as a stream of events.
pub(super) fn stream(mut stream: &TcpStream, events: &[Event]) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nCache-Control: no-cache\r\nConnection: close\r\n";
    stream.write_all(format!("{head}\r\n").as_bytes())?;
    for Event { name, data } in events {
        let name = name.map(|name| format!("event: {name}\n")).unwrap_or_default();
        stream.write_all(format!("{name}data: {data}\n\n").as_bytes())?;
    }
    Ok(())
}

/// Whether the other end has gone away. It has nothing more to say on this connection, so anything to read is the end.
pub(super) fn is_gone(stream: &TcpStream) -> bool {
    let gone = stream.set_nonblocking(true).and_then(|()| stream.peek(&mut [0]));
    let still_there = matches!(&gone, Err(error) if error.kind() == io::ErrorKind::WouldBlock);
    let _ = stream.set_nonblocking(false);
    !still_there
}
