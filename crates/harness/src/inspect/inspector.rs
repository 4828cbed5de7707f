//! Answers that every program's `inspect.rs` gives.

use std::path::PathBuf;

use super::{Consent, GuardCommand, OffSwitch, Workspace};
use crate::install::Places;

/// Knows the hooks of one program.
pub(crate) trait HookInspector: Sync {
    /// The file that its hooks are in.
    fn hooks_file(&self, places: &Places) -> PathBuf;

    /// Whether hooks of Baton's are in the text of that file.
    fn has_hooks(&self, text: &str) -> bool;

    /// The command of the hook before a tool.
    fn guard(&self, text: &str) -> Option<GuardCommand>;

    /// A setting that keeps all hooks from running in this workspace, whichever level they are at.
    fn off_switch(&self, user: &Places, workspace: &Workspace<'_>) -> Option<OffSwitch>;

    /// The consent to the hooks of this level.
    fn consent(&self, _: &Places) -> Consent {
        Consent::Given
    }

    /// The version that wrote them, where they say.
    fn version(&self, _: &Places) -> Option<String> {
        None
    }
}
