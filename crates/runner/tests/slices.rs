//! Slices played by real processes: a command line of the user's, and what becomes of it.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{fs, path::Path, time::Duration};

use baton_runner::executor::{
    CommandLine, Executor, Form, Limits, Outcome, Played, Profile, Profiles, Running, Seen, Slice, Variables,
};
use rustix::fs::{CWD, Mode, mkfifoat};

const PLENTY: Duration = Duration::from_secs(600);
const LONG: Limits = Limits { slice: PLENTY, grace: PLENTY };

fn start(script: &str, scratch: &Path, limits: Limits) -> Running {
    let line = CommandLine {
        argv: ["sh", "-c", script].map(str::to_owned).to_vec(),
        profiles: Profiles::default(),
        env: Vec::new(),
    };
    let slice = Slice {
        prompt: "Do it.\n".to_owned(),
        form: Form::Answer,
        cwd: scratch.to_owned(),
        profile: Some(Profile::Audit),
        model: None,
        resume: None,
        scratch: scratch.to_owned(),
        server: None,
        read_only: false,
    };
    let executor = Executor::Command("/bin/sh".into(), line);
    let minder = Path::new(env!("CARGO_BIN_EXE_baton-minder"));
    Running::start(&executor, &slice, &Variables::default(), limits, None, minder).unwrap()
}

fn played(script: &str) -> (Played, Vec<Seen>) {
    let scratch = tempfile::tempdir().unwrap();
    let mut seen = Vec::new();
    let played = start(script, scratch.path(), LONG).finish(|_| {}, |what| seen.push(what));
    (played, seen)
}

#[test]
fn a_command_reads_the_prompt_and_answers() {
    let script = r#"read prompt; echo "told: $prompt"; echo "{\"status\":\"DONE\",\"summary\":\"as $BATON_PROFILE\"}""#;
    let (played, seen) = played(script);
    let Outcome::Answered(answer) = played.outcome else { panic!("{played:?}") };
    assert_eq!(answer.summary, "as audit");
    assert_eq!(seen, [Seen::Message { text: "told: Do it.".to_owned() }]);
}

#[test]
fn a_command_that_ends_without_a_word_has_failed() {
    let (played, _) = played("exit 0");
    let Outcome::Failed(failed) = played.outcome else { panic!("{played:?}") };
    assert!(failed.why.contains("gave no answer"), "{failed:?}");
}

#[test]
fn a_command_that_fails_tells_the_end_of_what_it_complained_about() {
    let (played, _) = played("echo no disk >&2; exit 2");
    let Outcome::Failed(failed) = played.outcome else { panic!("{played:?}") };
    assert_eq!((failed.why.as_str(), failed.tail.as_str()), ("the command exited with 2", "no disk"));
}

#[test]
fn a_slice_that_takes_too_long_is_ended_also_while_it_prints_without_end() {
    for script in ["sleep 1000", "while :; do echo on and on; done"] {
        let scratch = tempfile::tempdir().unwrap();
        let played = start(script, scratch.path(), Limits { slice: Duration::from_millis(200), grace: Duration::ZERO })
            .finish(|_| {}, |_| {});
        assert_eq!(played.outcome, Outcome::TimedOut, "{script}");
    }
}

#[test]
fn a_slice_that_answers_in_its_grace_has_answered() {
    let scratch = tempfile::tempdir().unwrap();
    let ready = scratch.path().join("ready");
    mkfifoat(CWD, &ready, Mode::RWXU).unwrap();
    let script = r#"trap 'echo "{\"status\":\"CONTINUE\",\"summary\":\"in time\"}"; exit 0' TERM
        echo > ready; sleep 1000 & wait"#;
    let running = start(script, scratch.path(), Limits { slice: Duration::ZERO, grace: PLENTY });
    // The time runs from when it is waited for.
    fs::read(&ready).unwrap();
    let Outcome::Answered(answer) = running.finish(|_| {}, |_| {}).outcome else { panic!("no answer") };
    assert_eq!(answer.summary, "in time");
}

#[test]
fn a_slice_that_is_stopped_was_stopped_whatever_it_said() {
    let scratch = tempfile::tempdir().unwrap();
    let running = start("echo '{\"status\":\"DONE\",\"summary\":\"s\"}'; sleep 1000", scratch.path(), LONG);
    let halt = running.halt();
    let played = running.finish(|_| halt.stop(Duration::ZERO), |_| {});
    assert_eq!(played.outcome, Outcome::Stopped);
}
