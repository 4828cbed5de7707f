//! Several worker processes that start at one word and work at the same time on one store.

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    process::{Child, ChildStdout},
    time::Duration,
};

use crate::{
    helpers,
    stats::Samples,
    trouble::Outcome,
    worker::{Orders, Tally, Work},
};

/// What a crew is to do.
#[derive(Clone, Copy)]
pub(crate) struct Task {
    pub(crate) workers: usize,
    pub(crate) work: Work,
    pub(crate) run_for: Duration,
    pub(crate) thought: Duration,
}

/// What a crew did.
pub(crate) struct Shift {
    /// Transitions of each worker.
    pub(crate) shares: Vec<usize>,
    pub(crate) per_second: f64,
    pub(crate) took: Samples,
    /// How many transitions gave up on the lock.
    pub(crate) busy: u64,
    /// The write-ahead log's size while all were still there.
    pub(crate) wal_bytes: u64,
}

impl Shift {
    /// The share of the least served, as a part of the most served one's.
    pub(crate) fn evenness(&self) -> f64 {
        let (least, most) = (self.shares.iter().min(), self.shares.iter().max());
        least.copied().unwrap_or_default() as f64 / most.copied().unwrap_or_default().max(1) as f64
    }
}

impl Task {
    /// Has the crew work on a fresh store.
    pub(crate) fn run(&self) -> Outcome<Shift> {
        let place = tempfile::tempdir()?;
        let (data, workspaces) = (place.path().join("data"), place.path().join("workspaces"));
        let start = |number| Member::start(self.orders(&data, &workspaces, number));
        let mut crew = (0..self.workers).map(start).collect::<Outcome<Vec<_>>>()?;
        for member in &mut crew {
            member.begin()?;
        }
        let tallies = crew.iter_mut().map(Member::tally).collect::<Outcome<Vec<_>>>()?;
        let wal = data.join(format!("{}-wal", baton_store::DATABASE_FILE));
        let wal_bytes = fs::metadata(wal).map_or(0, |metadata| metadata.len());
        Self::add_up(tallies, wal_bytes)
    }

    fn orders(&self, data: &Path, workspaces: &Path, number: usize) -> Orders {
        Orders {
            work: self.work,
            data: data.to_owned(),
            workspaces: PathBuf::from(workspaces),
            number,
            run_for: self.run_for,
            thought: self.thought,
        }
    }

    fn add_up(tallies: Vec<Tally>, wal_bytes: u64) -> Outcome<Shift> {
        let mut shift = Shift { shares: Vec::new(), per_second: 0.0, took: Samples::default(), busy: 0, wal_bytes };
        for tally in tallies {
            if let Some(trouble) = tally.trouble {
                return Err(format!("a worker failed: {trouble}").into());
            }
            shift.shares.push(tally.nanos.len());
            shift.per_second += tally.nanos.len() as f64 / tally.elapsed.as_secs_f64();
            shift.busy += tally.busy;
            shift.took.merge(tally.nanos.into_iter().collect());
        }
        Ok(shift)
    }
}

struct Member {
    child: Child,
    stdout: BufReader<ChildStdout>,
}

impl Member {
    fn start(orders: Orders) -> Outcome<Self> {
        let mut command = helpers::command("helper-work")?;
        command.arg(serde_json::to_string(&orders)?);
        let (child, stdout) = helpers::start(command)?;
        Ok(Self { child, stdout: BufReader::new(stdout) })
    }

    fn begin(&mut self) -> Outcome<()> {
        let stdin = self.child.stdin.as_mut().ok_or("a worker has no input")?;
        Ok(stdin.write_all(b"go\n")?)
    }

    fn tally(&mut self) -> Outcome<Tally> {
        let mut line = String::new();
        self.stdout.read_line(&mut line)?;
        Ok(serde_json::from_str(&line)?)
    }
}

impl Drop for Member {
    /// Lets the worker go, and leaves no child behind.
    fn drop(&mut self) {
        self.child.stdin = None;
        let _ = self.child.wait();
    }
}
