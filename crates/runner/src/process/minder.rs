//! The minder: it runs one program, and sees to it that nothing of the program is left when it or the runner ends.
//!
//! Its standard input is the socket to the runner; its standard output and error are the program's. Threads tell
//! the main one what happens: one listens to the runner, one reaps, one feeds the program's standard input, and one waits
//! for the end of the program's claim, where there is one. As child
//! subreaper the minder becomes the parent of every orphan below it, so when there is no child left to reap there is
//! nothing left at all.
//!
//! What must stay true: the program is started by the main thread, which lives as long as the minder, because a
//! parent-death signal is about the parent's thread.
#![expect(clippy::disallowed_methods, reason = "grace has a deadline")]

use std::{
    ffi::OsString,
    io::{self, BufReader, Write},
    os::unix::{net::UnixStream, process::CommandExt},
    path::Path,
    process::{Command, ExitCode, Stdio},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, RecvTimeoutError, Sender, channel},
    },
    thread,
    time::{Duration, Instant},
};

use rustix::{
    fs::{Access, access},
    io::Errno,
    process::{
        Pid, Signal, WaitId, WaitIdOptions, WaitOptions, WaitStatus, getpid, kill_process, kill_process_group,
        set_child_subreaper, wait, waitid,
    },
};

use super::{
    BootTime, Status, StopSignal,
    deadline::Deadline,
    launch::{NOT_RUN, launch},
    program_lock::ProgramLock,
    sweep::{self, Mark},
    tree,
    wire::{self, NAMES_MAX, Order, RefusalKind, Report},
};

/// The path by which a process finds its own program, also when that was replaced on disk.
pub(super) const OWN_PROGRAM: &str = "/proc/self/exe";
/// The word that makes this program a minder, and those that say which part of it.
pub(super) const WORD: &str = "minder";
pub(super) const WATCH: &str = "watch";
const LAUNCH: &str = "launch";
/// In place of a claim and its lock, where there are none: the program is no job's (`identity/ancestry.rs` of the app reads it).
pub(super) const NO_CLAIM: &str = "-";

/// How long a program may take to stop once its runner is gone.
const ORPHAN_GRACE: Duration = Duration::from_secs(2);
/// How long a program may take to stop once its claim has run out. With the rounds of killing that follow, it is gone within
/// [`PROGRAM_GRACE`](baton_core::limits::PROGRAM_GRACE), which the next runner waits for.
const CLAIM_GRACE: Duration = Duration::from_secs(2);
/// How long what a program started may take to end after it: their pipes close, and many need no more than that.
const SETTLE: Duration = Duration::from_secs(1);
/// How long to go on killing. What is left then cannot be killed by us.
const KILL_LIMIT: Duration = Duration::from_secs(10);
const KILL_ROUND: Duration = Duration::from_millis(200);

/// What the main thread is told.
enum Happened {
    Stop(Duration),
    ClaimRanOut,
    RunnerGone,
    Ended(WaitStatus),
    NoneLeft,
}

/// Runs the minder with the words that follow `minder` on its command line, and gives the program's exit status.
pub fn run(words: &[OsString]) -> ExitCode {
    let text = |at: usize| words.get(at).and_then(|word| word.to_str());
    match (text(0), text(1), words.get(2..)) {
        (Some(WATCH), Some(signal), Some([revision, lock, argv @ ..])) if !argv.is_empty() => {
            let claim =
                revision.to_str().and_then(|text| text.parse().ok()).map(|revision| (revision, Path::new(lock)));
            match StopSignal::of_word(signal) {
                Some(signal) => watch(signal, claim, argv).unwrap_or_else(|error| complain(&error.to_string())),
                None => complain("there is no such signal to stop a program with"),
            }
        }
        (Some(LAUNCH), Some(minder), Some(argv @ [_, ..])) => launch(minder, argv),
        _ => complain("a minder is started by a runner only"),
    }
}

fn complain(why: &str) -> ExitCode {
    let _ = writeln!(io::stderr(), "baton minder: {why}");
    NOT_RUN.into()
}

