//! Ids that a test can foretell.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use baton_app::{Failure, clock::Ids};
use baton_core::{
    ids::{LeaseId, RoomId},
    job::Capability,
};

/// `room_1`, `lease_2`, `lease_3` … Clones count together, so that two apps on one store never collide.
#[derive(Clone, Debug, Default)]
pub struct SequentialIds {
    ids: Arc<AtomicU64>,
    capabilities: Arc<AtomicU64>,
}

fn next(count: &AtomicU64) -> u64 {
    count.fetch_add(1, Ordering::SeqCst) + 1
}

impl Ids for SequentialIds {
    fn room_id(&self) -> Result<RoomId, Failure> {
        Ok(format!("room_{}", next(&self.ids)).parse().unwrap())
    }

    fn lease_id(&self) -> Result<LeaseId, Failure> {
        Ok(format!("lease_{}", next(&self.ids)).parse().unwrap())
    }

    fn capability(&self) -> Result<Capability, Failure> {
        let (number, width) = (next(&self.capabilities), Capability::CHARS);
        Ok(format!("{}{number:0>width$}", Capability::PREFIX).parse().unwrap())
    }
}
