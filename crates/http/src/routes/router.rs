//! All routes, behind the gate.

use std::sync::Arc;

use axum::{
    Extension, Router,
    extract::{RawPathParams, Request, State, rejection::RawPathParamsRejection},
    http::StatusCode,
    middleware,
    response::Response,
    routing::{self, MethodFilter, MethodRouter},
};
use baton_app::{Failure, table};
use baton_core::{code::ErrorCode, limits};

use super::{
    call,
    resource::Ready,
    table::{RESOURCES, Verb},
};
use crate::{
    answer,
    gate::{Principal, admit, asks_for_page, introduce},
    health, login, metrics, openapi,
    site::Site,
    web,
};

/// Everything that is answered here. `others` are routes that come with a service of their own; they are behind the gate,
/// too.
pub(crate) fn router(site: Arc<Site>, others: Router) -> Router {
    let mut router = Router::new()
        .merge(web::routes())
        .route("/login", routing::get(login::log_in))
        .route("/logout", routing::post(login::log_out))
        .route("/healthz", routing::get(health::health))
        .route("/metrics", routing::get(metrics::metrics))
        .route("/openapi.json", routing::get(openapi::document))
        .route("/v1/call/{command}", routing::post(call::by_name));
    for resource in RESOURCES {
        if let Some(command) = table::find_on_wire(resource.command) {
            router = router.route(resource.path, handler(resource.verb, Ready::new(resource, command)));
        }
    }
    router
        .with_state(Arc::clone(&site))
        .merge(others.layer(middleware::from_fn_with_state(Arc::clone(&site), introduce)))
        .fallback(nothing_here)
        .method_not_allowed_fallback(not_so)
        .layer(middleware::from_fn_with_state(site, admit))
}

fn handler(verb: Verb, ready: Arc<Ready>) -> MethodRouter<Arc<Site>> {
    let filter = match verb {
        Verb::Get => MethodFilter::GET,
        Verb::Post => MethodFilter::POST,
        Verb::Patch => MethodFilter::PATCH,
        Verb::Delete => MethodFilter::DELETE,
    };
    routing::on(
        filter,
        move |State(site): State<Arc<Site>>,
              Extension(principal): Extension<Principal>,
              params: Result<RawPathParams, RawPathParamsRejection>,
              request: Request| async move {
            let (parts, body) = request.into_parts();
            match params {
                Ok(params) => ready.serve(&site, &principal, &params, &parts, body).await,
                Err(_) => answer::refused("", &not_text()),
            }
        },
    )
}

async fn nothing_here(request: Request) -> Response {
    if asks_for_page(&request) {
        return web::missing(request.headers());
    }
    let path: String = request.uri().path().chars().take(limits::SHOWN_INPUT_CHARS).collect();
    answer::refused("", &unknown(format!("There is nothing at {path:?}.")))
}

async fn not_so(request: Request) -> Response {
    let message = format!("There is something here, but not for {}.", request.method());
    answer::refused_with(StatusCode::METHOD_NOT_ALLOWED, "", &unknown(message))
}

fn unknown(message: String) -> Failure {
    Failure::new(ErrorCode::UnknownCmd, message).advising("See /openapi.json for what there is.")
}

fn not_text() -> Failure {
    Failure::new(ErrorCode::InvalidInput, "The path is not UTF-8 text.")
}
