//! Events as they happen, as server-sent events: `id:` is the place in the log, `event:` its type, `data:` the record.
//! And what is submitted to an agent, in the same form, for whoever is its runtime.
//!
//! A stream is the hub's subscription or runtime, written out. What must stay true: a subscriber that comes back with the last id that
//! it saw misses nothing and sees nothing twice; one that does not read is cut off, although nobody can tell it so.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    extract::RawPathParams,
    http::{HeaderName, HeaderValue, Response as HttpResponse, header, request::Parts},
    response::Response,
};
use baton_app::{Envelope, Failure};
use baton_bus::{Next, Overrun, Push, Pushed, Rendered, Runtime, Subscription};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::oneshot;

use crate::{
    answer,
    gate::{Principal, only, speaker},
    server::Line,
    site::Site,
};

/// How often something is written where nothing happens, so that proxies and clients know that the stream lives.
const PULSE: Duration = Duration::from_secs(15);
/// After how long a browser comes back.
const RETRY_MS: u64 = 1_000;
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");
/// What the streams are called in the envelope of a "no".
const EVENTS: &str = "events.stream";
const ACTIONS: &str = "actions.stream";

/// A stream of the events of the room that the path names.
pub(crate) async fn events(site: &Site, params: &RawPathParams, parts: &Parts) -> Response {
    match subscribe(site, params, parts).await {
        Ok(subscription) => stream_of(Source::Events(subscription), parts),
        Err(failure) => answer::refused(EVENTS, &failure),
    }
}

/// A stream of what is submitted to the caller's agent in the session that the path names: the caller is its runtime.
pub(crate) async fn actions(site: &Site, principal: &Principal, params: &RawPathParams, parts: &Parts) -> Response {
    match connect(site, principal, params, parts).await {
        Ok(runtime) => stream_of(Source::Actions(Box::new(runtime)), parts),
        Err(failure) => answer::refused(ACTIONS, &failure),
    }
}

async fn subscribe(site: &Site, params: &RawPathParams, parts: &Parts) -> Result<Subscription, Failure> {
    let (room, after) = asked(params, parts, "after")?;
    site.hub.subscribe(&room, after).await
}

async fn connect(
    site: &Site,
    principal: &Principal,
    params: &RawPathParams,
    parts: &Parts,
) -> Result<Runtime, Failure> {
    let caller = speaker(principal, &parts.headers, &site.home)?;
    let (room, resume_after) = asked(params, parts, "resume_after")?;
    site.hub.runtime(caller, &room, resume_after).await
}

/// Which room is meant, and where to go on: what a browser says that comes back wins over what the query says.
fn asked(params: &RawPathParams, parts: &Parts, cursor: &str) -> Result<(RoomId, Seq), Failure> {
    let room = params.iter().find(|(name, _)| *name == "room_id").map(|(_, room)| room).unwrap_or_default();
    let room: RoomId = room.parse().map_err(|error| invalid("room_id", &format!("{error}")))?;
    let mut after = None;
    for (name, text) in form_urlencoded::parse(parts.uri.query().unwrap_or_default().as_bytes()) {
        if name != cursor || after.is_some() {
            return Err(invalid(&name, &format!("a stream takes `{cursor}`, once, and nothing else")));
        }
        after = Some(place(cursor, &text)?);
    }
    let seen = only(&parts.headers, LAST_EVENT_ID)?.filter(|text| !text.is_empty());
    let seen = seen.map(|text| place("Last-Event-ID", text)).transpose()?;
    Ok((room, seen.or(after).unwrap_or_default()))
}

fn stream_of(source: Source, parts: &Parts) -> Response {
    let gone = match parts.extensions.get::<Line>() {
        Some(line) => cut_when_overrun(source.overrun(), line.clone()),
        None => oneshot::channel().0,
    };
    let state = Streaming { source, is_over: false, first: true, _gone: gone };
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
fn cut_when_overrun(mut overrun: Overrun, line: Line) -> oneshot::Sender<()> {
    let (gone, is_gone) = oneshot::channel();
    tokio::spawn(async move {
        tokio::select! {
            () = overrun.happens() => line.cut(),
            _ = is_gone => {}
        }
    });
    gone
}

/// What is streamed.
enum Source {
    Events(Subscription),
    Actions(Box<Runtime>),
}

/// What comes next.
enum Said {
    Event(Bytes),
    Dropped(Failure),
    Closing,
}

struct Streaming {
    source: Source,
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
        let Ok(said) = tokio::time::timeout(PULSE, self.source.next()).await else {
            return Some(Bytes::from_static(b":\n\n"));
        };
        Some(match said {
            Said::Event(written) => written,
            Said::Dropped(failure) => {
                self.is_over = true;
                let json = Envelope::refused(self.source.name(), &failure).into_json();
                Bytes::from(format!("event: bus.dropped\ndata: {json}\n\n"))
            }
            Said::Closing => {
                self.is_over = true;
                Bytes::from_static(b"event: bus.closing\ndata: {\"v\":1,\"type\":\"bus.closing\"}\n\n")
            }
        })
    }
}

impl Source {
    /// May be dropped at any time and called again, as its sources may.
    async fn next(&mut self) -> Said {
        match self {
            Self::Events(subscription) => match subscription.next().await {
                Next::Record(event) => {
                    let Rendered { seq, kind, json, .. } = &*event;
                    Said::Event(written(*seq, kind, json))
                }
                Next::Dropped(failure) => Said::Dropped(failure),
                Next::Closing => Said::Closing,
            },
            Self::Actions(runtime) => match runtime.next().await {
                Push::Delivery(pushed) => {
                    let Pushed { seq, kind, json, .. } = &*pushed;
                    Said::Event(written(*seq, kind, json))
                }
                Push::Dropped(failure) => Said::Dropped(failure),
                Push::Closing => Said::Closing,
            },
        }
    }

    fn overrun(&self) -> Overrun {
        match self {
            Self::Events(subscription) => subscription.overrun(),
            Self::Actions(runtime) => runtime.overrun(),
        }
    }

    const fn name(&self) -> &'static str {
        match self {
            Self::Events(_) => EVENTS,
            Self::Actions(_) => ACTIONS,
        }
    }
}

fn written(seq: Seq, kind: &str, json: &str) -> Bytes {
    Bytes::from(format!("id: {seq}\nevent: {kind}\ndata: {json}\n\n"))
}

fn place(field: &str, text: &str) -> Result<Seq, Failure> {
    text.parse().map(Seq).map_err(|_| invalid(field, "it must be the number of an event"))
}

fn invalid(field: &str, problem: &str) -> Failure {
    Failure::new(ErrorCode::InvalidInput, format!("{field}: {problem}.")).with("field", field)
}
