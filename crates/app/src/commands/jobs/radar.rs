//! The manager's inbox: what runs, what waits, and what wants somebody.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, AnchorId, RoomId},
    job::{
        Job, JobId, Notices, Status,
        radar::{self, Filter, Row},
    },
    limits,
    reference::Reference,
    runner::{Blocked, Diagnosis, DiagnosisKind, Runner, Seen, Standing, Tally},
    task::TaskId,
    time::Timestamp,
};
use baton_store::{engine::Tx, jobs};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{
    JobView, Serving,
    message::{Message, tell},
    staff::Staff,
    view::notices,
};
use crate::{
    App, Caller, Failure,
    app::Request,
    bounds, presence,
    table::{Access, Effect, JOBS, Permission, Place, UseCase},
};

/// `jobs.radar`
pub struct Radar;

/// What to show.
#[derive(Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Format {
    /// Fields.
    #[default]
    Json,
    /// One line each, as people and agents read them.
    Lines,
}

/// Which jobs, and how.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RadarInput {
    pub room_id: RoomId,
    /// Default: RUNNING and QUEUED
    pub status: Option<Status>,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
    /// lines or json
    #[serde(default)]
    pub fmt: Format,
    /// Most characters of the answer, 200 to 40000; default 10000 for lines
    pub max_chars: Option<usize>,
    /// Answer this job first
    pub reply_job: Option<JobId>,
    pub reply_message: Option<String>,
    /// Repeat a reply safely: the same key answers once
    pub idempotency_key: Option<String>,
}

impl RadarInput {
    /// A look at a room with all defaults.
    pub fn of(room_id: RoomId, fmt: Format) -> Self {
        Self {
            room_id,
            status: None,
            task: None,
            anchor: None,
            limit: None,
            fmt,
            max_chars: None,
            reply_job: None,
            reply_message: None,
            idempotency_key: None,
        }
    }
}

/// What there is. With fmt lines, `lines` has it all, the room too.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RadarResult {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub room_id: Option<RoomId>,
    /// The manager's event that the reply became. Lines have it as a line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schemars(with = "Option<String>")]
    pub replied: Option<Reference>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lines: Option<String>,
    #[serde(flatten)]
    pub fields: Option<RadarFields>,
}

/// The same as fields.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RadarFields {
    pub count: usize,
    pub runner: Standing,
    pub runners: RunnerCounts,
    /// How to start a runner, where jobs wait and none is there.
    pub cmd: Option<String>,
    pub runner_list: Vec<RunnerLine>,
    pub diagnostics: Vec<Diag>,
    pub jobs: Vec<RadarJob>,
    pub has_more: bool,
    /// What max_chars cost.
    pub cut: Option<String>,
}

/// How many runners there are.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunnerCounts {
    pub live: u64,
    pub idle: u64,
    pub offline: u64,
}

/// A runner.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RunnerLine {
    pub runner_id: AgentId,
    pub status: Standing,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub job: Option<JobId>,
}

/// Something that does not fit together.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Diag {
    pub kind: DiagnosisKind,
    pub runner_id: Option<AgentId>,
    pub job: Option<JobId>,
    /// The particulars, in a line.
    pub about: Option<String>,
}

/// A job with its marker.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct RadarJob {
    /// The event to look at: the one that asks for somebody, else the last one.
    #[serde(rename = "ref")]
    #[schemars(with = "String")]
    pub shown: Reference,
    /// `!`, `?` or `~`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<char>,
    #[serde(flatten)]
    pub job: JobView,
}

impl UseCase for Radar {
    const NAME: &'static str = "jobs.radar";
    const PLACE: Place = Place::Portal(&JOBS);
    const EFFECT: Effect = Effect::Write;
    const ACCESS: Access =
        Access { viewer: Permission::Limited("no reply"), ..Access::limited_for_jobs("replies to jobs it created") };
    const ABOUT: &'static str =
        "See what runs, what waits and what needs you; answer with reply_job and reply_message.";
    type Input = RadarInput;
    type Output = RadarResult;