fn watch(signal: StopSignal, claim: Option<(u64, &Path)>, argv: &[OsString]) -> io::Result<ExitCode> {
    let control = UnixStream::from(rustix::stdio::stdin().try_clone_to_owned()?);
    set_child_subreaper(Some(getpid()))?;
    let mut orders = BufReader::new(control.try_clone()?);
    let (until, stdin) = wire::receive_begin(&mut orders)?;
    let refuse = |why: String, kind: RefusalKind| {
        Report::Refused { why, kind }.send(&control)?;
        Ok(NOT_RUN.into())
    };
    let lock = match claim.map(|(revision, path)| ProgramLock::take(path, revision)).transpose()? {
        Some(Err(kind)) => return refuse("another program of its job has not ended".to_owned(), kind),
        taken => taken.and_then(Result::ok),
    };
    // Looked at under the lock: whoever takes it next counts on this claim's end.
    if until.is_some_and(BootTime::has_come) {
        lock.iter().for_each(ProgramLock::ended);
        return refuse("its claim has run out".to_owned(), RefusalKind::ClaimOver);
    }
    let deadline = until.map(Deadline::new).transpose()?;
    let program = match start(argv, stdin) {
        Ok(program) => program,
        Err(error) => {
            lock.iter().for_each(ProgramLock::ended);
            return refuse(format!("{} could not be run: {error}", argv[0].display()), RefusalKind::NotRun);
        }
    };
    let start_ticks = tree::start_ticks(program).unwrap_or_default();
    if let Some(lock) = &lock {
        // The mark that was noted before is enough to find it.
        let _ = lock.started(program, start_ticks);
    }
    let (tell, told) = channel();
    if let Some(deadline) = deadline.clone() {
        let tell = tell.clone();
        thread::spawn(move || {
            deadline.wait();
            let _ = tell.send(Happened::ClaimRanOut);
        });
    }
    let tell_orders = tell.clone();
    thread::spawn(move || listen(orders, deadline.as_ref(), &tell_orders));
    let unreaped = Unreaped(Arc::new(Mutex::new(Some(program))));
    let to_reap = unreaped.clone();
    thread::spawn(move || to_reap.reap(&tell));
    // Nobody hears that the runner is gone by this failing; the thread that listens tells it.
    let _ = Report::Started { pid: program.as_raw_nonzero().get(), start_ticks }.send(&control);
    let End { status, leaked, stuck, claim_ran_out } = Watch { signal, unreaped, told }.to_the_end();
    if let Some(lock) = lock.as_ref().filter(|_| stuck.is_empty()) {
        lock.ended();
    }
    let _ = Report::Ended { status, leaked, stuck, claim_ran_out }.send(&control);
    Ok(match status {
        Status::Code(code) => u8::try_from(code).unwrap_or(NOT_RUN).into(),
        Status::Signal(number) => u8::try_from(128 + number).unwrap_or(NOT_RUN).into(),
        Status::Lost => NOT_RUN.into(),
    })
}

/// Starts the program, in a session of its own, to be killed with this process.
fn start(argv: &[OsString], stdin: Vec<u8>) -> io::Result<Pid> {
    // What can be told now is told better than by the process that is to become the program.
    let path = Path::new(&argv[0]);
    if !argv[0].as_encoded_bytes().contains(&b'/') || !path.metadata()?.is_file() {
        return Err(io::Error::other("it is not the path of a file"));
    }
    access(path, Access::EXEC_OK)?;
    let mark = Mark::of(getpid()).ok_or_else(|| io::Error::other("there is no /proc"))?;
    let mut child = Command::new(OWN_PROGRAM)
        .arg0("baton")
        .args([WORD, LAUNCH, &getpid().to_string()])
        .args(argv)
        .env(sweep::VARIABLE, mark.to_string())
        .stdin(Stdio::piped())
        .spawn()?;
    let pid = Pid::from_child(&child);
    if let Some(mut pipe) = child.stdin.take() {
        // A program that does not read it stops nothing but this thread.
        thread::spawn(move || {
            let _ = pipe.write_all(&stdin);
        });
    }
    Ok(pid)
}

fn listen(mut orders: BufReader<UnixStream>, deadline: Option<&Deadline>, tell: &Sender<Happened>) {
    while let Some(order) = wire::receive_order(&mut orders) {
        match (order, deadline) {
            (Order::Stop(grace), _) => {
                let _ = tell.send(Happened::Stop(grace));
            }
            (Order::Until(end), Some(deadline)) => deadline.extend(end),
            (Order::Until(_), None) => {}
        }
    }
    let _ = tell.send(Happened::RunnerGone);
}

/// The program until it is reaped, which is as long as its pid is surely its own. It is reaped and signalled under
/// this lock only.
#[derive(Clone)]
struct Unreaped(Arc<Mutex<Option<Pid>>>);

impl Unreaped {
    /// Reaps whatever ends, until there is nothing left that could.
    fn reap(&self, tell: &Sender<Happened>) {
        loop {
            // Only looks: the lock must not be held while waiting.
            match waitid(WaitId::All, WaitIdOptions::EXITED | WaitIdOptions::NOWAIT) {
                Ok(_) => {}
                Err(Errno::INTR) => continue,
                Err(_) => {
                    let _ = tell.send(Happened::NoneLeft);
                    return;
                }
            }
            let Ok(mut program) = self.0.lock() else { return };
            if let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG)
                && *program == Some(pid)
            {
                *program = None;
                let _ = tell.send(Happened::Ended(status));
            }
        }
    }

    fn ask_to_stop(&self, signal: Signal) {
        let Ok(program) = self.0.lock() else { return };
        let Some(program) = *program else { return };
        if kill_process_group(program, signal).is_err() {
            // It has no group yet: it is about to become the program.
            let _ = kill_process(program, Signal::KILL);
        }
    }
}

