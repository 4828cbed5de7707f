//! A client of a socket that reads lines and does not understand them.

use std::{
    io::{BufRead, BufReader, Write},
    os::unix::net::UnixStream,
    path::Path,
};

use crate::trouble::Outcome;

/// A connection.
pub(crate) struct Lines {
    stream: BufReader<UnixStream>,
    line: Vec<u8>,
}

impl Lines {
    pub(crate) fn connect(path: &Path) -> Outcome<Self> {
        let stream = BufReader::with_capacity(64 * 1024, UnixStream::connect(path)?);
        Ok(Self { stream, line: Vec::new() })
    }

    /// The line that answers `line`, which ends in a line's end.
    pub(crate) fn ask(&mut self, line: &[u8]) -> Outcome<&[u8]> {
        self.stream.get_mut().write_all(line)?;
        self.line.clear();
        if self.stream.read_until(b'\n', &mut self.line)? == 0 {
            return Err("the server hung up".into());
        }
        Ok(&self.line)
    }
}
