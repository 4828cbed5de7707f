//! All jobs at a glance, in one room or in all: how many there are of which sort, who does them, and those that are looked
//! for. What it costs does not grow with what is over: counts end at a bound, and listings are read along an index.

use baton_core::{
    code::ErrorCode,
    ids::{AgentId, AnchorId, RoomId},
    job::{Choice, Job, Marker, Status},
    limits,
    task::TaskId,
    time::Timestamp,
};
use baton_store::{engine::Tx, jobs, rooms};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{OverviewCounts, OverviewDiag, OverviewJob, OverviewRoom, OverviewRunner, find::Page as FoundPage};
use crate::{
    App, Caller, Failure,
    app::Sweep,
    bounds::{self, Page},
    commands::jobs::{Serving, notices, staff::Staff},
    table::{Effect, Place, Subject, Tier, UseCase},
};

/// Rooms that are looked at, those that changed last first.
const ROOMS: u32 = 50;
/// Up to where jobs of a sort are counted in each room.
const COUNTED: u32 = 1_000;
/// Runners that are told of.
const RUNNERS: usize = 40;

/// `jobs.overview`
pub struct Overview;

/// In which order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(inline)]
pub enum Order {
    /// What wants somebody first; without a status, only what is not over.
    #[default]
    Pressing,
    Newest,
    Oldest,
}

/// Which jobs.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct OverviewInput {
    /// Only in this room; default: in all
    pub room_id: Option<RoomId>,
    pub status: Option<Status>,
    /// What they want: an answer to an error or a question, proof, or a runner
    pub marker: Option<Marker>,
    pub task: Option<TaskId>,
    pub anchor: Option<AnchorId>,
    /// Asked for, or at it
    pub executor: Option<Choice>,
    /// Who has claimed them
    pub runner: Option<AgentId>,
    /// In the number, the title, the summary or what was said last
    pub text: Option<String>,
    #[serde(default)]
    pub order: Order,
    /// The cursor of the last page
    pub cursor: Option<u64>,
    /// 1 to 200; default 25
    pub limit: Option<u32>,
    /// Leave out counts and runners
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub only_jobs: bool,
}

/// What there is.
#[serde_with::skip_serializing_none]
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct OverviewResult {
    pub counts: Option<OverviewCounts>,
    /// The rooms that have jobs among these, or runners.
    pub rooms: Vec<OverviewRoom>,
    pub runners: Vec<OverviewRunner>,
    /// What does not fit between runners and jobs.
    pub diagnostics: Vec<OverviewDiag>,
    pub jobs: Vec<OverviewJob>,
    pub has_more: bool,
    /// Where the next page starts.
    pub cursor: Option<u64>,
    /// Rooms that did not change lately are not looked at.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub more_rooms: bool,
}

impl UseCase for Overview {
    const NAME: &'static str = "jobs.overview";
    const PLACE: Place = Place::Tool("get_jobs_overview", Tier::Full);
    const SUBJECT: Subject = Subject::Store;
    const EFFECT: Effect = Effect::Read;
    const ABOUT: &'static str =
        "How many jobs there are of which sort, in all rooms or one, who does them, and a listing.";
    type Input = OverviewInput;
    type Output = OverviewResult;

