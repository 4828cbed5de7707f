//! Eight runners and thousands of jobs, while runners are killed and stopped past their leases: every job ends once, and
//! nobody who lost a claim writes anything.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::collections::BTreeMap;

use baton_core::{
    event::{Event, Recorded},
    ids::{AgentId, Seq},
    job::{self, JobId},
    lease::Fence,
    library::{self, ArtifactKind},
    turn,
};
use baton_store::{StoreError, log};
use baton_testkit::Backend;
use serde_json::json;

use crate::support::{Crew, Dice, World, is_gone};

const RUNNERS: usize = 8;

/// Prints an answer that has proof, and is done.
const CONFIG: &str = r#"
[executors.command]
argv = ["/bin/sh", "-c", "echo '{\"status\":\"DONE\",\"summary\":\"It is done\",\"refs\":[\"CARD-1\"]}'"]
"#;

#[test]
fn eight_runners_that_are_killed_and_stopped_end_2000_jobs_once_each() {
    soak(&World::new(), 2_000);
}

#[test]
fn eight_runners_on_a_server_that_are_killed_and_stopped_end_300_jobs_once_each() {
    soak(&World::on(Backend::Postgres), 300);
}

fn soak(world: &World, jobs: usize) {
    let seed = Dice::seed();
    world.configure(CONFIG);
    let (mut manager, _) = world.server("manager");
    let card = json!({ "kind": "evidence", "title": "Proof", "text": "Seen." });
    assert_eq!(manager.ok("tasks", json!({ "op": "card.create", "args": card }))["card"], "CARD-1");
    for number in 0..jobs {
        let args = json!({ "title": format!("Piece {number}"), "prompt": "Do it.", "executor": "command" });
        manager.ok("jobs", json!({ "op": "create", "args": args }));
    }
    let mut is_left = |status: &str| {
        let args = json!({ "status": status, "limit": 1 });
        let listed = manager.ok("jobs", json!({ "op": "list", "args": args }));
        !listed["jobs"].as_array().unwrap().is_empty()
    };
    let mut crew = Crew::start(world, RUNNERS, seed);
    crew.work_until(|| !is_left("QUEUED") && !is_left("RUNNING"));
    let tally = crew.dismiss();
    assert!(!is_left("QUEUED") && !is_left("RUNNING"), "{tally:?}");
    let room = manager.room_id.clone();
    drop(manager);

    let ledger = Ledger::of(&read(world, &room));
    assert_eq!(ledger.done + ledger.given_up, jobs, "{tally:?}");
    // Whoever is stopped inside a transaction stops everybody, so that all claims may run out at once, even nine times.
    assert!(ledger.given_up * 50 <= jobs, "{} jobs were given up, {tally:?}", ledger.given_up);
    // A run in which nothing went wrong proves nothing. Of a few blows, none may hit a runner with a job in its hands.
    assert!(tally.killed > 2 && tally.stopped > 2 && ledger.reclaimed > 0, "{tally:?}");
    assert!(tally.lost > 0 || jobs < 2_000, "{tally:?}");
    assert_nobody_is_left(world);
    // Whoever starts next sweeps up what the killed ones could not.
    world.run_once();
    assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new());
    world.assert_sound();
}

/// The whole log of a room, as it is stored.
fn read(world: &World, room: &str) -> Vec<Recorded> {
    let (store, room) = (world.place().open(), room.parse().unwrap());
    let mut events: Vec<Recorded> = Vec::new();
    loop {
        let after = events.last().map_or(Seq(0), |event| event.seq);
        let page = store.read::<_, StoreError>(|tx| log::after(tx, &room, after, 500)).unwrap();
        if page.is_empty() {
            return events;
        }
        events.extend(page);
    }
}

/// What the log says of every job, place by place.
#[derive(Default)]
struct Ledger {
    jobs: BTreeMap<JobId, Standing>,
    done: usize,
    /// Ended because they had lost too many runners in a row.
    given_up: usize,
    reclaimed: usize,
}

/// How a job stands at some place of the log.
#[derive(Clone, Debug, Default)]
struct Standing {
    revision: u64,
    /// Who has it, and under which claim.
    claim: Option<(AgentId, Fence)>,
    is_over: bool,
}

