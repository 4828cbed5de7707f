//! The service itself: what is done before and after rmcp answers a request.

use std::{
    convert::Infallible,
    pin::{Pin, pin},
    sync::Arc,
    task::{Context, Poll},
};

use bytes::Bytes;
use futures_util::{StreamExt, stream};
use http::{Method, Request, Response, StatusCode, header, request::Parts};
use http_body::Frame;
use http_body_util::{BodyExt, Empty, Full, LengthLimitError, Limited, StreamBody, combinators::UnsyncBoxBody};
use rmcp::{
    ErrorData,
    model::{ClientJsonRpcMessage, RequestId, ServerJsonRpcMessage},
    transport::streamable_http_server::StreamableHttpService,
};
use tokio::sync::{oneshot, watch};

use super::{
    patience::patiently,
    sessions::Sessions,
    shared::{Principal, Shared},
};
use crate::{
    server::Server,
    unreadable::{MESSAGE_BYTES, Unreadable, unreadable},
};

/// What an answer consists of.
pub type Body = UnsyncBoxBody<Bytes, Infallible>;

const SESSION_ID: &str = "mcp-session-id";
const JSON: &str = "application/json";

/// MCP for any number of clients. Cheap to clone.
#[derive(Clone)]
pub struct Service {
    pub(super) protocol: Arc<StreamableHttpService<Server<Shared>, Sessions>>,
    pub(super) sessions: Arc<Sessions>,
    pub(super) closing: watch::Receiver<bool>,
}

impl Service {
    async fn answer<B>(self, request: Request<B>) -> Response<Body>
    where
        B: http_body::Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
    {
        let (parts, body) = request.into_parts();
        let principal = parts.extensions.get::<Principal>().cloned().unwrap_or_default();
        // As if there were no such session: who may not use it need not learn that there is one.
        if session_id(&parts).is_some_and(|session| self.sessions.is_of_another(session, &principal.name)) {
            return refused(StatusCode::NOT_FOUND, ErrorData::invalid_request("There is no such session.", None), None);
        }
        let message = match read(body).await {
            Ok(message) => message,
            Err(refused) => return refused,
        };
        let (method, is_json) = (parts.method.clone(), is_json(&parts));
        let request = Request::from_parts(parts, Full::new(message.clone()));
        let protocol = Arc::clone(&self.protocol);
        let response = patiently(Box::pin(async move { protocol.handle(request).await })).await;
        if let Some(session) = response.headers().get(SESSION_ID).and_then(|id| id.to_str().ok()) {
            self.sessions.begun_by(session, &principal.name);
        }
        match (method, response.status()) {
            // The kind of body was right, so it is what is in it.
            (Method::POST, StatusCode::UNSUPPORTED_MEDIA_TYPE) if is_json => refuse_body(&message).unwrap_or(response),
            (Method::GET, StatusCode::OK) => response.map(|body| until_over(body, self.closing, principal.revocation)),
            _ => response,
        }
    }
}

impl<B> tower_service::Service<Request<B>> for Service
where
    B: http_body::Body<Data: Send, Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Pin<Box<dyn Future<Output = Result<Response<Body>, Infallible>> + Send>>;

    fn poll_ready(&mut self, _context: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let service = self.clone();
        Box::pin(async move { Ok(service.answer(request).await) })
    }
}

/// The session that a request names.
pub(super) fn session_id(parts: &Parts) -> Option<&str> {
    parts.headers.get(SESSION_ID)?.to_str().ok()
}

fn is_json(parts: &Parts) -> bool {
    parts.headers.get(header::CONTENT_TYPE).is_some_and(|kind| kind.as_bytes().starts_with(JSON.as_bytes()))
}

/// The whole of a body, unless it is too long or breaks off.
async fn read<B>(body: B) -> Result<Bytes, Response<Body>>
where
    B: http_body::Body<Error: Into<Box<dyn std::error::Error + Send + Sync>>> + Send + 'static,
{
    match Limited::new(body, MESSAGE_BYTES).collect().await {
        Ok(whole) => Ok(whole.to_bytes()),
        Err(error) if error.is::<LengthLimitError>() => {
            let message = format!("The body is longer than {MESSAGE_BYTES} bytes.");
            Err(refused(StatusCode::PAYLOAD_TOO_LARGE, ErrorData::invalid_request(message, None), None))
        }
        Err(error) => {
            let message = format!("The body could not be read: {error}.");
            Err(refused(StatusCode::BAD_REQUEST, ErrorData::invalid_request(message, None), None))
        }
    }
}

/// What is said to a body that is no message.
fn refuse_body(body: &[u8]) -> Option<Response<Body>> {
    let error = serde_json::from_slice::<ClientJsonRpcMessage>(body).err()?;
    Some(match unreadable("body", body, &error) {
        Unreadable::Refused(error, id) => refused(StatusCode::BAD_REQUEST, error, id),
        Unreadable::Ignored => with_status(StatusCode::ACCEPTED, Empty::new().boxed_unsync()),
    })
}

fn refused(status: StatusCode, error: ErrorData, id: Option<RequestId>) -> Response<Body> {
    let json = serde_json::to_vec(&ServerJsonRpcMessage::error(error, id)).unwrap_or_default();
    let mut response = with_status(status, Full::new(json.into()).boxed_unsync());
    response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(JSON));
    response
}

fn with_status(status: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    response
}

/// A stream of its own would stay open for ever; it ends with the server, and with its principal's credential, which is the
/// last that it says.
fn until_over(
    body: Body,
    mut closing: watch::Receiver<bool>,
    revocation: Option<watch::Receiver<Option<Arc<str>>>>,
) -> Body {
    let (revoked, is_revoked) = oneshot::channel();
    let over = Box::pin(async move {
        tokio::select! {
            _ = closing.wait_for(|closing| *closing) => {}
            reason = ended(revocation) => drop(revoked.send(reason)),
        }
    });
    let frames = stream::unfold(body, async |mut body| pin!(&mut body).frame().await.map(|frame| (frame, body)));
    // Without a reason there is no last word: the channel is closed.
    let last = stream::once(is_revoked).filter_map(async |reason| reason.ok().map(|reason| Ok(last_word(&reason))));
    StreamBody::new(frames.take_until(over).chain(last)).boxed_unsync()
}

/// Waits until a credential stops counting, and tells the reason.
async fn ended(revocation: Option<watch::Receiver<Option<Arc<str>>>>) -> Arc<str> {
    let Some(mut revocation) = revocation else { return std::future::pending().await };
    let ended = revocation.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
    match ended {
        Some(reason) => reason,
        None => std::future::pending().await,
    }
}

/// Says why a stream ends, as a message that clients know.
fn last_word(reason: &str) -> Frame<Bytes> {
    let message = serde_json::json!({"jsonrpc": "2.0", "method": "notifications/message", "params":
        {"level": "error", "logger": "baton", "data": format!("This ended because {reason}.")}});
    Frame::data(format!("event: message\ndata: {message}\n\n").into())
}
