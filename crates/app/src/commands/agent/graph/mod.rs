//! The room as a graph: its agents, the edges between them, what is on its way, and who waits for whom.

mod edges;
mod flights;
mod read;
mod waits;

pub use edges::EdgeUse;
pub use flights::{FlightKind, FlightView};
pub use read::{Graph, GraphInput, GraphResult};
pub(super) use waits::of_agent_in;
pub use waits::{WaitKind, WaitView};
