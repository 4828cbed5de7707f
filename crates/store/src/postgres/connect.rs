//! Getting to the server: sockets, encryption, and how a session is set.
#![expect(clippy::disallowed_methods, reason = "this module waits: it sets deadlines")]

use std::{
    collections::HashMap,
    future::Future,
    io,
    net::{IpAddr, SocketAddr, TcpStream, ToSocketAddrs},
    os::unix::net::UnixStream,
    path::Path,
    pin::pin,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    net::{self, AddressFamily, SocketAddrUnix, SocketFlags, SocketType, sockopt},
};
use tokio_postgres::{
    Config,
    config::{Host, SslMode},
    tls::MakeTlsConnect,
};
use tokio_postgres_rustls::MakeRustlsConnect;

use super::{
    address::Address,
    failure::Trouble,
    link::{Driver, Link},
    outcome::Writer,
    pipeline::{self, Step},
    silence::Silence,
    statement::Sql,
    tls,
    wire::{self, Pump, Socket, Wire},
};
use crate::StoreError;

/// How long getting there may take, unless the address says otherwise.
const CONNECT_DEADLINE: Duration = Duration::from_secs(5);

/// What every session is set to. A statement or a lock that takes longer than this is given up by the server; a
/// transaction whose process stands still is ended there, so that nobody waits for it for ever; and a client whose
/// machine vanished is noticed.
const SESSION: &str = "
    SET search_path = baton;
    SET lock_timeout = '5s';
    SET statement_timeout = '7s';
    SET idle_in_transaction_session_timeout = '10s';
    SET default_transaction_isolation = 'read committed';
    SET tcp_keepalives_idle = 10;
    SET tcp_keepalives_interval = 5;
    SET tcp_keepalives_count = 3;
    SET tcp_user_timeout = 20000;
    SET plan_cache_mode = force_generic_plan;
    SET jit = off;
    SET client_min_messages = error;
";

/// How long the server lets others wait for a lock: [`SESSION`] says the same.
pub(super) const LOCK_DEADLINE: Duration = Duration::from_secs(5);

/// Gets to the server.
pub(super) struct Connector {
    config: Config,
    tls: MakeRustlsConnect,
    place: String,
}

impl Connector {
    pub(super) fn new(address: &Address) -> Result<Self, StoreError> {
        let place = address.to_string();
        let tls =
            tls::connector(&address.security).map_err(|error| StoreError::BadAddress { detail: error.to_string() })?;
        let mut config = address.config.clone();
        if config.get_application_name().is_none() {
            let name = rustix::system::uname();
            let host = name.nodename().to_string_lossy().into_owned();
            let mut shown = format!("baton {}@{host}", std::process::id());
            // Postgres cuts longer names, and complains.
            while shown.len() > 63 {
                shown.pop();
            }
            config.application_name(shown);
        }
        Ok(Self { config, tls, place })
    }

    pub(super) fn place(&self) -> &str {
        &self.place
    }

    /// A new connection, to the first of the hosts that takes it. Where there are several, a standby is only taken if
    /// none of the others is to be had: it can be read and no more.
    pub(super) fn connect(&self, silence: &mut Silence) -> Result<Link, Refused> {
        let mut refused = Refused::Network("no host is named".to_owned());
        let mut standby = None;
        let (hosts, ports) = (self.config.get_hosts(), self.config.get_ports());
        for (index, host) in hosts.iter().enumerate() {
            let port = ports.get(index).or(ports.first()).copied().unwrap_or(5432);
            match self.connect_to(host, port, silence.end()) {
                Ok(mut link) => {
                    silence.heard();
                    link.silence = *silence;
                    if hosts.len() == 1 || !is_standby(&mut link) {
                        return Ok(link);
                    }
                    standby = standby.or(Some(link));
                }
                Err(other) => refused = other,
            }
        }
        standby.ok_or(refused)
    }

    fn connect_to(&self, host: &Host, port: u16, end: Instant) -> Result<Link, Refused> {
        match host {
            Host::Unix(directory) => {
                let path = directory.join(format!(".s.PGSQL.{port}"));
                let socket = unix(&path).map_err(|error| Refused::Network(format!("{}: {error}", path.display())))?;
                let mut config = self.config.clone();
                // There is nobody between the two ends of a Unix socket.
                config.ssl_mode(SslMode::Disable);
                self.greet(&config, Socket::Unix(socket), "localhost", self.deadline(end))
            }
            Host::Tcp(name) => {
                let addresses = resolve(name, port, self.deadline(end))
                    .map_err(|error| Refused::Network(format!("{name}: {error}")))?;
                let mut refused = Refused::Network(format!("{name} has no address"));
                for address in addresses {
                    // Each has its own time, or one that swallows everything would leave none for the others.
                    let deadline = self.deadline(end);
                    match tcp(&self.config, &address, deadline) {
                        Ok(socket) => return self.greet(&self.config, Socket::Tcp(socket), name, deadline),
                        Err(error) => refused = Refused::Network(format!("{address}: {error}")),
                    }
                }
                Err(refused)
            }
        }
    }

    fn deadline(&self, end: Instant) -> Instant {
        end.min(Instant::now() + self.config.get_connect_timeout().copied().unwrap_or(CONNECT_DEADLINE))
    }

