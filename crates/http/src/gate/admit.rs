//! Lets a request in, or says why not.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderName, HeaderValue, Method, header},
    middleware::Next,
    response::Response,
};
use baton_app::Failure;
use baton_core::code::ErrorCode;

use super::principal::Principal;
use crate::{answer, site::Site, web};

/// Longest path and query.
pub(crate) const URI_BYTES: usize = 8 * 1024;

/// What is answered to anybody who calls this server by its name.
const OPEN: [&str; 2] = ["/healthz", "/login"];
/// What pages are made with: the same for everybody, and nobody's secret.
const OPEN_BELOW: &str = "/static/";

const NO_SNIFF: (HeaderName, HeaderValue) = (header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));

/// The layer around all routes. Whoever is let in is in the request's extensions as a [`Principal`].
pub(crate) async fn admit(State(site): State<Arc<Site>>, mut request: Request, next: Next) -> Response {
    let mut response = match check(&site, &request) {
        Ok(principal) => {
            request.extensions_mut().insert(principal);
            next.run(request).await
        }
        Err(_) if is_open(request.uri().path()) && is_for_us(&site, &request) => next.run(request).await,
        Err(failure) if failure.code == ErrorCode::Unauthorized && asks_for_page(&request) => {
            web::stranger(request.headers())
        }
        Err(failure) => answer::refused("", &failure),
    };
    let headers = response.headers_mut();
    headers.insert(NO_SNIFF.0, NO_SNIFF.1);
    headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

fn check(site: &Site, request: &Request) -> Result<Principal, Failure> {
    let headers = request.headers();
    let length = request.uri().path_and_query().map_or(0, |path| path.as_str().len());
    if length > URI_BYTES {
        let message = format!("The address is longer than {URI_BYTES} bytes.");
        return Err(Failure::new(ErrorCode::TooLarge, message));
    }
    site.names.check_host(request.uri(), headers)?;
    let own_page = site.names.check_origin(headers)?;
    site.credentials.check(request.method(), headers, own_page)
}

fn is_open(path: &str) -> bool {
    OPEN.contains(&path) || path.starts_with(OPEN_BELOW)
}

/// Whether it is a person who asks, with a browser: they are told in words why they see nothing.
pub(crate) fn asks_for_page(request: &Request) -> bool {
    let accepted = request.headers().get(header::ACCEPT).and_then(|accept| accept.to_str().ok()).unwrap_or_default();
    request.method() == Method::GET && (accepted.contains("text/html") || request.uri().path() == "/")
}

/// Whether the request is meant for this server and comes from no other's page.
fn is_for_us(site: &Site, request: &Request) -> bool {
    let headers = request.headers();
    site.names.check_host(request.uri(), headers).and_then(|()| site.names.check_origin(headers)).is_ok()
}
