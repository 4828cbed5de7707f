//! No two programs of one job at a time, whatever becomes of their runners; and a dead runner's job is free at once.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::fs;

use baton_cluster::processes::Process;
use rustix::process::{Pid, Signal};
use serde_json::json;

use crate::support::{Pipe, Runner, World, is_gone};

/// Writes as long as it lives, and does not stop when it is asked to.
const WRITES: &str = r#"trap '' TERM INT; echo $$ > "$here/first"; echo $$ > "$here/started"
while :; do echo 1 >> "$here/writes"; sleep 0.02; done"#;

/// Notes whether the first program runs, writes once, and is done. A program that was not reaped yet does not run.
const CHECKS: &str = r#"if grep -q ') [^ZX] ' "/proc/$(cat "$here/first")/stat" 2> /dev/null; then echo 2 >> "$here/overlap"; fi
echo 2 >> "$here/writes"; answer DONE "It is dry" "\"$(prove)\"""#;

/// A world in which the first program of a job writes and the second one checks, and a pipe that tells of the first.
fn scene(world: &World) -> Pipe {
    world.join_as("ana");
    world.evidence();
    world.plays(&[WRITES, CHECKS]);
    world.pipe("started")
}

/// The first program never wrote beside the second.
fn assert_apart(world: &World) {
    let written = fs::read_to_string(world.root().join("writes")).unwrap();
    let order: Vec<&str> = written.lines().collect();
    assert_eq!(order.iter().filter(|line| **line == "2").count(), 1);
    assert_eq!(order.last(), Some(&"2"), "the first program wrote after the second had begun");
    assert!(!world.root().join("overlap").exists(), "the first program ran when the second began");
}

fn minder_of(pid: &str) -> Process {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let parent = status.lines().find_map(|line| line.strip_prefix("PPid:")).unwrap().trim().parse().unwrap();
    Process::open(Pid::from_raw(parent).unwrap()).unwrap()
}

fn end(runner: Runner) -> String {
    runner.signal(Signal::TERM);
    runner.ends()
}

#[test]
fn a_runner_that_is_stopped_past_its_claim_has_its_program_ended_before_the_next_one_starts() {
    World::on_every_backend(|world| {
        let started = scene(&world);
        let job = world.delegate(&[]);
        let mut stopped = world.runner(&["--claim-ttl", "2"]);
        let (_, program) = started.processes(1).remove(0);
        stopped.stop(&world);
        // Nobody tells the program to end but its minder.
        assert!(is_gone(&program));
        let mut next = world.runner(&[]);
        next.says(&format!("{job} DONE"));
        assert_eq!(world.job(&job).1[2]["meta"]["reason"], "ttl_expired");
        stopped.signal(Signal::CONT);
        stopped.says(&format!("{job} is not ours any more"));
        end(stopped);
        end(next);
        assert_apart(&world);
        world.assert_sound();
    });
}

#[test]
fn a_runner_that_is_stopped_with_its_minder_and_its_program_never_writes_beside_the_next_one() {
    World::on_every_backend(|world| {
        let started = scene(&world);
        let job = world.delegate(&[]);
        let mut stopped = world.runner(&["--claim-ttl", "2"]);
        let (pid, program) = started.processes(1).remove(0);
        let minder = minder_of(&pid);
        stopped.stop(&world);
        minder.signal(Signal::STOP).unwrap();
        program.signal(Signal::STOP).unwrap();
        let mut next = world.runner(&[]);
        next.says(&format!("{job} DONE"));
        assert!(is_gone(&minder) && is_gone(&program), "who cannot end is killed");
        stopped.signal(Signal::CONT);
        stopped.says(&format!("{job} is not ours any more"));
        end(stopped);
        end(next);
        assert_apart(&world);
        world.assert_sound();
    });
}

#[test]
fn a_job_that_is_taken_from_its_runner_by_hand_waits_for_the_end_of_its_first_program() {
    for take in [
        &["job", "requeue", "JOB-001", "--reason", "Another way"][..],
        &["job", "cancel", "JOB-001", "--reason", "Another way"],
    ] {
        let world = World::new();
        let started = scene(&world);
        let job = world.delegate(&[]);
        let mut first = world.runner(&["--once"]);
        started.processes(1);
        let mut next = world.runner(&[]);
        next.says("waits for jobs");
        let ran = world.run_as("ana", take);
        assert_eq!(ran.status, 0, "{ran:?}");
        if take[1] == "cancel" {
            assert_eq!(world.run_as("ana", &["job", "requeue", "JOB-001", "--reason", "After all"]).status, 0);
        }
        // The next program starts long before the first claim would have run out: the lock shows that it may.
        next.says(&format!("{job} DONE"));
        first.says(&format!("{job} is not ours any more"));
        first.ends();
        end(next);
        assert_apart(&world);
        world.assert_sound();
    }
}

