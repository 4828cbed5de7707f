//! Lines, read within bounds.
//!
//! What must stay true: [`Lines::next`] may be dropped at any await and lose nothing, so what has arrived lives in the
//! struct; a line that is too long is dropped as it arrives; and a connection that is idle holds next to nothing.

use std::io;

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{
    Metrics,
    envelope::{FRAME_BYTES, Head},
};

/// What is read at once, and what the buffer keeps between lines.
const CHUNK_BYTES: usize = 8 * 1024;

/// What has arrived and was not handed out.
#[derive(Debug, Default)]
pub(super) struct Lines {
    buffer: Vec<u8>,
    /// Where the next line begins.
    start: usize,
    /// How far it was looked for a line's end.
    looked: usize,
    /// Whether the rest of a line that was too long is being dropped.
    skipping: bool,
}

/// A line.
#[derive(Debug, PartialEq)]
pub(super) enum Line<'a> {
    /// All of it, without its end.
    Whole(&'a [u8]),
    /// Too much of it: what its beginning says.
    TooLong(Head),
}

impl Lines {
    /// The next line, or nothing when the client hung up. What it began and did not finish is no line.
    pub(super) async fn next(
        &mut self,
        reader: &mut (impl AsyncRead + Unpin),
        metrics: &Metrics,
    ) -> io::Result<Option<Line<'_>>> {
        loop {
            match self.buffer[self.looked..].iter().position(|byte| *byte == b'\n') {
                Some(distance) => {
                    let (start, end) = (self.start, self.looked + distance);
                    (self.start, self.looked) = (end + 1, end + 1);
                    if !std::mem::take(&mut self.skipping) {
                        return Ok(Some(if end - start > FRAME_BYTES {
                            Line::TooLong(Head::find(&self.buffer[start..end]))
                        } else {
                            Line::Whole(&self.buffer[start..end])
                        }));
                    }
                }
                None => {
                    self.looked = self.buffer.len();
                    if self.skipping || self.looked - self.start > FRAME_BYTES {
                        let head = (!self.skipping).then(|| Head::find(&self.buffer[self.start..]));
                        (self.start, self.looked) = (0, 0);
                        self.buffer.clear();
                        self.skipping = true;
                        if let Some(head) = head {
                            return Ok(Some(Line::TooLong(head)));
                        }
                    }
                    self.make_room();
                    let read = reader.read_buf(&mut self.buffer).await?;
                    if read == 0 {
                        return Ok(None);
                    }
                    metrics.received(read);
                }
            }
        }
    }

    /// Forgets what was handed out, and gives back what a long line took.
    fn make_room(&mut self) {
        self.buffer.drain(..self.start);
        self.looked -= self.start;
        self.start = 0;
        if self.buffer.len() < CHUNK_BYTES {
            self.buffer.shrink_to(CHUNK_BYTES);
        }
        self.buffer.reserve(CHUNK_BYTES.max(self.buffer.len()).min(FRAME_BYTES));
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::AsyncWriteExt;

    use super::*;

    /// What comes of bytes that arrive in pieces of this size.
    async fn read(bytes: &[u8], piece: usize) -> Vec<String> {
        let (mut near, mut far) = tokio::io::duplex(piece);
        let bytes = bytes.to_vec();
        let writer = tokio::spawn(async move { far.write_all(&bytes).await });
        let (mut lines, metrics, mut found) = (Lines::default(), Metrics::new(), Vec::new());
        while let Some(line) = lines.next(&mut near, &metrics).await.unwrap() {
            found.push(match line {
                Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
                Line::TooLong(Head { id: Some(id), .. }) => format!("{id} is too long"),
                Line::TooLong(_) => "too long".to_owned(),
            });
        }
        writer.await.unwrap().unwrap();
        assert!(lines.buffer.capacity() <= 3 * FRAME_BYTES);
        found
    }

    #[tokio::test]
    async fn lines_are_the_same_in_whatever_pieces_they_arrive_and_half_a_line_is_none() {
        for piece in [1, 2, 3, 7, 4096] {
            assert_eq!(read(b"one\n\ntwo\nthr", piece).await, ["one", "", "two"], "{piece}");
        }
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_is_dropped_as_it_arrives_and_the_next_is_read() {
        let longest = "x".repeat(FRAME_BYTES);
        let bytes = format!("{longest}\n{longest}y\n{}\nlast\n", "z".repeat(5 * FRAME_BYTES));
        for piece in [4096, 1 << 20, 1 << 24] {
            assert_eq!(read(bytes.as_bytes(), piece).await, [&*longest, "too long", "too long", "last"]);
            let bytes = format!("{{\"id\":\"r1\",\"payload\":\"{longest}\"}}\nlast\n");
            assert_eq!(read(bytes.as_bytes(), piece).await, ["\"r1\" is too long", "last"]);
        }
    }

    #[tokio::test]
    async fn a_read_that_is_given_up_loses_nothing() {
        let (mut near, mut far) = tokio::io::duplex(64);
        let (mut lines, metrics) = (Lines::default(), Metrics::new());
        for piece in [b"ha" as &[u8], b"lf", b" a line\n"] {
            tokio::select! {
                biased;
                _ = lines.next(&mut near, &metrics) => panic!("there is no line yet"),
                () = tokio::task::yield_now() => {}
            }
            far.write_all(piece).await.unwrap();
        }
        assert_eq!(lines.next(&mut near, &metrics).await.unwrap(), Some(Line::Whole(b"half a line")));
    }
}
