//! What a connection follows: rooms, and the inboxes of agents whose runtime it is.

use std::{collections::HashMap, future, pin::pin, sync::Arc};

use baton_app::{Caller, Failure};
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::task::{AbortHandle, JoinSet};

use super::{
    frame::{CLOSING, Frame},
    out::Out,
};
use crate::{Credential, Hub, Next, Push, Runtime, Subscription};

/// Most streams of one connection.
pub(crate) const STREAMS_MAX: usize = 64;

/// What `events.stream` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamInput {
    /// Which session.
    #[serde(alias = "session", alias = "session_id")]
    pub(super) room_id: RoomId,
    /// The cursor: only events after this place. Without it from the beginning.
    #[serde(default)]
    pub(super) after: Seq,
}

/// What `actions.stream` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ActionsInput {
    /// Which session.
    #[serde(alias = "session", alias = "session_id")]
    pub(super) room_id: RoomId,
    /// Actions after this place that were told before and have not ended are told again. Without it all of them.
    #[serde(default)]
    pub(super) resume_after: Seq,
}

/// What `events.stop` takes.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct StopInput {
    /// The `id` of the request that began the stream.
    pub(super) stream: String,
}

/// The streams of a connection, by the request that began each.
#[derive(Default)]
pub(super) struct Streams {
    running: HashMap<String, AbortHandle>,
    tasks: JoinSet<()>,
}

/// A stream that is about to begin.
pub(super) enum Opened {
    /// Of a room's events.
    Events(RoomId, Subscription),
    /// Of what is submitted to an agent.
    Actions(RoomId, Box<Runtime>),
}

impl Streams {
    /// Follows a room, for the request `id`.
    pub(super) async fn events(
        &mut self,
        hub: &Hub,
        credential: &Credential,
        id: &str,
        input: StreamInput,
    ) -> Result<Opened, Failure> {
        self.require_room(id)?;
        let subscription = hub.subscribe(credential, &input.room_id, input.after).await?;
        Ok(Opened::Events(input.room_id, subscription))
    }

    /// Connects the caller's runtime, for the request `id`.
    pub(super) async fn actions(
        &mut self,
        hub: &Arc<Hub>,
        credential: &Credential,
        id: &str,
        caller: Caller,
        input: ActionsInput,
    ) -> Result<Opened, Failure> {
        self.require_room(id)?;
        let runtime = hub.runtime(credential, caller, &input.room_id, input.resume_after).await?;
        Ok(Opened::Actions(input.room_id, Box::new(runtime)))
    }

    fn require_room(&mut self, id: &str) -> Result<(), Failure> {
        while self.tasks.try_join_next().is_some() {}
        self.running.retain(|_, task| !task.is_finished());
        if self.running.contains_key(id) {
            let message = format!("id: a stream that request {id:?} began is running.");
            return Err(Failure::new(ErrorCode::Conflict, message).with("field", "id"));
        }
        if self.running.len() >= STREAMS_MAX {
            let message = format!("A connection has at most {STREAMS_MAX} streams.");
            return Err(Failure::new(ErrorCode::RateLimited, message).advising("End one with `events.stop`."));
        }
        Ok(())
    }

    /// Begins to send. A stream whose client does not read ends alone, and says so.
    pub(super) fn begin(&mut self, opened: Opened, id: &str, out: &Out) {
        let (out, corr) = (out.clone(), id.to_owned());
        let task = self.tasks.spawn(async move { pump(opened, &corr, &out).await });
        self.running.insert(id.to_owned(), task);
    }

    /// Ends a stream.
    pub(super) fn stop(&mut self, id: &str) -> Result<(), Failure> {
        match self.running.remove(id) {
            Some(task) => {
                task.abort();
                Ok(())
            }
            None => {
                let message = format!("stream: no request {id:?} of this connection began one.");
                Err(Failure::new(ErrorCode::UnknownId, message).with("field", "stream"))
            }
        }
    }

    /// Waits until every stream has said its last word, which they do when the server ends.
    pub(super) async fn ended(&mut self) {
        while self.tasks.join_next().await.is_some() {}
    }
}

/// What a stream says next.
enum Said {
    /// Something of it, and the place of that, if it is an event.
    More(Frame, Option<Seq>),
    /// Its last word.
    Last(Frame),
}

impl Opened {
    /// Waits until its client is too slow. Only a room's events pile up; actions wait in an inbox.
    fn overrun(&self) -> impl Future<Output = ()> + use<> {
        let overrun = match self {
            Self::Events(_, subscription) => Some(subscription.overrun()),
            Self::Actions(..) => None,
        };
        async {
            match overrun {
                Some(mut overrun) => overrun.happens().await,
                None => future::pending().await,
            }
        }
    }

    /// The end of it for a client that was sent nothing after a place.
    fn too_slow(&self, corr: &str, sent: Seq) -> Option<Frame> {
        match self {
            Self::Events(room, subscription) => Some(Frame::dropped(room, corr, &subscription.too_slow(sent))),
            Self::Actions(..) => None,
        }
    }

    /// Where it begins.
    fn start(&self) -> Seq {
        match self {
            Self::Events(_, subscription) => subscription.cursor(),
            Self::Actions(..) => Seq::default(),
        }
    }

    async fn next(&mut self, corr: &str) -> Said {
        match self {
            Self::Events(room, subscription) => match subscription.next().await {
                Next::Record(event) => {
                    let seq = event.seq;
                    Said::More(Frame::record(room, corr, event), Some(seq))
                }
                Next::Closing => Said::Last(Frame::word(CLOSING, Some(room.clone()), Some(corr))),
                Next::Dropped(failure) => Said::Last(Frame::dropped(room, corr, &failure)),
            },
            Self::Actions(room, runtime) => match runtime.next().await {
                Push::Delivery(pushed) => Said::More(Frame::push(room, corr, pushed), None),
                Push::Closing => Said::Last(Frame::word(CLOSING, Some(room.clone()), Some(corr))),
                Push::Dropped(failure) => Said::Last(Frame::dropped(room, corr, &failure)),
            },
        }
    }
}

async fn pump(mut opened: Opened, corr: &str, out: &Out) {
    let mut overrun = pin!(opened.overrun());
    let mut sent = opened.start();
    loop {
        match opened.next(corr).await {
            Said::Last(frame) => return out.send_last(frame),
            Said::More(frame, place) => tokio::select! {
                () = out.send(frame) => sent = place.unwrap_or(sent),
                // There was no room for it for as long as the bus waits: it was not sent, and nothing after it is.
                () = &mut overrun => {
                    if let Some(frame) = opened.too_slow(corr, sent) {
                        out.send_last(frame);
                    }
                    return;
                }
            },
        }
    }
}
