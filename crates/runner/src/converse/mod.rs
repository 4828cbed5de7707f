//! Jobs that live on the bus. The job's own agent is one of the session: it is asked things by others, one after the other,
//! and its program answers each in a turn. A relay leads a conversation itself: what its model says is sent on to others,
//! and what they answer is its next turn.
//!
//! `talk` is the loop, `ends` what follows from the end of a turn, and `baton_core::bus::receiver` has its rules; `line` is the way to the bus, as the job's agent. A
//! turn is a slice like any other: the program goes on with its own conversation where it can, and where it cannot it is
//! told again what was said (`memory`). Start at [`converse`].
//!
//! What must stay true: what was asked and has not ended is taken up again by the next runner; an answer is sent before
//! what it answers is completed, and once; nothing is done because time has passed.

mod ends;
mod line;
mod memory;
mod prompts;
mod relay;
mod talk;
mod turn;

pub(crate) use talk::converse;
