//! The one place where async code meets the synchronous use cases.
//!
//! A read runs right here: crossing to another thread costs more than it. A write crosses over, since it may have to wait
//! for another process. What waits for as long as its caller allows has a thread of its own, so that no number of waits
//! keeps a write from running. Either way a panic in a use case ends as an `internal` failure of that call.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use tokio::sync::oneshot;

/// Runs `work` right here.
pub fn inline<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<T, Failure> {
    // A use case holds its state in the store, where an unfinished transaction is rolled back, so nothing half
    // done is seen after the panic.
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// Runs `work` on one of the runtime's threads for blocking work.
pub async fn cross<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    match tokio::task::spawn_blocking(move || inline(work)).await {
        Ok(answer) => answer,
        Err(_) => Err(ended()),
    }
}

/// Runs `work`, which waits, on a thread that nobody else needs.
pub async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    let (done, answer) = oneshot::channel();
    // Whoever asked may have gone meanwhile; what was done is done.
    let run = move || drop(done.send(inline(work)));
    thread::Builder::new()
        .name("baton-wait".to_owned())
        .spawn(run)
        .map_err(|error| Failure::new(ErrorCode::Internal, format!("There is no thread for another wait: {error}.")))?;
    answer.await.unwrap_or_else(|_| Err(ended()))
}

/// Why a call has no answer whose thread went with the runtime.
pub(crate) fn ended() -> Failure {
    Failure::new(ErrorCode::ShuttingDown, "The server ended before the call did.")
}

fn panicked(panic: &(dyn Any + Send)) -> Failure {
    let cause = panic
        .downcast_ref::<&str>()
        .copied()
        .or_else(|| panic.downcast_ref::<String>().map(String::as_str))
        .unwrap_or("no message");
    Failure::new(ErrorCode::Internal, format!("The command panicked: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_in_a_use_case_is_an_internal_failure_of_that_call() {
        fn breaks() -> Result<u8, Failure> {
            panic!("it broke")
        }
        for answer in [inline(breaks), cross(breaks).await, apart(breaks).await] {
            let failure = answer.unwrap_err();
            assert_eq!((failure.code, &*failure.message), (ErrorCode::Internal, "The command panicked: it broke"));
        }
        assert_eq!((inline(|| Ok(1)), cross(|| Ok(2)).await, apart(|| Ok(3)).await), (Ok(1), Ok(2), Ok(3)));
    }
}
