//! Bytes to and from the server, moved by whichever thread wants something.
//!
//! There is no runtime: a call polls its future and the connection, and when both have to wait it sleeps in `poll`
//! on the socket until the deadline. So a round trip costs no change of threads, and it can be made from within
//! anybody's runtime.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures its own deadline")]

use std::{
    io::{self, Read, Write},
    net::TcpStream,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::net::UnixStream,
    },
    pin::Pin,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    task::{Context, Poll, Wake, Waker},
    time::Instant,
};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};

/// A socket that does not block.
pub(super) enum Socket {
    Tcp(TcpStream),
    Unix(UnixStream),
}

impl Socket {
    fn read(&self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => (&*socket).read(buffer),
            Self::Unix(socket) => (&*socket).read(buffer),
        }
    }

    fn write(&self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Tcp(socket) => (&*socket).write(bytes),
            Self::Unix(socket) => (&*socket).write(bytes),
        }
    }
}

impl AsFd for Socket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        match self {
            Self::Tcp(socket) => socket.as_fd(),
            Self::Unix(socket) => socket.as_fd(),
        }
    }
}

/// The socket as the protocol sees it, which says what it is waiting for.
pub(super) struct Wire {
    socket: Socket,
    wants: Arc<Wants>,
}

/// What the protocol waits for.
#[derive(Default)]
struct Wants {
    write: AtomicBool,
}

/// Lets a thread wait for a socket.
pub(super) struct Pump {
    socket: OwnedFd,
    wants: Arc<Wants>,
    woken: Arc<Woken>,
}

/// Whether something that is polled asked to be polled again.
#[derive(Default)]
struct Woken(AtomicBool);

impl Wake for Woken {
    fn wake(self: Arc<Self>) {
        self.0.store(true, Ordering::SeqCst);
    }
}

/// A socket's two halves: one for the protocol, one for whoever drives it.
pub(super) fn split(socket: Socket) -> io::Result<(Wire, Pump)> {
    match &socket {
        Socket::Tcp(socket) => socket.set_nonblocking(true)?,
        Socket::Unix(socket) => socket.set_nonblocking(true)?,
    }
    let wants = Arc::new(Wants::default());
    let pump = Pump { socket: socket.as_fd().try_clone_to_owned()?, wants: wants.clone(), woken: Arc::default() };
    Ok((Wire { socket, wants }, pump))
}

impl Pump {
    /// Polls until it is done, or nothing at the deadline.
    pub(super) fn run<T>(&self, deadline: Instant, mut step: impl FnMut(&mut Context<'_>) -> Poll<T>) -> Option<T> {
        let waker = Waker::from(self.woken.clone());
        let mut context = Context::from_waker(&waker);
        loop {
            self.woken.0.store(false, Ordering::SeqCst);
            self.wants.write.store(false, Ordering::SeqCst);
            if let Poll::Ready(done) = step(&mut context) {
                return Some(done);
            }
            if self.woken.0.load(Ordering::SeqCst) {
                continue;
            }
            let left = deadline.checked_duration_since(Instant::now())?;
            let timeout = Timespec { tv_sec: left.as_secs() as i64, tv_nsec: i64::from(left.subsec_nanos()) };
            // An interrupted or failed wait is only a look too many.
            let _ = poll(&mut [PollFd::new(&self.socket, self.interest())], Some(&timeout));
        }
    }

    /// Polls once, without waiting.
    pub(super) fn once<T>(&self, step: impl FnOnce(&mut Context<'_>) -> Poll<T>) -> Poll<T> {
        let waker = Waker::from(self.woken.clone());
        step(&mut Context::from_waker(&waker))
    }

    fn interest(&self) -> PollFlags {
        if self.wants.write.load(Ordering::SeqCst) { PollFlags::IN | PollFlags::OUT } else { PollFlags::IN }
    }
}

impl AsFd for Pump {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl AsyncRead for Wire {
    fn poll_read(self: Pin<&mut Self>, _: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        loop {
            match self.socket.read(buffer.initialize_unfilled()) {
                Ok(count) => {
                    buffer.advance(count);
                    return Poll::Ready(Ok(()));
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Poll::Pending,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, _: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        loop {
            match self.socket.write(bytes) {
                Ok(count) => return Poll::Ready(Ok(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wants.write.store(true, Ordering::SeqCst);
                    return Poll::Pending;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Poll::Ready(Err(error)),
            }
        }
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = match &self.socket {
            Socket::Tcp(socket) => socket.shutdown(std::net::Shutdown::Write),
            Socket::Unix(socket) => socket.shutdown(std::net::Shutdown::Write),
        };
        Poll::Ready(shut)
    }
}
