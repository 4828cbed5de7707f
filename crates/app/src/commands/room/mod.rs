//! Rooms: find them, join them, look at them, and what members may change without the stick.

mod close;
mod events;
mod list;
mod membership;
mod open;
mod overview;
mod settings;
mod state;

pub(crate) use close::end_bus;
pub use close::{Close, CloseInput, CloseRoomResult};
pub use events::{AppendNoteResult, Events, EventsInput, GetRoomEventsResult, Note, NoteInput};
pub use list::{List, ListInput, ListRoomsResult};
pub(crate) use membership::depart;
pub use membership::{Join, JoinInput, JoinPathResult, Leave, LeaveInput, LeavePathResult};
pub(crate) use open::open_named;
pub use open::open_room;
pub use overview::{
    AgentGlance, Overview, OverviewInput, OverviewResult, Recent, RecentEvent, RecentInput, RecentResult, RecentRoom,
    RoomGlance,
};
pub(crate) use settings::BY_HAND as POLICY_BY_HAND;
pub use settings::{Reorder, ReorderInput, ReorderMembersResult, SetPolicy, SetPolicyInput, SetRoomPolicyResult};
pub use state::{GetRoomStateResult, Requests, State, StateInput, TakeoverView};
