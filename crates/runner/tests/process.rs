//! Real programs as children: what they print, how they are stopped, and that nothing of them is left.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    fs, io,
    os::{fd::OwnedFd, unix::fs::PermissionsExt},
    path::Path,
    time::Duration,
};

use baton_runner::process::{
    BootTime, Child, ClaimBounds, Exit, LINE_BYTES, Output, Spawn, Status, StopSignal, await_turn, sweep_orphans,
};
use baton_testkit::{Other, Role};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    process::{Pid, PidfdFlags, Signal, kill_process, pidfd_open},
};

/// No grace at all, or so much that a test which needed it would be seen to hang.
const NONE: Duration = Duration::ZERO;
const PLENTY: Duration = Duration::from_secs(600);

/// Starts three processes that say their pids, are as hard to catch as can be, and would last: one that left the
/// session, one that also ignores every polite signal and has lost its parent, and the program itself.
const FAMILY: &str = r#"
setsid sh -c 'echo $$; exec sleep 1000' &
(setsid sh -c 'trap "" TERM INT HUP; echo $$; while :; do sleep 1000; done' &)
trap '' TERM
echo $$
while :; do sleep 1000; done
"#;

fn shell(script: &str) -> Spawn {
    Spawn {
        argv: ["/bin/sh", "-c", script].map(Into::into).to_vec(),
        cwd: "/".into(),
        env: Vec::new(),
        stdin: Vec::new(),
        stop_signal: StopSignal::Terminate,
        claim: None,
    }
}

fn start(spawn: &Spawn) -> Child {
    Child::spawn(spawn, Path::new(env!("CARGO_BIN_EXE_baton-minder"))).unwrap()
}

/// Runs it to its end.
fn played(spawn: &Spawn) -> (Vec<String>, Exit) {
    let mut lines = Vec::new();
    let exit = start(spawn).wait(|line| lines.push(line.text));
    (lines, exit)
}

fn line(child: &mut Child) -> String {
    match child.next_output() {
        Output::Line(line) => line.text,
        Output::Ended(exit) => panic!("it ended: {exit:?}"),
    }
}

/// The rest of what it says, and its end.
fn rest(child: Child) -> (Vec<String>, Exit) {
    let mut lines = Vec::new();
    let exit = child.wait(|line| lines.push(line.text));
    (lines, exit)
}

/// A process of which a test waits to see the end.
#[derive(Debug)]
struct Watched(OwnedFd);

impl Watched {
    fn of(pid: &str) -> Self {
        Self(pidfd_open(pid_of(pid), PidfdFlags::empty()).unwrap())
    }

    fn has_ended_within(&self, seconds: i64) -> bool {
        let limit = Timespec { tv_sec: seconds, tv_nsec: 0 };
        poll(&mut [PollFd::new(&self.0, PollFlags::IN)], Some(&limit)).unwrap() == 1
    }

    fn ends(&self) {
        assert!(self.has_ended_within(60), "it runs on");
    }

    fn runs(&self) {
        assert!(!self.has_ended_within(0), "it has ended");
    }
}

fn pid_of(pid: &str) -> Pid {
    Pid::from_raw(pid.parse().unwrap()).unwrap()
}

fn family(mut next: impl FnMut() -> String) -> Vec<Watched> {
    (0..3).map(|_| Watched::of(&next())).collect()
}

fn parent(pid: Pid) -> Pid {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    pid_of(status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim())
}

#[test]
#[ignore = "it is a part of other tests"]
fn the_other_process() {
    let Some(role) = Role::mine() else { return };
    let mut child = start(&shell(FAMILY));
    for _ in 0..3 {
        role.say(&line(&mut child));
    }
    role.say(&child.pid().to_string());
    role.say(&parent(child.pid()).to_string());
    role.hear();
}

#[test]
fn lines_come_while_it_runs_and_at_last_its_exit_status() {
    let mut child = start(&shell("echo one; echo two; kill -STOP $$; echo three; exit 3"));
    assert_eq!((line(&mut child), line(&mut child)), ("one".to_owned(), "two".to_owned()));
    kill_process(child.pid(), Signal::CONT).unwrap();
    // It may have been woken before it slept.
    while child.next_output_within(Duration::from_millis(50)).is_none() {
        kill_process(child.pid(), Signal::CONT).unwrap();
    }
    let Output::Ended(exit) = child.next_output() else { panic!("there was more") };
    assert_eq!((exit.status, exit.leaked.len(), exit.stuck.len()), (Status::Code(3), 0, 0));
    assert_eq!(child.next_output(), Output::Ended(exit));
}

#[test]
fn a_program_that_ends_without_a_word_has_ended() {
    let (lines, exit) = played(&shell("exit 0"));
    assert_eq!((lines.len(), exit.status.is_success(), exit.stderr.to_string()), (0, true, String::new()));
}

