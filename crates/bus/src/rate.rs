//! How often a credential may be used: a bucket of calls that fills again with time.
//!
//! Each credential has its own, so that a client that runs wild is refused and the others do not notice. Agents that it
//! names share it: a name costs nothing. The clock is the runtime's, which a test moves by hand.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use tokio::time::Instant;

use crate::Credential;

/// Calls in a second under one credential, on and on.
pub(crate) const CALLS_PER_SECOND: u32 = 2_000;
/// Calls at once, after a pause.
pub(crate) const BURST_CALLS: u32 = 4_000;
/// Credentials that are remembered. One that was not used for long enough to have a full bucket needs no memory.
const REMEMBERED_MAX: usize = 10_000;

/// How often a credential may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Calls in a second, on and on. At least 1.
    pub per_second: u32,
    /// Calls at once, after a pause. At least 1.
    pub burst: u32,
}

impl Default for Rate {
    fn default() -> Self {
        Self { per_second: CALLS_PER_SECOND, burst: BURST_CALLS }
    }
}

/// The buckets of all credentials.
#[derive(Debug)]
pub(crate) struct Rates {
    rate: Rate,
    buckets: Mutex<HashMap<Arc<str>, Bucket>>,
}

/// When a bucket would be full again. A call puts that off by the time that it takes to make up for one.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    full_at: Instant,
}

impl Rates {
    pub(crate) fn new(rate: Rate) -> Self {
        let rate = Rate { per_second: rate.per_second.max(1), burst: rate.burst.max(1) };
        Self { rate, buckets: Mutex::default() }
    }

    /// Lets a call in, or says when to come back.
    pub(crate) fn admit(&self, credential: &Credential) -> Result<(), Failure> {
        let now = Instant::now();
        let one = Duration::from_secs(1) / self.rate.per_second;
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= REMEMBERED_MAX && !buckets.contains_key(credential.name()) {
            make_room(&mut buckets, now);
        }
        let bucket = buckets.entry(Arc::clone(credential.name())).or_insert(Bucket { full_at: now });
        let full_at = bucket.full_at.max(now) + one;
        let early = full_at.duration_since(now).saturating_sub(one * self.rate.burst);
        if !early.is_zero() {
            return Err(self.refusal(credential, early));
        }
        bucket.full_at = full_at;
        Ok(())
    }

    fn refusal(&self, credential: &Credential, early: Duration) -> Failure {
        let Rate { per_second, burst } = self.rate;
        let name = credential.name();
        let message = format!(
            "More than {burst} calls came at once under {name}, and more than {per_second} in a second, whichever agents it \
             names."
        );
        let wait_ms = u64::try_from(early.as_micros().div_ceil(1000)).unwrap_or(u64::MAX);
        Failure::new(ErrorCode::RateLimited, message).with("credential", &**name).with("retry_after_ms", wait_ms)
    }
}

/// Forgets those whose bucket is full; if all of them are busy, all: they begin with a full one, once.
fn make_room(buckets: &mut HashMap<Arc<str>, Bucket>, now: Instant) {
    buckets.retain(|_, bucket| bucket.full_at > now);
    if buckets.len() >= REMEMBERED_MAX {
        buckets.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn credential(name: &str) -> Credential {
        Credential::lasting(name)
    }

    #[tokio::test(start_paused = true)]
    async fn a_credential_has_a_burst_then_a_rate_and_is_told_when_to_come_back() {
        let rates = Rates::new(Rate { per_second: 10, burst: 3 });
        let (ana, bo) = (credential("ana"), credential("bo"));
        for _ in 0..3 {
            rates.admit(&ana).unwrap();
        }
        let failure = rates.admit(&ana).unwrap_err();
        assert_eq!((failure.code, &failure.details["retry_after_ms"]), (ErrorCode::RateLimited, &100.into()));
        rates.admit(&bo).unwrap();

        tokio::time::advance(Duration::from_millis(99)).await;
        assert_eq!(rates.admit(&ana).unwrap_err().details["retry_after_ms"], 1);
        tokio::time::advance(Duration::from_millis(1)).await;
        rates.admit(&ana).unwrap();
        rates.admit(&ana).unwrap_err();

        tokio::time::advance(Duration::from_secs(60)).await;
        for _ in 0..3 {
            rates.admit(&ana).unwrap();
        }
        rates.admit(&ana).unwrap_err();
    }

    #[tokio::test(start_paused = true)]
    async fn who_was_quiet_is_forgotten_first_and_no_crowd_takes_more_memory() {
        let rates = Rates::new(Rate { per_second: 1, burst: 1 });
        for number in 0..REMEMBERED_MAX {
            rates.admit(&credential(&format!("quiet-{number}"))).unwrap();
        }
        tokio::time::advance(Duration::from_secs(1)).await;
        for number in 0..=REMEMBERED_MAX {
            rates.admit(&credential(&format!("busy-{number}"))).unwrap();
        }
        assert!(rates.buckets.lock().unwrap().len() <= REMEMBERED_MAX);
    }
}
