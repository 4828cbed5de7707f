//! A network that breaks where a test says, between a store and its Postgres server.
//!
//! It knows just enough of the protocol to see a transaction begin and its commit pass by. Only writes are watched:
//! a transaction that begins `READ ONLY` is let be. Each fault happens once, to the next transaction it fits.
//!
//! ```text
//! store ── up: whole messages, watched ──▶ server
//!       ◀─ down: whole messages, watched ──
//! ```

use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc, Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

/// What a client says first when it would like to encrypt.
const ASKS_FOR_TLS: u32 = 80_877_103;

/// How the network breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The connection breaks when the transaction has begun, in the middle of its first messages.
    CutAfterBegin,
    /// The connection breaks before the server sees the commit.
    CutBeforeCommit,
    /// The server commits, and the connection breaks before it can say so. What followed the commit is lost too.
    CutAfterCommit,
    /// The client's end breaks; the server's stands, and the commit stays on the way until it is let through.
    HoldCommit,
    /// The same, but it arrives just before the client has come back.
    HoldCommitUntilReconnect,
    /// From the commit on nothing gets through any more, in either direction, and nobody is told.
    SilentAtCommit,
}

/// A way to a server that can be broken. It ends with the test.
#[derive(Debug)]
pub struct Proxy {
    port: u16,
    before: String,
    after: String,
    shared: Arc<Shared>,
}

#[derive(Debug)]
struct Shared {
    target: String,
    /// Whether everything is lost that is on the way, as where a network swallows it.
    silent: Arc<AtomicBool>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    closed: bool,
    away: bool,
    fault: Option<Fault>,
    connections: Vec<Arc<Ends>>,
    held: Option<Held>,
}

/// Both ends of a connection.
#[derive(Debug)]
struct Ends {
    client: TcpStream,
    server: TcpStream,
    /// Answers of a single letter that are due: whether the server encrypts.
    letters: AtomicUsize,
    /// Whether answers are lost, up to that of the commit.
    swallows: AtomicBool,
    /// Whether the server is not to learn that the client is gone.
    abandoned: AtomicBool,
    /// See there.
    silent: Arc<AtomicBool>,
}

/// A commit that is still on its way.
#[derive(Debug)]
struct Held {
    ends: Arc<Ends>,
    message: Vec<u8>,
    until_reconnect: bool,
}

impl Proxy {
    /// A way to the server in `url`, which is `postgres://user@host:port/database` and has no TLS.
    pub fn start(url: &str) -> Self {
        let (before, rest) = url.split_once('@').unwrap();
        let (target, after) = rest.split_once('/').unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let shared = Arc::new(Shared { target: target.to_owned(), silent: Arc::default(), state: Mutex::default() });
        let accepting = shared.clone();
        thread::spawn(move || accepting.accept(&listener));
        Self { port, before: before.to_owned(), after: after.to_owned(), shared }
    }

    /// The server's address by this way.
    pub fn url(&self) -> String {
        format!("{}@127.0.0.1:{}/{}", self.before, self.port, self.after)
    }

    /// Breaks the next write that the fault fits.
    pub fn breaks(&self, fault: Fault) {
        self.shared.state().fault = Some(fault);
    }

    /// Takes no new connections. Those that stand are left.
    pub fn goes_away(&self) {
        self.shared.state().away = true;
    }

    /// Takes new connections again.
    pub fn comes_back(&self) {
        self.shared.state().away = false;
    }

    /// Lets nothing through any more, in either direction. Connections are taken, and stand, and nobody is told anything.
    pub fn falls_silent(&self) {
        self.shared.silent.store(true, Ordering::SeqCst);
    }

    /// Breaks every connection.
    pub fn cuts_all(&self) {
        self.shared.cut_all();
    }

    /// Breaks the clients' end of every connection. The server is left to think that all is well.
    pub fn cuts_clients(&self) {
        let connections = std::mem::take(&mut self.shared.state().connections);
        for ends in &connections {
            ends.abandoned.store(true, Ordering::SeqCst);
            let _ = ends.client.shutdown(Shutdown::Both);
        }
    }

