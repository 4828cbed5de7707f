//! The proof with which a caller came to a server: a token, a browser's login, or the process at the other end of a socket.
//!
//! Limits count by credential, because an agent's name costs nothing: a hundred names share one token's rate. Streams and
//! waits end with their credential, because nobody else would end them.

use std::{future, sync::Arc};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use tokio::sync::watch;

/// Turns to the reason when a credential stops counting: "the token ci was revoked".
pub type Revocation = watch::Receiver<Option<Arc<str>>>;

/// The proof with which a caller came to a server.
#[derive(Clone, Debug)]
pub struct Credential {
    name: Arc<str>,
    revocation: Option<Revocation>,
}

impl Credential {
    /// A credential that nobody revokes, such as a process. It ends with its connection.
    pub fn lasting(name: impl Into<Arc<str>>) -> Self {
        Self { name: name.into(), revocation: None }
    }

    /// A credential that may stop counting while something is open under it.
    pub fn revocable(name: impl Into<Arc<str>>, revocation: Revocation) -> Self {
        Self { name: name.into(), revocation: Some(revocation) }
    }

    /// Tells it from every other credential of the server.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Tells when it stops counting, if it ever does.
    pub fn revocation(&self) -> Option<&Revocation> {
        self.revocation.as_ref()
    }

    /// The reason why it does not count any more.
    pub fn end(&self) -> Option<Arc<str>> {
        self.revocation.as_ref()?.borrow().clone()
    }

    /// Waits until it does not count any more, and tells the reason. May be dropped at any time and called again.
    pub async fn ended(&self) -> Arc<str> {
        let Some(mut revocation) = self.revocation.clone() else { return future::pending().await };
        let ended = revocation.wait_for(Option::is_some).await.ok().and_then(|reason| reason.clone());
        match ended {
            Some(reason) => reason,
            // Nobody is left who could revoke it.
            None => future::pending().await,
        }
    }
}

/// The last word to a stream or a wait whose credential stopped counting.
pub fn revoked(reason: &str) -> Failure {
    Failure::new(ErrorCode::Unauthorized, format!("This ended because {reason}.")).with("reason", reason)
}
