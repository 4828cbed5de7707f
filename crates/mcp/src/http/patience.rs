//! A long call says that it is alive: some clients never get an answer that was long in coming without a byte.
//!
//! rmcp does this where it opens a stream at once. Without sessions it waits for the first message, since an error has a
//! status of its own; so after a while the stream is opened here, and what comes is put into it.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use bytes::{Bytes, BytesMut};
use http::{Response, StatusCode, header};
use http_body::Frame;
use http_body_util::{BodyExt, combinators::BoxBody};
use tokio::time::{Instant, Interval, interval_at, sleep};

use super::service::Body;

/// How often a stream without anything to say says so.
pub(super) const KEEP_ALIVE: Duration = Duration::from_secs(15);
const COMMENT: &[u8] = b": still at it\n\n";
const EVENT_STREAM: &str = "text/event-stream";

pub(super) type Answering = Pin<Box<dyn Future<Output = Response<BoxBody<Bytes, Infallible>>> + Send>>;

/// The answer, or a stream that it will come in when it is long in coming.
pub(super) async fn patiently(mut answering: Answering) -> Response<Body> {
    tokio::select! {
        biased;
        response = &mut answering => response.map(BodyExt::boxed_unsync),
        () = sleep(KEEP_ALIVE) => {
            let body = Patient {
                state: State::Waiting(answering),
                ticks: interval_at(Instant::now(), KEEP_ALIVE),
            };
            let mut response = Response::new(body.boxed_unsync());
            *response.status_mut() = StatusCode::OK;
            response.headers_mut().insert(header::CONTENT_TYPE, header::HeaderValue::from_static(EVENT_STREAM));
            response.headers_mut().insert(header::CACHE_CONTROL, header::HeaderValue::from_static("no-cache"));
            response
        }
    }
}

/// A stream of comments until there is an answer, and then the answer.
struct Patient {
    state: State,
    ticks: Interval,
}

enum State {
    Waiting(Answering),
    /// The answer is a stream already.
    Relaying(BoxBody<Bytes, Infallible>),
    /// The answer is one message, which becomes one event.
    Gathering(BoxBody<Bytes, Infallible>, BytesMut),
    Over,
}

impl http_body::Body for Patient {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        loop {
            match &mut self.state {
                State::Waiting(answering) => match answering.as_mut().poll(context) {
                    Poll::Ready(response) => {
                        let kind = response.headers().get(header::CONTENT_TYPE);
                        let streams = kind.is_some_and(|kind| kind.as_bytes().starts_with(EVENT_STREAM.as_bytes()));
                        let body = response.into_body();
                        self.state =
                            if streams { State::Relaying(body) } else { State::Gathering(body, BytesMut::new()) };
                    }
                    Poll::Pending => {
                        return self.ticks.poll_tick(context).map(|_| Some(Ok(Frame::data(COMMENT.into()))));
                    }
                },
                State::Relaying(body) => return Pin::new(body).poll_frame(context),
                State::Gathering(body, gathered) => match Pin::new(body).poll_frame(context) {
                    Poll::Ready(Some(Ok(frame))) => {
                        if let Ok(data) = frame.into_data() {
                            gathered.extend_from_slice(&data);
                        }
                    }
                    Poll::Ready(None) => {
                        let event = [b"data: ".as_slice(), gathered, b"\n\n"].concat();
                        self.state = State::Over;
                        return Poll::Ready(Some(Ok(Frame::data(event.into()))));
                    }
                    Poll::Pending => return Poll::Pending,
                },
                State::Over => return Poll::Ready(None),
            }
        }
    }
}
