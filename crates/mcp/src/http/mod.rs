//! MCP over streamable HTTP: the service behind `/mcp`.
//!
//! [`service()`] gives a tower service that takes requests for one path, whatever it is called, and answers them with the
//! same tools, the same answers and the same waits as `baton mcp` does. It speaks the revisions with sessions and the one
//! without. Who may come in is for the HTTP layer in front to decide; it says what it found in two extensions of the
//! request, [`Rights`](baton_app::Rights) and [`Principal`]. Host and Origin are checked here once more, since a server
//! that is mounted without such a layer is otherwise open to every page of a browser.
//!
//! ```ignore
//! let run = Run::new(move |principal, caller, call| async move { hub.run(&credential(principal), caller, call).await });
//! let mcp = baton_mcp::http::service(run, Options { tier, hosts, origins, closing });
//! let router = axum::Router::new().route_service("/mcp", mcp);
//! ```
//!
//! Start at `service`, which says what is done before and after rmcp answers; `shared` says who calls, `sessions` how many
//! there may be, `patience` how a long call stays alive.
//!
//! What must stay true: a wait ends with its client; a session is of no use to another principal; everything that is
//! remembered has a bound.

mod patience;
mod recent;
mod service;
mod sessions;
mod shared;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use baton_app::table::{TABLE, Tier};
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::sync::watch;

pub use service::{Body, Service};
pub use shared::{Principal, Run};

use crate::{server::Server, tools::Tools, unreadable::MESSAGE_BYTES};

/// What a service is told when it is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which tools are offered.
    pub tier: Tier,
    /// The names that the server goes by: `localhost`, `127.0.0.1:7433`. A name without a port is good with any. None at
    /// all stands for the names of this machine to itself.
    pub hosts: Vec<String>,
    /// The origins of pages that may call: `http://127.0.0.1:7433`. All others are refused; programs send none.
    pub origins: Vec<String>,
    /// Turns true when the server is to end: waits are withdrawn then, and streams of their own end.
    pub closing: watch::Receiver<bool>,
}

/// The service, which runs calls with `run`.
pub fn service(run: Run, options: Options) -> Service {
    with_sessions(run, options, sessions::SESSIONS_MAX)
}

/// The service with so many sessions at most.
fn with_sessions(run: Run, options: Options, sessions_max: usize) -> Service {
    let Options { tier, hosts, origins, closing } = options;
    let config = StreamableHttpServerConfig::default();
    // rmcp takes an empty list for leave to come by any name.
    let config = if hosts.is_empty() { config } else { config.with_allowed_hosts(hosts) };
    let config = config
        .with_allowed_origins(origins)
        .enforce_origin_validation()
        .with_sse_keep_alive(Some(patience::KEEP_ALIVE))
        .with_max_request_body_bytes(MESSAGE_BYTES)
        // Where there are no sessions: an answer that is ready needs no stream.
        .with_json_response(true);
    let (tools, remembered) = (Arc::new(Tools::of(TABLE, tier)), Arc::default());
    let sessions = Arc::new(sessions::Sessions::of(sessions_max));
    let host_closing = closing.clone();
    let make = move || {
        let host = shared::Shared::new(run.clone(), Arc::clone(&remembered), host_closing.clone());
        Ok(Server::new(host, Arc::clone(&tools)))
    };
    let protocol = Arc::new(StreamableHttpService::new(make, Arc::clone(&sessions), config));
    Service { protocol, sessions, closing }
}
