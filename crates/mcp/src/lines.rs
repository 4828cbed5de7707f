//! The transport: one JSON-RPC message per line, read within bounds and answered even when it is none.
//!
//! Differs from rmcp's own line transport in what it does with trouble. A line that is not JSON gets a parse
//! error instead of silence, one that is too long is dropped as it arrives and refused, and what a client says
//! before it opened the session, other than a request, is ignored instead of ending the server.
//!
//! What must stay true: `receive` may be dropped at any await and lose nothing, because rmcp polls it beside
//! other events; so a line in progress lives in the struct, and nothing is written from inside `receive`.

use std::{io, sync::Arc};

use rmcp::{
    ErrorData, RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, GetMeta, JsonRpcMessage, ProtocolVersion, RequestId, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader},
    sync::{Mutex, watch},
};

use crate::unreadable::{MESSAGE_BYTES, Unreadable, unreadable};

/// What is read at once, and what a line buffer keeps between lines.
const BUFFER_BYTES: usize = 64 * 1024;

/// How many answers may wait to be written before no more is read.
const UNWRITTEN_MAX: usize = 256;

/// A connection that speaks lines.
pub(crate) struct Lines<R, W> {
    reader: BufReader<R>,
    /// The beginning of a line whose end has not arrived.
    partial: Vec<u8>,
    /// Whether the rest of a line that was too long is being dropped.
    skipping: bool,
    /// Whether the session has begun. Before that rmcp takes nothing but requests.
    opened: bool,
    writer: Arc<Mutex<Option<W>>>,
    /// Told when the client hangs up, so that waits are withdrawn before rmcp waits for them.
    hangup: watch::Sender<bool>,
}

/// What a line turned out to be.
enum Line {
    Message(Box<ClientJsonRpcMessage>),
    Refused(ErrorData, Option<RequestId>),
    Ignored,
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    pub(crate) fn new(reader: R, writer: W, hangup: watch::Sender<bool>) -> Self {
        Self {
            reader: BufReader::with_capacity(BUFFER_BYTES, reader),
            partial: Vec::new(),
            skipping: false,
            opened: false,
            writer: Arc::new(Mutex::new(Some(writer))),
            hangup,
        }
    }

    /// The next line, or `None` when the client hung up.
    async fn next_line(&mut self) -> Option<Line> {
        loop {
            // A read that fails is a hang-up: there is nobody left to tell.
            let available = self.reader.fill_buf().await.ok().filter(|bytes| !bytes.is_empty())?;
            let newline = available.iter().position(|byte| *byte == b'\n');
            let piece = &available[..newline.unwrap_or(available.len())];
            let consumed = piece.len() + usize::from(newline.is_some());

            let line = if self.skipping {
                self.skipping = newline.is_none();
                None
            } else if self.partial.len() + piece.len() > MESSAGE_BYTES {
                self.partial = Vec::new();
                self.skipping = newline.is_none();
                Some(too_long())
            } else if newline.is_none() {
                self.partial.extend_from_slice(piece);
                None
            } else if self.partial.is_empty() {
                Some(parse(piece))
            } else {
                self.partial.extend_from_slice(piece);
                let line = parse(&self.partial);
                self.partial.clear();
                self.partial.shrink_to(BUFFER_BYTES);
                Some(line)
            };
            self.reader.consume(consumed);
            if line.is_some() {
                return line;
            }
        }
    }

    /// Lets a client that does not read its answers wait, instead of piling them up.
    async fn catch_up(&mut self) {
        // Every answer on its way holds the writer, and the lock is fair: it comes after all of them.
        if Arc::strong_count(&self.writer) > UNWRITTEN_MAX {
            drop(self.writer.lock().await);
        }
    }

    /// Whether rmcp can take this message now.
    fn admits(&mut self, message: &ClientJsonRpcMessage) -> bool {
        let JsonRpcMessage::Request(request) = message else {
            return self.opened;
        };
        self.opened |= opens(&request.request);
        true
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let writer = Arc::clone(&self.writer);
        let line = serde_json::to_vec(&message);
        async move {
            let mut line = line?;
            line.push(b'\n');
            match writer.lock().await.as_mut() {
                Some(writer) => {
                    writer.write_all(&line).await?;
                    writer.flush().await
                }
                None => Err(io::ErrorKind::NotConnected.into()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            self.catch_up().await;
            match self.next_line().await {
                Some(Line::Message(message)) if self.admits(&message) => return Some(*message),
                Some(Line::Message(_) | Line::Ignored) => {}
                Some(Line::Refused(error, id)) => {
                    tokio::spawn(self.send(ServerJsonRpcMessage::error(error, id)));
                }
                None => {
                    self.hangup.send_replace(true);
                    return None;
                }
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        self.writer.lock().await.take();
        Ok(())
    }
}

/// Whether rmcp begins the session with this request: `initialize`, or any that carries the 2026-07-28 metadata.
/// `ping` and `server/discover` are answered and leave it open which of the two comes.
fn opens(request: &ClientRequest) -> bool {
    let meta = request.get_meta();
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        _ => {
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
        }
    }
}

fn parse(line: &[u8]) -> Line {
    let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line).trim_ascii();
    if line.is_empty() {
        return Line::Ignored;
    }
    match serde_json::from_slice(line) {
        Ok(message) => Line::Message(Box::new(message)),
        Err(error) => match unreadable("line", line, &error) {
            Unreadable::Refused(error, id) => Line::Refused(error, id),
            Unreadable::Ignored => Line::Ignored,
        },
    }
}

fn too_long() -> Line {
    let message = format!("The line is longer than {MESSAGE_BYTES} bytes and was dropped.");
    Line::Refused(ErrorData::invalid_request(message, None), None)
}
