//! What a request shows to prove whose it is: a token in `Authorization`, or the cookie of a browser that logged in.

use std::sync::Arc;

use axum::http::{HeaderMap, HeaderName, Method, header};
use baton_app::{Failure, clock::Clock};
use baton_core::code::ErrorCode;

use super::{names::only, principal::Principal, revocations::Revocations};
use crate::{login::Sessions, tokens::Known};

/// Where a browser says how a page and what it asks for are related.
const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// Who can prove what.
pub(crate) struct Credentials {
    pub(crate) tokens: Known,
    pub(crate) browsers: Sessions,
    /// What this server's cookie is called.
    pub(crate) cookie: String,
    /// What browsers are logged out by.
    pub(crate) clock: Arc<dyn Clock>,
    /// Streams that are open under them.
    pub(super) revocations: Revocations,
}

/// What a server's cookie is called. Cookies do not tell ports apart, so the name does.
pub(crate) fn cookie_name(port: u16) -> String {
    format!("baton_{port}")
}

impl Credentials {
    /// Those of a server: tokens and browsers, and what its cookie is called.
    pub(crate) fn new(tokens: Known, browsers: Sessions, cookie: String, clock: Arc<dyn Clock>) -> Arc<Self> {
        Arc::new(Self { tokens, browsers, cookie, clock, revocations: Revocations::default() })
    }

    /// Whose request it is. `own_page` says that it comes from a page of this server.
    pub(crate) fn check(&self, method: &Method, headers: &HeaderMap, own_page: bool) -> Result<Principal, Failure> {
        if let Some(shown) = only(headers, header::AUTHORIZATION)? {
            let token = bearer(shown).map(|token| self.tokens.find(token)).transpose()?.flatten();
            return token
                .map(Principal::Holder)
                .ok_or_else(|| Failure::new(ErrorCode::Unauthorized, "The token is not one that counts here."));
        }
        let now = self.clock.now();
        let login = cookies(headers, &self.cookie).find_map(|cookie| self.browsers.find(cookie, now));
        let Some(login) = login else {
            return Err(Failure::new(ErrorCode::Unauthorized, "The request has no token."));
        };
        // A browser sends its cookie whoever made it ask, so what changes something must say where it comes from.
        if !method.is_safe() && !own_page {
            let message = "What a browser sends to change something must name its origin.";
            return Err(Failure::new(ErrorCode::Forbidden, message).with("header", "Origin"));
        }
        match only(headers, FETCH_SITE)? {
            None | Some("same-origin" | "none") => Ok(Principal::Browser(login)),
            Some(site) => {
                let message = "Pages of another origin have no business here.";
                Err(Failure::new(ErrorCode::Forbidden, message).with("sec_fetch_site", site))
            }
        }
    }
}

impl Credentials {
    /// Logs out the browser that sent this.
    pub(crate) fn log_out(&self, headers: &HeaderMap) -> Result<(), Failure> {
        cookies(headers, &self.cookie).try_for_each(|cookie| self.browsers.end(cookie))
    }
}

fn bearer(shown: &str) -> Option<&str> {
    let (scheme, token) = shown.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

fn cookies<'a>(headers: &'a HeaderMap, name: &'a str) -> impl Iterator<Item = &'a str> {
    let lines = headers.get_all(header::COOKIE).iter().filter_map(|line| line.to_str().ok());
    let pairs = lines.flat_map(|line| line.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.filter(move |(key, _)| *key == name).map(|(_, value)| value)
}
