//! Chance that can be played again.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]
#![expect(clippy::print_stdout, reason = "what a test prints is shown when it fails")]

use std::hash::{BuildHasher, RandomState};

use baton_app::environment::Environment;

/// A small generator of random numbers (xorshift): the same seed throws the same numbers.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    /// A seed, from `BATON_TEST_SEED` or by chance. It is shown only when the test fails, and then it can be played again,
    /// as far as the scheduler plays along.
    pub(crate) fn seed() -> u64 {
        let seed = match Environment::read().var("BATON_TEST_SEED") {
            Some(seed) => seed.parse().unwrap(),
            None => RandomState::new().hash_one(0),
        };
        println!("BATON_TEST_SEED={seed}");
        seed
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 |= u64::from(self.0 == 0);
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }
}
