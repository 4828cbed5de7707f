//! Programs that fail whatever the job, and what a runner makes of it: the queue is not burned, and everybody can see why
//! jobs wait.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::{
    fs::{self, File},
    io::{BufRead, BufReader, Write},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        mpsc::{Receiver, channel},
    },
    thread::{self, JoinHandle},
    time::Duration,
};

use baton_app::{
    App, Caller, Rights,
    clock::Time,
    environment::Environment,
    identity::{Assignment, Employment},
    table,
};
use baton_core::{
    ids::RoomId,
    limits,
    process::SessionKind,
    room::Actor,
    runner::{Injection, SkillProfile},
    time::Ttl,
};
use baton_runner::{
    Backoff, Leave, LookAgain, Settings, StoreHint, Summary, Told, Until,
    executor::{CommandLine, Equipment, Executor, ExecutorKind, Limits, MissingProgram, NotFound, Profile, Profiles},
    run,
};
use baton_testkit::{Backend, ManualClock, Place, SequentialIds, script};
use rustix::fs::{CWD, Mode, mkfifoat};
use serde_json::{Value, json};

const PLENTY: Duration = Duration::from_secs(600);
/// A wait that no test lives to see the end of.
const LONG: Backoff = Backoff { first: Ttl::from_minutes(60), most: Ttl::from_minutes(60) };
/// A wait that is over at once.
const SHORT: Backoff = Backoff { first: Ttl::from_millis(1), most: Ttl::from_millis(2) };

/// A room, and a program that does what `$here/does` says.
struct Stage {
    place: Place,
    app: Arc<App>,
    room: RoomId,
    clock: Option<ManualClock>,
    _notary: Notary,
}

/// Has the notary make a card, which a job needs as proof, and prints its id.
const PROVE: &str = r#"mkfifo "$here/card-$$"; echo "$here/card-$$ $BATON_JOB" > "$here/notary"; cat "$here/card-$$""#;

/// Makes cards in the names of jobs, for programs that have no Baton to run here. They ask through a named pipe.
struct Notary {
    pipe: File,
    thread: Option<JoinHandle<()>>,
}

impl Notary {
    fn hired(app: Arc<App>, here: &Path) -> Self {
        let path = here.join("notary");
        mkfifoat(CWD, &path, Mode::RWXU).unwrap();
        // Open for both, so that opening waits for nobody and the pipe has no end.
        let pipe = File::options().read(true).write(true).open(path).unwrap();
        let lines = BufReader::new(pipe.try_clone().unwrap()).lines();
        let thread = thread::spawn(move || {
            for line in lines {
                let line = line.unwrap();
                let Some((reply, assignment)) = line.split_once(' ') else { return };
                let assignment: Assignment = assignment.parse().unwrap();
                let card = json!({
                    "kind": "evidence", "title": "It holds", "text": "I stood on it.", "room_id": assignment.room,
                });
                let actor = Actor::found(assignment.agent_id(), None, SessionKind::Shell);
                let caller = Caller::new(actor, "/".into()).assigned(assignment);
                let made = table::find("tasks.card.create").unwrap().run(&app, &caller, card).unwrap();
                fs::write(reply, made["card"].as_str().unwrap()).unwrap();
            }
        });
        Self { pipe, thread: Some(thread) }
    }
}

impl Drop for Notary {
    fn drop(&mut self) {
        self.pipe.write_all(b"end\n").unwrap();
        let _ = self.thread.take().unwrap().join();
    }
}

struct Running {
    leave: Leave,
    thread: Option<JoinHandle<Summary>>,
    lines: Mutex<Receiver<String>>,
}

impl Stage {
    fn new() -> Self {
        Self::at(Time::Own, None)
    }

    /// The same in a time that passes when the test says so.
    fn timeless() -> Self {
        let clock = ManualClock::new();
        Self::at(Time::Told(Arc::new(clock.clone())), Some(clock))
    }

