//! Subscribers to a stream of server-sent events, and the one who writes what they wait for.
//!
//! All of them are one thread with epoll, so that a thousand clients take little from the server's processors. The
//! writer's connection is among them: that its answer has come is one more thing that happens.
//!
//! What must stay true: every subscriber gets every event, once, in order; what is not so is an error and no
//! measurement.

use std::{
    io::{ErrorKind, Write},
    net::{SocketAddr, TcpStream},
    os::fd::OwnedFd,
    time::{Duration, Instant},
};

use rustix::{buffer::spare_capacity, event::epoll, io::retry_on_intr};
use serde_json::Value;

use super::requests::{body, end_of_head, find, more};
use crate::{stats, trouble::Outcome};

/// The writer's number among those who are waited for.
const WRITER: u64 = u64::MAX;
/// Happenings that are looked at together.
const BATCH: usize = 1_024;

/// Subscribers and a writer.
pub(crate) struct Crowd {
    epoll: OwnedFd,
    subscribers: Vec<Subscriber>,
    writer: TcpStream,
    answer: Vec<u8>,
    address: SocketAddr,
    /// The newest event.
    newest: u64,
}

struct Subscriber {
    stream: TcpStream,
    read: Vec<u8>,
    /// The last event that it got.
    seen: u64,
}

/// How long an event took to get to the last subscriber.
pub(crate) struct Told {
    /// Since just before the writer asked for it.
    pub(crate) from_asking: Duration,
    /// Since the writer had its answer, in nanoseconds. The last subscriber may have been sooner.
    pub(crate) from_answer: i64,
}

impl Crowd {
    /// A writer, and nobody who listens yet.
    pub(crate) fn new(address: SocketAddr) -> Outcome<Self> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let writer = TcpStream::connect(address)?;
        writer.set_nodelay(true)?;
        writer.set_nonblocking(true)?;
        epoll::add(&epoll, &writer, epoll::EventData::new_u64(WRITER), epoll::EventFlags::IN)?;
        Ok(Self { epoll, subscribers: Vec::new(), writer, answer: Vec::new(), address, newest: 0 })
    }

    /// How many subscribe.
    pub(crate) fn len(&self) -> usize {
        self.subscribers.len()
    }

    /// The newest event that the writer made.
    pub(crate) fn newest(&self) -> u64 {
        self.newest
    }

    /// Adds subscribers that ask with `request` for what comes after the newest event.
    pub(crate) fn gather(&mut self, count: usize, request: &[u8]) -> Outcome<()> {
        for _ in 0..count {
            let mut stream = TcpStream::connect(self.address)?;
            stream.write_all(request)?;
            let mut read = Vec::new();
            let start = loop {
                match end_of_head(&read) {
                    Some(start) => break start,
                    None => more(&mut stream, &mut read)?,
                }
            };
            if !read.starts_with(b"HTTP/1.1 200 ") {
                return Err(format!("a stream was answered with {}", String::from_utf8_lossy(&read)).into());
            }
            read.drain(..start);
            read.shrink_to_fit();
            stream.set_nonblocking(true)?;
            let number = epoll::EventData::new_u64(self.subscribers.len() as u64);
            epoll::add(&self.epoll, &stream, number, epoll::EventFlags::IN)?;
            self.subscribers.push(Subscriber { stream, read, seen: self.newest });
        }
        Ok(())
    }

    /// Has the writer make an event with `request`, and waits until everybody has it.
    pub(crate) fn tell(&mut self, request: &[u8]) -> Outcome<Told> {
        let asked = Instant::now();
        self.writer.write_all(request)?;
        let (mut answered, mut arrived) = (None, asked);
        let mut behind = self.subscribers.len();
        let before = self.newest;
        let mut events = Vec::with_capacity(BATCH);
        while answered.is_none() || behind > 0 {
            retry_on_intr(|| epoll::wait(&self.epoll, spare_capacity(&mut events), None))?;
            for event in events.drain(..) {
                let number = event.data.u64();
                if number == WRITER {
                    if let Some(seq) = self.answered()? {
                        answered = Some(Instant::now());
                        self.newest = seq;
                        // Whoever was sooner than the answer has been counted off already.
                        continue;
                    }
                } else if let Some(subscriber) = usize::try_from(number).ok().and_then(|n| self.subscribers.get_mut(n))
                    && subscriber.read_on()? > before
                {
                    arrived = Instant::now();
                    behind = behind.checked_sub(1).ok_or("a subscriber got one event in two pieces or two for one")?;
                }
            }
        }
        if let Some(other) = self.subscribers.iter().find(|subscriber| subscriber.seen != self.newest) {
            return Err(format!("a subscriber has event {} where {} was written", other.seen, self.newest).into());
        }
        let answered = answered.unwrap_or(arrived);
        let from_answer = match arrived.checked_duration_since(answered) {
            Some(after) => stats::nanos(after),
            None => -stats::nanos(answered.saturating_duration_since(arrived)),
        };
        Ok(Told { from_asking: arrived.saturating_duration_since(asked), from_answer })
    }

    /// The place of the event that the writer made, once all of the answer is there.
    fn answered(&mut self) -> Outcome<Option<u64>> {
        more(&mut self.writer, &mut self.answer)?;
        let Some(body) = body(&self.answer)? else { return Ok(None) };
        let answer: Value = serde_json::from_slice(&self.answer[body])?;
        self.answer.clear();
        let seq = answer.pointer("/data/seq").or_else(|| answer.get("seq")).and_then(Value::as_u64);
        seq.map(Some).ok_or_else(|| format!("the writer was answered with {answer}").into())
    }
}

impl Subscriber {
    /// Reads what is there, and tells the last event that it has.
    fn read_on(&mut self) -> Outcome<u64> {
        match more(&mut self.stream, &mut self.read) {
            Ok(()) => {}
            Err(trouble) if is_early(&trouble) => return Ok(0),
            Err(trouble) => return Err(trouble),
        }
        let mut got = 0;
        while let Some(end) = find(&self.read, b"\n\n") {
            if let Some(seq) = place(&self.read[..end])? {
                if seq != self.seen + 1 {
                    return Err(format!("a subscriber got event {seq} after {}", self.seen).into());
                }
                (self.seen, got) = (seq, seq);
            }
            self.read.drain(..end + 2);
        }
        Ok(got)
    }
}

fn is_early(trouble: &crate::trouble::Trouble) -> bool {
    trouble.downcast_ref::<std::io::Error>().is_some_and(|error| error.kind() == ErrorKind::WouldBlock)
}

/// The place of the event in a frame; a comment has none. The line before it is the length of HTTP's chunk.
fn place(frame: &[u8]) -> Outcome<Option<u64>> {
    const ID: &[u8] = b"\nid: ";
    let Some(start) = find(frame, ID) else { return Ok(None) };
    let line = frame[start + ID.len()..].split(|byte| *byte == b'\n').next().unwrap_or_default();
    Ok(Some(str::from_utf8(line)?.parse()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_place_of_an_event_is_found_behind_the_length_of_its_chunk() {
        assert_eq!(place(b"\r\n2f\r\nid: 17\nevent: message.created\ndata: {}").unwrap(), Some(17));
        assert_eq!((place(b"d\r\nretry: 1000").unwrap(), place(b"\r\n3\r\n:").unwrap()), (None, None));
    }
}
