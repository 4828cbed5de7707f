//! Bounds how much one credential has open at a time, so that it leaves room for the others.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use baton_app::Failure;
use baton_core::code::ErrorCode;

use crate::Credential;

/// Most streams under one credential: half of the connections that a server takes.
pub(crate) const STREAMS_MAX: usize = 2_048;
/// Most waiting calls under one credential: half of those that the hub takes.
pub(crate) const WAITS_MAX: usize = 512;
/// When to try again.
const RETRY_MS: u64 = 1_000;

/// The kinds of things that stay open.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    Stream,
    Wait,
}

impl Kind {
    const fn most(self) -> usize {
        match self {
            Self::Stream => STREAMS_MAX,
            Self::Wait => WAITS_MAX,
        }
    }

    const fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Stream => ("streams are open", "Close a stream that you do not read."),
            Self::Wait => ("calls wait", "Let one of them come back first."),
        }
    }
}

/// Counts of what is open, by credential.
#[derive(Debug, Default)]
pub(crate) struct Quotas(Mutex<HashMap<(Arc<str>, Kind), usize>>);

/// A place under a credential's bound, until it is dropped.
#[derive(Debug)]
pub struct Permit {
    quotas: Arc<Quotas>,
    key: (Arc<str>, Kind),
}

impl Quotas {
    /// Takes a place for something that stays open, or says that there are too many.
    pub(crate) fn take(self: &Arc<Self>, credential: &Credential, kind: Kind) -> Result<Permit, Failure> {
        let key = (Arc::clone(credential.name()), kind);
        let mut counts = self.lock();
        let count = counts.entry(key.clone()).or_default();
        if *count >= kind.most() {
            let (open, next) = kind.words();
            let message = format!("{} {open} under {}, which is the most.", kind.most(), credential.name());
            return Err(Failure::new(ErrorCode::RateLimited, message)
                .with("credential", &**credential.name())
                .with("retry_after_ms", RETRY_MS)
                .advising(next));
        }
        *count += 1;
        drop(counts);
        Ok(Permit { quotas: Arc::clone(self), key })
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<(Arc<str>, Kind), usize>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Permit {
    fn drop(&mut self) {
        let mut counts = self.quotas.lock();
        if let Some(count) = counts.get_mut(&self.key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.key);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_credential_fills_its_own_bound_and_nobody_elses() {
        let quotas = Arc::<Quotas>::default();
        let (ci, other) = (Credential::lasting("ci"), Credential::lasting("other"));
        let mut open: Vec<_> = (0..WAITS_MAX).map(|_| quotas.take(&ci, Kind::Wait).unwrap()).collect();
        let refused = quotas.take(&ci, Kind::Wait).unwrap_err();
        assert_eq!((refused.code, &refused.details["credential"]), (ErrorCode::RateLimited, &"ci".into()));
        drop((quotas.take(&ci, Kind::Stream).unwrap(), quotas.take(&other, Kind::Wait).unwrap()));
        open.pop();
        open.push(quotas.take(&ci, Kind::Wait).unwrap());
        drop(open);
        assert!(quotas.lock().is_empty(), "nothing is remembered of who has nothing open");
    }
}
