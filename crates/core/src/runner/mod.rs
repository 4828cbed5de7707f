//! Runners: who does jobs, whether they are there, and which of them a job is for.
//!
//! A runner says what it can do once (an event), and that it is there again and again (a lease, no event). Nothing about
//! it is guessed from what happens to jobs.

mod blocked;
mod capability;
mod diagnose;
mod event;
mod refusal;
mod reset;
mod route;
mod skill;
mod state;
#[cfg(test)]
mod tests;
mod trouble;

pub use blocked::{Blocked, Crew, Lasts, blocked};
pub use capability::{Ability, Capabilities};
pub use diagnose::{Diagnosis, DiagnosisKind, diagnose};
pub use event::{Event, Registered, Reset, Retired};
pub use refusal::Refusal;
pub use route::{Candidate, Route, can_do, route};
pub use skill::{Injection, SkillProfile};
pub use state::{Heartbeat, Phase, Runner, Seen, Standing, Tally, pointer, with_beginning};
pub use trouble::{Trouble, TroubleKind};