/// The end of a program and of all that it had started.
struct End {
    status: Status,
    /// Processes that it had left behind.
    leaked: Vec<String>,
    /// Processes that are still there.
    stuck: Vec<String>,
    claim_ran_out: bool,
}

/// The end of a program alone.
struct ProgramEnd {
    status: Option<WaitStatus>,
    /// The end of its grace, if it was told to stop.
    stopped: Option<Instant>,
    claim_ran_out: bool,
}

struct Watch {
    signal: StopSignal,
    unreaped: Unreaped,
    told: Receiver<Happened>,
}

impl Watch {
    /// Waits for the end of the program, by itself or because it must, and ends what is left of it.
    fn to_the_end(&self) -> End {
        let ProgramEnd { mut status, stopped, claim_ran_out } = self.program_ends();
        // One that had its time and goes on gets no more of it, and what it started none beyond its own.
        let settle = Instant::now() + SETTLE;
        let settle = stopped.map_or(settle, |deadline| settle.min(deadline));
        if status.is_some() && self.settles(&mut status, settle) {
            let status = status.map_or(Status::Lost, status_of);
            return End { status, leaked: Vec::new(), stuck: Vec::new(), claim_ran_out };
        }
        let leaked = if stopped.is_some() { Vec::new() } else { names() };
        let deadline = Instant::now() + KILL_LIMIT;
        loop {
            tree::kill(&tree::descendants(getpid()), KILL_ROUND);
            match self.told.recv_timeout(KILL_ROUND) {
                Ok(Happened::Ended(ended)) => status = Some(ended),
                Ok(Happened::NoneLeft) | Err(RecvTimeoutError::Disconnected) => break,
                Ok(Happened::Stop(_) | Happened::ClaimRanOut | Happened::RunnerGone) => {}
                Err(RecvTimeoutError::Timeout) if Instant::now() >= deadline => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
        End { status: status.map_or(Status::Lost, status_of), leaked, stuck: names(), claim_ran_out }
    }

    /// Gives what the program left a moment to end by itself, and tells whether all of it did. As a rule there is nothing,
    /// and then no process needs to be looked for.
    fn settles(&self, status: &mut Option<WaitStatus>, deadline: Instant) -> bool {
        loop {
            match self.told.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(Happened::Ended(ended)) => *status = Some(ended),
                Ok(Happened::NoneLeft) => return true,
                Ok(Happened::Stop(_) | Happened::ClaimRanOut | Happened::RunnerGone) => {}
                Err(_) => return false,
            }
        }
    }

    /// Waits until the program has ended, or has had its time to.
    fn program_ends(&self) -> ProgramEnd {
        let mut deadline: Option<Instant> = None;
        let mut claim_ran_out = false;
        loop {
            let happened = match deadline {
                None => self.told.recv().map_err(|_| RecvTimeoutError::Disconnected),
                Some(at) => self.told.recv_timeout(at.saturating_duration_since(Instant::now())),
            };
            let grace = match happened {
                Ok(Happened::Ended(status)) => {
                    return ProgramEnd { status: Some(status), stopped: deadline, claim_ran_out };
                }
                Ok(Happened::Stop(grace)) => grace,
                Ok(Happened::ClaimRanOut) => {
                    claim_ran_out = true;
                    CLAIM_GRACE
                }
                Ok(Happened::RunnerGone) => ORPHAN_GRACE,
                Ok(Happened::NoneLeft) | Err(_) => {
                    let stopped = deadline.or_else(|| Some(Instant::now()));
                    return ProgramEnd { status: None, stopped, claim_ran_out };
                }
            };
            // Asked again, it may get less time than it had, but not more.
            let at = Instant::now().checked_add(grace);
            if deadline.is_none() {
                self.unreaped.ask_to_stop(self.signal.signal());
            }
            deadline = match (deadline, at) {
                (Some(deadline), Some(at)) => Some(deadline.min(at)),
                (known, at) => known.or(at).or_else(|| Some(Instant::now() + KILL_LIMIT)),
            };
        }
    }
}

fn names() -> Vec<String> {
    tree::descendants(getpid()).into_iter().map(|entry| entry.name).take(NAMES_MAX).collect()
}

fn status_of(status: WaitStatus) -> Status {
    match (status.exit_status(), status.terminating_signal()) {
        (Some(code), _) => Status::Code(code),
        (None, Some(signal)) => Status::Signal(signal),
        (None, None) => Status::Lost,
    }
}
