//! Jobs: delegating work, doing it, and watching it.
//!
//! Whoever delegates creates, watches the radar, answers and cancels; whoever works claims, reports and completes. Nobody
//! needs to be a member of the room for it: a job's claim says whose it is.

mod cancel;
mod claim;
mod create;
mod delegate;
mod diff;
mod events;
mod list;
mod log;
mod message;
mod next;
mod open;
mod overview;
mod patch;
mod queued;
mod radar;
mod report;
mod review;
mod runners;
mod staff;
mod view;

pub use cancel::{Cancel, CancelInput, GivingBack, Requeue, RequeueInput};
pub use claim::{Claim, ClaimInput, ClaimResult};
pub use create::{Create, CreateInput, CreateResult};
pub(crate) use create::{create, require_anchor};
pub use delegate::{Delegate, DelegateInput, DelegateResult, Fanout, FanoutInput, FanoutResult};
pub use diff::{Diff, DiffInput, DiffResult};
pub use list::{List, ListInput, ListResult};
pub use log::{Log, LogInput, LogResult};
pub use message::{Message, MessageInput, SendBack, SendBackInput};
pub use open::{Open, OpenInput, OpenResult, Tail, TailInput, TailResult};
pub use overview::{
    Order, Overview, OverviewCounts, OverviewDiag, OverviewInput, OverviewJob, OverviewResult, OverviewRoom,
    OverviewRunner,
};
pub use patch::{Apply, ApplyInput, ApplyResult, BranchResult, MakeBranch, MakeBranchInput};
pub use queued::WhenQueued;
pub use radar::{Format, Radar, RadarFields, RadarInput, RadarResult, RunnerCounts};
pub(crate) use report::shown;
pub use report::{Complete, CompleteInput, Report, ReportInput};
pub use review::{Continuation, PriorConversation, PriorPatch};
pub use runners::{
    Heartbeat, HeartbeatInput, HeartbeatResult, Reset, ResetInput, ResetResult, Retire, RetireInput, RetireResult,
};
pub(crate) use staff::Serving;
pub(crate) use view::notices;
pub use view::{AtWork, Happened, JobEvent, JobView, ShownEvent};
