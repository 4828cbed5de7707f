//! Looking at stores of different sizes: what rows 13 and 14 have in common.
//!
//! The same look through the app and raw, on each store in turn, in alternating slices.

use std::{rc::Rc, time::Duration};

use crate::{
    jobs::{Filled, RawLook},
    player::Player,
    stats::{Samples, median},
    trouble::Outcome,
};

/// Looks in a slice.
const SLICE: usize = 100;
/// Those at the beginning of a slice that are not counted: another store was just looked at.
const WARM_UP: usize = 10;

/// A store, and who looks at it.
pub(super) struct Place {
    pub(super) filled: Rc<Filled>,
    player: Player,
    raw: RawLook,
    slices: [Vec<f64>; 2],
    pub(super) took: Samples,
}

impl Place {
    pub(super) fn open(filled: Rc<Filled>) -> Outcome<Self> {
        let player = Player::join(&filled.data(), &filled.workspace(), "bench:manager")?;
        let raw = RawLook::open(&filled.data(), &filled.room_id)?;
        Ok(Self { filled, player, raw, slices: Default::default(), took: Samples::default() })
    }

    /// Looks a slice long both ways.
    pub(super) fn look(
        &mut self,
        ours: impl Fn(&Player) -> Outcome<Duration>,
        raw: impl Fn(&RawLook) -> Outcome<Duration>,
    ) -> Outcome<()> {
        let mut both = [slice(|| ours(&self.player))?, slice(|| raw(&self.raw))?];
        for (kept, slice) in self.slices.iter_mut().zip(&mut both) {
            kept.push(slice.quantile_us(0.5));
        }
        let [ours, _] = both;
        self.took.merge(ours);
        Ok(())
    }

    /// The middle one of the slices' p50, in microseconds: through the app, and raw.
    pub(super) fn p50_us(&self) -> [f64; 2] {
        [median(&self.slices[0]), median(&self.slices[1])]
    }
}

fn slice(look: impl Fn() -> Outcome<Duration>) -> Outcome<Samples> {
    for _ in 0..WARM_UP {
        look()?;
    }
    let mut samples = Samples::default();
    for _ in 0..SLICE {
        samples.add(look()?);
    }
    Ok(samples)
}
