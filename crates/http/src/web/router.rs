//! The routes of the dashboard.

use std::sync::Arc;

use axum::{
    Router,
    routing::{get, post},
};

use super::{act, assets, live, pages::PAGES, show};
use crate::site::Site;

/// Every page, what is pressed on them, and what they are made with.
pub(crate) fn routes() -> Router<Arc<Site>> {
    let router = PAGES.iter().fold(Router::new(), |router, (path, _)| router.route(path, get(show::page)));
    router
        .route("/live", get(live::stream))
        .route("/do/{command}", post(act::act))
        .route("/theme", post(act::theme))
        .route("/static/{name}", get(assets::serve))
}