    fn perform(app: &App, caller: &Caller, input: RadarInput) -> Result<RadarResult, Failure> {
        let limit = bounds::limit(input.limit, limits::JOBS_DEFAULT, limits::JOBS_MAX)?;
        let max_chars = input.max_chars.unwrap_or(limits::LINES_CHARS);
        if !limits::LINES_CHARS_RANGE.contains(&max_chars) {
            let message = "max_chars must be from 200 to 40000.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "max_chars"));
        }
        let replied = reply(app, caller, &input)?;
        app.see_to_jobs(&input.room_id);
        let (room, (sight, now)) = presence::read(app, caller, &input.room_id, |tx, room, now| {
            Ok((Sight::take(app, tx, &room.id, now, &input, limit)?, now))
        })?;
        let radar = sight.radar(app, &room.id, now, &input, replied.clone());
        Ok(match input.fmt {
            Format::Lines => {
                RadarResult { room_id: None, replied: None, lines: Some(radar.lines(max_chars)), fields: None }
            }
            Format::Json => {
                let fields = sight.fields(&radar, now, input.max_chars);
                RadarResult { room_id: Some(room.id), replied, lines: None, fields: Some(fields) }
            }
        })
    }
}

/// Answers a job, if that is asked.
fn reply(app: &App, caller: &Caller, input: &RadarInput) -> Result<Option<Reference>, Failure> {
    let (id, message) = match (input.reply_job, &input.reply_message) {
        (None, None) => return Ok(None),
        (Some(job), Some(message)) => (job, message),
        (Some(_), None) | (None, Some(_)) => {
            let message = "A reply takes both reply_job and reply_message.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "reply_message"));
        }
    };
    // A look changes nothing, so viewers have it; a reply is what `jobs.message` does.
    Message::ACCESS.check(caller, Radar::NAME)?;
    let request = Request { command: Radar::NAME, input, key: input.idempotency_key.as_deref() };
    let seq = app.change(caller, &request, &input.room_id, |change| tell(change, caller, id, message, &[]))?;
    Ok(Some(Reference::JobEvent(id, seq)))
}

/// What one look at the store showed.
struct Sight<'a> {
    jobs: Vec<Job>,
    notices: Notices,
    has_more: bool,
    staff: Staff,
    serving: Serving<'a>,
}

impl<'a> Sight<'a> {
    fn take(
        app: &'a App,
        tx: &mut dyn Tx,
        room: &RoomId,
        now: Timestamp,
        input: &RadarInput,
        limit: u32,
    ) -> Result<Self, Failure> {
        let mut jobs = find(tx, room, now, input, limit + 1)?;
        let has_more = jobs.len() > limit as usize;
        jobs.truncate(limit as usize);
        let staff = Staff::take(tx, room, now, &jobs)?;
        let notices = notices(tx, room, &jobs)?;
        let serving = Serving::take(app, tx, room, now, &jobs)?;
        Ok(Self { jobs, notices, has_more, staff, serving })
    }

    fn radar(
        &self,
        app: &App,
        room: &RoomId,
        now: Timestamp,
        input: &RadarInput,
        replied: Option<Reference>,
    ) -> radar::Radar {
        let seen = |runners: &[Runner]| runners.iter().map(|runner| Seen::of(runner, now)).collect();
        radar::Radar {
            workspace: Some(room.to_string()),
            runners: self.staff.tally,
            replied,
            bootstrap: self.staff.bootstrap(app, room),
            present: seen(&self.staff.present),
            offline: seen(&self.staff.offline),
            diagnoses: self.staff.diagnoses(now),
            rows: self.jobs.iter().map(|job| self.row(now, job)).collect(),
            filter: Filter { status: input.status, task: input.task, anchor: input.anchor.clone() },
            has_more: self.has_more,
        }
    }

