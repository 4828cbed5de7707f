//! One file per use case, in the order in which tools are listed.

pub mod room;
pub mod stick;

use crate::table::Command;

pub(crate) const TABLE: &[Command] = &[
    Command::of::<room::List>(),
    Command::of::<room::Join>(),
    Command::of::<stick::Wait>(),
    Command::of::<stick::Heartbeat>(),
    Command::of::<stick::Release>(),
    Command::of::<stick::Pass>(),
    Command::of::<stick::Takeover>(),
    Command::of::<room::State>(),
    Command::of::<room::Events>(),
    Command::of::<room::Note>(),
    Command::of::<room::Leave>(),
    Command::of::<room::Close>(),
    Command::of::<room::Reorder>(),
    Command::of::<room::SetPolicy>(),
];
