//! A page that changes: at a terminal it is drawn again in its place, elsewhere each new state is printed once.

use std::io::{self, IsTerminal};

use baton_app::Envelope;
use serde::Serialize;
use serde_json::Value;

use super::{Ui, enveloped, try_print};

/// To the upper left corner, and empties all that follows. No colours.
const REDRAW: &str = "\u{1b}[H\u{1b}[J";

/// Where a page is shown again and again.
pub(crate) struct Screen {
    ui: Ui,
    shown: Option<String>,
}

impl Screen {
    pub(crate) fn new(ui: Ui) -> Self {
        Self { ui, shown: None }
    }

    /// Shows the page, unless it is what is there already. Whoever reads may have gone.
    pub(crate) fn show(&mut self, data: &impl Serialize, page: &str) -> io::Result<()> {
        let state = if self.ui.json {
            let data = serde_json::to_value(data).unwrap_or(Value::Null);
            enveloped(&Envelope::answered(self.ui.command, data))
        } else {
            page.to_owned()
        };
        let window = window().filter(|_| !self.ui.json);
        // An age that grew is worth drawing again, and no new state to print.
        let compared = if window.is_some() { state.clone() } else { without_ages(&state) };
        if self.shown.as_ref() == Some(&compared) {
            return Ok(());
        }
        try_print(&match window {
            Some(window) => format!("{REDRAW}{}", fitting(&state, window)),
            // States of several lines are told apart by an empty one.
            None if !self.ui.json && self.shown.is_some() => format!("\n{state}"),
            None => state,
        })?;
        self.shown = Some(compared);
        Ok(())
    }
}

/// `state` without the ages of jobs, in fields and in the radar's lines.
fn without_ages(state: &str) -> String {
    const AGES: [&str; 2] = ["\"age_s\":", " | age "];
    let mut text = String::with_capacity(state.len());
    let mut rest = state;
    while let Some((at, age)) = AGES.iter().filter_map(|age| Some((rest.find(age)?, age))).min() {
        text.push_str(&rest[..at]);
        rest = rest[at + age.len()..].trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '<');
    }
    text + rest
}

/// What can be seen at once.
#[derive(Clone, Copy)]
struct Window {
    rows: usize,
    columns: usize,
}

/// The terminal's window, if standard output is one.
fn window() -> Option<Window> {
    let out = io::stdout();
    if !out.is_terminal() {
        return None;
    }
    let size = rustix::termios::tcgetwinsize(&out).ok();
    // A terminal that does not know its size shows everything.
    let known = |side: u16| if side == 0 { usize::MAX } else { usize::from(side) };
    Some(size.map_or(Window { rows: usize::MAX, columns: usize::MAX }, |size| Window {
        rows: known(size.ws_row),
        columns: known(size.ws_col),
    }))
}

/// As much of a page as can be seen at once: what scrolls away could not be drawn over. One row stays for the cursor.
fn fitting(page: &str, window: Window) -> String {
    let rows = window.rows.saturating_sub(1).max(1);
    let lines: Vec<&str> = page.lines().collect();
    let (shown, hidden) = match lines.len() > rows {
        true => (rows.saturating_sub(1), lines.len() - rows.saturating_sub(1)),
        false => (lines.len(), 0),
    };
    let mut text: String = lines[..shown].iter().map(|line| cut(line, window.columns) + "\n").collect();
    if hidden > 0 {
        text.push_str(&cut(&format!("… {hidden} more lines"), window.columns));
        text.push('\n');
    }
    text
}

fn cut(line: &str, columns: usize) -> String {
    if line.chars().count() <= columns {
        return line.to_owned();
    }
    line.chars().take(columns.saturating_sub(1)).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_age_that_grew_is_no_new_state() {
        let one = "JOB-1 | open id=JOB-1 | age <1m, 40 %\n{\"age_s\":9,\"job\":1}";
        let later = "JOB-1 | open id=JOB-1 | age 14m, 40 %\n{\"age_s\":840,\"job\":1}";
        assert_eq!(without_ages(one), without_ages(later));
        assert_ne!(without_ages(one), without_ages(&later.replace("40", "41")));
    }

    #[test]
    fn a_page_is_cut_to_what_can_be_seen_and_says_so() {
        let fit = |rows, columns| fitting("one\ntwo long\nthree\nfour\n", Window { rows, columns });
        assert_eq!(fit(5, 80), "one\ntwo long\nthree\nfour\n");
        assert_eq!(fit(4, 80), "one\ntwo long\n… 2 more lines\n");
        assert_eq!(fit(5, 5), "one\ntwo …\nthree\nfour\n");
        assert_eq!(fit(1, 80), "… 4 more lines\n");
        assert_eq!(fit(usize::MAX, usize::MAX), "one\ntwo long\nthree\nfour\n");
    }
}
