//! The body of a request: read whole, within bounds, as an object.

use std::time::Duration;

use axum::{
    body::Body,
    http::{HeaderMap, header},
};
use baton_app::Failure;
use baton_core::code::ErrorCode;
use bytes::Bytes;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use serde_json::{Map, Value};

/// Largest body.
pub(crate) const BODY_BYTES: usize = 1024 * 1024;
/// How long a body may take to arrive.
pub(crate) const BODY_TIME: Duration = Duration::from_secs(30);

/// Reads a body as the object that it must be. None is an empty one.
pub(super) async fn object(headers: &HeaderMap, body: Body) -> Result<Map<String, Value>, Failure> {
    let bytes = whole(headers, body).await?;
    if bytes.is_empty() {
        return Ok(Map::new());
    }
    check_type(headers)?;
    match serde_json::from_slice(&bytes) {
        Ok(Value::Object(object)) => Ok(object),
        Ok(_) => Err(invalid("The body must be a JSON object.")),
        Err(error) => Err(invalid(&format!("The body is not JSON: {error}."))),
    }
}

pub(crate) async fn whole(headers: &HeaderMap, body: Body) -> Result<Bytes, Failure> {
    let announced = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse::<u64>().ok());
    if announced.is_some_and(|length| length > BODY_BYTES as u64) {
        return Err(too_large());
    }
    match tokio::time::timeout(BODY_TIME, Limited::new(body, BODY_BYTES).collect()).await {
        Ok(Ok(body)) => Ok(body.to_bytes()),
        Ok(Err(error)) if error.is::<LengthLimitError>() => Err(too_large()),
        Ok(Err(_)) => Err(invalid("The body did not arrive whole.")),
        Err(_) => Err(invalid(&format!("The body did not arrive within {} seconds.", BODY_TIME.as_secs()))),
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Failure> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let essence = given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(invalid("The body must be application/json.").with("field", "Content-Type"))
}

fn too_large() -> Failure {
    Failure::new(ErrorCode::TooLarge, format!("The body is larger than {BODY_BYTES} bytes."))
        .with("bytes_max", BODY_BYTES)
}

fn invalid(message: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, message)
}
