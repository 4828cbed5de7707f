//! The yardsticks for the bus: the same stack with as little on it as possible.
//!
//! The socket is tokio's, one JSON object per line, read and written with serde_json. HTTP is an axum router on
//! hyper, with one route that takes and gives JSON, and a broadcast as server-sent events. Both give back what they were given,
//! or, where that has `bytes`, as many. Nobody is asked who they are, nothing is bounded, counted or stored.

use std::{
    convert::Infallible,
    fs,
    io::{self, Write},
    net::{Ipv4Addr, SocketAddr},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use axum::{
    Json, Router,
    extract::State,
    response::{Sse, sse::Event},
    routing,
};
use futures_util::{Stream, stream};
use hyper::server::conn::http1;
use hyper_util::{rt::TokioIo, service::TowerToHyperService};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncBufReadExt, AsyncWriteExt, BufReader},
    net::{TcpListener, UnixListener, UnixStream},
    sync::broadcast,
};

use super::running::{self, Running};
use crate::{helpers, trouble::Outcome};

/// Events that a slow subscriber may leave lying.
const BROADCAST_EVENTS: usize = 1_024;

/// A bare socket server.
pub(crate) struct BareSocket {
    running: Running,
    path: PathBuf,
}

impl BareSocket {
    /// Starts one on a socket in `place`.
    pub(crate) fn start(place: &Path) -> Outcome<Self> {
        let path = place.join("bare.sock");
        let mut command = helpers::command("helper-bare-socket")?;
        command.arg(&path);
        Ok(Self { running: Running::start(command)?, path })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// A bare HTTP server.
pub(crate) struct BareHttp {
    running: Running,
    address: SocketAddr,
}

impl BareHttp {
    pub(crate) fn start() -> Outcome<Self> {
        let mut running = Running::start(helpers::command("helper-bare-http")?)?;
        let address = running.line()?.parse()?;
        Ok(Self { running, address })
    }

    pub(crate) fn pid(&self) -> u32 {
        self.running.pid()
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }
}

/// The helper that serves a socket.
pub(crate) fn serve_socket(words: &[String]) -> Outcome<()> {
    let [path] = words else { return Err("the bare socket needs a path".into()) };
    let runtime = running::runtime()?;
    let listener = {
        let _inside = runtime.enter();
        UnixListener::bind(path)?
    };
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(echo_lines(stream));
        }
    });
    helpers::ready()?;
    helpers::wait_for_the_end()?;
    runtime.shutdown_background();
    Ok(fs::remove_file(path)?)
}

async fn echo_lines(stream: UnixStream) -> io::Result<()> {
    let (reader, mut writer) = stream.into_split();
    let (mut reader, mut line) = (BufReader::new(reader), Vec::new());
    while reader.read_until(b'\n', &mut line).await? > 0 {
        let said: Value = serde_json::from_slice(&line)?;
        line.clear();
        serde_json::to_writer(&mut line, &answer(said))?;
        line.push(b'\n');
        writer.write_all(&line).await?;
        line.clear();
    }
    Ok(())
}

/// What was said, or something of the length that it asks for.
fn answer(said: Value) -> Value {
    match said.get("bytes").and_then(Value::as_u64) {
        Some(bytes) => json!({"text": "x".repeat(usize::try_from(bytes).unwrap_or_default())}),
        None => said,
    }
}

/// What is told to every subscriber.
struct Broadcast {
    newest: AtomicU64,
    sender: broadcast::Sender<(u64, Arc<str>)>,
}

/// The helper that serves HTTP.
pub(crate) fn serve_http(_words: &[String]) -> Outcome<()> {
    baton_bus::socket::raise_descriptor_limit();
    let runtime = running::runtime()?;
    let broadcast = Broadcast { newest: AtomicU64::new(0), sender: broadcast::Sender::new(BROADCAST_EVENTS) };
    let router = Router::new()
        .route("/echo", routing::post(|Json(said): Json<Value>| async { Json(answer(said)) }))
        .route("/events", routing::get(subscribe).post(tell))
        .with_state(Arc::new(broadcast));
    let listener = runtime.block_on(TcpListener::bind((Ipv4Addr::LOCALHOST, 0)))?;
    let address = listener.local_addr()?;
    runtime.spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let _ = stream.set_nodelay(true);
            let service = TowerToHyperService::new(router.clone());
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
    helpers::ready()?;
    writeln!(io::stdout(), "{address}")?;
    helpers::wait_for_the_end()?;
    runtime.shutdown_background();
    Ok(())
}

async fn subscribe(State(broadcast): State<Arc<Broadcast>>) -> Sse<impl Stream<Item = Result<Event, Infallible>>> {
    Sse::new(stream::unfold(broadcast.sender.subscribe(), |mut receiver| async move {
        let (seq, text) = receiver.recv().await.ok()?;
        Some((Ok(Event::default().id(seq.to_string()).event("message.created").data(text)), receiver))
    }))
}

async fn tell(State(broadcast): State<Arc<Broadcast>>, Json(said): Json<Value>) -> Json<Value> {
    let seq = broadcast.newest.fetch_add(1, Ordering::SeqCst) + 1;
    // Nobody needs to listen.
    let _ = broadcast.sender.send((seq, said.to_string().into()));
    Json(json!({"seq": seq}))
}
