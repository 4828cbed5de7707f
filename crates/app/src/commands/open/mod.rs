//! Following a reference, whatever it points to.

mod approval;
mod envelope;
mod job;
mod kept;
mod passage;
mod read;
mod runner;
mod turn;

pub use approval::OpenedApproval;
pub use envelope::OpenedEnvelope;
pub use job::{JobLine, OpenedEvent, OpenedJob, OpenedTask};
pub use kept::{OpenedAnchor, OpenedArtifact, OpenedCard, OpenedLog, OpenedNote, OpenedPack, OpenedPlan};
pub use passage::Passage;
pub use read::{Open, OpenInput, Opened, What};
pub use runner::OpenedRunner;
pub use turn::{Input, OpenedTurn, Told};
pub(crate) use turn::{consumed_by, end_of};
