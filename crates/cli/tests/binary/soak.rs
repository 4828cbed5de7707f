//! Eight runners and thousands of jobs, while runners are killed and stopped past their leases: every job ends once, no
//! two programs of one job run at a time, and nobody who lost a claim writes anything.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{collections::BTreeMap, fs, path::Path};

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

/// Makes a card, answers with it as proof, and keeps a record of its own for each job: a line when it starts, with its process and that one's
/// start, and a line when it ends. Before it starts it looks at every process that was recorded for the job before, and
/// records an overlap if one of them lives. Some take a while, so that runners are hit while their programs run.
const PROGRAM: &str = r#"
job=${BATON_JOB#*/}; job=${job%%/*}
file=RECORDS/$job
alive() {
  [ -r "/proc/$1/stat" ] || return 1
  read -r stat < "/proc/$1/stat" 2> /dev/null || return 1
  set -- "$2" ${stat##*) }
  [ "$1" = "${20}" ] && [ "$2" != Z ] && [ "$2" != X ]
}
ticks_of() { read -r stat < "/proc/$1/stat"; set -- ${stat##*) }; ticks=${20}; }
now() { read -r up idle < /proc/uptime; }
if [ -r "$file" ]; then
  while read -r what pid ticks up; do
    if [ "$what" = start ] && alive "$pid" "$ticks"; then echo "overlap $pid $ticks $$" >> "$file"; fi
  done < "$file"
fi
ticks_of $$; now
echo "start $$ $ticks $up" >> "$file"
case $job in *[37]7) sleep 0.7 ;; esac
card=$(prove)
now
echo "end $$ $ticks $up" >> "$file"
answer DONE "It is done" "\"$card\""
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
    let records = world.root().join("records");
    fs::create_dir(&records).unwrap();
    world.drives(&PROGRAM.replace("RECORDS", records.to_str().unwrap()));
    let (mut manager, _) = world.server("manager");
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
    assert_programs_never_overlapped(&records, jobs);
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
            job::Event::Canceled(_) | job::Event::Manager(_) | job::Event::Applied(_) | job::Event::Branched(_) => {
                panic!("{recorded:?}")
            }
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

/// No two programs of one job ran at a time, by what the programs themselves recorded.
fn assert_programs_never_overlapped(records: &Path, jobs: usize) {
    let (mut recorded, mut killed) = (0, 0);
    for entry in fs::read_dir(records).unwrap() {
        let entry = entry.unwrap();
        let text = fs::read_to_string(entry.path()).unwrap();
        // The last program that started, until it says that it ends. One that was killed never does: whether it was gone
        // before the next one, that one has looked.
        let mut running: Option<&str> = None;
        for line in text.lines() {
            let words: Vec<&str> = line.split(' ').collect();
            match words[..] {
                ["start", pid, ..] => {
                    killed += usize::from(running.is_some());
                    running = Some(pid);
                }
                ["end", pid, ..] => {
                    assert_eq!(running.take(), Some(pid), "{:?} overlapped:\n{text}", entry.file_name())
                }
                _ => panic!("{:?} overlapped:\n{text}", entry.file_name()),
            }
        }
        recorded += 1;
    }
    assert!(recorded > 0 && recorded <= jobs, "{recorded} jobs were recorded");
    // A run in which no program was ended before its time proves nothing.
    assert!(killed > 0 || jobs < 2_000, "no program was killed");
}

/// Nothing that a runner started is there any more: no minder, no program.
fn assert_nobody_is_left(world: &World) {
    for (line, process) in world.processes() {
        // One that was orphaned a moment ago has its grace to end.
        assert!(is_gone(&process), "is left: {line}");
    }
}
