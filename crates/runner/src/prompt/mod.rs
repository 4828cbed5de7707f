//! What an agent is told in a turn, block by block, and what is put on record of it.
//!
//! A prompt is a list of named [`Block`]s in one order ([`Name`]): the rules, what a person says who interrupted, the role,
//! the mode, the context pack, the skill pack, the job, what went before, and what was said meanwhile. A conversation that
//! begins is told all of it; one that goes on is told only what is new to it ([`Heard`]). What was in effect is put
//! on record whole either way: [`Prompt::full`] and [`Prompt::record`].
//!
//! [`Briefing`] makes the blocks of an ordinary job, `converse/prompts.rs` those of a job on the bus; [`Roles`] finds the
//! text of a role, [`inbox`] shows what others sent. Start at [`Prompt::of`].
//!
//! What must stay true: the same job at the same point always reads the same; text from others is labelled with who sent
//! it, and cannot pass for a part of the prompt.

mod block;
mod briefing;
mod compose;
pub mod inbox;
mod mode;
mod record;
mod role;
mod template;
#[cfg(test)]
mod tests;

pub use block::{Again, Block, Name, tokens};
pub use briefing::{Briefing, Prior};
pub use compose::{Extent, Heard, Prompt};
pub use inbox::{Expected, Incoming, Sender};
pub use mode::{NodeMode, mode};
pub use role::{BUILT_IN, Origin, RoleError, RoleText, Roles, role_of};
pub use template::{Fault, Names};
