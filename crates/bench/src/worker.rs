//! One of several processes that write to one store at once: the helper behind [`crate::crew`].
//!
//! It gets ready, waits for the word, works for a while, tells its tally as one line of JSON, and stays until it is
//! let go, because the last to leave would take the write-ahead log away before anyone has looked at it.

use std::{
    io::{self, BufRead, Write},
    path::Path,
    thread,
    time::{Duration, Instant},
};

use baton_app::Failure;
use baton_core::code::ErrorCode;
use serde::{Deserialize, Serialize};

use crate::{
    helpers,
    player::{Door, Player},
    raw::Raw,
    trouble::{Outcome, refused},
};

/// What a worker does, over and over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Work {
    /// Claims and releases the stick of a room of its own, through the app.
    OwnRoom,
    /// Leaves notes in the room that all share, through the app.
    Notes,
    /// Waits for the stick of the room that all share, and releases it, through the app.
    OneStick,
    /// Does what `OwnRoom` does, raw, with plain `busy_timeout`.
    Raw,
}

/// A worker's orders.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Orders {
    pub(crate) work: Work,
    /// The store.
    pub(crate) data: std::path::PathBuf,
    /// Where the workspaces are.
    pub(crate) workspaces: std::path::PathBuf,
    /// Which of the workers it is.
    pub(crate) number: usize,
    pub(crate) run_for: Duration,
    /// Between two transitions.
    pub(crate) thought: Duration,
}

/// What a worker did.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Tally {
    /// How long each transition took, in nanoseconds.
    pub(crate) nanos: Vec<i64>,
    /// How many gave up on the lock.
    pub(crate) busy: u64,
    /// What else went wrong, first.
    pub(crate) trouble: Option<String>,
    pub(crate) elapsed: Duration,
}

/// The helper.
pub(crate) fn main(words: &[String]) -> Outcome<()> {
    let [orders] = words else { return Err("a worker needs its orders".into()) };
    let orders: Orders = serde_json::from_str(orders)?;
    let mut step = prepare(&orders)?;
    helpers::ready()?;
    io::stdin().lock().read_line(&mut String::new())?;

    let mut tally = Tally::default();
    let started = Instant::now();
    while started.elapsed() < orders.run_for {
        match step() {
            Step::Done(took) => tally.nanos.extend(took.iter().map(|took| crate::stats::nanos(*took))),
            Step::Busy => tally.busy += 1,
            Step::Failed(why) => {
                tally.trouble = Some(why);
                break;
            }
        }
        if !orders.thought.is_zero() {
            thread::sleep(orders.thought);
        }
    }
    tally.elapsed = started.elapsed();
    let mut stdout = io::stdout();
    serde_json::to_writer(&mut stdout, &tally)?;
    stdout.write_all(b"\n")?;
    stdout.flush()?;
    helpers::wait_for_the_end()?;
    Ok(())
}

/// How one round of the work went.
enum Step {
    /// How long each of its transitions took.
    Done(Vec<Duration>),
    Busy,
    Failed(String),
}

fn prepare(orders: &Orders) -> Outcome<Box<dyn FnMut() -> Step>> {
    let own = orders.workspaces.join(orders.number.to_string());
    let shared = orders.workspaces.join("shared");
    let agent = format!("bench:worker-{}", orders.number);
    let join = |workspace: &Path| Player::join(&orders.data, workspace, &agent);
    Ok(match orders.work {
        Work::OwnRoom => {
            let mut player = join(&own)?;
            // Statements are prepared and files opened before the clock starts, as in a server that runs.
            player.transition(Door::Json).map_err(refused)?;
            player.transition(Door::Json).map_err(refused)?;
            Box::new(move || Step::of(player.transition(Door::Json).map(|took| vec![took])))
        }
        Work::Notes => {
            let player = join(&shared)?;
            player.note().map_err(refused)?;
            Box::new(move || Step::of(player.note().map(|took| vec![took])))
        }
        Work::OneStick => {
            let mut player = join(&shared)?;
            Box::new(move || Step::of(one_turn(&mut player)))
        }
        Work::Raw => {
            let mut raw = Raw::open(&orders.data, &own, &agent)?;
            Box::new(move || match raw.transition() {
                Ok(took) => Step::Done(vec![took]),
                Err(error) if error.sqlite_error_code() == Some(rusqlite::ErrorCode::DatabaseBusy) => Step::Busy,
                Err(error) => Step::Failed(error.to_string()),
            })
        }
    })
}

/// Waits for the stick and gives it on. What is told is how long giving took; waiting is what the others' turns take.
fn one_turn(player: &mut Player) -> Result<Vec<Duration>, Failure> {
    match player.claim(200)? {
        Some(_) => Ok(vec![player.give()?]),
        None => Ok(Vec::new()),
    }
}

impl Step {
    fn of(done: Result<Vec<Duration>, Failure>) -> Self {
        match done {
            Ok(took) => Self::Done(took),
            Err(failure) if failure.code == ErrorCode::StoreBusy => Self::Busy,
            Err(failure) => Self::Failed(failure.to_string()),
        }
    }
}
