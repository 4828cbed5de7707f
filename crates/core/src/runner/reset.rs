//! A person says that an executor of a runner works again.

use super::{Capabilities, Event, Refusal, Reset, Runner};
use crate::{job::Executor, time::Timestamp};

impl Runner {
    /// Decides that the trouble of `executor`, or of all executors, is mended. The runner hears of it and tries again.
    pub fn reset(&self, executor: Option<Executor>) -> Result<Event, Refusal> {
        let troubles = self.capabilities.iter().flat_map(Capabilities::troubles);
        let executors: Vec<Executor> =
            troubles.map(|(of, _)| of).filter(|of| executor.is_none_or(|asked| asked == *of)).collect();
        if executors.is_empty() {
            return Err(Refusal::NoTrouble { runner_id: self.id.clone(), executor });
        }
        Ok(Event::Reset(Reset { runner_id: self.id.clone(), executors }))
    }
}

impl Capabilities {
    /// Notes when somebody said that these executors are mended. The runner ends the trouble once it has heard of it.
    pub(super) fn reset(&mut self, now: Timestamp, executors: &[Executor]) {
        let meant = self.executors.iter_mut().filter(|ability| executors.contains(&ability.executor));
        meant.filter_map(|ability| ability.trouble.as_mut()).for_each(|trouble| trouble.reset_at = Some(now));
    }
}
