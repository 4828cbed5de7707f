//! Relative paths start at the room's root. Whoever stands below it may have meant the directory they are in.

use std::path::Path;

use baton_app::{
    Failure,
    commands::room::{State, StateInput},
    paths,
};
use baton_core::ids::RoomId;

use crate::{
    context::Context,
    ui::{Ui, clean},
};

/// Warns of paths that are there from the current directory and not from the root: they were read from the root.
pub(super) fn warn_of_misread(context: &Context, ui: Ui, room_id: &RoomId, given: &[String]) -> Result<(), Failure> {
    let relative: Vec<_> = given.iter().filter(|text| !Path::new(text).is_absolute()).collect();
    if relative.is_empty() {
        return Ok(());
    }
    let state = context.run::<State>(StateInput { room_id: room_id.clone() })?;
    let environment = context.app.environment();
    // A linked worktree has a root of its own, at the same height.
    let here = paths::in_main_worktree(environment.cwd(), environment.home());
    let below = state.room.canonical_path.as_deref().and_then(|root| here.strip_prefix(root).ok());
    let Some(below) = below.filter(|below| !below.as_os_str().is_empty()) else { return Ok(()) };
    let Some(root) = environment.cwd().ancestors().nth(below.components().count()) else { return Ok(()) };
    for text in relative {
        let path = text.trim_end_matches('*');
        if environment.cwd().join(path).exists() && !root.join(path).exists() {
            ui.warn(&clean(&format!(
                "{text} is read from the room's root, where it does not exist; the one here is {}.",
                below.join(text).display()
            )));
        }
    }
    Ok(())
}