#[test]
fn its_signal_is_told() {
    assert_eq!(played(&shell("kill -SEGV $$")).1.status, Status::Signal(11));
}

#[test]
fn it_gets_its_input_its_directory_and_its_environment() {
    let directory = tempfile::tempdir().unwrap();
    let mut spawn = shell("wc -c; pwd -P; echo $SET; echo ${HOME-none}");
    spawn.stdin = vec![b'x'; 3 * 1024 * 1024];
    spawn.cwd = directory.path().canonicalize().unwrap();
    spawn.env = vec![("SET".into(), "a value".into())];
    let (lines, _) = played(&spawn);
    assert_eq!(lines, ["3145728", spawn.cwd.to_str().unwrap(), "a value", "none"]);
}

#[test]
fn a_program_that_does_not_read_its_input_stops_nothing() {
    let mut spawn = shell("echo hello; exit 4");
    spawn.stdin = vec![b'x'; 3 * 1024 * 1024];
    let (lines, exit) = played(&spawn);
    assert_eq!((lines, exit.status), (vec!["hello".to_owned()], Status::Code(4)));
}

#[test]
fn a_program_that_closes_its_output_and_goes_on_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let mut spawn = shell("exec >&- 2>&-; echo x > written; exit 5");
    spawn.cwd = directory.path().to_owned();
    let (lines, exit) = played(&spawn);
    assert_eq!((lines.len(), exit.status), (0, Status::Code(5)));
    assert!(directory.path().join("written").exists());
}

#[test]
fn a_line_that_is_too_long_is_cut_and_the_end_of_stderr_is_kept() {
    let script = "head -c 3000000 /dev/zero | tr '\\0' x; echo; echo next; \
                  head -c 3000000 /dev/zero | tr '\\0' y >&2; echo >&2; echo last >&2";
    let mut lines = Vec::new();
    let exit = start(&shell(script)).wait(|line| lines.push((line.text.len(), line.cut_bytes)));
    assert_eq!(lines, [(LINE_BYTES, 3_000_000 - LINE_BYTES as u64), (4, 0)]);
    assert!(exit.stderr.to_string().ends_with("left out]\nlast"), "{}", exit.stderr);
}

#[test]
fn more_than_is_looked_at_is_not_kept_and_not_lost() {
    let mut child = start(&shell("seq 200000"));
    assert_eq!(line(&mut child), "1");
    let (lines, _) = rest(child);
    assert_eq!((lines.len(), lines.last().unwrap().as_str()), (199_999, "200000"));
}

#[test]
fn it_is_asked_to_stop_with_the_signal_it_knows() {
    for (stop_signal, name) in [(StopSignal::Terminate, "TERM"), (StopSignal::Interrupt, "INT")] {
        let script = format!("trap 'echo bye; exit 7' {name}; echo ready; sleep 1000 & wait");
        let mut child = start(&Spawn { stop_signal, ..shell(&script) });
        line(&mut child);
        child.stop(PLENTY);
        let (lines, exit) = rest(child);
        assert_eq!((lines, exit.status), (vec!["bye".to_owned()], Status::Code(7)), "{name}");
        assert_eq!(exit.leaked, Vec::<String>::new());
    }
}

#[test]
fn one_that_does_not_stop_is_killed_with_all_that_it_started() {
    let mut child = start(&shell(FAMILY));
    let family = family(|| line(&mut child));
    child.stop(NONE);
    let (_, exit) = rest(child);
    assert_eq!((exit.status, exit.stuck), (Status::Signal(9), Vec::new()));
    family.iter().for_each(Watched::ends);
}

#[test]
fn asked_again_it_gets_less_time() {
    let mut child = start(&shell(FAMILY));
    let family = family(|| line(&mut child));
    child.stop(PLENTY);
    child.stopper().stop(NONE);
    child.stop(PLENTY);
    assert_eq!(rest(child).1.status, Status::Signal(9));
    family.iter().for_each(Watched::ends);
}

#[test]
fn what_it_leaves_behind_is_killed_and_told() {
    let mut child = start(&shell("setsid sleep 1000 & echo $!; exit 0"));
    let left = Watched::of(&line(&mut child));
    let (_, exit) = rest(child);
    assert_eq!((exit.status, exit.leaked), (Status::Code(0), vec!["sleep".to_owned()]));
    left.ends();
}

#[test]
fn what_ends_with_it_by_itself_was_not_left_behind() {
    let directory = tempfile::tempdir().unwrap();
    let mut spawn = shell("mkfifo pipe; cat pipe & exec 3>pipe; exit 0");
    spawn.cwd = directory.path().to_owned();
    let (_, exit) = played(&spawn);
    assert_eq!((exit.status, exit.leaked), (Status::Code(0), Vec::new()));
}

