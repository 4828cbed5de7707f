//! The manager's inbox: jobs at a glance, as lines that survive being cut.
//!
//! Each job is one line that begins with the event to look at (a question, an error or a proof gate until it is settled, else
//! the last event) and ends with the next move. Text of agents never has the line's own divider in it ([`line_text`]). A budget
//! cuts in the order in which things are least missed: first the previews, then runner and diagnostic lines, and rows only
//! when nothing else is left; the last line says what was cut.

use super::{Job, JobId, Kind, Last, Marker, Notices, Progress, Status, line_text, short_age};
use crate::{
    ids::{AgentId, AnchorId},
    reference::Reference,
    runner::{Blocked, Diagnosis, Seen, Tally, pointer},
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
    /// The manager's event that a reply became.
    pub replied: Option<Reference>,
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
    /// The event to look at.
    pub shown: Last,
    /// What it wants.
    pub marker: Option<Marker>,
    /// Its number.
    pub job: JobId,
    /// How far it is.
    pub status: Status,
    /// What, in a line.
    pub title: String,
    /// Whether somebody waits for an answer, whatever the marker.
    pub needs_manager: bool,
    /// The question that another marker stands before.
    pub hidden_question: Option<Last>,
    /// Seconds since it was created.
    pub age_s: u64,
    /// How far it is right now.
    pub progress: Progress,
    /// Why nobody here can do it, while it waits.
    pub blocked: Option<Blocked>,
}

impl Row {
    /// A job as it stands at `now`.
    pub fn of(job: &Job, now: Timestamp, notices: &Notices) -> Self {
        Self {
            shown: notices.attention(job).unwrap_or_else(|| job.last.clone()),
            marker: job.marker(now),
            job: job.id,
            status: job.status,
            title: job.title.clone(),
            needs_manager: job.needs_manager(),
            hidden_question: notices.hidden_question(job),
            age_s: now.since(job.created_at).as_millis() / 1_000,
            progress: job.progress.clone(),
            blocked: None,
        }
    }

    /// The line, less the preview.
    pub fn line(&self) -> String {
        let Self { job, status, .. } = self;
        let (shown, title) = (Reference::JobEvent(*job, self.shown.seq), line_text(&self.title));
        let sign = self.marker.map(Marker::sign).or(self.blocked.as_ref().and_then(Blocked::sign));
        let marker = sign.map_or(String::new(), |sign| format!("{sign} "));
        let reply = match self.needs_manager {
            true => format!(" | reply reply_job={job} reply_message=\"...\""),
            false => String::new(),
        };
        format!("{shown} {marker}{job} ({status}) {title} | open id={shown}{reply}")
    }

    /// The texts that stand behind the line. A title need not be said twice.
    fn preview(&self, bootstrap: Option<&str>) -> String {
        let Last { kind, preview, .. } = &self.shown;
        let mut parts = Vec::new();
        if *kind != Kind::Created {
            parts.push(format!("last {kind}: {}", line_text(preview)));
        }
        if let Some(blocked) = &self.blocked {
            // The line above all rows need not be said in each.
            let is_said = bootstrap.is_some_and(|command| command == blocked.next);
            let next = if is_said { String::new() } else { format!(" Next: {}", blocked.next) };
            parts.push(line_text(&format!("blocked: {}{next}", blocked.reason)));
        }
        if let Some(question) = &self.hidden_question {
            parts.push(format!(
                "asks {}: {}",
                Reference::JobEvent(self.job, question.seq),
                line_text(&question.preview)
            ));
        }
        if self.status.is_active() {
            let words = self.progress.words().map_or(String::new(), |words| format!(", {words}"));
            let line = self.progress.line.as_deref().map_or(String::new(), |line| format!(": {}", line_text(line)));
            parts.push(format!("age {}{words}{line}", short_age(self.age_s)));
        }
        parts.iter().map(|part| format!(" | {part}")).collect()
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
        lines.extend(self.replied.as_ref().map(|told| format!("replied {told} | open id={told}")));
        lines.extend(self.bootstrap.as_ref().map(|command| format!("CMD: {command}")));
        if level < Level::RowsOnly {
            lines.extend(self.present.iter().map(Seen::line));
            let more = (self.runners.live + self.runners.idle).saturating_sub(self.present.len() as u64);
            lines.extend((more > 0).then(|| format!("runner … {more} more are here")));
            lines.extend(self.offline.iter().map(Seen::line));
            lines.extend(self.diagnoses.iter().map(Diagnosis::line));
        }
        lines.extend(self.rows[..rows].iter().map(|row| match level {
            Level::Whole => row.line() + &row.preview(self.bootstrap.as_deref()),
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
        if level >= Level::WithoutPreviews
            && self.rows.iter().any(|row| !row.preview(self.bootstrap.as_deref()).is_empty())
        {
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
    let runner = runner.map_or(String::new(), |runner| format!(" | open id={}", pointer(runner)));
    let job = job.map_or(String::new(), |job| format!(" | open id={job}"));
    runner + &job
}
