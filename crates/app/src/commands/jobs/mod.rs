//! Jobs: delegating work, doing it, and watching it.
//!
//! Whoever delegates creates, watches the radar, answers and cancels; whoever works claims, reports and completes. Nobody
//! needs to be a member of the room for it: a job's claim says whose it is.

mod apply;
mod at_work;
mod branch;
mod cancel;
mod claim;
mod complete;
mod create;
mod delegate;
mod diff;
mod events;
mod fanout;
mod hearing;
mod heartbeat;
mod list;
mod log;
mod message;
mod next;
mod open;
mod overview;
mod queued;
mod radar;
mod report;
mod requeue;
mod reset;
mod retire;
mod review;
mod send_back;
mod serving;
mod shown;
mod staff;
mod tail;
mod view;

pub use apply::{Apply, ApplyInput, ApplyResult};
pub use at_work::AtWork;
pub use branch::{BranchResult, MakeBranch, MakeBranchInput};
pub use cancel::{Cancel, CancelInput};
pub use claim::{Claim, ClaimInput, ClaimResult};
pub use complete::{Complete, CompleteInput};
pub use create::{Create, CreateInput, CreateResult};
pub(crate) use create::{create, require_anchor};
pub use delegate::{Delegate, DelegateInput, DelegateResult};
pub use diff::{Diff, DiffInput, DiffResult};
pub use fanout::{Fanout, FanoutInput, FanoutResult};
pub use heartbeat::{Heartbeat, HeartbeatInput, HeartbeatResult};
pub use list::{List, ListInput, ListResult};
pub use log::{Log, LogInput, LogResult};
pub use message::{Message, MessageInput};
pub use open::{Open, OpenInput, OpenResult};
pub use overview::{
    Order, Overview, OverviewCounts, OverviewDiag, OverviewInput, OverviewJob, OverviewResult, OverviewRoom,
    OverviewRunner,
};
pub use queued::WhenQueued;
pub use radar::{Format, Radar, RadarFields, RadarInput, RadarResult, RunnerCounts};
pub use report::{Report, ReportInput};
pub use requeue::{GivingBack, Requeue, RequeueInput};
pub use reset::{Reset, ResetInput, ResetResult};
pub use retire::{Retire, RetireInput, RetireResult};
pub use review::{Continuation, PriorConversation, PriorPatch};
pub use send_back::{SendBack, SendBackInput};
pub(crate) use serving::Serving;
pub(crate) use shown::shown;
pub use tail::{Tail, TailInput, TailResult};
pub(crate) use view::notices;
pub use view::{Happened, JobEvent, JobView, ShownEvent};
