//! The style and the script of all pages, in the binary. Their names change with them, so a browser keeps them for good.

use std::sync::LazyLock;

use axum::{
    body::Body,
    extract::Path,
    http::{HeaderValue, Response as HttpResponse, StatusCode, header},
    response::Response,
};

use crate::secret::Digest;

const STYLE: &str = concat!(
    include_str!("style/base.css"),
    include_str!("style/shell.css"),
    include_str!("style/parts.css"),
    include_str!("style/now.css"),
    include_str!("style/room.css"),
    include_str!("style/agents.css"),
    include_str!("style/jobs.css"),
);

const SCRIPT: &str = concat!(
    include_str!("script/hold.js"),
    include_str!("script/morph.js"),
    include_str!("script/clock.js"),
    include_str!("script/live.js"),
    include_str!("script/visit.js"),
    include_str!("script/keys.js"),
    include_str!("script/copy.js"),
    include_str!("script/begin.js"),
);

const ICON: &str = include_str!("icon.svg");

/// A file that pages link to.
struct Asset {
    name: String,
    kind: &'static str,
    text: &'static str,
}

impl Asset {
    fn new(stem: &str, ending: &str, kind: &'static str, text: &'static str) -> Self {
        let digest = Digest::of(text).to_hex();
        Self { name: format!("{stem}-{}.{ending}", &digest[..16]), kind, text }
    }
}

static ASSETS: LazyLock<[Asset; 3]> = LazyLock::new(|| {
    [
        Asset::new("baton", "css", "text/css; charset=utf-8", STYLE),
        Asset::new("baton", "js", "text/javascript; charset=utf-8", SCRIPT),
        Asset::new("baton", "svg", "image/svg+xml", ICON),
    ]
});

/// Where the style is.
pub(super) fn style() -> String {
    address(0)
}

/// Where the script is.
pub(super) fn script() -> String {
    address(1)
}

/// Where the icon is.
pub(super) fn icon() -> String {
    address(2)
}

fn address(index: usize) -> String {
    format!("/static/{}", ASSETS[index].name)
}

/// `GET /static/{name}`
pub(super) async fn serve(Path(name): Path<String>) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        let mut response = HttpResponse::new(Body::empty());
        *response.status_mut() = StatusCode::NOT_FOUND;
        return response;
    };
    let mut response = HttpResponse::new(Body::from(asset.text));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(asset.kind));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("public, max-age=31536000, immutable"));
    response
}