impl Ledger {
    /// Walks the log. Everything that a runner wrote must be written under the claim in force at its place.
    fn of(log: &[Recorded]) -> Self {
        let mut ledger = Self::default();
        for recorded in log {
            match &recorded.event {
                Event::Job(event) => ledger.job(recorded, event),
                // A pack is of what the room knows, and so nobody's claim.
                Event::Library(library::Event::ArtifactKept(kept)) if kept.kind != ArtifactKind::Contextpack => {
                    let (job, revision) = (kept.job.unwrap(), kept.revision.unwrap());
                    ledger.require(recorded, job, revision);
                }
                Event::Turn(turn::Event::Begun(begun)) => {
                    ledger.require(recorded, begun.job.unwrap(), begun.revision.unwrap());
                }
                _ => {}
            }
        }
        assert!(ledger.jobs.values().all(|job| job.is_over), "some jobs never ended");
        ledger
    }

    fn job(&mut self, recorded: &Recorded, event: &job::Event) {
        match event {
            job::Event::Created(created) => {
                assert!(self.jobs.insert(created.job, Standing::default()).is_none(), "{recorded:?}");
            }
            job::Event::Claimed(claimed) => {
                assert!(self.jobs[&claimed.job].claim.is_none(), "{recorded:?}");
                self.claim(recorded, claimed.job, &claimed.runner_id, claimed.revision);
            }
            job::Event::Reclaimed(reclaimed) => {
                let before = self.jobs[&reclaimed.job].claim.as_ref().map(|(runner, _)| runner);
                assert_eq!(before, reclaimed.meta.previous_runner_id.as_ref(), "{recorded:?}");
                self.claim(recorded, reclaimed.job, &reclaimed.runner_id, reclaimed.revision);
                self.reclaimed += 1;
            }
            job::Event::Progress(said)
            | job::Event::Checkpoint(said)
            | job::Event::Question(said)
            | job::Event::ProofGate(said)
            | job::Event::Error(said) => self.require(recorded, said.job, said.revision),
            job::Event::Completed(ended) => {
                self.require(recorded, ended.job, ended.revision);
                let job = self.jobs.get_mut(&ended.job).unwrap();
                job.is_over = true;
                self.done += 1;
            }
            job::Event::Requeued(requeued) => {
                let job = self.jobs.get_mut(&requeued.job).unwrap();
                let (runner, _) = job.claim.take().unwrap_or_else(|| panic!("nobody had it: {recorded:?}"));
                assert!(!job.is_over && runner == recorded.actor, "{recorded:?}");
            }
            job::Event::Failed(ended) => {
                let job = self.jobs.get_mut(&ended.job).unwrap();
                assert!(!job.is_over && ended.summary.starts_with("Lost its runner"), "{recorded:?}");
                job.is_over = true;
                self.given_up += 1;
            }
            job::Event::Canceled(_) | job::Event::Manager(_) => panic!("{recorded:?}"),
        }
    }

    fn claim(&mut self, recorded: &Recorded, job: JobId, runner: &AgentId, revision: Fence) {
        let standing = self.jobs.get_mut(&job).unwrap();
        assert!(!standing.is_over && revision.0 == standing.revision + 1, "{standing:?}: {recorded:?}");
        assert_eq!(recorded.actor, *runner, "{recorded:?}");
        standing.revision = revision.0;
        standing.claim = Some((runner.clone(), revision));
    }

    /// The event was written by whoever had the job, under that claim, before the job was over.
    fn require(&self, recorded: &Recorded, job: JobId, revision: Fence) {
        let standing = &self.jobs[&job];
        let shown = Some((recorded.actor.clone(), revision));
        assert!(!standing.is_over && standing.claim == shown, "a zombie wrote, {standing:?}: {recorded:?}");
    }
}

/// Nothing that a runner started is there any more: no minder, no program.
fn assert_nobody_is_left(world: &World) {
    for (line, process) in world.processes() {
        // One that was orphaned a moment ago has its grace to end.
        assert!(is_gone(&process), "is left: {line}");
    }
}
