//! Whoever came through the gate, for services that are not this crate's own.

use std::sync::Arc;

use axum::{extract::Request, middleware::Next, response::Response};
use baton_app::Rights;
use baton_core::ids::AgentId;

use super::principal::{Principal, spoken_for};
use crate::answer;

/// What a service behind the gate is told of a request, in its extensions.
#[derive(Clone, Debug)]
pub struct Visitor {
    /// What tells their credentials from others.
    pub name: Arc<str>,
    /// The agent that they speak for, where the token or the request says.
    pub agent: Option<AgentId>,
    /// What they may do.
    pub rights: Rights,
}

/// The layer around such services.
pub(crate) async fn introduce(mut request: Request, next: Next) -> Response {
    if let Some(principal) = request.extensions().get::<Principal>().cloned() {
        match spoken_for(&principal, request.headers()) {
            Ok(agent) => {
                let visitor = Visitor { name: principal.name().into(), agent, rights: principal.rights() };
                request.extensions_mut().insert(visitor);
            }
            Err(failure) => return answer::refused("", &failure),
        }
    }
    next.run(request).await
}
