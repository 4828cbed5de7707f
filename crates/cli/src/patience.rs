//! How long a command waits: as long as somebody says, in calls that are no longer than one may be.

use std::time::Duration;

use baton_core::limits;

/// A wait of `timeout` as calls of equal length that are no longer than one call may be: how many, where there is an
/// end, and how many milliseconds each.
pub(crate) fn in_calls(timeout: Option<Duration>) -> (Option<u128>, u64) {
    let longest = limits::WAIT_MAX.as_millis();
    let Some(timeout) = timeout else { return (None, longest) };
    let calls = timeout.as_millis().div_ceil(u128::from(longest)).max(1);
    let each = timeout.as_millis().div_ceil(calls);
    (Some(calls), u64::try_from(each).unwrap_or(longest))
}

/// Reads a number of seconds.
pub(crate) fn parse_seconds(text: &str) -> Result<Duration, String> {
    let seconds: f64 = text.parse().map_err(|_| format!("{text:?} is not a number of seconds"))?;
    Duration::try_from_secs_f64(seconds).map_err(|_| format!("{text:?} is not a time to wait"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_wait_is_calls_of_equal_length() {
        let seconds = |seconds: f64| in_calls(Some(Duration::from_secs_f64(seconds)));
        assert_eq!(in_calls(None), (None, 50_000));
        assert_eq!(seconds(0.0), (Some(1), 0));
        assert_eq!(seconds(0.25), (Some(1), 250));
        assert_eq!(seconds(50.0), (Some(1), 50_000));
        assert_eq!(seconds(60.0), (Some(2), 30_000));
        assert_eq!(in_calls(Some(Duration::MAX)).1, 50_000);
    }
}
