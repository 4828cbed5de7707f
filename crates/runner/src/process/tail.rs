//! The end of what a program printed.

use std::{collections::VecDeque, fmt};

/// The most that is kept of it.
pub const TAIL_BYTES: usize = 16 * 1024;

/// The last bytes of a stream.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Tail {
    kept: VecDeque<u8>,
    dropped_bytes: u64,
}

impl Tail {
    /// Adds what was printed next.
    pub fn push(&mut self, bytes: &[u8]) {
        let bytes = match bytes.len().checked_sub(TAIL_BYTES) {
            Some(over) => {
                self.dropped_bytes += over as u64;
                &bytes[over..]
            }
            None => bytes,
        };
        let over = (self.kept.len() + bytes.len()).saturating_sub(TAIL_BYTES);
        self.kept.drain(..over);
        self.dropped_bytes += over as u64;
        self.kept.extend(bytes);
    }

    /// How many bytes were printed before what is kept.
    pub fn dropped_bytes(&self) -> u64 {
        self.dropped_bytes
    }
}

impl fmt::Debug for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

/// What is kept, as text; it says if there was more before it.
impl fmt::Display for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bytes: Vec<u8> = self.kept.iter().copied().collect();
        let text = String::from_utf8_lossy(&bytes);
        if self.dropped_bytes == 0 {
            return f.write_str(text.trim());
        }
        // The first line is hardly ever whole.
        let text = text.split_once('\n').map_or(&*text, |(_, rest)| rest);
        write!(f, "[{} bytes before this were left out]\n{}", self.dropped_bytes, text.trim())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_is_kept_and_the_rest_counted() {
        let mut tail = Tail::default();
        tail.push(b"first line\n");
        assert_eq!(tail.to_string(), "first line");
        tail.push(&vec![b'x'; TAIL_BYTES - 5]);
        tail.push(b"\nlast");
        assert_eq!(tail.dropped_bytes(), 11);
        assert_eq!(tail.to_string(), "[11 bytes before this were left out]\nlast");
        tail.push(&vec![b'y'; 3 * TAIL_BYTES]);
        assert_eq!((tail.kept.len(), tail.dropped_bytes()), (TAIL_BYTES, 11 + 3 * TAIL_BYTES as u64));
    }
}
