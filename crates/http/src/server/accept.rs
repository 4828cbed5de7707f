//! Takes connections, and waits for the last of them.

use std::{io, net::SocketAddr, sync::Arc, time::Duration};

use axum::Router;
use baton_app::Failure;
use baton_bus::Hub;
use baton_core::code::ErrorCode;
use tokio::{
    io::AsyncWriteExt,
    net::{TcpListener, TcpStream},
    sync::Semaphore,
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;

use super::{
    connection::{HEAD_TIME, serve},
    listen::Settings,
};
use crate::{
    gate::{Names, Scheme},
    routes,
    site::Site,
};

/// How much the system keeps for a peer that does not read. It would give some megabytes to each.
const SEND_BUFFER_BYTES: usize = 256 * 1024;
/// How long to wait when there is nothing to take a connection with, such as a free descriptor.
const BREATH: Duration = Duration::from_millis(100);
/// How long the last calls are waited for when the server ends.
const DRAIN: Duration = Duration::from_secs(20);

/// What one connection too many is told.
const FULL: &str = "HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\nretry-after: 1\r\n\
                    connection: close\r\n";

/// A server that listens already, and answers once it is run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    scheme: Scheme,
    tls: Option<TlsAcceptor>,
    router: Router,
    hub: Arc<Hub>,
    connections_max: usize,
}

impl Server {
    /// Begins to listen. `others` are routes of services of their own, such as `/mcp`, for a server that goes by those
    /// names; they are behind the gate, too, and find a [`Visitor`](crate::Visitor) in each request.
    pub async fn bind(
        hub: Arc<Hub>,
        settings: Settings,
        others: impl FnOnce(&Names) -> Router,
    ) -> Result<Self, Failure> {
        settings.check()?;
        let tls = settings.tls.as_ref().map(super::TlsFiles::acceptor).transpose()?;
        let failed = |error: &io::Error| cannot_listen(settings.listen, error);
        let listener = TcpListener::bind(settings.listen).await.map_err(|error| failed(&error))?;
        let address = listener.local_addr().map_err(|error| failed(&error))?;
        let scheme = settings.scheme();
        let names = Names::of(address, scheme, &settings.hosts);
        let connections_max = settings.connections_max;
        let others = others(&names);
        let site = Arc::new(Site::new(Arc::clone(&hub), names, scheme, address.port(), settings.owner));
        let router = routes::router(site, others);
        Ok(Self { listener, address, scheme, tls, router, hub, connections_max })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address, as a person on this machine types it.
    pub fn url(&self) -> String {
        let ip = self.address.ip();
        let host = match ip {
            _ if ip.is_unspecified() => "localhost".to_owned(),
            std::net::IpAddr::V4(ip) => ip.to_string(),
            std::net::IpAddr::V6(ip) => format!("[{ip}]"),
        };
        format!("{}://{host}:{}", self.scheme.as_str(), self.address.port())
    }

    /// Answers until the hub closes, and then until the last call is answered.
    pub async fn run(self) {
        let mut closing = self.hub.closing();
        let places = Arc::new(Semaphore::new(self.connections_max));
        let mut connections = JoinSet::new();
        loop {
            let stream = tokio::select! {
                accepted = self.listener.accept() => accepted,
                Some(_) = connections.join_next() => continue,
                _ = closing.wait_for(|closing| *closing) => break,
            };
            let Ok((stream, _)) = stream else {
                // Without a descriptor to spare there is nothing to do but to wait until one is.
                tokio::time::sleep(BREATH).await;
                continue;
            };
            let Ok(place) = Arc::clone(&places).try_acquire_owned() else {
                self.hub.metrics().refused_connection();
                turn_away(stream, self.connections_max, self.tls.is_some());
                continue;
            };
            let (router, hub, tls) = (self.router.clone(), Arc::clone(&self.hub), self.tls.clone());
            connections.spawn(async move {
                let _place = place;
                welcome(stream, router, hub, tls).await;
            });
        }
        drop(self.listener);
        // Whoever takes longer is cut off: what it asked for has been done or has not, and nothing is half-done.
        let _ = timeout(DRAIN, async { while connections.join_next().await.is_some() {} }).await;
    }
}

async fn welcome(stream: TcpStream, router: Router, hub: Arc<Hub>, tls: Option<TlsAcceptor>) {
    // Events are small and each counts at once. A socket that cannot do that is gone already.
    let _ = stream.set_nodelay(true);
    let _ = rustix::net::sockopt::set_socket_send_buffer_size(&stream, SEND_BUFFER_BYTES);
    match tls {
        None => serve(stream, router, hub).await,
        Some(tls) => {
            if let Ok(Ok(stream)) = timeout(HEAD_TIME, tls.accept(stream)).await {
                serve(stream, router, hub).await;
            }
        }
    }
}

/// Says that there is no place, as far as that can be said without waiting.
fn turn_away(mut stream: TcpStream, connections_max: usize, encrypted: bool) {
    if encrypted {
        return;
    }
    let message = format!("There are {connections_max} connections already.");
    let failure = Failure::new(ErrorCode::RateLimited, message);
    let body = baton_app::Envelope::refused("", &failure).into_json().to_string();
    let text = format!("{FULL}content-length: {}\r\n\r\n{body}", body.len());
    tokio::spawn(async move {
        let _ = timeout(BREATH, stream.write_all(text.as_bytes())).await;
    });
}

fn cannot_listen(address: SocketAddr, error: &io::Error) -> Failure {
    let failure = Failure::new(ErrorCode::PreconditionFailed, format!("Nobody can listen on {address}: {error}."));
    match error.kind() {
        io::ErrorKind::AddrInUse => failure.advising("Another program listens there; choose another with --listen."),
        _ => failure.advising("Choose another address with --listen."),
    }
}
