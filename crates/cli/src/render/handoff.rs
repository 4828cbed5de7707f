//! Handoffs of the stick.

use baton_core::handoff::{Artifact, Handoff};

use super::words::block;

/// A handoff, indented.
pub(crate) fn handoff_page(handoff: &Handoff) -> String {
    let mut page = block("status", &handoff.status) + &block("next", &handoff.next_action);
    for artifact in &handoff.artifacts {
        let note = artifact.note.as_deref().map_or_else(String::new, |note| format!("  {note}"));
        page.push_str(&block(&artifact_role(artifact), &(artifact_place(artifact) + &note)));
    }
    handoff.open_questions.iter().for_each(|question| page.push_str(&block("question", question)));
    handoff.do_not.iter().for_each(|item| page.push_str(&block("do not", item)));
    if let Some(pack) = &handoff.context_ref {
        page.push_str(&block("context", &format!("baton open {pack}")));
    }
    page
}

/// Where an artifact points: `PATH[:FIRST-LAST]`.
pub(crate) fn artifact_place(artifact: &Artifact) -> String {
    let lines = artifact.lines.map_or_else(String::new, |[first, last]| format!(":{first}-{last}"));
    format!("{}{lines}", artifact.path)
}

/// What an artifact is for, in the word that handoffs use.
pub(crate) fn artifact_role(artifact: &Artifact) -> String {
    match serde_json::to_value(artifact.role) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}
