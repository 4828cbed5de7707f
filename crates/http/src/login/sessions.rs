//! Browsers that have logged in. Only this process knows them, and only by the hash of their cookie.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

use baton_app::Failure;
use tokio::time::Instant;

use crate::secret::{Digest, Secret};

/// How long a browser stays logged in.
pub(crate) const SESSION_TTL: Duration = Duration::from_secs(12 * 60 * 60);
/// Most browsers at a time. One more logs out the one that has been in the longest.
const SESSIONS_MAX: usize = 256;

/// The browsers that are in, with when each is logged out.
#[derive(Default)]
pub(crate) struct Sessions(Mutex<HashMap<String, Instant>>);

impl Sessions {
    /// Lets a browser in, and gives what it is to show from now on.
    pub(crate) fn begin(&self) -> Result<Secret, Failure> {
        let cookie = Secret::fresh("")?;
        let now = Instant::now();
        let mut sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|_, ends| now < *ends);
        while sessions.len() >= SESSIONS_MAX {
            let Some(oldest) = sessions.iter().min_by_key(|(_, ends)| **ends).map(|(digest, _)| digest.clone()) else {
                break;
            };
            sessions.remove(&oldest);
        }
        sessions.insert(cookie.digest().to_hex(), now + SESSION_TTL);
        Ok(cookie)
    }

    /// Whether a cookie is that of a browser that is in.
    pub(crate) fn knows(&self, cookie: &str) -> bool {
        let sessions = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.get(&Digest::of(cookie).to_hex()).is_some_and(|ends| Instant::now() < *ends)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_browser_stays_in_for_half_a_day() {
        let sessions = Sessions::default();
        let cookie = sessions.begin().unwrap();
        assert!(sessions.knows(cookie.reveal()) && !sessions.knows("another"));
        tokio::time::advance(SESSION_TTL).await;
        assert!(!sessions.knows(cookie.reveal()));
    }

    #[tokio::test(start_paused = true)]
    async fn one_more_than_fit_logs_the_oldest_out() {
        let sessions = Sessions::default();
        let oldest = sessions.begin().unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let others: Vec<_> = (0..SESSIONS_MAX).map(|_| sessions.begin().unwrap()).collect();
        assert!(!sessions.knows(oldest.reveal()));
        assert!(others.iter().all(|cookie| sessions.knows(cookie.reveal())));
    }
}
