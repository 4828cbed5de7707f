//! The newest events of a streamed room, kept so that a thousand subscribers share one reading of the log.
//!
//! What must stay true: the events in it have consecutive places and end at the head, so that a subscriber who finds
//! the event after its cursor here has missed nothing, and one who does not asks the store.

use std::{
    collections::VecDeque,
    sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard},
};

use baton_core::ids::Seq;

use crate::Rendered;

/// Most events that are kept.
const EVENTS_MAX: usize = 1024;
/// Most bytes of JSON that are kept, beyond the newest event.
const BYTES_MAX: usize = 4 * 1024 * 1024;

/// The newest events, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Window(RwLock<Kept>);

#[derive(Debug, Default)]
struct Kept {
    events: VecDeque<Arc<Rendered>>,
    bytes: usize,
}

impl Window {
    /// Adds events that follow on those that are there.
    pub(crate) fn extend(&self, events: impl IntoIterator<Item = Arc<Rendered>>) {
        let mut kept = self.write();
        for event in events {
            debug_assert!(kept.events.back().is_none_or(|last| last.seq.next() == event.seq), "the log has no gaps");
            kept.bytes += event.json.len();
            kept.events.push_back(event);
        }
        while kept.events.len() > EVENTS_MAX || (kept.bytes > BYTES_MAX && kept.events.len() > 1) {
            let Some(oldest) = kept.events.pop_front() else { break };
            kept.bytes -= oldest.json.len();
        }
    }

    /// The events after a place, at most so many, unless some of them are not here any more.
    pub(crate) fn after(&self, after: Seq, limit: usize) -> Option<VecDeque<Arc<Rendered>>> {
        let kept = self.read();
        let first = kept.events.front()?.seq;
        let skip = usize::try_from(after.next().0.checked_sub(first.0)?).ok()?;
        Some(kept.events.iter().skip(skip).take(limit).cloned().collect())
    }

    fn read(&self) -> RwLockReadGuard<'_, Kept> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, Kept> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use baton_core::time::Timestamp;

    use super::*;

    fn event(seq: u64, bytes: usize) -> Arc<Rendered> {
        Arc::new(Rendered {
            seq: Seq(seq),
            id: format!("evt_1_{seq}"),
            kind: "room.note".to_owned(),
            ts: Timestamp::from_millis(0),
            src: "ana".parse().unwrap(),
            dst: None,
            json: "x".repeat(bytes),
        })
    }

    fn places(window: &Window, after: u64, limit: usize) -> Option<Vec<u64>> {
        Some(window.after(Seq(after), limit)?.iter().map(|event| event.seq.0).collect())
    }

    #[test]
    fn what_follows_a_cursor_is_here_or_the_store_is_asked() {
        let window = Window::default();
        assert_eq!(places(&window, 0, 9), None);
        window.extend((5..9).map(|seq| event(seq, 1)));
        assert_eq!(places(&window, 3, 9), None, "4 is missing");
        assert_eq!(places(&window, 4, 9), Some(vec![5, 6, 7, 8]));
        assert_eq!(places(&window, 6, 1), Some(vec![7]));
        assert_eq!(places(&window, 8, 9), Some(vec![]));
    }

    #[test]
    fn it_is_bounded_in_events_and_in_bytes_and_keeps_the_newest_whatever_its_size() {
        let window = Window::default();
        window.extend((1..=2000).map(|seq| event(seq, 1)));
        assert_eq!(places(&window, 2000 - EVENTS_MAX as u64, 1), Some(vec![2001 - EVENTS_MAX as u64]));
        assert_eq!(places(&window, 1999 - EVENTS_MAX as u64, 1), None);
        window.extend([event(2001, BYTES_MAX + 1)]);
        assert_eq!((places(&window, 2000, 9), places(&window, 1999, 9)), (Some(vec![2001]), None));
    }
}
