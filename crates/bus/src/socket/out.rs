//! What a client is sent, in one order, and how much of it may wait until the client reads.
//!
//! Whoever has something to say waits until there is room for it; so a client that does not read is not read from
//! either, and its streams stand still until they are dropped.

use std::{io, sync::Arc};

use tokio::{
    io::{AsyncWrite, AsyncWriteExt},
    sync::{OwnedSemaphorePermit, Semaphore},
};

use super::{
    frame::Frame,
    queue::{Giver, Hush, Taker, queue},
};
use crate::Hub;

/// Bytes that may wait to be written to one client.
const WAITING_BYTES: usize = 512 * 1024;
/// Bytes that are written at once.
const BATCH_BYTES: usize = 64 * 1024;

/// The way out to one client. Clones lead to the same.
#[derive(Clone)]
pub(super) struct Out {
    frames: Giver<(Frame, OwnedSemaphorePermit)>,
    room: Arc<Semaphore>,
}

/// What waits to be written.
pub(super) struct Waiting(Taker<(Frame, OwnedSemaphorePermit)>);

/// A way out, and its other end.
pub(super) fn out() -> (Out, Waiting) {
    // The room bounds it, in bytes.
    let (frames, waiting) = queue();
    (Out { frames, room: Arc::new(Semaphore::new(WAITING_BYTES)) }, Waiting(waiting))
}

impl Out {
    /// Sends a frame, when there is room for it. Nobody is told when the client is gone: the connection ends then.
    pub(super) async fn send(&self, frame: Frame) {
        // A frame that is larger than all there is takes all there is.
        let bytes = u32::try_from(frame.bytes().min(WAITING_BYTES)).unwrap_or(u32::MAX);
        if let Ok(permit) = Arc::clone(&self.room).acquire_many_owned(bytes).await {
            self.frames.give((frame, permit));
        }
    }
}

impl Out {
    /// Sends the last word of a stream to a client that may not read: there is always room for it, since a connection has
    /// few streams, and the answer that begins one takes its place in the queue like any other.
    pub(super) fn send_last(&self, frame: Frame) {
        if let Ok(permit) = Arc::clone(&self.room).try_acquire_many_owned(0) {
            self.frames.give((frame, permit));
        }
    }
}

impl Waiting {
    /// For the task that writes, if it also has something to say.
    pub(super) fn hush(&self) -> Hush<(Frame, OwnedSemaphorePermit)> {
        self.0.hush()
    }

    /// Writes what is sent, until nobody can send any more.
    pub(super) async fn write(
        mut self,
        writer: &mut (impl AsyncWrite + Unpin),
        hub: &Hub,
        name: &str,
    ) -> io::Result<()> {
        let (mut buffer, mut permits, mut seq) = (Vec::new(), Vec::new(), 0);
        while let Some(first) = self.0.next().await {
            // The store's clock may be away for a moment; then the last answer of it has to do.
            let ts = hub.app().now().unwrap_or_default();
            let mut next = Some(first);
            while let Some((frame, permit)) = next {
                seq += 1;
                frame.write(&mut buffer, &format!("{name}_{seq}"), seq, ts);
                permits.push(permit);
                next = if buffer.len() < BATCH_BYTES { self.0.now() } else { None };
            }
            writer.write_all(&buffer).await?;
            hub.metrics().sent(buffer.len());
            buffer.clear();
            buffer.shrink_to(BATCH_BYTES);
            permits.clear();
        }
        writer.flush().await
    }
}
