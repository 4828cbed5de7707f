//! Over HTTP/1.1, by hand: one kind of request, two kinds of answers, to a server of our own.
//!
//! A library would bring a dozen crates for what is a page here, and the answers are checked against a server that we wrote,
//! too. It speaks plain HTTP only; a client on another machine comes through a tunnel.

use std::{
    io::{self, BufRead, BufReader, Read, Write},
    net::TcpStream,
};

use baton_core::ids::AgentId;
use serde_json::{Value, json};

use super::{ClientError, link};

/// Longest answer that is read at once.
const ANSWER_BYTES: u64 = 64 * 1024 * 1024;
/// Longest line of a head.
const HEAD_LINE_BYTES: u64 = 64 * 1024;
/// Most lines of a head.
const HEAD_LINES: usize = 256;

/// Where a server is, and what lets the client in.
#[derive(Clone, Debug)]
pub(super) struct Server {
    authority: String,
    prefix: String,
    token: String,
}

/// A connection that is used again for the next call.
pub(super) struct Link {
    server: Server,
    idle: Option<BufReader<TcpStream>>,
}

/// What is asked of a server.
pub(super) struct Request<'a> {
    pub(super) method: &'a str,
    pub(super) path: &'a str,
    pub(super) headers: &'a [(&'a str, &'a str)],
    pub(super) body: &'a [u8],
}

/// The head of an answer.
struct Head {
    status: u16,
    framing: Framing,
    is_last: bool,
}

/// How the end of a body is told.
enum Framing {
    Length(u64),
    /// What is left of the present chunk.
    Chunks(u64),
    /// The connection ends with it.
    End,
    Over,
}

/// The body of an answer.
pub(super) struct Body<R> {
    reader: R,
    framing: Framing,
}

/// The body of an answer that goes on, on a connection of its own.
pub(super) type Streamed = Body<BufReader<TcpStream>>;

impl Server {
    pub(super) fn new(base: &str, token: &str) -> Result<Self, ClientError> {
        let rest = base.strip_prefix("http://").ok_or_else(|| {
            ClientError::disconnected(format_args!("{base:?} does not begin with http://, which is all that is spoken"))
        })?;
        let (authority, prefix) = rest.split_once('/').unwrap_or((rest, ""));
        let authority = if authority.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok()) {
            authority.to_owned()
        } else {
            format!("{authority}:80")
        };
        let unfit = |text: &str| text.bytes().any(|byte| !byte.is_ascii_graphic());
        if unfit(rest) || unfit(token) {
            return Err(ClientError::disconnected("the address or the token has characters that cannot be sent"));
        }
        let prefix = prefix.trim_end_matches('/');
        let prefix = if prefix.is_empty() { String::new() } else { format!("/{prefix}") };
        Ok(Self { authority, prefix, token: token.to_owned() })
    }

    fn connect(&self) -> Result<BufReader<TcpStream>, ClientError> {
        let lost = |error: io::Error| ClientError::disconnected(format_args!("{}: {error}", self.authority));
        let stream = TcpStream::connect(&self.authority).map_err(lost)?;
        stream.set_nodelay(true).map_err(lost)?;
        Ok(BufReader::new(stream))
    }

    fn write(&self, stream: &TcpStream, request: &Request<'_>) -> io::Result<()> {
        let Self { authority, prefix, token } = self;
        let Request { method, path, headers, body } = request;
        let mut head =
            format!("{method} {prefix}{path} HTTP/1.1\r\nHost: {authority}\r\nAuthorization: Bearer {token}\r\n");
        for (name, value) in *headers {
            if value.bytes().any(|byte| byte.is_ascii_control()) {
                return Err(io::Error::new(
                    io::ErrorKind::InvalidInput,
                    format!("{name} has characters that cannot be sent"),
                ));
            }
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        let mut bytes = head.into_bytes();
        bytes.extend_from_slice(body);
        (&mut &*stream).write_all(&bytes)
    }

    /// Asks for a stream, and gives it when it began. A "no" is read to its end.
    pub(super) fn stream(&self, request: &Request<'_>) -> Result<Streamed, ClientError> {
        let mut reader = self.connect()?;
        self.write(reader.get_ref(), request).map_err(ClientError::disconnected)?;
        let head = read_head(&mut reader).map_err(ClientError::disconnected)?;
        let mut body = Body { reader, framing: head.framing };
        if head.status == 200 {
            return Ok(body);
        }
        let mut text = Vec::new();
        body.by_ref().take(ANSWER_BYTES).read_to_end(&mut text).map_err(ClientError::disconnected)?;
        match answer(head.status, &text) {
            Ok(_) => Err(ClientError::unreadable(format_args!("it is no stream (status {})", head.status))),
            Err(error) => Err(error),
        }
    }
}

