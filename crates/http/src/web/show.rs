//! Shows a page, or says in a page why not.

use std::sync::Arc;

use axum::{
    Extension,
    body::Body,
    extract::{Request, State},
    http::{HeaderMap, HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};
use baton_app::Failure;
use maud::{Markup, html};

use super::{
    at::At,
    look::Look,
    shell::{self, Flash, Frame, Theme},
};
use crate::{
    answer,
    gate::{Credentials, Principal, speaker},
    site::Site,
};

/// What every page allows: its own style and script, pictures that it carries itself, and forms to this server.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; \
                      form-action 'self'; base-uri 'none'; frame-ancestors 'none'";

const HEADERS: [(HeaderName, &str); 5] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::REFERRER_POLICY, "same-origin"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
];

/// Answers with a page.
pub(crate) async fn page(
    State(site): State<Arc<Site>>,
    Extension(principal): Extension<Principal>,
    request: Request,
) -> Response {
    let address = request.uri().path_and_query().map_or("/", |address| address.as_str());
    let Some((at, render)) = At::read(address) else { return missing(request.headers()) };
    let frame = Frame::of(request.headers(), &principal);
    let caller = match speaker(&principal, request.headers(), &site.owner) {
        Ok(caller) => caller,
        Err(failure) => return refused(request.headers(), &failure),
    };
    let flashed = frame.flash.is_some();
    let credential = Credentials::of(&principal);
    let looked = site.hub.look(&credential, caller, move |app, caller| {
        let look = Look { app, caller, at: &at, now: app.now()? };
        let page = render(&look)?;
        shell::document(&look, &frame, page)
    });
    match looked.await {
        Ok(document) => {
            let mut response = html(StatusCode::OK, document);
            if flashed {
                response.headers_mut().append(header::SET_COOKIE, Flash::forgotten());
            }
            response
        }
        Err(failure) => refused(request.headers(), &failure),
    }
}

/// A document with the headers of all pages.
pub(crate) fn html(status: StatusCode, document: Markup) -> Response {
    let mut response = HttpResponse::new(Body::from(document.into_string()));
    *response.status_mut() = status;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// Why something was not shown.
pub(crate) fn refused(headers: &HeaderMap, failure: &Failure) -> Response {
    let body = html! {
        section.notice role="alert" id="refusal" data-code=(failure.code.as_str()) {
            p { strong { (failure.message) } }
            p { (failure.next) }
            p.quiet { code { (failure.code.as_str()) } }
        }
        p { a href="/" { "Back to what needs you" } }
    };
    html(answer::status(failure.code), shell::plain(Theme::of(headers), "That did not work", &body))
}

/// What somebody sees who is not known.
pub(crate) fn stranger(headers: &HeaderMap) -> Response {
    let body = html! {
        p { "This is somebody's Baton. If it is yours, run this and open the address that it prints:" }
        pre { code { "baton ticket" } }
    };
    html(StatusCode::UNAUTHORIZED, shell::plain(Theme::of(headers), "Baton", &body))
}

/// What a browser sees that has just been let in. It goes on by itself: a page, and no redirect, because a browser that was
/// sent here by a page elsewhere keeps a strict cookie to itself until it follows a link of ours.
pub(crate) fn logged_in(headers: &HeaderMap) -> Response {
    let body = html! { p { a href="/" { "Go on." } } };
    let mut response = html(StatusCode::OK, shell::plain(Theme::of(headers), "You are logged in", &body));
    response.headers_mut().insert(HeaderName::from_static("refresh"), HeaderValue::from_static("0; url=/"));
    response
}

/// What a browser sees that has just logged out.
pub(crate) fn logged_out(headers: &HeaderMap) -> Response {
    let body = html! { p { "This browser is out. To come back, run " code { "baton ticket" } " and open the address that it prints." } };
    html(StatusCode::OK, shell::plain(Theme::of(headers), "You are logged out", &body))
}

/// What a browser sees whose ticket is used up, or never was one.
pub(crate) fn ticket_refused(headers: &HeaderMap) -> Response {
    let body = html! { p { "A ticket is used once, within two minutes. " code { "baton ticket" } " makes another." } };
    html(StatusCode::UNAUTHORIZED, shell::plain(Theme::of(headers), "This ticket does not count", &body))
}

/// What somebody sees at an address that is no page's.
pub(crate) fn missing(headers: &HeaderMap) -> Response {
    let body = html! { p { "There is no such page. " a href="/" { "Back to what needs you" } } };
    html(StatusCode::NOT_FOUND, shell::plain(Theme::of(headers), "Nothing here", &body))
}
