//! Rooms: find them, join them, look at them, and what members may change without the stick.

mod close;
mod events;
mod join;
mod leave;
mod list;
mod note;
mod open;
mod overview;
mod policy;
mod recent;
mod reorder;
mod state;

pub(crate) use close::end_bus;
pub use close::{Close, CloseInput, CloseRoomResult};
pub use events::{Events, EventsInput, GetRoomEventsResult};
pub use join::{Join, JoinInput, JoinPathResult};
pub(crate) use leave::depart;
pub use leave::{Leave, LeaveInput, LeavePathResult};
pub use list::{List, ListInput, ListRoomsResult};
pub use note::{AppendNoteResult, Note, NoteInput};
pub(crate) use open::open_named;
pub use open::open_room;
pub use overview::{AgentGlance, Overview, OverviewInput, OverviewResult, RoomGlance};
pub(crate) use policy::BY_HAND as POLICY_BY_HAND;
pub use policy::{SetPolicy, SetPolicyInput, SetRoomPolicyResult};
pub use recent::{Recent, RecentEvent, RecentInput, RecentResult, RecentRoom};
pub use reorder::{Reorder, ReorderInput, ReorderMembersResult};
pub use state::{GetRoomStateResult, Requests, State, StateInput, TakeoverView};