    fn at(time: Time, clock: Option<ManualClock>) -> Self {
        let place = Place::new(Backend::Sqlite);
        let here = place.directory().to_owned();
        let preamble = r#"#!/bin/sh
here='HERE'
n=$(( $(cat "$here/runs" 2>/dev/null || echo 0) + 1 ))
echo $n > "$here/runs"
cat > "$here/prompt-$n"
mended() { echo '{"status":"DONE","summary":"It is dry.","refs":["'"$(PROVE)"'"]}'; }
. "$here/does"
"#;
        let program = preamble.replace("PROVE", PROVE).replace("HERE", &here.display().to_string());
        script(&here.join("program"), &program);
        fs::create_dir(here.join("work")).unwrap();
        let home = [("HOME".to_owned(), here.display().to_string())];
        let environment = Environment::of(home, here.clone());
        let app = App::open(&place.location(), environment, time, Box::new(SequentialIds::default())).unwrap();
        let app = Arc::new(app);
        let opened = call(&app, "bus.open", json!({ "name": "roof" }));
        let room: RoomId = opened["session"]["id"].as_str().unwrap().parse().unwrap();
        let notary = Notary::hired(Arc::clone(&app), &here);
        Self { place, app, room, clock, _notary: notary }
    }

    /// Says what the program does from now on.
    fn does(&self, text: &str) {
        let (next, now) = (self.here().join("does.next"), self.here().join("does"));
        fs::write(&next, text).unwrap();
        fs::rename(next, now).unwrap();
    }

    fn here(&self) -> PathBuf {
        self.place.directory().to_owned()
    }

    fn runs(&self) -> u32 {
        fs::read_to_string(self.here().join("runs")).map_or(0, |text| text.trim().parse().unwrap())
    }

    fn delegate(&self, count: usize) {
        for _ in 0..count {
            self.delegate_to("command");
        }
    }

    fn delegate_to(&self, executor: &str) -> String {
        let job = json!({ "title": "Mend the roof", "prompt": "It rains in.", "executor": executor });
        self.call("jobs.create", job)["job"].as_str().unwrap().to_owned()
    }

    fn call(&self, command: &str, mut input: Value) -> Value {
        input["room_id"] = json!(self.room);
        call(&self.app, command, input)
    }

    fn radar(&self) -> String {
        self.call("jobs.radar", json!({ "fmt": "lines" }))["lines"].as_str().unwrap().to_owned()
    }

    /// How far all jobs are, in the order of their numbers.
    fn statuses(&self) -> Vec<String> {
        let listed = self.call("jobs.list", json!({ "limit": 200 }));
        let jobs = listed["jobs"].as_array().unwrap();
        jobs.iter().rev().map(|job| job["status"].as_str().unwrap().to_owned()).collect()
    }

    fn kinds(&self, job: &str) -> Vec<String> {
        let opened = self.call("jobs.open", json!({ "job": job, "limit": 200 }));
        let events = opened["events"].as_array().unwrap();
        events.iter().rev().map(|event| event["kind"].as_str().unwrap().to_owned()).collect()
    }

    fn settings(&self, backoff: Backoff) -> Settings {
        let program = self.here().join("program");
        let argv = vec![program.display().to_string()];
        Settings {
            room: self.room.clone(),
            runner: "r1".parse().unwrap(),
            employment: Employment::None,
            workspace: Some(self.here().join("work")),
            executors: vec![Executor::Command(
                program,
                CommandLine { argv, profiles: Profiles::default(), env: Vec::new() },
            )],
            environment: Environment::read(),
            env: Vec::new(),
            missing: Vec::new(),
            look_again: LookAgain::never(),
            max_parallel: 1,
            until: Until::Told,
            limits: Limits { slice: PLENTY, grace: PLENTY },
            job_limit: Duration::from_secs(24 * 3_600),
            claim_ttl: limits::CLAIM_TTL,
            runner_ttl: Ttl::from_secs(1),
            skill: Injection { profile: SkillProfile::Daily, max_chars: 0 },
            roles: None,
            worktrees: self.here().join("worktrees"),
            own_program: PathBuf::from(env!("CARGO_BIN_EXE_baton-minder")),
            server_program: PathBuf::from("/nonexistent"),
            store: StoreHint::default(),
            scratch: self.here().join("slices"),
            locks: self.here().join("programs"),
            backoff,
            failures_max: 3,
            leave: Leave::new().unwrap(),
        }
    }