#[test]
fn a_killed_runners_job_is_taken_over_by_one_that_waits_without_waiting_for_the_claims_end() {
    World::on_every_backend(|world| {
        let started = scene(&world);
        let job = world.delegate(&[]);
        // The claim would last longer than this test waits for anything.
        let mut killed = world.runner(&["--claim-ttl", "300", "--runner-ttl", "300"]);
        started.processes(1);
        let mut next = world.runner(&[]);
        next.says("waits for jobs");
        killed.kill();
        next.says(&format!("{job} DONE"));
        let (_, events) = world.job(&job);
        assert_eq!(events[2]["kind"], "reclaimed");
        assert_eq!(events[2]["meta"]["reason"], "runner_gone", "{}", events[2]);
        assert!(events[2]["meta"]["proof"].is_string(), "{}", events[2]);
        end(next);
        assert_apart(&world);
        world.assert_sound();
    });
}

#[test]
fn a_killed_runner_is_offline_and_its_job_stale_at_the_next_look() {
    World::on_every_backend(|world| {
        let started = scene(&world);
        let job = world.delegate(&[]);
        let mut killed = world.runner(&["--claim-ttl", "300", "--runner-ttl", "300"]);
        started.processes(1);
        let shown = world.data_of(&["radar"]);
        assert_eq!((&shown["runners"]["live"], &shown["jobs"][0]["stale"]), (&json!(1), &json!(false)), "{shown}");
        killed.kill();
        let shown = world.data_of(&["radar"]);
        assert_eq!(shown["runners"], json!({ "live": 0, "idle": 0, "offline": 1 }), "{shown}");
        assert_eq!((&shown["jobs"][0]["marker"], &shown["jobs"][0]["stale"]), (&json!("~"), &json!(true)), "{shown}");
        assert_eq!(world.job(&job).0["status"], "RUNNING");
        world.assert_sound();
    });
}

#[test]
fn a_second_runner_with_the_id_of_one_that_lives_is_refused_and_told_who_has_it() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
        let mut first = world.runner(&["--runner-id", "r1", "--runner-ttl", "1"]);
        first.says("waits for jobs");
        // A runner that is late with its heartbeat has its id all the same: its process lives.
        first.stop(&world);
        let second = world.run(&["run", "--runner-id", "r1", "--once", "--json"]);
        assert_eq!((second.status, second.code().as_str()), (3, "id_in_use"), "{second:?}");
        let error = second.json()["error"].clone();
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(&format!("r1 (process {}", first.pid())), "{message}");
        assert!(!second.stderr.contains("sign off"), "{second:?}");
        assert!(error["next"].as_str().unwrap().contains("Choose a runner id of your own"), "{error}");
        first.signal(Signal::CONT);
        end(first);
    });
}

#[test]
fn a_runner_without_a_name_is_pointed_to_once() {
    let world = World::new();
    world.join_as("ana");
    world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
    let mut unnamed = world.runner(&[]);
    unnamed.says("waits for jobs");
    let id = world.data_of(&["radar"])["runner_list"][0]["runner_id"].as_str().unwrap().to_owned();
    assert!(!id.contains(':') && id.contains(&format!("-{}-", unnamed.pid())), "{id}");
    // Ids of earlier versions, and those that people choose, may begin like a pointer.
    let mut named = world.runner(&["--runner-id", "runner:host:7"]);
    named.says("waits for jobs");
    let lines = world.run(&["radar"]).stdout;
    assert!(lines.contains(&format!("open id=runner:{id}")) && lines.contains("open id=runner:host:7"), "{lines}");
    assert!(!lines.contains("runner:runner:"), "{lines}");
    for reference in [&format!("runner:{id}"), "runner:host:7", "runner:runner:host:7"] {
        assert_eq!(world.data_of(&["open", reference])["standing"], "idle", "{reference}");
    }
    end(unnamed);
    end(named);
}