    fn row(&self, now: Timestamp, job: &Job) -> Row {
        Row { blocked: self.serving.blocked(now, job), ..Row::of(job, now, &self.notices) }
    }

    /// The radar as fields. Of more than `most` characters, runner lines and diagnostics go first, then the last rows.
    fn fields(&self, radar: &radar::Radar, now: Timestamp, most: Option<usize>) -> RadarFields {
        let Tally { live, idle, offline } = self.staff.tally;
        let line = |seen: &Seen| RunnerLine { runner_id: seen.id.clone(), status: seen.standing, job: seen.job };
        let diag = |diagnosis: &Diagnosis| Diag {
            kind: diagnosis.kind,
            runner_id: diagnosis.runner.clone(),
            job: diagnosis.job,
            about: diagnosis.about.clone(),
        };
        let job = |job: &Job| {
            let blocked = self.serving.blocked(now, job);
            let sign = job.marker(now).map(baton_core::job::Marker::sign).or(blocked.as_ref().and_then(Blocked::sign));
            let view = JobView::of(job, now, &self.notices).blocked(blocked);
            RadarJob { shown: job.shown_ref(), marker: sign, job: view }
        };
        let mut fields = RadarFields {
            count: self.jobs.len(),
            runner: self.staff.tally.state(),
            runners: RunnerCounts { live, idle, offline },
            cmd: radar.bootstrap.clone(),
            runner_list: radar.present.iter().chain(&radar.offline).map(line).collect(),
            diagnostics: radar.diagnoses.iter().map(diag).collect(),
            jobs: self.jobs.iter().map(job).collect(),
            has_more: self.has_more,
            cut: None,
        };
        if let Some(most) = most {
            fields.fit(most);
        }
        fields
    }
}

impl RadarFields {
    /// Brings it within `most` characters of JSON, and says what that cost. At least one row stays: a radar without any
    /// cannot be navigated.
    fn fit(&mut self, most: usize) {
        let (runner_lines, rows) = (self.runner_list.len() + self.diagnostics.len(), self.jobs.len());
        if self.chars() <= most {
            return;
        }
        (self.runner_list, self.diagnostics) = (Vec::new(), Vec::new());
        let mut previews = "";
        loop {
            self.cut = Some(format!(
                "{runner_lines} runner lines,{previews} {} of {rows} jobs; raise max_chars or narrow by status, task or anchor",
                rows - self.jobs.len()
            ));
            if self.chars() <= most {
                return;
            }
            if previews.is_empty() {
                previews = " previews,";
                self.jobs.iter_mut().for_each(|row| row.job.shorten());
            } else if self.jobs.len() > 1 {
                self.jobs.pop();
                (self.count, self.has_more) = (self.jobs.len(), true);
            } else {
                return;
            }
        }
    }

    fn chars(&self) -> usize {
        serde_json::to_string(self).map_or(0, |json| json.chars().count())
    }
}

/// The jobs to show, the most pressing first.
fn find(tx: &mut dyn Tx, room: &RoomId, now: Timestamp, input: &RadarInput, limit: u32) -> Result<Vec<Job>, Failure> {
    let mut found = match (&input.task, &input.anchor, input.status) {
        (None, None, None) => return Ok(jobs::radar(tx, room, now, limit)?),
        (None, None, Some(status)) if status.is_active() => return Ok(jobs::radar_in(tx, room, now, status, limit)?),
        (None, None, Some(status)) => jobs::in_status(tx, room, status, None, limit)?,
        (Some(task), ..) => jobs::of_task(tx, room, *task, None, limits::JOBS_OF_ONE)?,
        (None, Some(anchor), _) => jobs::of_anchor(tx, room, anchor, None, limits::JOBS_OF_ONE)?,
    };
    found.retain(|job| input.anchor.is_none() || job.anchor == input.anchor);
    found.retain(|job| input.status.map_or(job.status.is_active(), |status| job.status == status));
    found.sort_by_key(|job| job.radar_order(now));
    found.truncate(limit as usize);
    Ok(found)
}