impl Link {
    pub(super) fn new(base: &str, token: &str) -> Result<Self, ClientError> {
        let server = Server::new(base, token)?;
        let idle = Some(server.connect()?);
        Ok(Self { server, idle })
    }
}

impl link::Link for Link {
    fn call(
        &mut self,
        command: &str,
        input: Value,
        key: Option<&str>,
        agent: Option<&AgentId>,
    ) -> Result<Value, ClientError> {
        // Whom it adds is the holder's to choose, whoever it spoke for before.
        let agent = agent.filter(|_| command != "agent.add").map(AgentId::as_str);
        let path = format!("/v1/call/{command}");
        let mut headers = vec![("Content-Type", "application/json")];
        headers.extend(agent.map(|agent| ("Baton-Agent", agent)));
        headers.extend(key.map(|key| ("Idempotency-Key", key)));
        let body = input.to_string();
        let request = Request { method: "POST", path: &path, headers: &headers, body: body.as_bytes() };
        let mut reader = match self.idle.take() {
            Some(reader) => reader,
            None => self.server.connect()?,
        };
        self.server.write(reader.get_ref(), &request).map_err(ClientError::disconnected)?;
        let Head { status, framing, is_last } = read_head(&mut reader).map_err(ClientError::disconnected)?;
        let mut text = Vec::new();
        let mut whole = Body { reader: &mut reader, framing };
        whole.by_ref().take(ANSWER_BYTES).read_to_end(&mut text).map_err(ClientError::disconnected)?;
        if !is_last && matches!(whole.framing, Framing::Over) {
            self.idle = Some(reader);
        }
        answer(status, &text)
    }
}

/// What an envelope of HTTP says.
fn answer(status: u16, text: &[u8]) -> Result<Value, ClientError> {
    let mut envelope: Value = serde_json::from_slice(text)
        .map_err(|error| ClientError::unreadable(format_args!("status {status} with {error}")))?;
    match envelope["ok"].as_bool() {
        Some(true) => Ok(envelope["data"].take()),
        Some(false) => Err(ClientError::of_json(&envelope["error"])),
        None => Err(ClientError::unreadable(json!({"status": status, "body": envelope}))),
    }
}

fn read_head(reader: &mut impl BufRead) -> io::Result<Head> {
    let broken = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why.to_owned());
    let first = line(reader)?;
    let status = first.strip_prefix("HTTP/1.1 ").and_then(|rest| rest.get(..3)).and_then(|code| code.parse().ok());
    let mut head =
        Head { status: status.ok_or_else(|| broken("this is no HTTP"))?, framing: Framing::End, is_last: false };
    for _ in 0..HEAD_LINES {
        let line = line(reader)?;
        if line.is_empty() {
            return Ok(head);
        }
        let (name, value) = line.split_once(':').ok_or_else(|| broken("a header has no colon"))?;
        let value = value.trim();
        match name.to_ascii_lowercase().as_str() {
            "content-length" => {
                head.framing = Framing::Length(value.parse().map_err(|_| broken("a length is no number"))?);
            }
            "transfer-encoding" if value.eq_ignore_ascii_case("chunked") => head.framing = Framing::Chunks(0),
            "connection" => head.is_last = value.eq_ignore_ascii_case("close"),
            _ => {}
        }
    }
    Err(broken("the head does not end"))
}

