//! A client of HTTP/1.1 that keeps its connection and looks only for where an answer ends.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpStream},
    ops::Range,
    time::{Duration, Instant},
};

use crate::trouble::Outcome;

/// What is read at once. Answers are shorter.
const CHUNK_BYTES: usize = 8 * 1024;
const HEAD_END: &[u8] = b"\r\n\r\n";

/// A connection.
pub(crate) struct Requests {
    stream: TcpStream,
    read: Vec<u8>,
}

impl Requests {
    pub(crate) fn connect(address: SocketAddr) -> Outcome<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream, read: Vec::new() })
    }

    /// The body of the answer to a request.
    pub(crate) fn ask(&mut self, request: &[u8]) -> Outcome<&[u8]> {
        self.stream.write_all(request)?;
        self.read.clear();
        loop {
            if let Some(body) = body(&self.read)? {
                return Ok(&self.read[body]);
            }
            more(&mut self.stream, &mut self.read)?;
        }
    }
}

/// How an answer came.
pub(crate) struct Timed {
    /// From the request to its first byte.
    pub(crate) first_byte: Duration,
    /// How long its body is.
    pub(crate) bytes: usize,
}

impl Requests {
    /// Asks, and tells how the answer came, which must be one that was wanted.
    pub(crate) fn time(&mut self, request: &[u8]) -> Outcome<Timed> {
        self.read.clear();
        let asked = Instant::now();
        self.stream.write_all(request)?;
        more(&mut self.stream, &mut self.read)?;
        let first_byte = asked.elapsed();
        loop {
            if let Some(body) = body(&self.read)? {
                return match self.read.starts_with(b"HTTP/1.1 200 ") {
                    true => Ok(Timed { first_byte, bytes: body.len() }),
                    false => Err(format!("it was answered with {}", String::from_utf8_lossy(&self.read)).into()),
                };
            }
            more(&mut self.stream, &mut self.read)?;
        }
    }
}

/// Reads what is there.
pub(super) fn more(stream: &mut TcpStream, read: &mut Vec<u8>) -> Outcome<()> {
    let before = read.len();
    read.resize(before + CHUNK_BYTES, 0);
    let count = stream.read(&mut read[before..])?;
    read.truncate(before + count);
    if count == 0 {
        return Err(format!("the server hung up after {}", String::from_utf8_lossy(&read[..before])).into());
    }
    Ok(())
}

/// Where the body of an answer is, if all of it is there.
pub(super) fn body(read: &[u8]) -> Outcome<Option<Range<usize>>> {
    let Some(start) = end_of_head(read) else { return Ok(None) };
    let head = str::from_utf8(&read[..start])?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>())
    });
    let end = start + length.ok_or("an answer does not say how long it is")??;
    Ok((read.len() >= end).then_some(start..end))
}

/// Where the head of an answer ends.
pub(super) fn end_of_head(read: &[u8]) -> Option<usize> {
    find(read, HEAD_END).map(|place| place + HEAD_END.len())
}

/// Where `part` begins.
pub(super) fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

/// A request with a JSON body. Each of `headers` ends in a line's end.
pub(crate) fn post(address: SocketAddr, path: &str, headers: &str, body: &str) -> Vec<u8> {
    let bytes = body.len();
    format!(
        "POST {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Content-Type: application/json\r\n\
         Content-Length: {bytes}\r\n\r\n{body}"
    )
    .into_bytes()
}

/// A request for a stream.
pub(crate) fn get(address: SocketAddr, path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\nHost: {address}\r\n{headers}Accept: text/event-stream\r\n\r\n").into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_ends_where_its_head_says() {
        let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}HTTP/1.1";
        assert_eq!(body(answer).unwrap(), Some(38..40));
        assert_eq!((body(&answer[..39]).unwrap(), body(&answer[..20]).unwrap()), (None, None));
        assert!(body(b"HTTP/1.1 200 OK\r\n\r\n").is_err());
    }
}
