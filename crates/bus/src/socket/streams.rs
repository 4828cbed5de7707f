//! The rooms that a connection follows.

use std::{collections::HashMap, sync::Arc};

use baton_app::Failure;
use baton_core::{
    code::ErrorCode,
    ids::{RoomId, Seq},
};
use serde::Deserialize;
use tokio::{
    sync::Notify,
    task::{AbortHandle, JoinSet},
};

use super::{
    frame::{CLOSING, DROPPED, Frame},
    out::Out,
};
use crate::{Hub, Next, Subscription};

/// Most streams of one connection.
const STREAMS_MAX: usize = 64;

/// What `events.stream` takes.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StreamInput {
    /// Which session.
    #[serde(alias = "session", alias = "session_id")]
    pub(super) room_id: RoomId,
    /// The cursor: only events after this place. Without it from the beginning.
    #[serde(default)]
    pub(super) after: Seq,
}

/// What `events.stop` takes.
#[derive(Debug, Deserialize)]
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
pub(super) struct Opened {
    subscription: Subscription,
    room: RoomId,
}

impl Streams {
    /// Subscribes, for the request `id`.
    pub(super) async fn open(&mut self, hub: &Hub, id: &str, input: StreamInput) -> Result<Opened, Failure> {
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
        let subscription = hub.subscribe(&input.room_id, input.after).await?;
        Ok(Opened { subscription, room: input.room_id })
    }

    /// Begins to send. `cut` is rung when the client does not read.
    pub(super) fn begin(&mut self, opened: Opened, id: &str, out: &Out, cut: &Arc<Notify>) {
        let (out, cut, corr) = (out.clone(), Arc::clone(cut), id.to_owned());
        let task = self.tasks.spawn(async move {
            let mut overrun = opened.subscription.overrun();
            tokio::select! {
                () = pump(opened, &corr, &out) => {}
                // It hangs in a send that will not end: nothing can be said to this client any more.
                () = overrun.happens() => cut.notify_one(),
            }
        });
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

async fn pump(mut opened: Opened, corr: &str, out: &Out) {
    loop {
        match opened.subscription.next().await {
            Next::Record(event) => out.send(Frame::record(&opened.room, corr, event)).await,
            Next::Closing => return out.send(Frame::word(CLOSING, Some(opened.room), Some(corr))).await,
            Next::Dropped(failure) => return out.send(Frame::refusal(Some(DROPPED), Some(corr), &failure)).await,
        }
    }
}
