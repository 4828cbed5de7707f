//! Progress, as the person who started the runner sees it.

use std::sync::Arc;

use baton_core::{job::JobId, redact::redact};

/// Takes a line about what the runner does.
#[derive(Clone)]
pub struct Told(Arc<dyn Fn(&str) + Send + Sync>);

impl Told {
    /// Hands each line to `take`.
    pub fn to(take: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self(Arc::new(take))
    }

    /// Tells something about the runner.
    pub(crate) fn line(&self, text: &str) {
        // Programs print what they have, and a job's has its capability.
        (self.0)(&redact(text));
    }

    /// Tells something about a job.
    pub(crate) fn say(&self, job: JobId, text: &str) {
        self.line(&format!("{job} {text}"));
    }
}
