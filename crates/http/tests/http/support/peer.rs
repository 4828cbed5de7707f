//! One end of a connection, which says what a test wants it to and reads what comes back.

use std::{net::SocketAddr, sync::Arc};

use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader},
    net::TcpStream,
    time::timeout,
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

use super::PATIENCE;

trait Both: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Both for T {}

/// One end of a connection.
pub(crate) struct Peer {
    stream: BufReader<Box<dyn Both>>,
    /// What a stream has said that no test has read yet.
    said: String,
}

/// What came back.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

/// An event of a stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) id: Option<u64>,
    pub(crate) kind: String,
    pub(crate) data: String,
}

impl Peer {
    pub(crate) async fn connect(address: SocketAddr) -> Self {
        Self::over(TcpStream::connect(address).await.unwrap())
    }

    /// The same, encrypted.
    pub(crate) async fn connect_encrypted(address: SocketAddr, connector: Arc<TlsConnector>) -> Self {
        let stream = TcpStream::connect(address).await.unwrap();
        Self::over(connector.connect(ServerName::try_from("localhost").unwrap(), stream).await.unwrap())
    }

    pub(crate) fn over(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) -> Self {
        Self { stream: BufReader::new(Box::new(stream)), said: String::new() }
    }

    pub(crate) async fn send(&mut self, text: &str) {
        self.stream.write_all(text.as_bytes()).await.unwrap();
        self.stream.flush().await.unwrap();
    }

    /// The same where the other end may not want to hear all of it.
    pub(crate) async fn try_send(&mut self, bytes: &[u8]) -> bool {
        self.stream.write_all(bytes).await.is_ok() && self.stream.flush().await.is_ok()
    }

    /// The next answer, whole.
    pub(crate) async fn answer(&mut self) -> Answer {
        let mut answer = self.head().await;
        let length = answer.header("content-length").map_or(0, |length| length.parse().unwrap());
        answer.body = vec![0; length];
        timeout(PATIENCE, self.stream.read_exact(&mut answer.body)).await.unwrap().unwrap();
        answer
    }

    /// The next answer up to where its body begins.
    pub(crate) async fn head(&mut self) -> Answer {
        let first = self.line().await;
        let status = first.split(' ').nth(1).unwrap_or_else(|| panic!("no status: {first:?}")).parse().unwrap();
        let mut headers = Vec::new();
        loop {
            let line = self.line().await;
            let Some((name, value)) = line.split_once(':') else { break };
            headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        Answer { status, headers, body: Vec::new() }
    }

    /// The next event of a stream, or nothing when it is over. What only keeps it alive is passed over.
    pub(crate) async fn event(&mut self) -> Option<Event> {
        loop {
            let block = self.block().await?;
            let mut event = Event::default();
            for line in block.lines() {
                match line.split_once(": ") {
                    Some(("id", id)) => event.id = Some(id.parse().unwrap()),
                    Some(("event", kind)) => event.kind = kind.to_owned(),
                    Some(("data", data)) => event.data = data.to_owned(),
                    _ => {}
                }
            }
            if !event.kind.is_empty() {
                return Some(event);
            }
        }
    }

    /// The next block of a stream, of whatever sort.
    pub(crate) async fn block(&mut self) -> Option<String> {
        loop {
            if let Some(end) = self.said.find("\n\n") {
                let rest = self.said.split_off(end + 2);
                return Some(std::mem::replace(&mut self.said, rest));
            }
            let size = usize::from_str_radix(&self.line().await, 16).unwrap_or(0);
            if size == 0 {
                return None;
            }
            let mut chunk = vec![0; size];
            if self.stream.read_exact(&mut chunk).await.is_err() {
                return None;
            }
            self.line().await;
            self.said.push_str(std::str::from_utf8(&chunk).unwrap());
        }
    }

    /// Waits until the other end has closed, and tells what it still said.
    pub(crate) async fn rest(&mut self) -> String {
        let mut rest = Vec::new();
        // One that is reset is closed, too.
        let _ = self.stream.read_to_end(&mut rest).await;
        String::from_utf8_lossy(&rest).into_owned()
    }

    async fn line(&mut self) -> String {
        let mut line = String::new();
        // What breaks off is shown by what is missing.
        let _ = timeout(PATIENCE, self.stream.read_line(&mut line)).await.expect("something comes, or the end");
        line.trim_end().to_owned()
    }
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }

    /// The status, and the code of a "no".
    pub(crate) fn refusal(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or_default().to_owned())
    }
}
