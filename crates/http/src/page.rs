//! The few pages that there are, until the dashboard: plain, without scripts, and framed by nobody.

use std::sync::Arc;

use axum::{
    body::Body,
    extract::State,
    http::{HeaderName, HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};

use crate::site::Site;

/// What a page says. All of it is this program's own text.
pub(crate) struct Text {
    pub(crate) title: &'static str,
    pub(crate) head: &'static str,
    pub(crate) body: &'static str,
}

/// What every page allows: nothing but its own style.
const HEADERS: [(HeaderName, &str); 4] = [
    (header::CONTENT_TYPE, "text/html; charset=utf-8"),
    (
        header::CONTENT_SECURITY_POLICY,
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    ),
    (header::REFERRER_POLICY, "no-referrer"),
    (header::X_FRAME_OPTIONS, "DENY"),
];

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:40rem;margin:4rem auto;padding:0 1rem;\
                     color-scheme:light dark}code{font:14px ui-monospace,monospace}";

/// A page.
pub(crate) fn html(status: StatusCode, text: Text) -> Response {
    let Text { title, head, body } = text;
    let html = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\"><title>{title}</title>{head}\
         <meta name=\"viewport\" content=\"width=device-width\"><style>{STYLE}</style></head>\n\
         <body><h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    );
    let mut response = HttpResponse::new(Body::from(html));
    *response.status_mut() = status;
    for (name, value) in HEADERS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}

/// `GET /`
pub(crate) async fn front(State(_): State<Arc<Site>>) -> Response {
    html(
        StatusCode::OK,
        Text {
            title: "Baton",
            head: "",
            body: "<p>Baton runs here. There is no dashboard in this version; what there is:</p>\n<ul>\n\
               <li><a href=\"/openapi.json\">/openapi.json</a>: every route, for programs</li>\n\
               <li><a href=\"/v1/rooms\">/v1/rooms</a>: the rooms of this store</li>\n\
               <li><a href=\"/healthz\">/healthz</a> and <a href=\"/metrics\">/metrics</a></li>\n</ul>",
        },
    )
}
