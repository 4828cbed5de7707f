//! Whoever came through the gate, for services that are not this crate's own.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    middleware::Next,
    response::Response,
};
use baton_app::Rights;
use baton_bus::Credential;
use baton_core::ids::AgentId;

use super::principal::{Principal, spoken_for};
use crate::{answer, site::Site};

/// What a service behind the gate is told of a request, in its extensions.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// Tells them from others who come through the gate.
    pub name: Arc<str>,
    /// The token or login that they came with: limits count by it, and what they have open ends with it.
    pub credential: Credential,
    /// The agent that they speak for, where the token or the request says.
    pub agent: Option<AgentId>,
    /// Whether the token was made for that agent.
    pub is_bound: bool,
    /// What they may do.
    pub rights: Rights,
}

/// The layer around such services.
pub(crate) async fn introduce(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    if let Some(principal) = request.extensions().get::<Principal>().cloned() {
        match spoken_for(&principal, request.headers()) {
            Ok(agent) => {
                let credential = site.credentials.watched(&principal, agent.as_ref());
                // Who speaks for an agent may do what agents do, whoever they are themselves.
                let most = if agent.is_some() { Rights::Agent } else { Rights::Operator };
                let (rights, is_bound) = (principal.rights().min(most), principal.bound_to().is_some());
                let visitor = Visitor { name: principal.name().into(), credential, agent, is_bound, rights };
                request.extensions_mut().insert(visitor);
            }
            Err(failure) => return answer::refused("", &failure),
        }
    }
    next.run(request).await
}
