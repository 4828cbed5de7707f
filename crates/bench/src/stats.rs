//! Samples of a duration, and what is told of them.

use std::time::Duration;

/// Durations in nanoseconds. Signed, because a bound may lie before the moment it is compared with.
#[derive(Clone, Debug, Default)]
pub(crate) struct Samples(Vec<i64>);

impl Samples {
    /// Adds one.
    pub(crate) fn add(&mut self, duration: Duration) {
        self.add_nanos(nanos(duration));
    }

    /// Adds one that may be negative.
    pub(crate) fn add_nanos(&mut self, nanos: i64) {
        self.0.push(nanos);
    }

    /// Adds all of another's.
    pub(crate) fn merge(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The longest, in microseconds.
    pub(crate) fn worst_us(&self) -> f64 {
        micros(self.0.iter().copied().max().unwrap_or_default())
    }

    /// The smallest sample that at least `share` of all are no longer than, in microseconds.
    pub(crate) fn quantile_us(&mut self, share: f64) -> f64 {
        if self.0.is_empty() {
            return f64::NAN;
        }
        self.0.sort_unstable();
        let rank = (share * self.0.len() as f64).ceil() as usize;
        micros(self.0[rank.clamp(1, self.0.len()) - 1])
    }

    /// The samples themselves.
    pub(crate) fn nanos(&self) -> &[i64] {
        &self.0
    }
}

impl FromIterator<i64> for Samples {
    fn from_iter<T: IntoIterator<Item = i64>>(nanos: T) -> Self {
        Self(nanos.into_iter().collect())
    }
}

/// The middle of some numbers, or of the two middle ones.
pub(crate) fn median(numbers: &[f64]) -> f64 {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.len() {
        0 => f64::NAN,
        odd if odd % 2 == 1 => sorted[odd / 2],
        even => f64::midpoint(sorted[even / 2 - 1], sorted[even / 2]),
    }
}

/// A duration in whole nanoseconds.
pub(crate) fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).unwrap_or(i64::MAX)
}

fn micros(nanos: i64) -> f64 {
    nanos as f64 / 1_000.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantile_is_a_sample_that_was_taken() {
        let mut samples: Samples = (1..=1_000).map(|us| us * 1_000).collect();
        assert_eq!([0.0, 0.5, 0.99, 0.999, 1.0].map(|q| samples.quantile_us(q)), [1.0, 500.0, 990.0, 999.0, 1000.0]);
        assert!(Samples::default().quantile_us(0.5).is_nan());
    }

    #[test]
    fn a_median_of_an_even_count_lies_between_the_two_middle_ones() {
        assert_eq!((median(&[3.0, 1.0, 2.0]), median(&[4.0, 1.0, 2.0, 3.0])), (2.0, 2.5));
    }
}
