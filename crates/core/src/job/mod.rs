//! Jobs: work that is handed to a runner, and what became of it.
//!
//! A job is queued, claimed by a runner, reported on, and ends once. The claim is the one lease of [`crate::lease`]: its
//! fence is the job's `revision`, and whoever shows an older one is refused. What needs somebody's attention (a question, a
//! missing proof, an error) is state of the job, set and cleared by its events, so that no later traffic hides it.
//!
//! Start at [`Draft::create`] and [`Job::claim`]. What a manager sees of many jobs at a glance is [`radar`]; which runner
//! an `auto` job is for is [`crate::runner::route`].
//!
//! What must stay true: a job ends at most once per revision, and a revision is never given out twice.

mod attention;
mod capability;
mod claim;
mod draft;
mod event;
mod lineage;
pub mod merge;
mod notice;
mod progress;
mod proof;
pub mod radar;
mod receipt;
mod refusal;
mod report;
mod review;
mod salvage;
mod spec;
mod state;
mod steer;
#[cfg(test)]
mod tests;
mod worked;

pub use attention::Marker;
pub use capability::{Capability, CapabilityDigest, InvalidCapability};
pub use claim::{Claiming, Force, Shown, clamp};
pub use draft::Draft;
pub(crate) use draft::check_line;
pub use event::{
    Applied, Branched, Canceled, Claimed, Created, Ended, Event, Kind, Manager, ReclaimReason, Reclaimed, Reported,
    Requeued,
};
pub use lineage::Lineage;
pub use notice::Notices;
pub use progress::{Progress, line_text, short_age};
pub use proof::{Beginning, Evidence, Fact, PROOF_KINDS, Proven, Shell, Standing, Verdict, demand, receipts, rule};
pub use receipt::{CommandRun, Commands, SHELL_TOOLS, Sighting};
pub use refusal::Refusal;
pub use report::{Completion, Outcome, Report, ReportKind};
pub use review::{Patch, Review};
pub use salvage::salvage;
pub use spec::{Choice, Conversing, Executor, ExpectedArtifact, Isolation, Policy, Priority, Profile, Routing};
pub(crate) use state::cut;
pub use state::{Claim, GOES_ON_FROM, Job, JobId, Last, Status, agent_of, job_of};
pub use worked::WorkedSince;
