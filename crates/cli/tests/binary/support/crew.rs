//! Runners that are killed and stopped at random while they work.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]
#![expect(clippy::disallowed_methods, reason = "a runner is stopped for longer than its claims last")]

use std::{
    collections::BTreeSet,
    io::{BufRead, BufReader},
    process::{Child, Stdio},
    sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    thread,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Signal, kill_process};

use super::{Dice, World};

/// How long claims and the runners' own leases last; whoever is stopped for longer has lost both.
const LEASES: [&str; 4] = ["--claim-ttl", "3", "--runner-ttl", "2"];
const STOPPED_FOR: Duration = Duration::from_secs(6);
/// Whoever is stopped in the middle of a transaction stops everybody. That is not to last until all have lost their
/// claims, again and again: a job that loses too many runners in a row has failed, and rightly so.
const SILENCE: Duration = Duration::from_secs(1);
/// At least so many are neither stopped nor dead.
const AT_WORK: usize = 5;
/// How much happens between two blows, at the most.
const LINES_BETWEEN: u64 = 120;
/// How long it is listened before it is looked whether all is done.
const LISTEN: Duration = Duration::from_millis(500);

/// The runners, and all that they say.
pub(crate) struct Crew<'a> {
    world: &'a World,
    hands: Vec<Hand>,
    heard: (Sender<Said>, Receiver<Said>),
    dice: Dice,
    started: usize,
    tally: Tally,
    /// When somebody got on with something.
    heard_at: Instant,
    /// The newest lines, for when something is wrong.
    newest: Vec<String>,
}

/// What was done to them, and what they said of it.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) killed: usize,
    pub(crate) stopped: usize,
    /// How often one found out that its job was somebody else's.
    pub(crate) lost: usize,
}

struct Said {
    by: usize,
    line: String,
}

/// One of them.
struct Hand {
    number: usize,
    child: Child,
    stopped: Option<Instant>,
    /// Jobs that it said it claimed, and not yet that it is done with.
    has: BTreeSet<String>,
}

impl<'a> Crew<'a> {
    pub(crate) fn start(world: &'a World, size: usize, seed: u64) -> Self {
        let (hands, tally, newest) = (Vec::new(), Tally::default(), Vec::new());
        let heard_at = Instant::now();
        let mut crew = Self { world, hands, heard: channel(), dice: Dice(seed), started: 0, tally, heard_at, newest };
        (0..size).for_each(|_| crew.hire());
        crew
    }

    fn hire(&mut self) {
        let mut command = self.world.baton(&[&["run", "--max-parallel", "2"], &LEASES[..]].concat());
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let (stderr, send, by) = (BufReader::new(child.stderr.take().unwrap()), self.heard.0.clone(), self.started);
        thread::spawn(move || stderr.lines().map_while(Result::ok).try_for_each(|line| send.send(Said { by, line })));
        self.hands.push(Hand { number: by, child, stopped: None, has: BTreeSet::new() });
        self.started += 1;
    }

    /// Kills and stops them until `is_over` says so, which is asked now and then.
    pub(crate) fn work_until(&mut self, mut is_over: impl FnMut() -> bool) {
        let mut until_blow = self.dice.below(LINES_BETWEEN);
        loop {
            match self.heard.1.recv_timeout(LISTEN) {
                Ok(said) => {
                    self.hear(&said);
                    until_blow = until_blow.saturating_sub(1);
                }
                Err(RecvTimeoutError::Timeout) if is_over() => return,
                Err(_) => {}
            }
            let is_stuck = self.heard_at.elapsed() >= SILENCE;
            self.wake(|hand| is_stuck || hand.stopped.is_some_and(|since| since.elapsed() >= STOPPED_FOR));
            if until_blow == 0 {
                self.strike();
                until_blow = 1 + self.dice.below(LINES_BETWEEN);
            }
        }
    }

    fn hear(&mut self, said: &Said) {
        let Said { by, line } = said;
        assert!(!line.contains("panicked"), "{line}\n{}", self.newest.join("\n"));
        self.newest.push(format!("{by}: {line}"));
        if self.newest.len() > 200 {
            self.newest.drain(..100);
        }
        let Some((job, what)) = line.split_once(' ').filter(|(job, _)| job.starts_with("JOB-")) else { return };
        self.heard_at = Instant::now();
        let hand = self.hands.iter_mut().find(|hand| hand.number == *by);
        if what.starts_with("claimed") {
            hand.map(|hand| hand.has.insert(job.to_owned()));
            // Whoever had it before is let loose while it is worked on by another.
            self.wake(|hand| hand.number != *by && hand.has.contains(job));
        } else if ["DONE", "FAILED", "is not ours", "is back", "stays claimed"].iter().any(|end| what.starts_with(end))
        {
            hand.map(|hand| hand.has.remove(job));
            self.tally.lost += usize::from(what.starts_with("is not ours"));
        }
    }

    fn wake(&mut self, whom: impl Fn(&Hand) -> bool) {
        for hand in self.hands.iter_mut().filter(|hand| hand.stopped.is_some()).filter(|hand| whom(hand)) {
            hand.signal(Signal::CONT);
            hand.stopped = None;
        }
    }

    /// Kills one and hires another, or stops one.
    fn strike(&mut self) {
        let place = self.dice.below(self.hands.len() as u64) as usize;
        let at_work = self.hands.iter().filter(|hand| hand.stopped.is_none()).count();
        if self.dice.below(2) == 0 {
            let mut hand = self.hands.remove(place);
            let ended = hand.child.try_wait().unwrap();
            assert!(ended.is_none(), "a runner ended by itself, {ended:?}:\n{}", self.newest.join("\n"));
            hand.child.kill().unwrap();
            hand.child.wait().unwrap();
            self.tally.killed += 1;
            self.hire();
        } else if at_work > AT_WORK && self.hands[place].stopped.is_none() {
            self.hands[place].signal(Signal::STOP);
            self.hands[place].stopped = Some(Instant::now());
            self.tally.stopped += 1;
        }
    }

    /// Lets all go on that are stopped, asks all to end, and hears what they had to say.
    pub(crate) fn dismiss(mut self) -> Tally {
        self.wake(|_| true);
        for hand in &self.hands {
            hand.signal(Signal::TERM);
        }
        for mut hand in std::mem::take(&mut self.hands) {
            let ended = hand.child.wait().unwrap();
            assert!(ended.success(), "{ended:?}:\n{}", self.newest.join("\n"));
        }
        let rest: Vec<Said> = {
            let (nobody, silence) = channel();
            let (_, heard) = std::mem::replace(&mut self.heard, (nobody, silence));
            heard.iter().collect()
        };
        rest.iter().for_each(|said| self.hear(said));
        std::mem::take(&mut self.tally)
    }
}

impl Hand {
    fn signal(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.child), signal).unwrap();
    }
}

impl Drop for Crew<'_> {
    fn drop(&mut self) {
        for hand in &mut self.hands {
            let _ = hand.child.kill();
            let _ = hand.child.wait();
        }
    }
}