    fn perform(app: &App, _caller: &Caller, input: OverviewInput) -> Result<OverviewResult, Failure> {
        let limit = bounds::limit(input.limit, limits::JOBS_DEFAULT, limits::JOBS_MAX)?;
        if input.task.is_some() && input.anchor.is_some() {
            let message = "Give either task or anchor, not both.";
            return Err(Failure::new(ErrorCode::InvalidInput, message).with("field", "anchor"));
        }
        let rooms = match &input.room_id {
            Some(room) => vec![room.clone()],
            None => app.store.read(|tx| recent(tx))?.into_iter().map(|room| room.room_id).collect(),
        };
        let now = app.now()?;
        rooms.iter().filter(|room| app.is_due(room, now, Sweep::Jobs)).for_each(|room| app.see_to_jobs(room));
        app.store.read(|tx| {
            let now = tx.now()?;
            let mut outlines = match &input.room_id {
                Some(id) => vec![outline(app, tx, id)?],
                None => recent(tx)?,
            };
            let more_rooms = outlines.len() > ROOMS as usize;
            outlines.truncate(ROOMS as usize);
            let ids: Vec<RoomId> = outlines.iter().map(|room| room.room_id.clone()).collect();
            let found = FoundPage::find(tx, &ids, now, &input, limit)?;
            let mut result = OverviewResult {
                counts: None,
                rooms: Vec::new(),
                runners: Vec::new(),
                diagnostics: Vec::new(),
                jobs: Vec::new(),
                has_more: false,
                cursor: None,
                more_rooms,
            };
            if !input.only_jobs {
                count(app, tx, &mut outlines, &found, now, &mut result)?;
            }
            let mut page = Page::default();
            let mut shown = Vec::new();
            for room in &ids {
                let here = || found.jobs.iter().filter(|(of, _)| of == room).map(|(_, job)| job);
                shown.push((room, notices(tx, room, here())?, Serving::take(app, tx, room, now, here())?));
            }
            let view = |(room, job): &(RoomId, Job)| {
                let (_, notices, serving) = shown.iter().find(|(of, ..)| *of == room)?;
                Some(OverviewJob { blocked: serving.blocked(now, job), ..OverviewJob::of(room, job, now, notices) })
            };
            let views = found.jobs.iter().take(limit as usize).filter_map(view);
            result.jobs = views.take_while(|view| page.takes(view)).collect();
            (result.has_more, result.cursor) = found.next(result.jobs.len());
            let is_named = |id: &RoomId| {
                result.jobs.iter().any(|job| job.room_id == *id)
                    || result.runners.iter().any(|runner| runner.room_id == *id)
            };
            let named = |room: &OverviewRoom| input.room_id.is_some() || room.cmd.is_some() || is_named(&room.room_id);
            result.rooms = outlines.into_iter().filter(named).collect();
            Ok(result)
        })
    }
}

fn outline(app: &App, tx: &mut dyn Tx, id: &RoomId) -> Result<OverviewRoom, Failure> {
    let room = app.room(tx, id)?;
    Ok(OverviewRoom { room_id: room.id, name: room.name, canonical_path: room.canonical_path, cmd: None })
}

/// The rooms that changed last, and one more than are looked at, where there are that many.
fn recent(tx: &mut dyn Tx) -> Result<Vec<OverviewRoom>, Failure> {
    let found = rooms::standing(tx, rooms::Standing::All, ROOMS + 1)?;
    let room = |room: rooms::Outline| OverviewRoom {
        room_id: room.id,
        name: room.name,
        canonical_path: room.canonical_path,
        cmd: None,
    };
    Ok(found.into_iter().map(room).collect())
}

/// Counts jobs and runners of each room.
fn count(
    app: &App,
    tx: &mut dyn Tx,
    rooms: &mut [OverviewRoom],
    found: &FoundPage,
    now: Timestamp,
    result: &mut OverviewResult,
) -> Result<(), Failure> {
    let mut counts = OverviewCounts { counted_to: u64::from(COUNTED), ..OverviewCounts::default() };
    for room in rooms {
        let id = room.room_id.clone();
        counts.add(&jobs::counts(tx, &id, now, COUNTED)?);
        let shown: Vec<Job> = found.jobs.iter().filter(|(of, _)| *of == id).map(|(_, job)| job.clone()).collect();
        let staff = Staff::take(tx, &id, now, &shown)?;
        counts.runners.live += staff.tally.live;
        counts.runners.idle += staff.tally.idle;
        counts.runners.offline += staff.tally.offline;
        room.cmd = staff.bootstrap(app, &id);
        let runners = staff.present.iter().chain(&staff.offline).map(|runner| OverviewRunner::of(&id, runner, now));
        result.runners.extend(runners.take(RUNNERS.saturating_sub(result.runners.len())));
        let diags = staff.diagnoses(now).into_iter().map(|diagnosis| OverviewDiag::of(&id, diagnosis));
        result.diagnostics.extend(diags.take(RUNNERS.saturating_sub(result.diagnostics.len())));
    }
    result.counts = Some(counts);
    Ok(())
}
