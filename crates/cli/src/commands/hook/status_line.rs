//! Claude Code's status line: the holder, the turn, messages and jobs of the room around it.

use baton_app::Failure;

use super::run::Hook;
use crate::ui;

/// Prints the line; nothing outside of a room.
pub(super) fn print(hook: &Hook<'_>) -> Result<(), Failure> {
    if let Some(line) = hook.app.status_line(&hook.caller)? {
        ui::hook_output(&format!("{}\n", ui::clean(&line)), "");
    }
    Ok(())
}
