//! Identities: who an agent is, whether it is there, and whether a session may go on as another.

mod adopt;
mod directory;
mod evidence;
mod graph;
mod init;
mod inspect;
mod list;
mod needs;
mod node;
mod register;
mod wake;

pub use adopt::{Adopt, AdoptInput, AdoptResult, adopt_confirmed};
pub use directory::AgentView;
pub use graph::{EdgeUse, FlightKind, FlightView, Graph, GraphInput, GraphResult, WaitKind, WaitView};
pub use init::{Candidate, Init, InitAction, InitInput, InitResult, candidates};
pub use inspect::{Cursor, InboxEntry, Inspect, InspectInput, InspectResult, Section, ToolEntry, TurnEntry};
pub use list::{List, ListInput, ListResult, Show, ShowInput, ShowResult};
pub use needs::{Evidence, Need, NeedKind, Needs, NeedsInput, NeedsResult, Whom};
pub use node::{NodeKind, NodeView};
pub use register::{
    Heartbeat, HeartbeatInput, HeartbeatResult, Register, RegisterInput, RegisterResult, parse_name, parse_role,
};
pub use wake::{Wake, WakeChoice, WakeInput, WakeResult};
