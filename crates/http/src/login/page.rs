//! The login, a page that exchanges a ticket for a cookie; and the way out.

use std::sync::Arc;

use axum::{
    extract::{Request, State},
    http::{HeaderValue, header},
    response::Response,
};
use baton_app::Failure;
use baton_core::code::ErrorCode;

use super::sessions::SESSION_TTL;
use crate::{answer, gate::Scheme, site::Site, web};

/// `GET /login?ticket=…`
///
/// The answer is a page that goes on to `/`, and no redirect: a browser that was sent here by a page elsewhere keeps a
/// strict cookie to itself until it follows a link of ours.
pub(crate) async fn log_in(State(site): State<Arc<Site>>, request: Request) -> Response {
    match exchange(&site, request.uri().query().unwrap_or_default()) {
        Ok(cookie) => {
            let mut response = web::logged_in(request.headers());
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(failure) if failure.code == ErrorCode::Unauthorized => web::ticket_refused(request.headers()),
        Err(failure) => answer::refused("login", &failure),
    }
}

fn exchange(site: &Site, query: &str) -> Result<HeaderValue, Failure> {
    let ticket = form_urlencoded::parse(query.as_bytes()).find(|(name, _)| name == "ticket").map(|(_, value)| value);
    let now = site.clock.now();
    let admitted = ticket.map(|ticket| site.tickets.redeem(&ticket, now)).transpose()?.flatten();
    let admitted = admitted.ok_or_else(|| Failure::new(ErrorCode::Unauthorized, "The ticket does not count."))?;
    let cookie = site.credentials.browsers.begin(admitted, now)?;
    set_cookie(site, cookie.reveal(), SESSION_TTL.as_millis() / 1_000)
}

/// Has a browser keep a cookie for so many seconds.
fn set_cookie(site: &Site, cookie: &str, seconds: u64) -> Result<HeaderValue, Failure> {
    let secure = match site.scheme {
        Scheme::Http => "",
        Scheme::Https => "; Secure",
    };
    let name = &site.credentials.cookie;
    let text = format!("{name}={cookie}; HttpOnly; SameSite=Strict; Path=/; Max-Age={seconds}{secure}");
    let mut value =
        HeaderValue::from_str(&text).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    value.set_sensitive(true);
    Ok(value)
}

/// `POST /logout`
pub(crate) async fn log_out(State(site): State<Arc<Site>>, request: Request) -> Response {
    let left = site.credentials.log_out(request.headers()).and_then(|()| set_cookie(&site, "", 0));
    match left {
        Ok(cookie) => {
            let mut response = web::logged_out(request.headers());
            response.headers_mut().insert(header::SET_COOKIE, cookie);
            response
        }
        Err(failure) => answer::refused("logout", &failure),
    }
}
