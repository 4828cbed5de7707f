//! `/mcp`: the same tools as `baton mcp`, for many clients, run by the hub like every other call.

use std::sync::Arc;

use axum::{Router, extract::Request, middleware, middleware::Next, response::Response};
use baton_app::table::Tier;
use baton_bus::{Credential, Hub};
use baton_http::{Names, Visitor};
use baton_mcp::http::{Options, Principal, Run, service};

/// The routes of MCP, for a server that goes by those names.
pub(super) fn routes(hub: &Arc<Hub>, tier: Tier, names: &Names) -> Router {
    let runs = Arc::clone(hub);
    let run = Run::new(move |principal: Principal, caller, call| {
        let hub = Arc::clone(&runs);
        async move { hub.run(&credential(principal), caller, call).await }
    });
    let (hosts, origins) = (names.hosts().to_vec(), names.origins().to_vec());
    let service = service(run, Options { tier, hosts, origins, closing: hub.closing() });
    Router::new().route_service("/mcp", service).layer(middleware::from_fn(introduce))
}

/// Tells the service in its own words who came through the gate.
async fn introduce(mut request: Request, next: Next) -> Response {
    if let Some(Visitor { name, credential, agent, is_bound, rights }) = request.extensions().get().cloned() {
        let (revocation, credential) = (credential.revocation().cloned(), Arc::clone(credential.name()));
        request.extensions_mut().insert(rights);
        request.extensions_mut().insert(Principal { name, credential, revocation, agent, is_bound });
    }
    next.run(request).await
}

/// The token or login that a principal came with, in the hub's words.
fn credential(principal: Principal) -> Credential {
    match principal.revocation {
        Some(revocation) => Credential::revocable(principal.credential, revocation),
        None => Credential::lasting(principal.credential),
    }
}
