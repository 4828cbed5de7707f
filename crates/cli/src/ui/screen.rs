//! A page that changes: at a terminal it is drawn again in its place, elsewhere each new state is printed once.

use std::io::{self, IsTerminal};

use baton_app::Envelope;
use serde::Serialize;
use serde_json::Value;
use unicode_width::UnicodeWidthChar;

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

    /// The terminal's width, if a person looks at one that knows it.
    pub(crate) fn columns(&self) -> Option<usize> {
        window().filter(|_| !self.ui.json).map(|window| window.columns).filter(|columns| *columns < usize::MAX)
    }

    /// Shows the page, unless it is what is there already. Whoever reads may have gone.
    pub(crate) fn show(&mut self, data: &impl Serialize, page: &str) -> io::Result<()> {
        self.show_state(data, page, &without_ages(page))
    }

    /// Shows the page. Where it cannot be drawn over, only a `state` that is new is printed: the page without its ages.
    pub(crate) fn show_state(&mut self, data: &impl Serialize, page: &str, state: &str) -> io::Result<()> {
        let window = window().filter(|_| !self.ui.json);
        let (text, compared) = if self.ui.json {
            let data = serde_json::to_value(data).unwrap_or(Value::Null);
            let text = enveloped(&Envelope::answered(self.ui.command, data));
            let compared = without_ages(&text);
            (text, compared)
        } else if let Some(window) = window {
            // An age that grew is worth drawing again, and so is a window of another size.
            let text = format!("{REDRAW}{}", fitting(page, window));
            (text.clone(), text)
        } else {
            (page.to_owned(), state.to_owned())
        };
        if self.shown.as_ref() == Some(&compared) {
            return Ok(());
        }
        // States of several lines are told apart by an empty one.
        let is_next = !self.ui.json && window.is_none() && self.shown.is_some();
        try_print(&if is_next { format!("\n{text}") } else { text })?;
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

/// As much of a page as can be seen at once: lines that scroll away could not be drawn over. One row stays for the cursor.
///
/// A line that is longer than the window is wide is wrapped by the terminal itself: a command in it is copied as one line.
fn fitting(page: &str, window: Window) -> String {
    let most = window.rows.saturating_sub(1).max(1);
    let lines: Vec<&str> = page.lines().collect();
    let rows: Vec<usize> = lines.iter().map(|line| rows(line, window.columns)).collect();
    if rows.iter().sum::<usize>() <= most {
        return lines.iter().map(|line| format!("{line}\n")).collect();
    }
    // The last row says how many lines there are besides.
    let mut left = most - 1;
    let fits = |rows: &&usize| match left.checked_sub(**rows) {
        Some(rest) => {
            left = rest;
            true
        }
        None => false,
    };
    let shown = rows.iter().take_while(fits).count();
    let mut text: String = lines[..shown].iter().map(|line| format!("{line}\n")).collect();
    text.push_str(&format!("… {} more lines\n", lines.len() - shown));
    text
}

/// The rows of the window that a line takes.
fn rows(line: &str, columns: usize) -> usize {
    let (mut rows, mut used) = (1, 0_usize);
    for width in line.chars().map(width) {
        // A character that is two columns wide is not divided.
        if used + width > columns {
            (rows, used) = (rows + 1, 0);
        }
        used += width;
    }
    rows
}

/// The columns that a character takes, at most.
fn width(c: char) -> usize {
    if c == '\t' { 8 } else { c.width().unwrap_or(0) }
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
    fn a_page_ends_where_the_window_does_and_says_so() {
        let fit = |rows, columns| fitting("one\ntwo long\nthree\nfour\n", Window { rows, columns });
        assert_eq!(fit(5, 80), "one\ntwo long\nthree\nfour\n");
        assert_eq!(fit(4, 80), "one\ntwo long\n… 2 more lines\n");
        assert_eq!(fit(1, 80), "… 4 more lines\n");
        assert_eq!(fit(usize::MAX, usize::MAX), "one\ntwo long\nthree\nfour\n");
    }

    #[test]
    fn a_long_line_is_wrapped_and_takes_the_rows_that_it_needs() {
        let fit = |rows, columns| fitting("one\ntwo long\nthree\nfour\n", Window { rows, columns });
        assert_eq!(fit(6, 5), "one\ntwo long\nthree\nfour\n");
        assert_eq!(fit(5, 5), "one\ntwo long\n… 2 more lines\n");
        assert_eq!(fit(4, 4), "one\n… 3 more lines\n");
        assert_eq!([rows("", 5), rows("12345", 5), rows("123456", 5), rows("語語語", 5)], [1, 1, 2, 2]);
    }
}
