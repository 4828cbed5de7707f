//! The runner's side of a child.

use std::{
    io::{self, BufReader, PipeReader, PipeWriter},
    net::Shutdown,
    os::{
        fd::OwnedFd,
        unix::{net::UnixStream, process::CommandExt},
    },
    path::Path,
    process::{ChildStderr, ChildStdout, Command, Stdio},
    sync::{
        Arc,
        mpsc::{Receiver, RecvTimeoutError, SyncSender, sync_channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use rustix::process::Pid;

use super::{
    BootTime, Exit, Line, Spawn, Status, Tail,
    lines::{Lines, read_all},
    minder,
    sweep::{Mark, sweep},
    wire::{self, Report},
};

/// How many lines may wait to be looked at. A program that prints more than is looked at has to wait, too.
const LINES_WAITING: usize = 16;

/// A program that runs, with its minder. Dropping it ends the program.
#[derive(Debug)]
pub struct Child {
    control: Arc<UnixStream>,
    output: Receiver<Output>,
    exit: Option<Exit>,
    pid: Pid,
}

/// What comes from a child: lines, and at last its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Output {
    /// It printed a line to standard output.
    Line(Line),
    /// It has ended, and all that it had started.
    Ended(Exit),
}

/// Stops a child from wherever.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<UnixStream>);

impl Stopper {
    /// Asks the program to stop; what is there after the grace is killed. Asked again, only a shorter grace counts.
    pub fn stop(&self, grace: Duration) {
        // If the minder is gone, so is the program.
        let _ = wire::send_stop(&*self.0, grace);
    }

    /// Says that the claim was renewed, and is good until `end`.
    pub fn extend(&self, end: BootTime) {
        // As above.
        let _ = wire::send_until(&*self.0, end);
    }
}

impl Child {
    /// Runs a program. `own_program` is a program that becomes a minder by the word `minder`.
    pub fn spawn(spawn: &Spawn, own_program: &Path) -> io::Result<Self> {
        let (ours, theirs) = UnixStream::pair()?;
        let mut command = Command::new(own_program);
        command.arg0("baton").args([minder::WORD, minder::WATCH, spawn.stop_signal.word()]);
        match &spawn.claim {
            Some(claim) => command.arg(claim.revision.to_string()).arg(&claim.lock),
            None => command.args([minder::NO_CLAIM; 2]),
        };
        command.args(&spawn.argv);
        command.current_dir(&spawn.cwd).env_clear().envs(spawn.env.iter().map(|(name, value)| (name, value)));
        // A group of its own: what Ctrl-C ends is the runner, and the minder then ends the program in its own way.
        let mut minder = command
            .process_group(0)
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        // The command keeps its copy of the minder's end of the socket open.
        drop(command);
        let reports = begin(&ours, spawn);
        let ((program, program_ticks), reports, mark) = match (reports, Mark::of(Pid::from_child(&minder))) {
            (Ok((program, reports)), Some(mark)) => (program, reports, mark),
            (refused, _) => {
                drop(ours);
                let _ = minder.wait();
                return Err(refused.err().unwrap_or_else(|| io::Error::other("there is no /proc")));
            }
        };
        let (send, output) = sync_channel(LINES_WAITING);
        let (over, signal_over) = io::pipe()?;
        let readers = Readers::start(minder.stdout.take(), minder.stderr.take(), over, send.clone())?;
        let attendant = Attendant { minder, mark, program, program_ticks, reports, readers, signal_over, send };
        thread::spawn(move || attendant.attend());
        Ok(Self { control: Arc::new(ours), output, exit: None, pid: program })
    }

    /// The path of this very program, for [`spawn`](Self::spawn), also when it was replaced on disk meanwhile.
    pub fn own_program() -> &'static Path {
        Path::new(minder::OWN_PROGRAM)
    }

    /// The program's process.
    pub fn pid(&self) -> Pid {
        self.pid
    }

    /// A handle to stop it from another thread.
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.control))
    }

    /// As [`Stopper::stop`]. The end is still to be waited for.
    pub fn stop(&self, grace: Duration) {
        self.stopper().stop(grace);
    }

    /// What comes next. After the end, that is the end again.
    pub fn next_output(&mut self) -> Output {
        let received = match &self.exit {
            Some(exit) => return Output::Ended(exit.clone()),
            None => self.output.recv(),
        };
        self.received(received.unwrap_or_else(|_| Output::Ended(lost())))
    }

    /// What comes next, unless nothing comes in time.
    pub fn next_output_within(&mut self, limit: Duration) -> Option<Output> {
        let received = match &self.exit {
            Some(exit) => return Some(Output::Ended(exit.clone())),
            None => self.output.recv_timeout(limit),
        };
        match received {
            Ok(output) => Some(self.received(output)),
            Err(RecvTimeoutError::Timeout) => None,
            Err(RecvTimeoutError::Disconnected) => Some(self.received(Output::Ended(lost()))),
        }
    }

    /// Hands on each line, and waits for the end.
    pub fn wait(mut self, mut on_line: impl FnMut(Line)) -> Exit {
        loop {
            match self.next_output() {
                Output::Line(line) => on_line(line),
                Output::Ended(exit) => return exit,
            }
        }
    }

    fn received(&mut self, output: Output) -> Output {
        if let Output::Ended(exit) = &output {
            self.exit = Some(exit.clone());
        }
        output
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // To the minder that is as if the runner were gone.
        let _ = self.control.shutdown(Shutdown::Write);
    }
}

