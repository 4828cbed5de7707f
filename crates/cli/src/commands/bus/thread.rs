//! Which conversation and which task something belongs to.

use baton_app::commands::bus::ContextInput;
use baton_core::bus::BusId;

/// Picks a conversation.
#[derive(Debug, Default, clap::Args)]
pub(super) struct ThreadArgs {
    /// The conversation; a new name begins one of yours [default: a new one]
    #[arg(long, value_name = "ID")]
    context: Option<BusId>,
    /// The message that this follows from, by its id
    #[arg(long, value_name = "MESSAGE")]
    parent: Option<String>,
}

impl ThreadArgs {
    /// What is said of it, if anything is.
    pub(super) fn read(self) -> Option<ContextInput> {
        if self.context.is_none() && self.parent.is_none() {
            return None;
        }
        Some(ContextInput { context_id: self.context, owner_id: None, parent_message_id: self.parent })
    }
}
