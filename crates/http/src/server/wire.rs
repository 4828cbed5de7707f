//! The bytes of a connection, counted, and given up on when the peer does not take them.

use std::{
    future::Future,
    io,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll, ready},
    time::Duration,
};

use baton_bus::Hub;
use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// How long a peer may leave what it is sent lying.
pub(crate) const STALL: Duration = Duration::from_secs(60);
/// How long what a peer is still sending is thrown away after the last answer. A connection that is closed with bytes
/// unread is reset, and the peer may never see why.
const LINGER: Duration = Duration::from_secs(2);
/// Most bytes that are thrown away so.
const LINGER_BYTES: usize = 256 * 1024 * 1024;
const LINGER_BUFFER: usize = 16 * 1024;

/// A connection's bytes.
pub(super) struct Wire<S> {
    inner: S,
    hub: Arc<Hub>,
    /// Runs while the peer takes nothing.
    stalled: Option<Pin<Box<Sleep>>>,
    closing: Closing,
}

enum Closing {
    NotYet,
    /// What the peer still sends is thrown away until then.
    Lingering {
        until: Pin<Box<Sleep>>,
        bytes: usize,
    },
    Done,
}

impl<S> Wire<S> {
    pub(super) fn new(inner: S, hub: Arc<Hub>) -> Self {
        Self { inner, hub, stalled: None, closing: Closing::NotYet }
    }

    /// Passes a write on, unless it has been waiting for too long.
    fn taken<T>(&mut self, context: &mut Context<'_>, written: Poll<io::Result<T>>) -> Poll<io::Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(sleep(STALL)));
        ready!(stalled.as_mut().poll(context));
        Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
    }
}

impl<S: AsyncRead + Unpin> Wire<S> {
    /// Throws away what is there. Ready when the peer is done, or with the number of bytes.
    fn discard(&mut self, context: &mut Context<'_>) -> Poll<usize> {
        let mut bytes = [0; LINGER_BUFFER];
        let mut buffer = ReadBuf::new(&mut bytes);
        match ready!(Pin::new(&mut self.inner).poll_read(context, &mut buffer)) {
            Ok(()) => Poll::Ready(buffer.filled().len()),
            Err(_) => Poll::Ready(0),
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for Wire<S> {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut this.inner).poll_read(context, buffer));
        this.hub.metrics().received(buffer.filled().len() - before);
        Poll::Ready(read)
    }
}

impl<S: AsyncRead + AsyncWrite + Unpin> AsyncWrite for Wire<S> {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write(context, bytes);
        let written = ready!(this.taken(context, written));
        this.hub.metrics().sent(written.as_ref().copied().unwrap_or(0));
        Poll::Ready(written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = Pin::new(&mut this.inner).poll_write_vectored(context, slices);
        let written = ready!(this.taken(context, written));
        this.hub.metrics().sent(written.as_ref().copied().unwrap_or(0));
        Poll::Ready(written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        let flushed = Pin::new(&mut this.inner).poll_flush(context);
        this.taken(context, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        loop {
            match &mut this.closing {
                Closing::Done => return Poll::Ready(Ok(())),
                Closing::NotYet => {
                    let shut = Pin::new(&mut this.inner).poll_shutdown(context);
                    ready!(this.taken(context, shut))?;
                    // Only for a peer that is in the middle of something: others are done, or idle.
                    this.closing = match this.discard(context) {
                        Poll::Ready(bytes) if bytes > 0 => Closing::Lingering {
                            until: Box::pin(tokio::time::sleep_until(Instant::now() + LINGER)),
                            bytes,
                        },
                        Poll::Ready(_) | Poll::Pending => Closing::Done,
                    };
                }
                Closing::Lingering { until, bytes } => {
                    let is_over = until.as_mut().poll(context).is_ready() || *bytes > LINGER_BYTES;
                    let so_far = *bytes;
                    match if is_over { 0 } else { ready!(this.discard(context)) } {
                        0 => this.closing = Closing::Done,
                        more => {
                            if let Closing::Lingering { bytes, .. } = &mut this.closing {
                                *bytes = so_far + more;
                            }
                        }
                    }
                }
            }
        }
    }
}
