//! What all pages are made of: spans of time, and labelled lines.

use baton_core::time::Timestamp;

use crate::ui::clean;

/// When something ends or ended.
pub(super) fn deadline(at: Option<Timestamp>, now: Timestamp) -> String {
    match at {
        Some(at) if at > now => format!("runs out in {}", at.since(now)),
        Some(at) => format!("ran out {} ago", now.since(at)),
        None => "has no end".to_owned(),
    }
}

/// A labelled text, indented; the lines after the first stand below it.
pub(super) fn block(label: &str, text: &str) -> String {
    let text = clean(text);
    let mut lines = text.lines();
    let mut block = format!("  {label:<9} {}\n", lines.next().unwrap_or_default());
    lines.for_each(|line| block.push_str(&format!("  {:<9} {line}\n", "")));
    block
}
