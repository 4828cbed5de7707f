//! The one place where async code meets the synchronous use cases.
//!
//! A command that keeps nobody waiting runs right here: crossing to another thread costs more than a read. Any other
//! crosses over. Either way a panic in a use case ends as an `internal` failure of that call.

use std::{
    any::Any,
    panic::{AssertUnwindSafe, catch_unwind},
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use serde_json::Value;

/// What a command answers.
pub(crate) type Answer = Result<Value, Failure>;

/// Runs a command right here.
pub(crate) fn inline(run: impl FnOnce() -> Answer) -> Answer {
    // A use case holds its state in the store, where an unfinished transaction is rolled back, so nothing half
    // done is seen after the panic.
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|panic| Err(panicked(panic.as_ref())))
}

/// Runs a command on a thread of its own.
pub(crate) async fn cross(run: impl FnOnce() -> Answer + Send + 'static) -> Answer {
    match tokio::task::spawn_blocking(run).await {
        Ok(answer) => answer,
        Err(error) => Err(match error.try_into_panic() {
            Ok(panic) => panicked(panic.as_ref()),
            Err(_) => Failure::new(ErrorCode::Canceled, "The server is shutting down."),
        }),
    }
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
        for answer in [inline(|| panic!("a read broke")), cross(|| panic!("{} broke", "a write")).await] {
            let failure = answer.unwrap_err();
            assert_eq!(failure.code, ErrorCode::Internal);
            assert!(failure.message.ends_with(" broke"), "{}", failure.message);
        }
        assert_eq!(cross(|| Ok(Value::from(1))).await, Ok(Value::from(1)));
    }
}
