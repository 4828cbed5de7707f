//! The working tree before and after a command that could not be read: edits without a turn are put on record.
//!
//! The hook before the command and the one after it are different processes, so the first look is kept in a file of the data
//! directory, under the id of the call.

use std::{
    fs::{self, DirBuilder},
    os::unix::fs::DirBuilderExt as _,
    path::PathBuf,
};

use baton_app::Failure;
use baton_core::{ids::RoomId, tree::Tree};
use baton_harness::hook::{Tool, ToolCall};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::run::Hook;

const DIRECTORY: &str = "hooks";

#[derive(Serialize, Deserialize)]
struct Before {
    room: RoomId,
    tree: Tree,
}

/// Keeps the tree as it is before a command.
pub(super) fn before(hook: &Hook<'_>, call: &ToolCall, room: &RoomId) -> Result<(), Failure> {
    let Some(tree) = hook.app.look_at_tree(room)? else { return Ok(()) };
    let before = Before { room: room.clone(), tree };
    // Without the record the command is only not compared; it is no reason to stop it.
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(hook.data_directory.join(DIRECTORY));
    let _ = serde_json::to_vec(&before).map(|text| fs::write(file(hook, call), text));
    Ok(())
}

/// Compares the tree with what it was, if it was kept.
pub(super) fn after(hook: &Hook<'_>, call: &ToolCall) -> Result<(), Failure> {
    let Tool::Shell(command) = &call.tool else { return Ok(()) };
    let file = file(hook, call);
    let Some(before) = fs::read(&file).ok().and_then(|text| serde_json::from_slice::<Before>(&text).ok()) else {
        return Ok(());
    };
    let _ = fs::remove_file(&file);
    let Some(now) = hook.app.look_at_tree(&before.room)? else { return Ok(()) };
    let changed = now.changed_since(&before.tree);
    if changed.is_empty() {
        return Ok(());
    }
    let caller = hook.main.as_ref().unwrap_or(&hook.caller);
    hook.app.record_outside_edits(caller, &before.room, &changed, command)
}

fn file(hook: &Hook<'_>, call: &ToolCall) -> PathBuf {
    let id = call.id.as_deref().unwrap_or_default();
    let digest = Sha256::new().chain_update(&hook.told.session).chain_update([0]).chain_update(id).finalize();
    let name: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    hook.data_directory.join(DIRECTORY).join(format!("{name}.json"))
}
