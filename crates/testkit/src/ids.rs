//! Ids that a test can foretell.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use baton_app::{Failure, clock::Ids};
use baton_core::ids::{LeaseId, RoomId};

/// `room_1`, `lease_2`, `lease_3` … Clones count together, so that two apps on one store never collide.
#[derive(Clone, Debug, Default)]
pub struct SequentialIds(Arc<AtomicU64>);

impl SequentialIds {
    fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl Ids for SequentialIds {
    fn room_id(&self) -> Result<RoomId, Failure> {
        Ok(format!("room_{}", self.next()).parse().unwrap())
    }

    fn lease_id(&self) -> Result<LeaseId, Failure> {
        Ok(format!("lease_{}", self.next()).parse().unwrap())
    }
}