    fn run(&self, settings: Settings) -> Running {
        let (send, lines) = channel();
        let leave = settings.leave.clone();
        let told = Told::to(move |line| {
            let _ = send.send(line.to_owned());
        });
        let app = Arc::clone(&self.app);
        let thread = thread::spawn(move || run(app, settings, told).unwrap());
        Running { leave, thread: Some(thread), lines: Mutex::new(lines) }
    }
}

impl Running {
    fn says(&self, words: &str) {
        self.says_all(&[words]);
    }

    /// Waits until it has said all of this, in whatever order.
    fn says_all(&self, words: &[&str]) {
        let (lines, mut said): (_, Vec<String>) = (self.lines.lock().unwrap(), Vec::new());
        while !words.iter().all(|words| said.iter().any(|line| line.contains(words))) {
            match lines.recv_timeout(Duration::from_secs(50)) {
                Ok(line) => said.push(line),
                Err(_) => panic!("it never said {words:?}, but:\n{}", said.join("\n")),
            }
        }
    }

    /// Waits until so many jobs are done, in whatever order.
    fn finishes(&self, count: usize) {
        let (lines, mut said) = (self.lines.lock().unwrap(), Vec::new());
        while said
            .iter()
            .filter(|line: &&String| line.starts_with("JOB-") && line.ends_with(" DONE") && line.len() == 12)
            .count()
            < count
        {
            said.push(
                lines.recv_timeout(Duration::from_secs(50)).unwrap_or_else(|_| panic!("only:\n{}", said.join("\n"))),
            );
        }
    }

