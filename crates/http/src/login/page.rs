//! The login: a page that exchanges a ticket for a cookie.

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
    let counts = ticket.map(|ticket| site.tickets.redeem(&ticket, site.clock.now())).transpose()?.unwrap_or(false);
    if !counts {
        return Err(Failure::new(ErrorCode::Unauthorized, "The ticket does not count."));
    }
    let cookie = site.credentials.browsers.begin()?;
    let secure = match site.scheme {
        Scheme::Http => "",
        Scheme::Https => "; Secure",
    };
    let (name, ends) = (&site.credentials.cookie, SESSION_TTL.as_secs());
    let text = format!("{name}={}; HttpOnly; SameSite=Strict; Path=/; Max-Age={ends}{secure}", cookie.reveal());
    let mut value =
        HeaderValue::from_str(&text).map_err(|error| Failure::new(ErrorCode::Internal, error.to_string()))?;
    value.set_sensitive(true);
    Ok(value)
}
