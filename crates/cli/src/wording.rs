//! How agents, times and lists are said to people: the same way in every command.

use baton_core::{ids::AgentId, time::Timestamp};

use crate::ui::clean;

/// An agent: the name that people use, and the session behind it.
pub(crate) fn who(name: &str, agent_id: &AgentId) -> String {
    format!("{} ({agent_id})", clean(name))
}

/// How long something is still good for.
pub(crate) fn until(at: Timestamp, now: Timestamp) -> String {
    if at > now { format!("runs out in {}", at.since(now)) } else { format!("ran out {} ago", now.since(at)) }
}

/// When somebody last called.
pub(crate) fn seen(at: Timestamp, now: Timestamp) -> String {
    format!("seen {} ago", now.since(at))
}

/// Rows with their columns one below the other, each line indented. A column that is empty throughout takes no place.
pub(crate) fn table<const N: usize>(rows: &[[String; N]]) -> String {
    let widths: [usize; N] =
        std::array::from_fn(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default());
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(widths).filter(|(_, width)| *width > 0);
        let line: String = cells.map(|(cell, width)| format!("  {cell:<width$}")).collect();
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_as_wide_as_what_is_in_them_and_empty_ones_vanish() {
        let row = |cells: [&str; 3]| cells.map(str::to_owned);
        let shown = table(&[row(["src/käse", "", "active"]), row(["docs", "", "stale"])]);
        assert_eq!(shown, "  src/käse  active\n  docs      stale\n");
    }
}
