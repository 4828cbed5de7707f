//! Which session a command is about.

use std::path::PathBuf;

use baton_app::{
    Failure,
    commands::bus::{Get, GetInput, Session, SessionStatus, Sessions, SessionsInput},
    quoted,
};
use baton_core::{code::ErrorCode, ids::RoomId, limits};

use crate::{
    context::Context,
    select::{KeyArgs, RoomArgs},
};

/// Picks a session.
#[derive(Debug, Default, clap::Args)]
pub(super) struct SessionArgs {
    /// The session: its id or its name [default: the room of the path]
    #[arg(long, short, visible_alias = "room", value_name = "SESSION", conflicts_with = "path")]
    session: Option<String>,
    /// A path in the room's workspace [default: the current directory]
    #[arg(long, value_name = "PATH")]
    path: Option<PathBuf>,
}

impl SessionArgs {
    /// The session that is meant.
    pub(super) fn find(&self, context: &Context) -> Result<RoomId, Failure> {
        match &self.session {
            Some(session) => match session.parse() {
                Ok(id) => Ok(id),
                Err(_) => named(context, session),
            },
            None => RoomArgs { room: None, path: self.path.clone() }.find(context),
        }
    }

    /// The session that is meant by a call that may have been made before.
    pub(super) fn find_again(&self, context: &Context, key: &KeyArgs) -> Result<RoomId, Failure> {
        match key.earlier(context)? {
            Some(earlier) if self.is_bare() => Ok(earlier.room_id),
            Some(_) | None => self.find(context),
        }
    }

    /// Whether it says nothing.
    pub(super) fn is_bare(&self) -> bool {
        self.session.is_none() && self.path.is_none()
    }

    /// How to say the same again, behind a command.
    pub(super) fn again(&self) -> String {
        let path = self.path.as_ref().map(|path| format!(" --path {}", quoted(&path.display().to_string())));
        let session = self.session.as_ref().map(|session| format!(" --session {}", quoted(session)));
        session.or(path).unwrap_or_default()
    }
}

/// Whether nothing can happen in a session any more.
pub(super) fn is_over(context: &Context, room_id: &RoomId) -> Result<bool, Failure> {
    let found = context.run::<Get>(GetInput { room_id: room_id.clone() })?;
    Ok(found.session.status == SessionStatus::Closed)
}

/// The one session of that name: an open one, or else one that is over.
fn named(context: &Context, name: &str) -> Result<RoomId, Failure> {
    let called = |status: SessionStatus| {
        let input = SessionsInput { status: Some(status), limit: Some(limits::ROOMS_MAX) };
        let found = context.run::<Sessions>(input)?.sessions.into_iter();
        Ok::<_, Failure>(found.filter(|session| session.name.as_deref() == Some(name)).collect::<Vec<Session>>())
    };
    let mut found = called(SessionStatus::Open)?;
    if found.is_empty() {
        found = called(SessionStatus::Closed)?;
    }
    match found.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => {
            let message = format!("No session is called {name:?}, among the {} that changed last.", limits::ROOMS_MAX);
            Err(Failure::new(ErrorCode::UnknownRoom, message).advising("See `baton bus sessions`, or give its id."))
        }
        several => {
            let ids: Vec<String> = several.iter().map(|session| session.id.to_string()).collect();
            let message = format!("{} sessions are called {name:?}.", several.len());
            Err(Failure::new(ErrorCode::InvalidInput, message)
                .with("field", "session")
                .with("sessions", ids)
                .advising("Give the id of the one you mean."))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_asked_for_can_be_typed_again() {
        let again = |session: &str| SessionArgs { session: Some(session.to_owned()), path: None }.again();
        assert_eq!(again("room_1"), " --session room_1");
        assert_eq!(again("it's $(x)"), r" --session 'it'\''s $(x)'");
        assert_eq!(SessionArgs::default().again(), "");
    }
}
