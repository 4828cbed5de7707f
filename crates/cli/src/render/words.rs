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

/// How long ago something was.
pub(super) fn ago(at: Timestamp, now: Timestamp) -> String {
    format!("{} ago", now.since(at))
}

/// A text that has one line to itself, whatever its author put into it.
pub(crate) fn line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Rows whose cells stand below each other. The last cell is as long as it is.
pub(super) fn columns<const N: usize>(rows: &[[String; N]]) -> String {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).map(|(cell, width)| format!("{cell:<width$}"));
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// `a`, `a and b`, `a, b and c`.
pub(super) fn listing(items: &[String]) -> String {
    match items {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}
