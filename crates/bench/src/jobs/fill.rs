//! Filling a store with jobs: what happened to each is decided and folded by the rules, and stored in big transactions.
//!
//! It leaves out what makes a use case a use case (a transaction, a look at the room, a bell for each), and so takes a
//! minute for a million jobs. The rows are those that the use cases would have left, and `baton doctor` finds nothing
//! wrong with them.

use std::path::Path;

use baton_app::clock::Time;
use baton_core::{
    claimant::{Backing, Claimant},
    ids::{AgentId, RoomId},
    job::{
        Claiming, Completion, Draft, Event, Executor, Force, Isolation, Job, JobId, Lineage, Outcome as Ending, Report,
        ReportKind, Routing, Shown,
    },
    limits,
    part::{Part, Rows},
    process::{Liveness, ProcessIdentity},
    room::Room,
    time::{Timestamp, Ttl},
};
use baton_store::{Location, Store, engine::Tx, log, rooms, table};
use serde_json::Map;

use super::{
    fate::{Fate, Life},
    hand::{PROMPT, REPORT, SUMMARY},
};
use crate::{player::Player, trouble::Outcome};

/// Jobs that are stored in one transaction.
const AT_ONCE: u32 = 20_000;
/// How long ago the first job was created.
const SINCE: Ttl = Ttl::from_millis(24 * 60 * 60 * 1_000);
/// Runners that did the work.
const RUNNERS: u32 = 8;
/// Whoever is at a job goes on reporting while the bench runs.
const KEPT_ALIVE: Ttl = Ttl::from_millis(2 * 60 * 60 * 1_000);

/// Puts `count` jobs into the room that `agent` has at `workspace`, in the store at `data`. Tells the room, and the place of its
/// last event.
pub(super) fn fill(data: &Path, workspace: &Path, agent: &str, count: u32) -> Outcome<(String, u64)> {
    let player = Player::join(data, workspace, agent)?;
    let room_id: RoomId = player.room_id().parse()?;
    let store = Store::open(&Location::Directory(data.to_owned()), Time::Own)?;
    let now = store.now()?;
    let mut last = 0;
    for first in (1..=count).step_by(AT_ONCE as usize) {
        let numbers = first..=count.min(first + AT_ONCE - 1);
        last = store.write(|tx| {
            let before = rooms::load(tx, &room_id)?.ok_or("the room is gone")?;
            let mut filling = Filling { tx, room: before.clone(), by: agent.parse()?, now, count };
            numbers.clone().try_for_each(|number| filling.job(number))?;
            let after = filling.room;
            rooms::save(tx, &before, &after)?;
            Outcome::Ok(after.last_seq.0)
        })?;
    }
    Ok((room_id.to_string(), last))
}

/// A room that is being filled.
struct Filling<'a> {
    tx: &'a mut dyn Tx,
    room: Room,
    by: AgentId,
    now: Timestamp,
    count: u32,
}

