//! Reading what a program prints, line by line, in bounded memory.

use std::{io::Read, os::fd::AsFd};

use rustix::{
    event::{PollFd, PollFlags, poll},
    io::Errno,
};

/// The most that is kept of a line.
pub const LINE_BYTES: usize = 1024 * 1024;

/// A line that was printed, without its end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Line {
    /// What it says. What is not UTF-8 is replaced.
    pub text: String,
    /// How many bytes were left out at the end, because it was too long.
    pub cut_bytes: u64,
}

/// Puts lines together from what is read.
#[derive(Debug, Default)]
pub(super) struct Lines {
    begun: Vec<u8>,
    cut_bytes: u64,
}

impl Lines {
    /// Takes what was read and hands on each line that it completes.
    pub(super) fn take(&mut self, mut bytes: &[u8], hand_on: &mut impl FnMut(Line)) {
        while let Some(end) = bytes.iter().position(|byte| *byte == b'\n') {
            self.keep(&bytes[..end]);
            hand_on(self.line());
            bytes = &bytes[end + 1..];
        }
        self.keep(bytes);
    }

    /// Hands on a last line that has no end.
    pub(super) fn finish(mut self, hand_on: &mut impl FnMut(Line)) {
        if !self.begun.is_empty() {
            hand_on(self.line());
        }
    }

    fn keep(&mut self, bytes: &[u8]) {
        let (kept, cut) = bytes.split_at(bytes.len().min(LINE_BYTES - self.begun.len()));
        self.begun.extend_from_slice(kept);
        self.cut_bytes += cut.len() as u64;
    }

    fn line(&mut self) -> Line {
        let bytes = std::mem::take(&mut self.begun);
        let text = String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into());
        Line { text, cut_bytes: std::mem::take(&mut self.cut_bytes) }
    }
}

/// Reads a stream to its end, or, once `over` is closed at its other end, until nothing more is in it: a process that
/// could not be killed may hold it open for ever.
pub(super) fn read_all(mut stream: impl Read + AsFd, over: impl AsFd, mut hand_on: impl FnMut(&[u8])) {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let mut both = [PollFd::new(&stream, PollFlags::IN), PollFd::new(&over, PollFlags::IN)];
        match poll(&mut both, None) {
            Err(Errno::INTR) => continue,
            Err(_) => return,
            Ok(_) if both[0].revents().is_empty() => return,
            Ok(_) => {}
        }
        match stream.read(&mut buffer) {
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Ok(0) | Err(_) => return,
            Ok(count) => hand_on(&buffer[..count]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines_of(pieces: &[&[u8]]) -> Vec<Line> {
        let (mut lines, mut found) = (Lines::default(), Vec::new());
        for piece in pieces {
            lines.take(piece, &mut |line| found.push(line));
        }
        lines.finish(&mut |line| found.push(line));
        found
    }

    #[test]
    fn lines_are_put_together_however_they_arrive() {
        let texts: Vec<_> =
            lines_of(&[b"on", b"e\n\ntw", b"o\nthr", b"ee"]).into_iter().map(|line| line.text).collect();
        assert_eq!(texts, ["one", "", "two", "three"]);
    }

    #[test]
    fn a_line_that_is_too_long_is_cut_and_the_next_one_is_whole() {
        let long = vec![b'x'; LINE_BYTES];
        let found = lines_of(&[&long, b"yyy", b"zz\nnext\n"]);
        assert_eq!((found[0].text.len(), found[0].cut_bytes), (LINE_BYTES, 5));
        assert_eq!(found[1], Line { text: "next".to_owned(), cut_bytes: 0 });
    }

    #[test]
    fn what_is_not_utf8_is_replaced() {
        assert_eq!(lines_of(&[b"a\xffb\n"])[0].text, "a\u{fffd}b");
    }
}
