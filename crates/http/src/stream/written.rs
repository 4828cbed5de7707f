//! A stream as the body of an answer.

use std::{convert::Infallible, time::Duration};

use axum::{
    body::Body,
    http::{HeaderValue, Response as HttpResponse, header, request::Parts},
    response::Response,
};
use baton_app::Envelope;
use baton_bus::{Credential, Overrun};
use bytes::Bytes;
use futures_util::stream;
use tokio::sync::oneshot;

use super::source::{Item, Source, frame};
use crate::server::Line;

/// How often something is written where nothing happens, so that proxies and clients know that the stream lives.
pub(crate) const PULSE: Duration = Duration::from_secs(15);
/// How long a reader has to take the last word of a stream whose credential was revoked, before its line is cut.
const LAST_WORD: Duration = Duration::from_millis(500);
/// How long a reader that has fallen too far behind has to read what was sent to it, and that its stream is over.
const CATCHES_UP: Duration = Duration::from_secs(60);
/// After how long a browser comes back.
pub(crate) const RETRY_MS: u64 = 1_000;

/// The answer that writes a stream out, for the request that asked for it.
pub(super) fn written(source: Source, credential: &Credential, parts: &Parts) -> Response {
    let line = parts.extensions.get::<Line>();
    let gone = line.map(|line| cut_when_over(source.overrun(), credential.clone(), line.clone()));
    let writing = Writing { source, stage: Stage::Begins, _gone: gone };
    let body = stream::unfold(writing, |mut writing| async move {
        let frame = writing.frame().await?;
        Some((Ok::<_, Infallible>(frame), writing))
    });
    let mut response = HttpResponse::new(Body::from_stream(body));
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    response
}

/// Cuts the connection when its reader does not take the last word of its stream: that it has fallen too far behind, or that its
/// credential stopped counting. While it does not read, its stream is not asked for more, so somebody else has to look.
pub(crate) fn cut_when_over(overrun: Option<Overrun>, credential: Credential, line: Line) -> oneshot::Sender<()> {
    let (gone, is_gone) = oneshot::channel();
    let over = async move {
        let overrun = async {
            match overrun {
                Some(mut overrun) => overrun.happens().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = overrun => tokio::time::sleep(CATCHES_UP).await,
            _ = credential.ended() => tokio::time::sleep(LAST_WORD).await,
        }
    };
    tokio::spawn(async move {
        tokio::select! {
            () = over => line.cut(),
            _ = is_gone => {}
        }
    });
    gone
}

struct Writing {
    source: Source,
    stage: Stage,
    /// Dropped with the stream, which ends the watch over it.
    _gone: Option<oneshot::Sender<()>>,
}

/// How far the writing of a stream is.
pub(crate) enum Stage {
    Begins,
    GoesOn,
    IsOver,
}

impl Writing {
    /// What is written next.
    async fn frame(&mut self) -> Option<Bytes> {
        match self.stage {
            Stage::IsOver => return None,
            Stage::Begins => {
                self.stage = Stage::GoesOn;
                return Some(Bytes::from(format!("retry: {RETRY_MS}\n\n")));
            }
            Stage::GoesOn => {}
        }
        let Ok(item) = tokio::time::timeout(PULSE, self.source.next()).await else {
            return Some(Bytes::from_static(b":\n\n"));
        };
        Some(match item {
            Item::Event(event) => frame(event.seq, &event.kind, &event.json),
            Item::Action(pushed) => frame(pushed.seq, pushed.kind, &pushed.json),
            Item::Dropped(failure) => {
                self.stage = Stage::IsOver;
                let json = Envelope::refused(self.source.name(), &failure).into_json();
                Bytes::from(format!("event: bus.dropped\ndata: {json}\n\n"))
            }
            Item::Closing => {
                self.stage = Stage::IsOver;
                Bytes::from_static(b"event: bus.closing\ndata: {\"v\":1,\"type\":\"bus.closing\"}\n\n")
            }
        })
    }
}
