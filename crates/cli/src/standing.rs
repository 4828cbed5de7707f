//! A relative path on a command line starts where the shell stands; the command table takes paths from the room's root.

use std::path::{Path, PathBuf};

use baton_app::{
    Failure,
    commands::room::{State, StateInput},
    paths::{self, LastLink},
};
use baton_core::ids::RoomId;

use crate::context::Context;

/// Paths as the command table takes them. A shell outside of the room's workspace means paths from the room's root.
pub(crate) fn from_root(context: &Context, room_id: &RoomId, given: Vec<String>) -> Result<Vec<String>, Failure> {
    if given.iter().all(|text| is_absolute(text)) {
        return Ok(given);
    }
    let Some(below) = below_root(context, room_id)? else { return Ok(given) };
    // A path that is refused is refused as it was typed.
    let is_refused = |text: &str| text.trim().is_empty() || text.split(['/', '\\']).any(|name| name == "..");
    let read = |text: String| match is_absolute(&text) || is_refused(&text) {
        true => text,
        false => below.iter().map(String::as_str).chain([text.as_str()]).collect::<Vec<_>>().join("/"),
    };
    Ok(given.into_iter().map(read).collect())
}

/// One path, where a command takes at most one.
pub(crate) fn one_from_root(
    context: &Context,
    room_id: &RoomId,
    given: Option<String>,
) -> Result<Option<String>, Failure> {
    let given = given.into_iter().collect();
    Ok(from_root(context, room_id, given)?.pop())
}

/// The names from the room's root down to the current directory, if that is in the room.
fn below_root(context: &Context, room_id: &RoomId) -> Result<Option<Vec<String>>, Failure> {
    let state = context.run::<State>(StateInput { room_id: room_id.clone() })?;
    let Some(root) = state.room.canonical_path.map(PathBuf::from) else { return Ok(None) };
    let environment = context.app.environment();
    // A linked worktree has a root of its own, at the same height.
    let here = paths::in_main_worktree(environment.cwd(), environment.home(), LastLink::Followed);
    let below = here.strip_prefix(paths::followed(&root, LastLink::Followed)).or_else(|_| here.strip_prefix(&root));
    Ok(below.ok().and_then(names))
}

fn names(below: &Path) -> Option<Vec<String>> {
    below.iter().map(|name| name.to_str().map(str::to_owned)).collect()
}

fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '\\']) || Path::new(text).is_absolute()
}