    fn leave(mut self) {
        self.leave.ask();
        self.thread.take().unwrap().join().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.leave.ask();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn call(app: &App, command: &str, input: Value) -> Value {
    let actor = Actor::found("test:ana".parse().unwrap(), None, SessionKind::Human);
    let found = table::find(command).unwrap_or_else(|| panic!("there is no {command}"));
    let called = found.run(app, &Caller::new(actor, "/".into()).granted(Rights::Operator), input);
    called.unwrap_or_else(|failure| panic!("{command}: {failure}"))
}

#[test]
fn a_model_that_is_away_for_a_while_ends_no_job_and_counts_as_no_failure_of_it() {
    let stage = Stage::new();
    stage.does("[ $n -ge 6 ] || exit 75; mended");
    stage.delegate(1);
    let running = stage.run(stage.settings(SHORT));
    running.says("the model does not answer; next try at");
    running.says("JOB-001 DONE");
    let kinds = stage.kinds("JOB-001");
    assert_eq!(kinds.iter().filter(|kind| *kind == "claimed").count(), 1, "it kept its claim: {kinds:?}");
    assert!(!kinds.iter().any(|kind| matches!(kind.as_str(), "error" | "requeued")), "{kinds:?}");
    assert_eq!(stage.runs(), 6);
    let told = fs::read_to_string(stage.here().join("prompt-6")).unwrap();
    assert!(told.contains("The last slice was cut short: the command exited with 75"), "{told}");
    running.leave();
}

#[test]
fn while_a_model_is_away_no_more_jobs_are_claimed_and_the_one_that_waits_is_the_probe() {
    let stage = Stage::new();
    stage.does("exit 75");
    stage.delegate(3);
    // Two at a time, and the wait ends only when somebody says so.
    let backoff = Backoff { first: Ttl::from_millis(1), most: Ttl::from_minutes(60) };
    let running = stage.run(Settings { max_parallel: 2, ..stage.settings(backoff) });
    let trouble =
        "! diag executor_trouble runner=r1 | open id=runner:r1 | the configured command gets no answer from its model";
    running.says("takes no jobs for command");
    assert!(stage.radar().contains(trouble), "{}", stage.radar());
    assert_eq!(stage.statuses().iter().filter(|status| *status == "FAILED").count(), 0);
    stage.does("mended");
    stage.call("jobs.runner.reset", json!({ "runner_id": "r1" }));
    running.finishes(3);
    assert_eq!(stage.statuses(), ["DONE"; 3]);
    let radar = stage.radar();
    assert!(!radar.contains("executor_trouble"), "{radar}");
    assert!(!stage.kinds("JOB-001").contains(&"requeued".to_owned()), "it waited with its claim");
}

#[test]
fn a_broken_program_does_not_burn_the_queue_and_a_person_has_it_tried_again() {
    let stage = Stage::new();
    stage.does("exit 127");
    stage.delegate(8);
    let running = stage.run(stage.settings(LONG));
    running.says_all(&["JOB-001 is back in the queue", "takes no jobs for command"]);
    assert_eq!((stage.statuses(), stage.runs()), (vec!["QUEUED".to_owned(); 8], 1));
    // Everybody can see why.
    let radar = stage.radar();
    let diag = "! diag executor_trouble runner=r1 | open id=runner:r1 | the configured command cannot be started: the command exited with 127. next try ";
    assert!(radar.contains(diag), "{radar}");
    assert_eq!(radar.matches("~ JOB-00").count(), 8, "{radar}");
    assert!(radar.contains("baton job runner reset r1"), "{radar}");
    let opened = stage.call("open", json!({ "id": "runner:r1" }));
    assert_eq!(opened["capabilities"]["executors"][0]["trouble"]["kind"], "cannot_start", "{opened}");
    stage.does("mended");
    stage.call("jobs.runner.reset", json!({ "runner_id": "r1", "executor": "command" }));
    running.says("JOB-008 DONE");
    assert_eq!(stage.statuses(), ["DONE"; 8]);
    assert_eq!(stage.kinds("JOB-001")[..3], ["created", "claimed", "progress"], "the first try");
}

#[test]
fn a_program_that_works_again_is_found_out_by_one_job_that_is_let_through() {
    let stage = Stage::timeless();
    stage.does("exit 127");
    stage.delegate(3);
    let running = stage.run(stage.settings(LONG));
    running.says("JOB-001 is back in the queue");
    // Much later it is tried again, and is still broken.
    stage.clock.as_ref().unwrap().advance(Ttl::from_minutes(60));
    running.says("JOB-001 is back in the queue");
    assert_eq!((stage.statuses(), stage.runs()), (vec!["QUEUED".to_owned(); 3], 2));
    stage.does("mended");
    stage.clock.as_ref().unwrap().advance(Ttl::from_minutes(60));
    running.says("JOB-003 DONE");
    assert_eq!(stage.statuses(), ["DONE"; 3]);
}

#[test]
fn a_program_that_is_not_logged_in_is_tried_three_times_and_then_its_jobs_wait() {
    let stage = Stage::new();
    stage.does("echo 'who are you' >&2; exit 77");
    stage.delegate(4);
    let backoff = Backoff { first: Ttl::from_millis(1), most: Ttl::from_millis(4) };
    let running = stage.run(stage.settings(backoff));
    running.says("the configured command is not logged in; next try at");
    running.says("JOB-001 is back in the queue");
    assert!(stage.runs() >= 3);
    let kinds = stage.kinds("JOB-001");
    assert!(!kinds.iter().any(|kind| matches!(kind.as_str(), "error" | "failed")), "{kinds:?}");
    stage.does("mended");
    running.says("JOB-004 DONE");
    assert_eq!(stage.statuses(), ["DONE"; 4]);
}

#[test]
fn a_program_that_crashes_on_every_job_burns_one_of_them_and_no_more() {
    let stage = Stage::new();
    stage.does("exit 3");
    stage.delegate(8);
    let running = stage.run(stage.settings(LONG));
    running.says_all(&["JOB-002 is back in the queue", "takes no jobs for command"]);
    let mut expected = vec!["QUEUED".to_owned(); 8];
    expected[0] = "FAILED".to_owned();
    assert_eq!((stage.statuses(), stage.runs()), (expected, 4));
    assert!(
        stage.radar().contains("the configured command ends without an answer, job after job"),
        "{}",
        stage.radar()
    );
}

#[test]
fn wrong_answers_are_the_jobs_own_failures_and_the_next_job_is_tried() {
    let stage = Stage::new();
    stage.does("echo 'All done!'");
    stage.delegate(3);
    let running = stage.run(stage.settings(LONG));
    running.says("JOB-003 FAILED");
    assert_eq!((stage.statuses(), stage.runs()), (vec!["FAILED".to_owned(); 3], 9));
    assert!(!stage.radar().contains("executor_trouble"));
}

#[test]
fn a_program_that_is_missing_is_told_to_the_job_that_asks_for_it_and_used_once_it_is_there() {
    let stage = Stage::new();
    stage.does("mended");
    let codex = stage.delegate_to("codex");
    let why = NotFound::Nowhere { name: "codex".to_owned() };
    let profiles = Profile::ALL.to_vec();
    let missing = vec![MissingProgram { executor: ExecutorKind::Codex, profiles, why }];
    let here = stage.here();
    let look_again = LookAgain::with(move || {
        let program = here.join("codex");
        let found = program.exists().then(|| Executor::Codex(program, Default::default()));
        Some(Equipment { executors: found.into_iter().collect(), missing: Vec::new() })
    });
    let running = stage.run(Settings { missing, look_again, ..stage.settings(LONG) });
    running.says("waits for jobs");
    let opened = stage.call("jobs.open", json!({ "job": codex }))["job"].clone();
    let blocked = json!({
        "reason": "codex is not there: codex was not found on PATH (runner r1).",
        "next": "Install codex, or say where it is with BATON_CODEX_BIN or --codex-bin.",
        "lasts": "until_mended",
    });
    assert_eq!(opened["blocked"], blocked, "{opened}");
    let radar = stage.radar();
    assert!(radar.contains("! JOB-001 (QUEUED)") && !radar.contains("executor_trouble"), "{radar}");
    let needs = call(&stage.app, "agent.needs", json!({}));
    assert_eq!((&needs["needs"][0]["kind"], &needs["needs"][0]["words"]), (&json!("blocked"), &blocked["reason"]));
    // It is installed.
    let answers = r#"for last; do case $before in --output-last-message) file=$last ;; esac; before=$last; done
printf '{"status":"DONE","summary":"It is dry.","refs":["%s"],"events":[]}' "$(PROVE)" > "$file""#;
    let (here, answers) = (stage.here().display().to_string(), answers.replace("PROVE", PROVE));
    script(
        &stage.here().join("codex.next"),
        &format!("#!/bin/sh\nhere='{here}'\ncat > /dev/null\nbefore=\n{answers}\n"),
    );
    fs::rename(stage.here().join("codex.next"), stage.here().join("codex")).unwrap();
    running.says("codex is there now");
    running.says("JOB-001 DONE");
    running.leave();
}

#[test]
fn a_job_that_had_its_time_with_another_runner_is_not_begun_again() {
    let stage = Stage::timeless();
    stage.does("mended");
    stage.delegate(1);
    stage.call("jobs.claim", json!({ "runner_id": "lost" }));
    stage.clock.as_ref().unwrap().advance(Ttl::from_minutes(25 * 60));
    let running = stage.run(stage.settings(LONG));
    running.says("JOB-001 FAILED");
    let job = stage.call("jobs.open", json!({ "job": "JOB-001" }))["job"].clone();
    assert!(
        job["summary"].as_str().unwrap().starts_with("It is not done after 24 h, counted from its first claim."),
        "{job}"
    );
    assert_eq!(stage.runs(), 0);
    // A manager who has it done again allows as much once more.
    stage.call("jobs.requeue", json!({ "job": "JOB-001", "reason": "try again" }));
    running.says("JOB-001 DONE");
}