    /// Introduces ourselves on a socket that stands.
    fn greet(&self, config: &Config, socket: Socket, host: &str, deadline: Instant) -> Result<Link, Refused> {
        let network = |error: io::Error| Refused::Network(error.to_string());
        let (wire, pump) = wire::split(socket).map_err(network)?;
        let mut tls = self.tls.clone();
        let tls = MakeTlsConnect::<Wire>::make_tls_connect(&mut tls, host)
            .map_err(|error| Refused::Network(error.to_string()))?;
        let greeting = config.connect_raw(wire, tls);
        let (client, connection) = wait(&pump, deadline, greeting)?;
        let mut driver = Driver::new(pump, connection);
        driver.run(deadline, client.batch_execute(SESSION)).map_err(Refused::Server)?;
        let writer = Writer::new().map_err(Refused::Network)?;
        Ok(Link { client, driver, statements: HashMap::new(), writer, silence: Silence::default() })
    }
}

/// Why there is no connection.
pub(super) enum Refused {
    /// The network.
    Network(String),
    /// The server, or what it speaks.
    Server(Trouble),
}

impl Refused {
    /// Whether it may be otherwise in a moment.
    pub(super) fn may_pass(&self) -> bool {
        match self {
            Self::Network(_) => true,
            Self::Server(trouble) => trouble.remedy() == super::failure::Remedy::Reconnect,
        }
    }

    /// Whether the server is there and only asks for patience.
    pub(super) fn is_starting(&self) -> bool {
        use tokio_postgres::error::SqlState;
        match self {
            Self::Network(_) => false,
            Self::Server(trouble) => matches!(
                trouble.code(),
                Some(&(SqlState::CANNOT_CONNECT_NOW | SqlState::TOO_MANY_CONNECTIONS | SqlState::CRASH_SHUTDOWN))
            ),
        }
    }

    pub(super) fn at(&self, place: &str) -> StoreError {
        match self {
            Self::Network(detail) => StoreError::Unreachable { place: place.to_owned(), detail: detail.clone() },
            Self::Server(trouble) => trouble.at(place),
        }
    }
}

/// Whether the server only follows another one.
fn is_standby(link: &mut Link) -> bool {
    let sql = Sql::plain("SELECT CASE WHEN pg_is_in_recovery() THEN 1 ELSE 0 END::bigint");
    let rows = pipeline::run(link, &[Step::Run { sql, values: Vec::new() }]).unwrap_or_default();
    rows.iter().flatten().any(|row| row.try_get::<_, i64>(0).is_ok_and(|follows| follows == 1))
}

/// The addresses of a host. Looking a name up can take the system as long as it likes, so somebody else waits for it.
fn resolve(name: &str, port: u16, deadline: Instant) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = name.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let (answer, answered) = mpsc::channel();
    let asked = (name.to_owned(), port);
    thread::Builder::new().name("baton-resolver".to_owned()).spawn(move || {
        // Whoever does not wait for it any more has no use for it.
        let _ = answer.send(asked.to_socket_addrs().map(Iterator::collect));
    })?;
    let left = deadline.saturating_duration_since(Instant::now());
    answered.recv_timeout(left).unwrap_or_else(|_| Err(io::Error::other("its address was not found in time")))
}

/// Connects without waiting: a server that stands still takes only as many as fit before its door.
fn unix(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::NONBLOCK | SocketFlags::CLOEXEC;
    let socket = net::socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    match net::connect(&socket, &SocketAddrUnix::new(path)?) {
        Ok(()) => Ok(UnixStream::from(socket)),
        Err(Errno::AGAIN) => Err(io::Error::other("it takes no connections")),
        Err(error) => Err(error.into()),
    }
}

fn tcp(config: &Config, address: &SocketAddr, deadline: Instant) -> io::Result<TcpStream> {
    let left = deadline.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let socket = TcpStream::connect_timeout(address, left)?;
    socket.set_nodelay(true)?;
    if config.get_keepalives() {
        sockopt::set_socket_keepalive(&socket, true)?;
        sockopt::set_tcp_keepidle(&socket, config.get_keepalives_idle())?;
        if let Some(interval) = config.get_keepalives_interval() {
            sockopt::set_tcp_keepintvl(&socket, interval)?;
        }
        if let Some(retries) = config.get_keepalives_retries() {
            sockopt::set_tcp_keepcnt(&socket, retries)?;
        }
    }
    if let Some(timeout) = config.get_tcp_user_timeout() {
        sockopt::set_tcp_user_timeout(&socket, u32::try_from(timeout.as_millis()).unwrap_or(u32::MAX))?;
    }
    Ok(socket)
}

fn wait<T>(
    pump: &Pump,
    deadline: Instant,
    future: impl Future<Output = Result<T, tokio_postgres::Error>>,
) -> Result<T, Refused> {
    let mut future = pin!(future);
    match pump.run(deadline, |context| future.as_mut().poll(context)) {
        Some(Ok(done)) => Ok(done),
        Some(Err(error)) => Err(Refused::Server(Trouble::Server(error))),
        None => Err(Refused::Server(Trouble::TimedOut)),
    }
}
