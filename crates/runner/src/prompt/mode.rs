//! What the room allows now: whether files may be changed, and who confirms what an agent does.

use baton_core::context::Mode;

/// How an agent works.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NodeMode {
    /// By itself.
    #[default]
    Auto,
}

/// The text of a mode block. A room that does not say what it is at carries things out.
pub fn mode(global: Option<Mode>, node: NodeMode) -> String {
    let global = match global.unwrap_or(Mode::Implementation) {
        Mode::Planning => {
            "PLANNING: change no files, and run nothing that changes them. Read, think, and answer with a plan: what to do, in \
             which order, where, and how each step is checked."
        }
        Mode::Implementation => "IMPLEMENTATION: files may be changed, as far as the job asks for it.",
    };
    let node = match node {
        NodeMode::Auto => {
            "AUTO: nobody confirms your steps. Go on by yourself until the job is done or you need an answer."
        }
    };
    format!("{global}\n{node}")
}
