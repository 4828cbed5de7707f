//! Standard input and output as the runtime's own descriptors.
//!
//! Clients connect a server through pipes or, from node, through Unix sockets. Both are watched by the runtime's
//! poller. Tokio's own stdio hands every read and write to another thread, which costs more than a whole call, so
//! it serves only what cannot be polled: terminals and regular files.
//!
//! A pipe is opened anew, so that it is non-blocking for us alone; standard error may share the original.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, AsRawFd, OwnedFd},
        unix::{fs::FileTypeExt, net::UnixStream as StdUnixStream},
    },
    pin::Pin,
    task::{Context, Poll},
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf, Stdin, Stdout},
    net::{UnixStream, unix::pipe},
};

/// Standard input.
pub(crate) enum Input {
    Pipe(pipe::Receiver),
    Socket(UnixStream),
    Blocking(Stdin),
}

/// Standard output.
pub(crate) enum Output {
    Pipe(pipe::Sender),
    Socket(UnixStream),
    Blocking(Stdout),
}

impl Input {
    /// Opens standard input in the fastest way that works for it. Needs a running runtime.
    pub(crate) fn open() -> Self {
        Self::poll(&io::stdin()).ok().flatten().unwrap_or_else(|| Self::Blocking(tokio::io::stdin()))
    }

    /// A polled descriptor, unless `fd` is neither a pipe nor a socket.
    fn poll(fd: &impl AsFd) -> io::Result<Option<Self>> {
        let fd = fd.as_fd().try_clone_to_owned()?;
        Ok(match Kind::of(&fd)? {
            Kind::Pipe => Some(Self::Pipe(match pipe::OpenOptions::new().open_receiver(anew(&fd)) {
                Ok(own) => own,
                Err(_) => pipe::Receiver::from_owned_fd(fd)?,
            })),
            Kind::Socket => Some(Self::Socket(socket(fd)?)),
            Kind::Other => None,
        })
    }
}

impl Output {
    /// Opens standard output in the fastest way that works for it. Needs a running runtime.
    pub(crate) fn open() -> Self {
        Self::poll(&io::stdout()).ok().flatten().unwrap_or_else(|| Self::Blocking(tokio::io::stdout()))
    }

    /// A polled descriptor, unless `fd` is neither a pipe nor a socket.
    fn poll(fd: &impl AsFd) -> io::Result<Option<Self>> {
        let fd = fd.as_fd().try_clone_to_owned()?;
        Ok(match Kind::of(&fd)? {
            Kind::Pipe => Some(Self::Pipe(match pipe::OpenOptions::new().open_sender(anew(&fd)) {
                Ok(own) => own,
                Err(_) => pipe::Sender::from_owned_fd(fd)?,
            })),
            Kind::Socket => Some(Self::Socket(socket(fd)?)),
            Kind::Other => None,
        })
    }
}

enum Kind {
    Pipe,
    Socket,
    Other,
}

impl Kind {
    fn of(fd: &OwnedFd) -> io::Result<Self> {
        let kind = File::from(fd.try_clone()?).metadata()?.file_type();
        Ok(if kind.is_fifo() {
            Self::Pipe
        } else if kind.is_socket() {
            Self::Socket
        } else {
            Self::Other
        })
    }
}

/// Where the same pipe can be opened once more, with flags of its own. Only Linux has this.
fn anew(fd: &OwnedFd) -> String {
    format!("/proc/self/fd/{}", fd.as_raw_fd())
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = StdUnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

impl AsyncRead for Input {
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_read(cx, buf),
            Self::Socket(socket) => Pin::new(socket).poll_read(cx, buf),
            Self::Blocking(stdin) => Pin::new(stdin).poll_read(cx, buf),
        }
    }
}

impl AsyncWrite for Output {
    fn poll_write(self: Pin<&mut Self>, cx: &mut Context<'_>, buf: &[u8]) -> Poll<io::Result<usize>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_write(cx, buf),
            Self::Socket(socket) => Pin::new(socket).poll_write(cx, buf),
            Self::Blocking(stdout) => Pin::new(stdout).poll_write(cx, buf),
        }
    }

    fn poll_flush(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_flush(cx),
            Self::Socket(socket) => Pin::new(socket).poll_flush(cx),
            Self::Blocking(stdout) => Pin::new(stdout).poll_flush(cx),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match self.get_mut() {
            Self::Pipe(pipe) => Pin::new(pipe).poll_shutdown(cx),
            Self::Socket(socket) => Pin::new(socket).poll_shutdown(cx),
            Self::Blocking(stdout) => Pin::new(stdout).poll_shutdown(cx),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};

    use super::*;

    #[tokio::test]
    async fn a_pipe_and_a_socket_are_polled_and_a_file_is_not() {
        let (reader, writer) = io::pipe().unwrap();
        let (mut input, mut output) = (Input::poll(&reader).unwrap().unwrap(), Output::poll(&writer).unwrap().unwrap());
        assert!(matches!((&input, &output), (Input::Pipe(_), Output::Pipe(_))));
        output.write_all(b"pipe").await.unwrap();
        let mut word = [0; 4];
        input.read_exact(&mut word).await.unwrap();
        assert_eq!(&word, b"pipe");

        let (near, far) = StdUnixStream::pair().unwrap();
        let (mut input, mut output) = (Input::poll(&near).unwrap().unwrap(), Output::poll(&far).unwrap().unwrap());
        assert!(matches!((&input, &output), (Input::Socket(_), Output::Socket(_))));
        output.write_all(b"sock").await.unwrap();
        input.read_exact(&mut word).await.unwrap();
        assert_eq!(&word, b"sock");

        let file = tempfile::tempfile().unwrap();
        assert!(Input::poll(&file).unwrap().is_none() && Output::poll(&file).unwrap().is_none());
    }

    #[tokio::test]
    async fn what_a_client_left_in_the_pipe_before_it_went_is_still_read() {
        let (reader, writer) = io::pipe().unwrap();
        io::Write::write_all(&mut &writer, b"last words").unwrap();
        drop(writer);
        let mut words = String::new();
        Input::poll(&reader).unwrap().unwrap().read_to_string(&mut words).await.unwrap();
        assert_eq!(words, "last words");
    }

    #[tokio::test]
    async fn the_original_pipe_keeps_its_blocking_flag() {
        let (reader, _writer) = io::pipe().unwrap();
        let _input = Input::poll(&reader).unwrap().unwrap();
        assert!(!rustix::fs::fcntl_getfl(&reader).unwrap().contains(rustix::fs::OFlags::NONBLOCK));
    }
}
