//! One connection to the server, driven by the thread that uses it.

use std::{
    collections::HashMap,
    future::Future,
    os::fd::{AsFd, BorrowedFd},
    pin::pin,
    task::{Context, Poll},
    time::Instant,
};

use tokio::io::{AsyncRead, AsyncWrite};
use tokio_postgres::{AsyncMessage, Client, Connection, Error, Notification, Statement};

use super::{failure::Trouble, outcome::Writer, silence::Silence, statement::Sql, wire::Pump};

/// A connection and what belongs to it.
pub(super) struct Link {
    pub(super) client: Client,
    pub(super) driver: Driver,
    /// What the server has prepared for us.
    pub(super) statements: HashMap<Sql, Statement>,
    /// Under which name its commits can be found again.
    pub(super) writer: Writer,
    /// How long whoever uses it has heard nothing.
    pub(super) silence: Silence,
}

/// What moves a connection's messages.
pub(super) struct Driver {
    pump: Pump,
    connection: Box<dyn Drive>,
    heard: Vec<Notification>,
    ended: bool,
}

/// A connection, whatever it runs over.
trait Drive: Send {
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>>;
}

impl<S, T> Drive for Connection<S, T>
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
    T: AsyncRead + AsyncWrite + Unpin + Send,
{
    fn poll_message(&mut self, context: &mut Context<'_>) -> Poll<Option<Result<AsyncMessage, Error>>> {
        Self::poll_message(self, context)
    }
}

impl Driver {
    pub(super) fn new<S, T>(pump: Pump, connection: Connection<S, T>) -> Self
    where
        S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
        T: AsyncRead + AsyncWrite + Unpin + Send + 'static,
    {
        Self { pump, connection: Box::new(connection), heard: Vec::new(), ended: false }
    }

    /// Waits for an answer until the deadline. A connection that failed to give one is of no more use.
    pub(super) fn run<T>(
        &mut self,
        deadline: Instant,
        future: impl Future<Output = Result<T, Error>>,
    ) -> Result<T, Trouble> {
        let mut future = pin!(future);
        let Self { pump, connection, heard, ended } = self;
        let outcome = pump.run(deadline, |context| {
            if let Poll::Ready(answer) = future.as_mut().poll(context) {
                return Poll::Ready(answer.map_err(Trouble::Server));
            }
            let end = match advance(&mut **connection, heard, ended, context) {
                Advanced::Waits => return Poll::Pending,
                Advanced::Ended(end) => end,
            };
            // The answer may have come before the end did.
            match future.as_mut().poll(context) {
                Poll::Ready(Ok(answer)) => Poll::Ready(Ok(answer)),
                Poll::Ready(Err(_)) | Poll::Pending => Poll::Ready(Err(end)),
            }
        });
        outcome.unwrap_or_else(|| {
            self.ended = true;
            Err(Trouble::TimedOut)
        })
    }

    /// Sends something whose answer nobody needs.
    pub(super) fn post<T>(&mut self, future: impl Future<Output = Result<T, Error>>) {
        let mut future = pin!(future);
        let Self { pump, connection, heard, ended } = self;
        let _ = pump.once(|context| {
            let _ = future.as_mut().poll(context);
            let _ = advance(&mut **connection, heard, ended, context);
            Poll::<()>::Pending
        });
    }

    /// Takes in what has arrived, without waiting, and tells whether the connection still stands.
    pub(super) fn look(&mut self) -> bool {
        let Self { pump, connection, heard, ended } = self;
        let _ = pump.once(|context| {
            let _ = advance(&mut **connection, heard, ended, context);
            Poll::<()>::Pending
        });
        !self.ended
    }

    /// Whether the connection can still be used.
    pub(super) fn stands(&self) -> bool {
        !self.ended
    }

    /// The notifications that have come.
    pub(super) fn heard(&mut self) -> Vec<Notification> {
        std::mem::take(&mut self.heard)
    }
}

impl AsFd for Driver {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.pump.as_fd()
    }
}

enum Advanced {
    Waits,
    Ended(Trouble),
}

/// Moves messages until there are no more to move.
fn advance(
    connection: &mut dyn Drive,
    heard: &mut Vec<Notification>,
    ended: &mut bool,
    context: &mut Context<'_>,
) -> Advanced {
    if *ended {
        return Advanced::Ended(Trouble::Ended);
    }
    loop {
        match connection.poll_message(context) {
            Poll::Pending => return Advanced::Waits,
            Poll::Ready(Some(Ok(AsyncMessage::Notification(notification)))) => heard.push(notification),
            // Notices are for people at a prompt.
            Poll::Ready(Some(Ok(_))) => {}
            Poll::Ready(Some(Err(error))) => {
                *ended = true;
                return Advanced::Ended(Trouble::Server(error));
            }
            Poll::Ready(None) => {
                *ended = true;
                return Advanced::Ended(Trouble::Ended);
            }
        }
    }
}
