//! One connection, from its first byte to its last.

use std::{pin::pin, sync::Arc, time::Duration};

use axum::Router;
use baton_bus::{Hub, Transport};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    sync::Notify,
};

use super::wire::Wire;

/// How long the head of a request may take, and how long a connection may wait for its next one.
pub(crate) const HEAD_TIME: Duration = Duration::from_secs(30);
/// Largest head of a request.
pub(crate) const HEAD_BYTES: usize = 64 * 1024;
/// Most headers in a request.
pub(crate) const HEADERS_MAX: usize = 100;

/// A connection, for whoever has to end it.
#[derive(Clone, Debug, Default)]
pub(crate) struct Line(Arc<Notify>);

impl Line {
    /// Ends the connection at once.
    pub(crate) fn cut(&self) {
        self.0.notify_one();
    }

    async fn is_cut(&self) {
        self.0.notified().await;
    }
}

/// Answers what arrives, until the peer is done, the line is cut, or the server ends.
pub(super) async fn serve<S>(stream: S, router: Router, hub: Arc<Hub>)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let _counted = hub.metrics().connected(Transport::Http);
    let line = Line::default();
    let routes = TowerToHyperService::new(router);
    let in_request = line.clone();
    let service = service_fn(move |mut request: hyper::Request<Incoming>| {
        request.extensions_mut().insert(in_request.clone());
        routes.call(request)
    });
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_headers(HEADERS_MAX)
        .max_buf_size(HEAD_BYTES)
        .serve_connection(TokioIo::new(Wire::new(stream, Arc::clone(&hub))), service);
    let mut connection = pin!(connection);
    let mut closing = hub.closing();
    let mut is_closing = false;
    loop {
        tokio::select! {
            // What went wrong is the peer's doing, and the peer is gone.
            _ = connection.as_mut() => return,
            () = line.is_cut() => return,
            _ = closing.wait_for(|closing| *closing), if !is_closing => {
                is_closing = true;
                connection.as_mut().graceful_shutdown();
            }
        }
    }
}
