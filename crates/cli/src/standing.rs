//! A relative path on a command line starts where the shell stands; the command table takes paths from the room's root.

use std::path::{Path, PathBuf};

use baton_app::{
    Failure,
    commands::room::{State, StateInput},
    paths::{self, LastLink},
};
use baton_core::{code::ErrorCode, ids::RoomId};

use crate::{context::Context, select::utf8};

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

/// A place in the workspace that is pointed to, from the room's root where it lies in the room. It may lie elsewhere.
pub(crate) fn pointed_to(context: &Context, root: Option<&Path>, text: &str) -> Result<String, Failure> {
    let Some(below) = root.filter(|_| !is_absolute(text)).and_then(|root| below(context, root)) else {
        return Ok(text.to_owned());
    };
    if text.trim().is_empty() || text.starts_with("~/") {
        let message = format!("artifacts: {text:?} is no path; \"~\" is only read by a shell.");
        return Err(Failure::new(ErrorCode::InvalidHandoff, message).with("field", "artifacts"));
    }
    let mut names: Vec<&str> = below.iter().map(String::as_str).collect();
    for name in text.split(['/', '\\']).filter(|name| !matches!(*name, "" | ".")) {
        match name {
            // It lies outside of the room.
            ".." if names.pop().is_none() => {
                return utf8(&paths::followed(&context.caller.cwd.join(text), LastLink::Kept));
            }
            ".." => {}
            name => names.push(name),
        }
    }
    Ok(if names.is_empty() { ".".to_owned() } else { names.join("/") })
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
    let root = state.room.canonical_path.map(PathBuf::from);
    Ok(root.and_then(|root| below(context, &root)))
}

fn below(context: &Context, root: &Path) -> Option<Vec<String>> {
    let environment = context.app.environment();
    // A linked worktree has a root of its own, at the same height.
    let here = paths::in_main_worktree(environment.cwd(), environment.home(), LastLink::Followed);
    let below = here.strip_prefix(paths::followed(root, LastLink::Followed)).or_else(|_| here.strip_prefix(root));
    below.ok().and_then(names)
}

fn names(below: &Path) -> Option<Vec<String>> {
    below.iter().map(|name| name.to_str().map(str::to_owned)).collect()
}

fn is_absolute(text: &str) -> bool {
    text.starts_with(['/', '\\']) || Path::new(text).is_absolute()
}
