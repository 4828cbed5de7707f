//! The bounds, as a part of a page.

use std::fmt::Write;

use baton_core::limits::{self, Limit};

/// Every bound of the room's rules and of the servers.
pub(super) fn part() -> String {
    let mut part = String::new();
    for (title, bounds) in [
        ("Of everything that is said and stored", limits::all()),
        ("Of the socket, and of calls and streams of every server", baton_bus::bounds()),
        ("Of HTTP", baton_http::bounds()),
    ] {
        let _ = write!(part, "\n{title}:\n\n| bound | value |\n|---|---|\n");
        for Limit { about, value, .. } in bounds {
            let _ = writeln!(part, "| {} | {value} |", about.trim_end_matches('.'));
        }
    }
    part.push('\n');
    part
}