fn lost() -> Exit {
    Exit { status: Status::Lost, leaked: Vec::new(), stuck: Vec::new(), claim_ran_out: false, stderr: Tail::default() }
}

/// Tells the minder what it needs to begin, and hears which process the program is.
fn begin(control: &UnixStream, spawn: &Spawn) -> io::Result<((Pid, u64), BufReader<UnixStream>)> {
    let mut reports = BufReader::new(control.try_clone()?);
    let send = || {
        spawn.claim.as_ref().map_or(Ok(()), |claim| wire::send_until(control, claim.until))?;
        wire::send_stdin(control, &spawn.stdin)
    };
    let first = send().and_then(|()| Report::receive(&mut reports));
    match first.map_err(|error| io::Error::other(format!("there is no minder: {error}")))? {
        Some(Report::Started { pid, start_ticks }) => {
            let pid = Pid::from_raw(pid).ok_or_else(|| io::Error::other("the minder named no process"))?;
            Ok(((pid, start_ticks), reports))
        }
        Some(Report::Refused { why, kind }) => Err(io::Error::new(kind.error_kind(), why)),
        Some(Report::Ended { .. }) | None => Err(io::Error::other("there is no minder: it ended")),
    }
}

/// The threads that read what the program prints.
struct Readers {
    stdout: JoinHandle<()>,
    stderr: JoinHandle<Tail>,
}

impl Readers {
    fn start(
        stdout: Option<ChildStdout>,
        stderr: Option<ChildStderr>,
        over: PipeReader,
        send: SyncSender<Output>,
    ) -> io::Result<Self> {
        let (Some(stdout), Some(stderr)) = (stdout, stderr) else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let over_too = over.try_clone()?;
        let stdout = thread::spawn(move || {
            let mut lines = Lines::default();
            // If nobody listens any more, it is still read, so that the program does not wait.
            let mut hand_on = |line| {
                let _ = send.send(Output::Line(line));
            };
            read_all(stdout, over, |bytes| lines.take(bytes, &mut hand_on));
            lines.finish(&mut hand_on);
        });
        let stderr = thread::spawn(move || {
            let mut tail = Tail::default();
            read_all(stderr, over_too, |bytes| tail.push(bytes));
            tail
        });
        Ok(Self { stdout, stderr })
    }
}

/// Waits for the minder's end on a thread of its own, and tells of it after the last line.
struct Attendant {
    minder: std::process::Child,
    mark: Mark,
    program: Pid,
    program_ticks: u64,
    reports: BufReader<UnixStream>,
    readers: Readers,
    signal_over: PipeWriter,
    send: SyncSender<Output>,
}

impl Attendant {
    fn attend(mut self) {
        let report = Report::receive(&mut self.reports);
        let _ = self.minder.wait();
        let (status, leaked, stuck, claim_ran_out) = match report {
            Ok(Some(Report::Ended { status, leaked, stuck, claim_ran_out })) => (status, leaked, stuck, claim_ran_out),
            Ok(_) | Err(_) => (Status::Lost, Vec::new(), sweep(&self.mark, self.program, self.program_ticks), false),
        };
        // From here on, what is not in the pipes yet comes from a process that could not be killed.
        drop(self.signal_over);
        let _ = self.readers.stdout.join();
        let stderr = self.readers.stderr.join().unwrap_or_default();
        let _ = self.send.send(Output::Ended(Exit { status, leaked, stuck, claim_ran_out, stderr }));
    }
}
