//! `GET /healthz`: whether it runs, and for those who are known, how.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::StatusCode,
    response::Response,
};
use baton_app::Failure;
use baton_bus::blocking;
use serde_json::json;

use crate::{answer, gate::Principal, site::Site};

/// Tells strangers that it runs, and those with a token also whether the store answers, since when and which version.
pub(crate) async fn health(State(site): State<Arc<Site>>, request: Request) -> Response {
    if request.extensions().get::<Principal>().is_none() {
        return answer::json(StatusCode::OK, json!({ "ok": true }).to_string());
    }
    let app = Arc::clone(site.hub.app());
    let store: Result<(), Failure> = blocking::cross(move || app.now().map(drop)).await;
    let (status, store) = match &store {
        Ok(()) => (StatusCode::OK, json!("ok")),
        Err(failure) => (answer::status(failure.code), failure.to_json()),
    };
    let body = json!({
        "ok": status.is_success(),
        "store": store,
        "version": env!("CARGO_PKG_VERSION"),
        "uptime_s": site.begun.elapsed().as_secs(),
    });
    answer::json(status, body.to_string())
}