#[test]
fn nobody_waits_for_a_zombie() {
    // Orphans that end while the program runs are reaped: the program sees none of them as processes any more.
    let script = "(sleep 0 & echo $!) | { read pid; while test -e /proc/$pid; do :; done; echo gone; }";
    assert_eq!(played(&shell(script)).0, ["gone"]);
}

#[test]
fn dropping_it_ends_it() {
    let mut child = start(&shell(FAMILY));
    let family = family(|| line(&mut child));
    drop(child);
    family.iter().for_each(Watched::ends);
}

#[test]
fn children_die_with_the_runner_even_when_it_is_killed() {
    let mut runner = Other::start("runner", Path::new("/"));
    let family = family(|| runner.says().unwrap());
    let [_, minder] = [(); 2].map(|()| Watched::of(&runner.says().unwrap()));
    family.iter().for_each(Watched::runs);
    runner.kill();
    family.iter().for_each(Watched::ends);
    minder.ends();
}

#[test]
fn children_die_with_their_minder() {
    let mut child = start(&shell(FAMILY));
    let family = family(|| line(&mut child));
    kill_process(parent(child.pid()), Signal::KILL).unwrap();
    assert_eq!(rest(child).1.status, Status::Lost);
    family.iter().for_each(Watched::ends);
}

#[test]
fn what_outlives_runner_and_minder_is_ended_by_the_next_runner() {
    let mut runner = Other::start("runner", Path::new("/"));
    let family = family(|| runner.says().unwrap());
    let [program, minder] = [(); 2].map(|()| runner.says().unwrap());
    let program = Watched::of(&program);
    // Stopped, the minder can do nothing about the runner's end.
    kill_process(pid_of(&minder), Signal::STOP).unwrap();
    runner.kill();
    kill_process(pid_of(&minder), Signal::KILL).unwrap();
    // The program itself goes at once, by the kernel's doing, and that is after the minder.
    program.ends();
    assert!(sweep_orphans() > 0);
    family.iter().for_each(Watched::ends);
}

#[test]
fn what_cannot_be_run_is_refused_by_name() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("not-a-program");
    fs::write(&file, "text").unwrap();
    for (argv, said) in [
        ("/no/such/program", "/no/such/program could not be run: No such file"),
        ("sh", "sh could not be run: it is not the path of a file"),
        ("/", "/ could not be run: it is not the path of a file"),
        (file.to_str().unwrap(), "Permission denied"),
    ] {
        let spawn = Spawn { argv: vec![argv.into()], cwd: "/".into(), ..shell("") };
        let error = Child::spawn(&spawn, Path::new(env!("CARGO_BIN_EXE_baton-minder"))).unwrap_err().to_string();
        assert!(error.contains(said), "{error}");
    }
    fs::write(&file, "#!/no/such/interpreter\n").unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
    let (_, exit) = played(&Spawn { argv: vec![file.clone().into()], ..shell("") });
    assert_eq!(exit.status, Status::Code(127));
    assert!(exit.stderr.to_string().contains("could not be run: No such file"), "{}", exit.stderr);
}

#[test]
fn what_is_no_minder_is_an_error_and_not_a_hang() {
    let error = Child::spawn(&shell("echo hello"), Path::new("/bin/true")).unwrap_err();
    assert!(error.to_string().starts_with("there is no minder: "), "{error}");
}

/// A claim on a job whose lock file is in a directory, good for so long.
fn claimed(directory: &Path, revision: u64, time: Duration) -> Option<ClaimBounds> {
    Some(ClaimBounds { lock: directory.join("room.JOB-001.lock"), revision, until: BootTime::now() + time })
}

/// Whether the way is clear for the program of a claim, waiting as long as it takes.
fn is_clear(claim: &ClaimBounds, not_before: BootTime) -> bool {
    await_turn(claim, not_before, |process, time| {
        let time = Timespec { tv_sec: time.as_secs() as i64, tv_nsec: i64::from(time.subsec_nanos()) };
        let mut fds: Vec<_> = process.iter().map(|process| PollFd::new(process, PollFlags::IN)).collect();
        poll(&mut fds, Some(&time)).unwrap();
        true
    })
}

#[test]
fn a_program_is_ended_when_its_claim_is_not_renewed_in_time_whatever_its_runner_does() {
    let directory = tempfile::tempdir().unwrap();
    let claim = claimed(directory.path(), 1, Duration::from_millis(500));
    let mut child = start(&Spawn { claim, ..shell(FAMILY) });
    let family = family(|| line(&mut child));
    // The runner says nothing: it may be stopped, or have lost its store.
    family.iter().for_each(Watched::ends);
    let (_, exit) = rest(child);
    assert!(exit.claim_ran_out, "{exit:?}");
}

