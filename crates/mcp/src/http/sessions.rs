//! The sessions of the revisions before 2026-07-28: bounded, each for whoever began it, and each call with an eye on its
//! client.
//!
//! Keeping and routing is rmcp's; what is ours is that there is a most of them, that a session is not usable by another
//! principal, and that a call knows when nobody reads its answer any more.

use std::{
    pin::Pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Context, Poll},
    time::Duration,
};

use futures_util::Stream;
use rmcp::{
    model::{ClientJsonRpcMessage, GetExtensions, JsonRpcMessage, ServerJsonRpcMessage},
    transport::streamable_http_server::session::{
        ServerSseMessage, SessionId, SessionManager,
        local::{LocalSessionManager, LocalSessionManagerError, SessionConfig},
    },
};
use tokio::sync::watch;

use super::recent::Recent;

/// Most sessions at once; a new one ends the one that was used least recently.
pub(super) const SESSIONS_MAX: usize = 1024;
/// How long a session may be silent. An agent works for hours between two calls, and is somebody else afterwards if
/// its session is gone meanwhile; this is how long rooms remember a member, too.
pub(super) const IDLE_MAX: Duration = Duration::from_secs(4 * 60 * 60);

/// Every session.
pub(super) struct Sessions {
    kept: LocalSessionManager,
    /// Who began each of them. Not known until the answer to `initialize` is on its way.
    owners: Mutex<Recent<SessionId, Option<Arc<str>>>>,
}

/// With each call: whether somebody still reads its answer. Ended when nobody does.
#[derive(Clone)]
pub(super) struct Attended(pub(super) watch::Receiver<()>);

impl Sessions {
    pub(super) fn of(most: usize) -> Self {
        let mut kept = LocalSessionManager::default();
        let mut config = SessionConfig::default();
        config.keep_alive = Some(IDLE_MAX);
        kept.session_config = config;
        Self { kept, owners: Mutex::new(Recent::of(most)) }
    }

    /// Notes who began a session.
    pub(super) fn begun_by(&self, session: &str, owner: &Arc<str>) {
        if let Some(noted) = self.owners().get(session) {
            *noted = Some(Arc::clone(owner));
        }
    }

    /// Whether this is somebody else's session.
    pub(super) fn is_of_another(&self, session: &str, principal: &str) -> bool {
        self.owners().get(session).is_some_and(|owner| owner.as_deref() != Some(principal))
    }

    fn owners(&self) -> MutexGuard<'_, Recent<SessionId, Option<Arc<str>>>> {
        self.owners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionManager for Sessions {
    type Error = LocalSessionManagerError;
    type Transport = <LocalSessionManager as SessionManager>::Transport;

    async fn create_session(&self) -> Result<(SessionId, Self::Transport), Self::Error> {
        let (id, transport) = self.kept.create_session().await?;
        let evicted = self.owners().insert(id.clone(), None);
        if let Some(evicted) = evicted {
            self.kept.close_session(&evicted).await?;
        }
        Ok((id, transport))
    }

    async fn initialize_session(
        &self,
        id: &SessionId,
        message: ClientJsonRpcMessage,
    ) -> Result<ServerJsonRpcMessage, Self::Error> {
        self.kept.initialize_session(id, message).await
    }

    async fn has_session(&self, id: &SessionId) -> Result<bool, Self::Error> {
        self.kept.has_session(id).await
    }

    async fn close_session(&self, id: &SessionId) -> Result<(), Self::Error> {
        self.owners().remove(id);
        self.kept.close_session(id).await
    }

    async fn create_stream(
        &self,
        id: &SessionId,
        mut message: ClientJsonRpcMessage,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        let (reader, attended) = watch::channel(());
        if let JsonRpcMessage::Request(request) = &mut message {
            request.request.extensions_mut().insert(Attended(attended));
        }
        let answers = self.kept.create_stream(id, message).await?;
        Ok(Read { answers: Box::pin(answers), _reader: reader })
    }

    async fn accept_message(&self, id: &SessionId, message: ClientJsonRpcMessage) -> Result<(), Self::Error> {
        self.kept.accept_message(id, message).await
    }

    async fn create_standalone_stream(
        &self,
        id: &SessionId,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.kept.create_standalone_stream(id).await
    }

    async fn resume(
        &self,
        id: &SessionId,
        last_event_id: String,
    ) -> Result<impl Stream<Item = ServerSseMessage> + Send + Sync + 'static, Self::Error> {
        self.kept.resume(id, last_event_id).await
    }
}

/// The answers to a call, for as long as somebody reads them. Dropped with the response's body.
struct Read<S> {
    answers: Pin<Box<S>>,
    _reader: watch::Sender<()>,
}

impl<S: Stream> Stream for Read<S> {
    type Item = S::Item;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.answers.as_mut().poll_next(context)
    }
}
