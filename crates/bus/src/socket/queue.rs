//! What waits between those who have something to say and the one task that writes it.
//!
//! Most of what is said is an answer, and the task that says it is the one that writes it. If it woke itself for that, it
//! would go round the runtime once more, and another thread would be woken to look for work: two calls of the kernel for each
//! answer. So nobody is woken for what is put in [quietly](Hush::quietly).
//!
//! What must stay true: a task that puts something in quietly polls the [`Taker`] afterwards, before it goes to sleep.

use std::{
    collections::VecDeque,
    future::poll_fn,
    pin::pin,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    task::{Poll, Waker},
};

/// Puts things in. The queue ends when the last one is dropped.
pub(super) struct Giver<T>(Arc<Queue<T>>);

/// Takes them out, in order. What is in the queue when it is dropped is dropped, too, and so is whatever comes.
pub(super) struct Taker<T>(Arc<Queue<T>>);

/// Knows when the taker need not be woken.
pub(super) struct Hush<T>(Arc<Queue<T>>);

struct Queue<T>(Mutex<State<T>>);

struct State<T> {
    items: VecDeque<T>,
    givers: usize,
    is_taken_from: bool,
    is_quiet: bool,
    /// Of the taker, while it finds nothing.
    waker: Option<Waker>,
}

/// A queue's two ends. Whoever puts in sees to it that it does not grow without bound.
pub(super) fn queue<T>() -> (Giver<T>, Taker<T>) {
    let (items, waker) = (VecDeque::new(), None);
    let state = State { items, givers: 1, is_taken_from: true, is_quiet: false, waker };
    let queue = Arc::new(Queue(Mutex::new(state)));
    (Giver(Arc::clone(&queue)), Taker(queue))
}

impl<T> Queue<T> {
    fn lock(&self) -> MutexGuard<'_, State<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Changes it, and then wakes the taker, unless it looks by itself.
    fn change(&self, change: impl FnOnce(&mut State<T>)) {
        let mut state = self.lock();
        change(&mut state);
        let waker = if state.is_quiet { None } else { state.waker.take() };
        drop(state);
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Giver<T> {
    pub(super) fn give(&self, item: T) {
        self.0.change(|state| {
            if state.is_taken_from {
                state.items.push_back(item);
            }
        });
    }
}

impl<T> Clone for Giver<T> {
    fn clone(&self) -> Self {
        self.0.lock().givers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for Giver<T> {
    fn drop(&mut self) {
        self.0.change(|state| state.givers -= 1);
    }
}

impl<T> Taker<T> {
    /// What is next, or nothing when nobody can put anything in any more. Dropped half-way, it loses nothing.
    pub(super) async fn next(&mut self) -> Option<T> {
        poll_fn(|context| {
            let mut state = self.0.lock();
            match state.items.pop_front() {
                Some(item) => Poll::Ready(Some(item)),
                None if state.givers == 0 => Poll::Ready(None),
                None => {
                    state.waker = Some(context.waker().clone());
                    Poll::Pending
                }
            }
        })
        .await
    }

    /// What is there already.
    pub(super) fn now(&mut self) -> Option<T> {
        self.0.lock().items.pop_front()
    }

    pub(super) fn hush(&self) -> Hush<T> {
        Hush(Arc::clone(&self.0))
    }
}

impl<T> Drop for Taker<T> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.is_taken_from = false;
        let items = std::mem::take(&mut state.items);
        drop(state);
        // Outside of the lock: whoever is woken by it may have something to say.
        drop(items);
    }
}

impl<T> Hush<T> {
    /// Does `work` without waking the taker for what it puts in. Only for a task that polls the taker after this.
    pub(super) async fn quietly<F: Future>(&self, work: F) -> F::Output {
        let mut work = pin!(work);
        poll_fn(|context| {
            self.0.lock().is_quiet = true;
            let _until = Loud(&self.0);
            work.as_mut().poll(context)
        })
        .await
    }
}

/// Ends the quiet, however the work ends.
struct Loud<'a, T>(&'a Queue<T>);

impl<T> Drop for Loud<'_, T> {
    fn drop(&mut self) {
        self.0.lock().is_quiet = false;
    }
}

#[cfg(test)]
mod tests {
    use std::{
        sync::atomic::{AtomicUsize, Ordering},
        task::{Context, Wake},
    };

    use super::*;

    #[derive(Default)]
    struct Count(AtomicUsize);

    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::SeqCst);
        }
    }

    #[test]
    fn a_sleeping_taker_is_woken_once_and_not_for_what_was_put_in_quietly() {
        let count = Arc::new(Count::default());
        let waker = Waker::from(Arc::clone(&count));
        let mut context = Context::from_waker(&waker);
        let woken = || count.0.load(Ordering::SeqCst);
        let (giver, mut taker) = queue();
        let hush = taker.hush();

        assert!(pin!(taker.next()).poll(&mut context).is_pending());
        giver.give(1);
        giver.give(2);
        assert_eq!(woken(), 1);
        assert_eq!((taker.now(), taker.now(), taker.now()), (Some(1), Some(2), None));

        assert!(pin!(taker.next()).poll(&mut context).is_pending());
        assert!(pin!(hush.quietly(async { giver.give(3) })).poll(&mut context).is_ready());
        assert_eq!(woken(), 1);
        assert_eq!(pin!(taker.next()).poll(&mut context), Poll::Ready(Some(3)));

        assert!(pin!(taker.next()).poll(&mut context).is_pending());
        giver.give(4);
        assert_eq!(woken(), 2, "the quiet is over");
    }

    #[test]
    fn it_ends_with_the_last_who_puts_in_and_nothing_stays_when_nobody_takes() {
        let (giver, mut taker) = queue();
        let other = giver.clone();
        drop(giver);
        other.give(1);
        drop(other);
        let mut context = Context::from_waker(Waker::noop());
        assert_eq!(pin!(taker.next()).poll(&mut context), Poll::Ready(Some(1)));
        assert_eq!(pin!(taker.next()).poll(&mut context), Poll::Ready(None));

        let (giver, taker) = queue();
        let item = Arc::new(());
        giver.give(Arc::clone(&item));
        drop(taker);
        giver.give(Arc::clone(&item));
        assert_eq!(Arc::strong_count(&item), 1);
    }
}
