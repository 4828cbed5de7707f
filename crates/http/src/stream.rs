//! Events as they happen, as server-sent events: `id:` is the place in the log, `event:` its type, `data:` the record.
//!
//! A stream is the hub's subscription, written out. What must stay true: a subscriber that comes back with the last id that
//! it saw misses nothing and sees nothing twice; one that does not read is cut off, although nobody can tell it so.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderName, HeaderValue, Response as HttpResponse, header, request::Parts},
    response::Response,
};
use baton_app::{Envelope, Failure};
use baton_bus::{Next, Rendered, Subscription};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::oneshot;

use crate::{answer, gate::only, server::Line, site::Site};

/// How often something is written where nothing happens, so that proxies and clients know that the stream lives.
const PULSE: Duration = Duration::from_secs(15);
/// After how long a browser comes back.
const RETRY_MS: u64 = 1_000;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// What the stream is called in the envelope of a "no".
const COMMAND: &str = "events.stream";

/// A stream of the events of the room that the path names.
pub(crate) async fn events(site: &Site, params: &RawPathParams, parts: &Parts) -> Response {
    match subscribe(site, params, parts).await {
        Ok(subscription) => stream_of(subscription, parts),
        Err(failure) => answer::refused(COMMAND, &failure),
    }
}

async fn subscribe(site: &Site, params: &RawPathParams, parts: &Parts) -> Result<Subscription, Failure> {
    let room = params.iter().find(|(name, _)| *name == "room_id").map(|(_, room)| room).unwrap_or_default();
    let room: RoomId = room.parse().map_err(|error| invalid("room_id", &format!("{error}")))?;
    let mut after = None;
    for (name, text) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if name != "after" || after.is_some() {
            return Err(invalid(&name, "a stream takes `after`, once, and nothing else"));
        }
        after = Some(place("after", &text)?);
    }
    let seen = only(&parts.headers, LAST_EVENT_ID)?.filter(|text| !text.is_empty());
    let seen = seen.map(|text| place("Last-Event-ID", text)).transpose()?;
    site.hub.subscribe(&room, seen.or(after).unwrap_or_default()).await
}

fn stream_of(subscription: Subscription, parts: &Parts) -> Response {
    let gone = match parts.extensions.get::<Line>() {
        Some(line) => cut_when_overrun(&subscription, line.clone()),
        None => oneshot::channel().0,
    };
    let state = Streaming { subscription, is_over: false, first: true, _gone: gone };
    let body = stream::unfold(state, |mut state| async move {
        let frame = state.frame().await?;
        Some((Ok::<_, Infallible>(frame), state))
    });
    let mut response = HttpResponse::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Cuts the connection when its reader has fallen too far behind. While it does not read, its stream is not asked for more,
/// so somebody else has to.
fn cut_when_overrun(subscription: &Subscription, line: Line) -> oneshot::Sender<()> {
    let mut overrun = subscription.overrun();
    let (gone, is_gone) = oneshot::channel();
    tokio::spawn(async move {
        tokio::select! {
            () = overrun.happens() => line.cut(),
            _ = is_gone => {}
        }
    });
    gone
}

struct Streaming {
    subscription: Subscription,
    is_over: bool,
    first: bool,
    /// Dropped with the stream, which ends the watch over it.
    _gone: oneshot::Sender<()>,
}

impl Streaming {
    /// What is written next.
    async fn frame(&mut self) -> Option<Bytes> {
        if self.is_over {
            return None;
        }
        if std::mem::take(&mut self.first) {
            return Some(Bytes::from(format!("retry: {RETRY_MS}\n\n")));
        }
        let Ok(next) = tokio::time::timeout(PULSE, self.subscription.next()).await else {
            return Some(Bytes::from_static(b":\n\n"));
        };
        Some(match next {
            Next::Record(event) => written(&event),
            Next::Dropped(failure) => {
                self.is_over = true;
                let json = Envelope::refused(COMMAND, &failure).into_json();
                Bytes::from(format!("event: bus.dropped\ndata: {json}\n\n"))
            }
            Next::Closing => {
                self.is_over = true;
                Bytes::from_static(b"event: bus.closing\ndata: {\"v\":1,\"type\":\"bus.closing\"}\n\n")
            }
        })
    }
}

fn written(event: &Rendered) -> Bytes {
    let Rendered { seq, kind, json, .. } = event;
    Bytes::from(format!("id: {seq}\nevent: {kind}\ndata: {json}\n\n"))
}

fn place(field: &str, text: &str) -> Result<Seq, Failure> {
    text.parse().map(Seq).map_err(|_| invalid(field, "it must be the number of an event"))
}

fn invalid(field: &str, problem: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {problem}.")).with("field", field)
}