#[test]
fn a_claim_that_is_renewed_keeps_its_program() {
    let directory = tempfile::tempdir().unwrap();
    let claim = claimed(directory.path(), 1, Duration::from_secs(3));
    let mut child = start(&Spawn { claim, ..shell("sleep 4; echo $$; exec sleep 1000") });
    child.stopper().extend(BootTime::now() + PLENTY);
    // An earlier end does not count.
    child.stopper().extend(BootTime::now());
    Watched::of(&line(&mut child)).runs();
    child.stop(NONE);
    let (_, exit) = rest(child);
    assert!(!exit.claim_ran_out, "{exit:?}");
}

#[test]
fn a_program_whose_claim_has_run_out_or_was_overtaken_is_not_started() {
    let directory = tempfile::tempdir().unwrap();
    let refused = |claim| {
        let spawn = Spawn { claim, ..shell("echo hello") };
        Child::spawn(&spawn, Path::new(env!("CARGO_BIN_EXE_baton-minder"))).unwrap_err().kind()
    };
    assert_eq!(refused(claimed(directory.path(), 1, NONE)), io::ErrorKind::TimedOut);
    let (lines, _) = played(&Spawn { claim: claimed(directory.path(), 2, PLENTY), ..shell("echo hello") });
    assert_eq!(lines, ["hello"]);
    assert_eq!(refused(claimed(directory.path(), 1, PLENTY)), io::ErrorKind::TimedOut, "claim 2 came after it");
}

#[test]
fn no_two_programs_of_one_job_run_at_a_time() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = start(&Spawn { claim: claimed(directory.path(), 1, PLENTY), ..shell(FAMILY) });
    let family = family(|| line(&mut first));
    let next = claimed(directory.path(), 2, PLENTY).unwrap();
    let spawn = Spawn { claim: Some(next.clone()), ..shell("echo hello") };
    let error = Child::spawn(&spawn, Path::new(env!("CARGO_BIN_EXE_baton-minder"))).unwrap_err();
    assert_eq!(error.kind(), io::ErrorKind::ResourceBusy, "{error}");
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| is_clear(&next, BootTime::now() + PLENTY));
        family.iter().for_each(Watched::runs);
        first.stop(NONE);
        // The lock says that nothing of the claim before is left, long before its time is over.
        assert!(waiting.join().unwrap());
    });
    family.iter().for_each(Watched::ends);
    assert_eq!(played(&spawn).0, ["hello"]);
}

#[test]
fn processes_of_an_earlier_claim_that_are_stopped_are_killed_once_its_time_is_over() {
    let directory = tempfile::tempdir().unwrap();
    let mut first = start(&Spawn { claim: claimed(directory.path(), 1, PLENTY), ..shell(FAMILY) });
    let family = family(|| line(&mut first));
    let minder = parent(first.pid());
    let stopped = Watched::of(&minder.to_string());
    kill_process(minder, Signal::STOP).unwrap();
    let next = claimed(directory.path(), 2, PLENTY).unwrap();
    assert!(is_clear(&next, BootTime::now()));
    stopped.ends();
    family.iter().for_each(Watched::ends);
    assert_eq!(played(&Spawn { claim: Some(next), ..shell("echo hello") }).0, ["hello"]);
}

#[test]
fn nothing_of_a_newer_claim_is_ended() {
    let directory = tempfile::tempdir().unwrap();
    let mut newer = start(&Spawn { claim: claimed(directory.path(), 2, PLENTY), ..shell("echo $$; exec sleep 1000") });
    let program = Watched::of(&line(&mut newer));
    let mut looks = 0;
    let older = claimed(directory.path(), 1, PLENTY).unwrap();
    let clear = await_turn(&older, BootTime::now(), |_, _| {
        looks += 1;
        looks < 3
    });
    assert!(!clear);
    program.runs();
    newer.stop(NONE);
    rest(newer);
}

#[test]
fn without_proof_of_its_end_an_earlier_claim_is_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let waits = |revision: u64| {
        let mut waited = false;
        let claim = claimed(directory.path(), revision, PLENTY).unwrap();
        await_turn(&claim, BootTime::now() + PLENTY, |_, _| {
            waited = true;
            false
        });
        waited
    };
    assert!(waits(3), "nothing ran here");
    played(&Spawn { claim: claimed(directory.path(), 2, PLENTY), ..shell("echo hello") });
    assert!(!waits(3), "the program of the claim before ran and ended here");
    assert!(!waits(2), "nor are slices of one claim waited for");
    assert!(waits(4), "claim 3 may have had a program elsewhere");
}
