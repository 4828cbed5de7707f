//! The manager's inbox: jobs at a glance, as lines that survive being cut.
//!
//! Each job is one line that begins with where its last event is and ends with the next move. What does not fit into the
//! budget goes in the order in which it is least missed: first the previews, then runner and diagnostic lines, and rows only
//! when nothing else is left; what was cut is said.

use super::{Job, JobId, Kind, Marker, Status};
use crate::{
    ids::{AgentId, AnchorId},
    reference::Reference,
    runner::{Diagnosis, Seen, Tally},
    task::TaskId,
    time::Timestamp,
};

/// What a manager sees.
#[derive(Clone, Debug, PartialEq)]
pub struct Radar {
    /// The workspace, where it is to be named.
    pub workspace: Option<String>,
    /// How many runners are there.
    pub runners: Tally,
    /// How to start one, when jobs wait and nobody is there.
    pub bootstrap: Option<String>,
    /// Runners that are there.
    pub present: Vec<Seen>,
    /// Runners whose lease ran out a while ago.
    pub offline: Vec<Seen>,
    /// What does not fit together.
    pub diagnoses: Vec<Diagnosis>,
    /// The jobs, the most pressing first.
    pub rows: Vec<Row>,
    /// What was asked for.
    pub filter: Filter,
    /// Whether there are more.
    pub has_more: bool,
}

/// Which jobs are shown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only of this status.
    pub status: Option<Status>,
    /// Only for this task.
    pub task: Option<TaskId>,
    /// Only about this part of the map.
    pub anchor: Option<AnchorId>,
}

/// One job.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// Its last event.
    pub last: Reference,
    /// What it wants.
    pub marker: Option<Marker>,
    /// Its number.
    pub job: JobId,
    /// How far it is.
    pub status: Status,
    /// What, in a line.
    pub title: String,
    /// What sort of thing happened last.
    pub kind: Kind,
    /// The beginning of what was said then.
    pub preview: String,
}

impl Row {
    /// A job as it stands at `now`.
    pub fn of(job: &Job, now: Timestamp) -> Self {
        Self {
            last: job.last_ref(),
            marker: job.marker(now),
            job: job.id,
            status: job.status,
            title: job.title.clone(),
            kind: job.last.kind,
            preview: job.last.preview.clone(),
        }
    }

    /// The line, less the preview.
    pub fn line(&self) -> String {
        let Self { last, job, status, title, .. } = self;
        let marker = self.marker.map_or(String::new(), |marker| format!("{} ", marker.sign()));
        let reply = match self.marker {
            Some(Marker::Question) => format!(" | reply reply_job={job} reply_message=\"...\""),
            Some(Marker::Error | Marker::Proof | Marker::Stale) | None => String::new(),
        };
        format!("{last} {marker}{job} ({status}) {title} | open id={last}{reply}")
    }

    /// What was said last, to stand behind the line. A title need not be said twice.
    fn preview(&self) -> String {
        if self.kind == Kind::Created { String::new() } else { format!(" | last {}: {}", self.kind, self.preview) }
    }
}

/// How much is left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Level {
    Whole,
    WithoutPreviews,
    RowsOnly,
}

impl Radar {
    /// The lines, within `most` characters if that can be.
    pub fn lines(&self, most: usize) -> String {
        for level in [Level::Whole, Level::WithoutPreviews, Level::RowsOnly] {
            let text = self.page(level, self.rows.len());
            if text.chars().count() <= most {
                return text;
            }
        }
        // At least one row stays: a radar without any cannot be navigated.
        let mut fit = self.rows.len();
        loop {
            fit = fit.saturating_sub(1).max(1);
            let text = self.page(Level::RowsOnly, fit);
            if fit == 1 || text.chars().count() <= most {
                return text;
            }
        }
    }

    fn page(&self, level: Level, rows: usize) -> String {
        let rows = rows.min(self.rows.len());
        let mut lines = vec![self.header(rows)];
        lines.extend(self.bootstrap.as_ref().map(|command| format!("CMD: {command}")));
        if level < Level::RowsOnly {
            lines.extend(self.present.iter().map(Seen::line));
            lines.extend(self.offline.iter().map(Seen::line));
            lines.extend(self.diagnoses.iter().map(Diagnosis::line));
        }
        lines.extend(self.rows[..rows].iter().map(|row| match level {
            Level::Whole => row.line() + &row.preview(),
            Level::WithoutPreviews | Level::RowsOnly => row.line(),
        }));
        lines.extend(self.cut(level, rows));
        lines.join("\n")
    }

    fn header(&self, rows: usize) -> String {
        let mut parts: Vec<String> = self.workspace.iter().cloned().collect();
        parts.push(format!("jobs_radar count={rows} runner={} runners={}", self.runners.state(), self.runners));
        let Filter { status, task, anchor } = &self.filter;
        parts.extend(status.map(|status| format!("status={status}")));
        parts.extend(task.map(|task| format!("task={task}")));
        parts.extend(anchor.as_ref().map(|anchor| format!("anchor={anchor}")));
        if self.has_more || rows < self.rows.len() {
            parts.push("has_more=true".to_owned());
        }
        parts.join(" ")
    }

    /// Says what the budget cost.
    fn cut(&self, level: Level, rows: usize) -> Option<String> {
        let hidden = self.rows.len() - rows;
        let others = self.present.len() + self.offline.len() + self.diagnoses.len();
        let mut cut = Vec::new();
        if level >= Level::WithoutPreviews && self.rows.iter().any(|row| !row.preview().is_empty()) {
            cut.push("previews".to_owned());
        }
        if level == Level::RowsOnly && others > 0 {
            cut.push(format!("{others} runner lines"));
        }
        if hidden > 0 {
            cut.push(format!("{hidden} of {} rows", self.rows.len()));
        }
        let more =
            if hidden > 0 { "; raise max_chars or narrow by status, task or anchor" } else { "; raise max_chars" };
        (!cut.is_empty()).then(|| format!("BUDGET_TRUNCATED: cut {}{more}", cut.join(", ")))
    }
}

/// Whose job a runner is at, as a pair of moves.
pub(crate) fn moves(runner: Option<&AgentId>, job: Option<JobId>) -> String {
    let runner = runner.map_or(String::new(), |runner| format!(" | open id=runner:{runner}"));
    let job = job.map_or(String::new(), |job| format!(" | open id={job}"));
    runner + &job
}
