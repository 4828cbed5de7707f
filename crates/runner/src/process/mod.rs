//! Running a program as a child that surely ends with the runner, all that it started included.
//!
//! ```text
//!  runner ──socket──▶ minder ──────────▶ program ──▶ whatever it starts, in sessions of their own or not
//!    ▲                  │ subreaper        session leader; dies with the minder
//!    └──── stdout, stderr of the program ──┘
//! ```
//!
//! The runner starts itself again as a *minder* ([`minder`]), one per program. Whatever the program starts and leaves
//! behind becomes the minder's child, so the minder can end all of it and know that nothing is left. The runner holds
//! one end of a socket whose other end is the minder's standard input; the kernel closes it however the runner ends,
//! and that is how the minder learns of it. Start at [`Child::spawn`].
//!
//! Who ends what, when these are killed with SIGKILL:
//! - the runner: the minder sees the socket close and ends the whole tree;
//! - the minder: the kernel kills the program with it (its parent-death signal), and the runner, which sees the socket
//!   close, kills the rest: the program's session and group, and every process that carries the minder's mark in its
//!   environment (`sweep.rs`);
//! - both at once: the kernel kills the program. What the program had started itself finds its pipes closed, and what
//!   does not care is ended by [`sweep_orphans`], which a runner calls when it starts. Only a process that left the
//!   program's session and also cleared its environment would stay.
//!
//! A program that runs for a job also ends with its job's claim: the runner tells the minder until when the claim is good,
//! and again with each renewal, and a minder that hears of none in time ends the program by itself, whatever became of the
//! runner. Before it starts a program it takes the job's lock (`program_lock.rs`), so that no two programs of one job run
//! at a time on this machine.
//!
//! The minder has no parent-death signal itself: it could not catch it, so it would die before it could clean up.
//!
//! What must stay true: no process is signalled by its pid alone, since pids are reused; all memory is bounded, however
//! much the program prints.

mod boot_time;
mod child;
mod deadline;
mod exit;
mod launch;
mod lines;
pub mod minder;
pub(crate) mod program_lock;
mod spawn;
mod sweep;
mod tail;
mod tree;
mod wire;

pub use boot_time::BootTime;
pub use child::{Child, Output, Stopper};
pub use exit::{Exit, Status};
pub use lines::{LINE_BYTES, Line};
pub use program_lock::await_turn;
pub use spawn::{ClaimBounds, Spawn, StopSignal};
pub use sweep::sweep_orphans;
pub use tail::{TAIL_BYTES, Tail};
