//! The answers to the hooks of agent programs: guards, session context and waking.
//!
//! A hook is one call of `baton hook` by an agent's program. Reading what the program says, and answering in its dialect, is
//! left to `baton-harness`; here is the same for all of them. [`App::guard`] decides about a tool call,
//! [`App::begin_session`], [`App::news`] and [`App::end_session`] follow a session, [`App::await_wake`] waits for
//! something that an idle one has to know, and [`App::take_due_session`] is for runners, which resume sessions that ended.
//!
//! What must stay true: outside of a room nothing is answered and nothing written; a session is told once, and woken once, for
//! each event; reading is never refused; and nobody's edit undoes a turn that its agent was not told of.

mod guard;
mod line;
mod missed;
mod reason;
mod resume;
mod session;
mod status;
mod touched;
mod wake;
mod welcome;

pub use guard::{Confinement, GuardAnswer, ToolUse};
pub use resume::{DueSession, ResumeAbility};
pub use session::{Beginning, Displaced, ResumableConversation, SessionEnding};
pub use wake::Stopped;

use std::path::{Path, PathBuf};

use baton_core::{code::ErrorCode, ids::RoomId};

use crate::{
    App, Caller, Failure,
    app::Request,
    paths::{self, LastLink},
};

/// A hook's call, for the log of keyed requests, which hooks have none of.
const fn request(command: &'static str) -> Request<'static, ()> {
    Request { command, input: &(), key: None }
}

impl App {
    /// The open room around a directory or a file, which need not exist. Links are followed.
    fn room_around(&self, caller: &Caller, path: &Path) -> Result<Option<RoomId>, Failure> {
        let path = paths::followed(&caller.cwd.join(path), LastLink::Followed);
        let there: Option<PathBuf> = path.ancestors().find(|place| place.exists()).map(Path::to_owned);
        let Some(there) = there else { return Ok(None) };
        match self.room_at(caller, &there) {
            Ok(room) => Ok(Some(room)),
            Err(failure) if failure.code == ErrorCode::UnknownRoom => Ok(None),
            Err(failure) => Err(failure),
        }
    }
}