fn line(reader: &mut impl BufRead) -> io::Result<String> {
    let mut line = String::new();
    reader.by_ref().take(HEAD_LINE_BYTES).read_line(&mut line)?;
    if !line.ends_with('\n') {
        return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up"));
    }
    line.truncate(line.trim_end_matches(['\r', '\n']).len());
    Ok(line)
}

impl<R: BufRead> Body<R> {
    /// What is left until the next boundary, having read over the boundary if it is here.
    fn left(&mut self) -> io::Result<u64> {
        match self.framing {
            Framing::Length(0) => self.framing = Framing::Over,
            Framing::Chunks(0) => {
                let size = line(&mut self.reader)?;
                // What ends the chunk before.
                let size = if size.is_empty() { line(&mut self.reader)? } else { size };
                let digits = size.split(';').next().unwrap_or_default().trim();
                let size = u64::from_str_radix(digits, 16)
                    .map_err(|_| io::Error::new(io::ErrorKind::InvalidData, "a chunk has no size"))?;
                self.framing = Framing::Chunks(size);
                if size == 0 {
                    while !line(&mut self.reader)?.is_empty() {}
                    self.framing = Framing::Over;
                }
            }
            Framing::Length(_) | Framing::Chunks(_) | Framing::End | Framing::Over => {}
        }
        Ok(match self.framing {
            Framing::Length(left) | Framing::Chunks(left) => left,
            Framing::End => u64::MAX,
            Framing::Over => 0,
        })
    }
}

impl<R: BufRead> Read for Body<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left()?;
        let most = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        if most == 0 {
            return Ok(0);
        }
        let read = self.reader.read(&mut buffer[..most])?;
        match &mut self.framing {
            Framing::Length(left) | Framing::Chunks(left) => {
                if read == 0 {
                    return Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the server hung up"));
                }
                *left -= read as u64;
                // So that whoever reads to the end has the connection ready for the next call.
                if *left == 0 && matches!(self.framing, Framing::Length(0)) {
                    self.framing = Framing::Over;
                }
            }
            Framing::End if read == 0 => self.framing = Framing::Over,
            Framing::End | Framing::Over => {}
        }
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(answer: &str) -> io::Result<(u16, String)> {
        let mut reader = answer.as_bytes();
        let head = read_head(&mut reader)?;
        let mut text = String::new();
        Body { reader, framing: head.framing }.read_to_string(&mut text)?;
        Ok((head.status, text))
    }

    #[test]
    fn bodies_end_by_length_by_chunks_or_with_the_connection() {
        for answer in [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello, and more",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3;x=y\r\nllo\r\n0\r\n\r\nmore",
            "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nhello",
        ] {
            assert_eq!(read(answer).unwrap(), (200, "hello".to_owned()), "{answer}");
        }
    }

    #[test]
    fn what_is_cut_off_or_no_http_is_an_error() {
        for answer in [
            "",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhel",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfive\r\nhello",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
            "SSH-2.0-OpenSSH_9.9\r\n",
        ] {
            assert!(read(answer).is_err(), "{answer}");
        }
    }

    #[test]
    fn an_address_is_plain_http_with_or_without_a_port_and_a_path() {
        let server = |base| Server::new(base, "t").map(|server| format!("{}{}", server.authority, server.prefix));
        assert_eq!(server("http://127.0.0.1:7433").unwrap(), "127.0.0.1:7433");
        assert_eq!(server("http://localhost/baton/").unwrap(), "localhost:80/baton");
        assert_eq!(server("http://[::1]:80").unwrap(), "[::1]:80");
        assert!(server("https://localhost").is_err() && server("http://a b").is_err());
        assert!(Server::new("http://localhost", "a\r\nb").is_err());
    }
}
