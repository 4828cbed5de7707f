//! Server-sent events, as a server of ours writes them: `id`, `event`, `data`, and comments in between.

use std::io::{BufRead, BufReader, Read};

use serde_json::Value;

use super::ClientError;

/// Longest line that is read.
const LINE_BYTES: u64 = 64 * 1024 * 1024;

/// A stream of events.
pub(super) struct Sse<R>(BufReader<R>);

/// One event.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Event {
    pub(super) kind: String,
    pub(super) data: Value,
}

impl<R: Read> Sse<R> {
    pub(super) fn new(body: R) -> Self {
        Self(BufReader::new(body))
    }

    /// The next event that has data.
    pub(super) fn next(&mut self) -> Result<Event, ClientError> {
        let (mut kind, mut data) = (String::new(), String::new());
        loop {
            let mut line = String::new();
            self.0.by_ref().take(LINE_BYTES).read_line(&mut line).map_err(ClientError::disconnected)?;
            if !line.ends_with('\n') {
                return Err(ClientError::disconnected("the stream ended"));
            }
            let line = line.trim_end_matches(['\r', '\n']);
            match line.split_once(':').map(|(name, value)| (name, value.strip_prefix(' ').unwrap_or(value))) {
                Some(("event", value)) => value.clone_into(&mut kind),
                Some(("data", value)) => {
                    if !data.is_empty() {
                        data.push('\n');
                    }
                    data.push_str(value);
                }
                // Comments, ids, which the data has too, and when to come back.
                Some(_) => {}
                None if line.is_empty() && !data.is_empty() => {
                    let data = serde_json::from_str(&data).map_err(ClientError::unreadable)?;
                    return Ok(Event { kind, data });
                }
                None => kind.clear(),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn events_are_read_over_comments_and_a_stream_that_ends_says_so() {
        let text = "retry: 1000\n\n:\n\nid: 4\nevent: room.note\ndata: {\"seq\":4}\n\n: pulse\n\ndata: [1,\ndata: 2]\n\nid: 5\n";
        let mut events = Sse::new(text.as_bytes());
        assert_eq!(events.next().unwrap(), Event { kind: "room.note".to_owned(), data: json!({"seq": 4}) });
        assert_eq!(events.next().unwrap(), Event { kind: String::new(), data: json!([1, 2]) });
        assert!(events.next().unwrap_err().is_disconnected());
    }
}