impl Filling<'_> {
    /// Lets one job live, and stores what became of it.
    fn job(&mut self, number: u32) -> Outcome<()> {
        let life = Life::of(number, self.count);
        let mut one = Rows::of_new_room();
        self.happens(&mut one, number, draft(number, &life).create(JobId(number))?)?;
        match life.fate {
            Fate::Queued => {}
            Fate::Running(said) => {
                let shown = self.claim(&mut one, number, &life)?;
                if let Some(kind) = said {
                    self.report(&mut one, number, &shown, kind)?;
                }
                let now = self.now;
                one.change(&JobId(number), |job| job.renew(now, KEPT_ALIVE));
            }
            Fate::Done => {
                let shown = self.claim(&mut one, number, &life)?;
                self.report(&mut one, number, &shown, ReportKind::Progress)?;
                self.complete(&mut one, number, &shown, Ending::Done)?;
            }
            Fate::Failed => {
                let shown = self.claim(&mut one, number, &life)?;
                self.report(&mut one, number, &shown, ReportKind::Error)?;
                self.complete(&mut one, number, &shown, Ending::Failed)?;
            }
            Fate::Canceled => {
                let canceled = only(&one)?.cancel("Not wanted any more.")?;
                canceled.map(|event| self.happens(&mut one, number, event)).transpose()?;
            }
        }
        Ok(table::save(self.tx, &self.room.id, &mut one)?)
    }

    fn claim(&mut self, one: &mut Rows<Job>, number: u32, life: &Life) -> Outcome<Shown> {
        let runner: AgentId = format!("runner-{}", number % RUNNERS).parse()?;
        let executor = Some(life.executor.executor().unwrap_or(Executor::Codex));
        let ttl = limits::CLAIM_TTL;
        let by = Claimant { agent: self.by.clone(), backing: Backing::default() };
        let claiming = Claiming {
            runner: runner.clone(),
            ttl,
            executor,
            allow_stale: true,
            force: Force::No,
            backing: by.backing.clone(),
            capability_sha256: None,
        };
        let event = only(one)?.claim(self.at(number), &claiming, &|_: &ProcessIdentity| Liveness::Unknown)?;
        self.happens(one, number, event)?;
        Ok(Shown { runner, revision: only(one)?.revision, by, capability: None })
    }

    fn report(&mut self, one: &mut Rows<Job>, number: u32, shown: &Shown, kind: ReportKind) -> Outcome<()> {
        let report = Report {
            kind,
            message: REPORT.to_owned(),
            percent: Some(50),
            refs: Vec::new(),
            proof: Vec::new(),
            meta: Map::new(),
        };
        let event = only(one)?.report(shown, &report)?;
        event.map_or(Ok(()), |event| self.happens(one, number, event))
    }

    fn complete(&mut self, one: &mut Rows<Job>, number: u32, shown: &Shown, outcome: Ending) -> Outcome<()> {
        let completion =
            Completion { outcome, summary: SUMMARY.to_owned(), refs: Vec::new(), proof: None, meta: Map::new() };
        let event = only(one)?.complete(shown, &completion)?;
        self.happens(one, number, event)
    }

    /// Logs an event and folds it into the room and the job.
    fn happens(&mut self, one: &mut Rows<Job>, number: u32, event: Event) -> Outcome<()> {
        let recorded = self.room.record(self.at(number), self.by.clone(), event);
        log::restore(self.tx, &recorded)?;
        Job::apply(one, &recorded, &self.room);
        self.room.apply(&recorded);
        Ok(())
    }

    /// When a job had its day: they are spread evenly over the time until now.
    fn at(&self, number: u32) -> Timestamp {
        let since = SINCE.as_millis() * u64::from(number) / u64::from(self.count);
        self.now.minus(SINCE).plus(Ttl::from_millis(since))
    }
}

fn only(one: &Rows<Job>) -> Outcome<&Job> {
    one.iter().next().ok_or_else(|| "a job was not created".into())
}

fn draft(number: u32, life: &Life) -> Draft {
    Draft {
        title: format!("Make the error messages of part {number} name the line"),
        prompt: PROMPT.to_owned(),
        kind: "task".to_owned(),
        priority: life.priority,
        task: None,
        anchor: None,
        routing: Routing {
            executor: life.executor,
            executor_profile: None,
            executor_model: None,
            policy: None,
            expected_artifacts: Vec::new(),
            isolation: Isolation::Workspace,
        },
        meta: Map::new(),
        lineage: Lineage::default(),
    }
}

#[cfg(test)]
mod tests {
    use baton_app::doctor;

    use super::*;

    #[test]
    fn a_filled_store_is_what_the_rules_would_have_made_of_it() {
        let place = tempfile::tempdir().unwrap();
        let (data, workspace) = (place.path().join("data"), place.path().join("workspace"));
        let (room_id, last) = fill(&data, &workspace, "bench:manager", 400).unwrap();
        let player = Player::join(&data, &workspace, "bench:manager").unwrap();
        assert_eq!(player.room_id(), room_id);

        let report = doctor::examine(player.app()).unwrap();
        assert!(report.is_clean(), "{:?}", report.checks);
        assert!(last > 2 * 400, "most jobs were worked on: {last} events");
        let connection = crate::raw::connect(&data).unwrap();
        let count = |status: &str| -> i64 {
            let sql = "SELECT count(*) FROM jobs WHERE status = ?1";
            connection.query_row(sql, [status], |row| row.get(0)).unwrap()
        };
        assert_eq!(count("RUNNING"), 40);
        for status in ["QUEUED", "DONE", "FAILED", "CANCELED"] {
            assert!(count(status) > 5, "{status}: {}", count(status));
        }
    }
}
