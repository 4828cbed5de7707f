//! The events by which jobs are shown: a question, an error or a proof gate until it is settled, else the last event.

use std::collections::BTreeMap;

use super::{Job, Last, state::preview};
use crate::{
    event::{Event, Recorded},
    ids::Seq,
};

/// Events that ask for somebody, by their place in the log. A job keeps the place only; the text is in the log.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Notices(BTreeMap<Seq, Last>);

impl Notices {
    /// The places to read so that every one of `jobs` can be shown.
    pub fn wanted<'a>(jobs: impl IntoIterator<Item = &'a Job>) -> Vec<Seq> {
        let of = |job: &'a Job| {
            let places = job.attention().into_iter().chain(job.hidden_question());
            // The text of the last event is kept with the job.
            places.filter(|seq| *seq != job.last.seq)
        };
        jobs.into_iter().flat_map(of).collect()
    }

    /// Takes the events at those places.
    pub fn of(events: &[Recorded]) -> Self {
        let notice = |recorded: &Recorded| match &recorded.event {
            Event::Job(event) => {
                let last = Last { seq: recorded.seq, kind: event.sort(), preview: preview(event.message()) };
                Some((recorded.seq, last))
            }
            _ => None,
        };
        Self(events.iter().filter_map(notice).collect())
    }

    /// The event that asks for somebody, if one does.
    pub fn attention(&self, job: &Job) -> Option<Last> {
        job.attention().and_then(|seq| self.find(job, seq))
    }

    /// The open question that another marker stands before.
    pub fn hidden_question(&self, job: &Job) -> Option<Last> {
        job.hidden_question().and_then(|seq| self.find(job, seq))
    }

    fn find(&self, job: &Job, seq: Seq) -> Option<Last> {
        if job.last.seq == seq { Some(job.last.clone()) } else { self.0.get(&seq).cloned() }
    }
}
