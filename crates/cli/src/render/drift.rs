//! Changes in a workspace since the last handoff.

use baton_app::tree::{ChangedPaths, DriftReason, DriftReport};

use super::words::{block, line};

/// The drift that a new holder is told, with its files.
pub(crate) fn drift(report: &DriftReport) -> String {
    let mut page = format!("{}\n", line(&report.summary));
    for (label, paths) in [("changed", &report.changed), ("added", &report.added), ("removed", &report.removed)] {
        if paths.count > 0 {
            page.push_str(&block(label, &listed(paths)));
        }
    }
    for artifact in &report.missing_artifacts {
        page.push_str(&block("missing", &line(&artifact.to_string())));
    }
    for author in &report.by {
        let because = match author.because {
            DriftReason::Scope => "has reserved",
            DriftReason::Command => "ran a command without the stick that changed",
            DriftReason::Turn => "held the stick and may have changed",
        };
        page.push_str(&block("by", &format!("{} {because} {}", line(&author.agent), listed(&author.files))));
    }
    if report.is_partial {
        page.push_str(&block("", "More files are dirty than a record holds; the rest was not compared."));
    }
    page
}

fn listed(paths: &ChangedPaths) -> String {
    let named: Vec<String> = paths.paths.iter().map(|path| line(path)).collect();
    match paths.count.saturating_sub(named.len()) {
        0 => named.join(", "),
        more if named.is_empty() => format!("{more} files"),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