    /// Lets a commit that was held arrive, and tells whether there was one.
    pub fn lets_through(&self) -> bool {
        let held = self.shared.state().held.take();
        held.map(Held::arrive).is_some()
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.shared.state().closed = true;
        self.shared.cut_all();
        // Wakes the thread that accepts, so that it sees that nobody is wanted any more.
        let _ = TcpStream::connect(("127.0.0.1", self.port));
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    fn cut_all(&self) {
        let connections = std::mem::take(&mut self.state().connections);
        connections.iter().for_each(|ends| ends.cut());
    }

    fn accept(self: &Arc<Self>, listener: &TcpListener) {
        for client in listener.incoming() {
            let mut state = self.state();
            if state.closed {
                return;
            }
            if state.away {
                continue;
            }
            if let Some(held) = state.held.take_if(|held| held.until_reconnect) {
                held.arrive();
            }
            let Some(ends) = client.ok().and_then(|client| Ends::join(client, &self.target, &self.silent).ok()) else {
                continue;
            };
            state.connections.push(ends.clone());
            drop(state);
            let (shared, up) = (self.clone(), ends.clone());
            thread::spawn(move || {
                // A connection that broke by itself is only carried on to the other side.
                let _ = shared.carry_up(&up);
                if !up.is_held(&shared) && !up.abandoned.load(Ordering::SeqCst) {
                    up.cut();
                }
            });
            thread::spawn(move || {
                let _ = ends.carry_down();
                ends.cut();
            });
        }
    }

    /// Carries messages to the server, until one is broken or there are no more.
    fn carry_up(&self, ends: &Arc<Ends>) -> io::Result<()> {
        let (mut client, mut server) = (&ends.client, &ends.server);
        ends.introduce()?;
        let mut writes = false;
        loop {
            let message = message(&mut client)?;
            let words = words(&message);
            if words.starts_with("BEGIN") {
                writes = !words.contains("READ ONLY");
            }
            let fault = if writes { self.take_fault(words) } else { None };
            writes &= !matches!(words, "COMMIT" | "ROLLBACK");
            match fault {
                None if self.silent.load(Ordering::SeqCst) => {}
                None => server.write_all(&message)?,
                Some(Fault::SilentAtCommit) => self.silent.store(true, Ordering::SeqCst),
                Some(Fault::CutAfterBegin | Fault::CutBeforeCommit) => return Ok(()),
                Some(Fault::CutAfterCommit) => {
                    ends.swallows.store(true, Ordering::SeqCst);
                    server.write_all(&message)?;
                    // Nothing that follows gets through; the other thread cuts when the answer has come.
                    return ends.drain();
                }
                Some(fault @ (Fault::HoldCommit | Fault::HoldCommitUntilReconnect)) => {
                    let until_reconnect = fault == Fault::HoldCommitUntilReconnect;
                    self.state().held = Some(Held { ends: ends.clone(), message, until_reconnect });
                    return ends.client.shutdown(Shutdown::Both);
                }
            }
        }
    }

    /// The fault that this message is to meet, if there is one.
    fn take_fault(&self, words: &str) -> Option<Fault> {
        self.state().fault.take_if(|fault| match fault {
            Fault::CutAfterBegin => !words.starts_with("BEGIN"),
            Fault::CutBeforeCommit
            | Fault::CutAfterCommit
            | Fault::HoldCommit
            | Fault::HoldCommitUntilReconnect
            | Fault::SilentAtCommit => words == "COMMIT",
        })
    }
}

impl Ends {
    fn join(client: TcpStream, target: &str, silent: &Arc<AtomicBool>) -> io::Result<Arc<Self>> {
        let server = TcpStream::connect(target)?;
        client.set_nodelay(true)?;
        server.set_nodelay(true)?;
        Ok(Arc::new(Self {
            client,
            server,
            letters: AtomicUsize::new(0),
            swallows: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
            silent: silent.clone(),
        }))
    }

    fn cut(&self) {
        // An end that is gone already cannot be cut again.
        let _ = self.client.shutdown(Shutdown::Both);
        let _ = self.server.shutdown(Shutdown::Both);
    }

    fn is_held(self: &Arc<Self>, shared: &Shared) -> bool {
        shared.state().held.as_ref().is_some_and(|held| Arc::ptr_eq(&held.ends, self))
    }

    /// Carries what a client says before its messages have kinds.
    fn introduce(&self) -> io::Result<()> {
        loop {
            let (mut client, mut server) = (&self.client, &self.server);
            let mut length = [0; 4];
            client.read_exact(&mut length)?;
            let mut rest = vec![0; (u32::from_be_bytes(length) as usize).saturating_sub(4)];
            client.read_exact(&mut rest)?;
            let asks = rest == ASKS_FOR_TLS.to_be_bytes();
            if asks {
                self.letters.fetch_add(1, Ordering::SeqCst);
            }
            if !self.silent.load(Ordering::SeqCst) {
                server.write_all(&[length.as_slice(), &rest].concat())?;
            }
            if !asks {
                return Ok(());
            }
        }
    }

    /// Reads what the client still says, for nobody.
    fn drain(&self) -> io::Result<()> {
        io::copy(&mut &self.client, &mut io::sink()).map(drop)
    }

    /// Carries messages to the client, unless they are to be lost. Ends after the commit that is to be lost.
    fn carry_down(&self) -> io::Result<()> {
        let (mut client, mut server) = (&self.client, &self.server);
        loop {
            let mut kind = [0; 1];
            server.read_exact(&mut kind)?;
            if self.letters.load(Ordering::SeqCst) > 0 {
                self.letters.fetch_sub(1, Ordering::SeqCst);
                client.write_all(&kind)?;
                continue;
            }
            let message = rest_of_message(kind[0], &mut server)?;
            if self.silent.load(Ordering::SeqCst) {
                continue;
            }
            if !self.swallows.load(Ordering::SeqCst) {
                // A client that is gone hears nothing, but what the server says must not pile up.
                let _ = client.write_all(&message);
            } else if kind[0] == b'C' && message[5..] == *b"COMMIT\0" {
                return Ok(());
            }
        }
    }
}

impl Held {
    fn arrive(self) {
        // The server may have given up on the session meanwhile, which is what some tests are about.
        let _ = (&self.ends.server).write_all(&self.message);
    }
}

fn message(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut kind = [0; 1];
    from.read_exact(&mut kind)?;
    rest_of_message(kind[0], from)
}

fn rest_of_message(kind: u8, from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut length = [0; 4];
    from.read_exact(&mut length)?;
    let mut message = vec![kind];
    message.extend(length);
    message.resize(1 + u32::from_be_bytes(length) as usize, 0);
    from.read_exact(&mut message[5..])?;
    Ok(message)
}

/// The text of a simple query, and nothing of any other message.
fn words(message: &[u8]) -> &str {
    match message {
        [b'Q', _, _, _, _, words @ .., 0] => std::str::from_utf8(words).unwrap_or_default().trim(),
        _ => "",
    }
}
