//! A runner that is started because somebody delegates and nobody is there to do it.
#![expect(clippy::unwrap_used, reason = "a test that cannot set its scene should stop there")]

use std::{fs, process::Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::{Value, json};

use crate::support::{Agent, Ran, World, all_at_once, is_gone};

const DELEGATORS: usize = 6;

/// Ends what was started in a world when its test is over, since nobody waits for it.
struct Sweeper<'a>(&'a World);

impl Drop for Sweeper<'_> {
    fn drop(&mut self) {
        for (_, process) in self.0.processes() {
            let _ = process.signal(Signal::KILL);
        }
    }
}

#[test]
fn one_runner_is_started_for_those_who_delegate_at_once_and_outlives_them() {
    World::on_every_backend(|world| {
        let _sweeper = Sweeper(&world);
        world.join_as("ana");
        world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
        let jobs = all_at_once(DELEGATORS, |number, start| {
            let mut command = world.baton(&["mcp"]);
            command.env_remove("BATON_RUNNER_AUTOSTART");
            let (mut agent, _) = Agent::join(command, &format!("delegator-{number}"));
            start.wait();
            delegate(&mut agent)
            // Here its server ends, and with it whoever started the runner.
        });
        for job in &jobs {
            let ran = world.run(&["job", "tail", job, "--follow"]);
            assert_eq!(ran.status, 0, "{ran:?}");
        }
        let mut claimants: Vec<Value> = jobs
            .iter()
            .map(|job| {
                let (found, events) = world.job(job);
                assert_eq!(found["status"], "DONE", "{found}");
                events.iter().find(|event| event["kind"] == "claimed").unwrap()["by"].clone()
            })
            .collect();
        claimants.dedup();
        assert_eq!(claimants.len(), 1, "{claimants:?}");
        let radar = world.data_of(&["radar"]);
        assert_eq!((&radar["runners"]["idle"], &radar["runners"]["live"]), (&json!(1), &json!(0)), "{radar}");
        // Those that came second have ended, or are about to; the one that works stays.
        let pid = claimants[0].as_str().unwrap().rsplit('-').nth(1).unwrap();
        let works = |line: &str| line.starts_with(&format!("{pid} ")) && line.contains("--autostarted");
        let (working, others): (Vec<_>, Vec<_>) = world.processes().into_iter().partition(|(line, _)| works(line));
        for (line, process) in &others {
            assert!(is_gone(process), "{line}");
        }
        let [(_, runner)] = &working[..] else { panic!("{pid} is not among them: {others:?}") };
        runner.signal(Signal::TERM).unwrap();
        assert!(is_gone(runner));
        assert_eq!(
            world.data_of(&["radar"])["runners"],
            json!({ "live": 0, "idle": 0, "offline": 0 }),
            "it signed off"
        );
        world.assert_sound();
    });
}

#[test]
fn a_runner_that_is_there_is_enough() {
    let world = World::new();
    let _sweeper = Sweeper(&world);
    world.join_as("ana");
    world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
    let mut runner = world.runner(&[]);
    runner.says("waits for jobs");
    let mut delegator = server(&world, &[], &[("BATON_RUNNER_AUTOSTART", "1")]);
    let job = delegate(&mut delegator);
    runner.says(&format!("{job} DONE"));
    assert!(!was_started(&world));
    runner.signal(Signal::TERM);
    runner.ends();
}

#[test]
fn flags_then_variables_then_the_choice_of_tools_say_whether_a_runner_is_started() {
    const BATON: &str = "BATON_RUNNER_AUTOSTART";
    const FORMER: &str = "BRANCHMIND_RUNNER_AUTOSTART";
    for (flags, variables, is_started) in [
        (&[][..], &[][..], true),
        (&["--tools", "daily"], &[], true),
        (&["--tools", "full"], &[], false),
        (&["--tools", "full", "--runner-autostart"], &[], true),
        (&["--no-runner-autostart"], &[], false),
        (&["--runner-autostart", "--no-runner-autostart"], &[], false),
        (&["--no-runner-autostart", "--runner-autostart"], &[], true),
        (&[], &[(BATON, "0")], false),
        (&["--tools", "full"], &[(BATON, "1")], true),
        (&[], &[(FORMER, "0")], false),
        (&["--tools", "full"], &[(FORMER, "1")], true),
        (&[], &[(BATON, "1"), (FORMER, "0")], true),
        (&["--runner-autostart"], &[(BATON, "0")], true),
        (&["--no-runner-autostart"], &[(BATON, "1")], false),
    ] {
        let world = World::new();
        let _sweeper = Sweeper(&world);
        let mut agent = server(&world, flags, variables);
        let job = delegate(&mut agent);
        // A runner is started before the answer comes, and there is nothing that it could execute.
        assert_eq!(was_started(&world), is_started, "{flags:?} {variables:?}");
        assert_eq!(world.job(&job).0["status"], "QUEUED");
        drop(agent);
        for (line, process) in world.processes() {
            assert!(is_gone(&process), "{line}");
        }
        if is_started {
            let said = fs::read_to_string(log_of(&world).unwrap()).unwrap();
            assert!(said.contains("There is nothing to execute jobs with."), "{said}");
        }
    }
}

/// A way to see that jobs wait.
type Look = fn(&World);

#[test]
fn jobs_that_were_queued_earlier_get_a_runner_from_whoever_sees_them() {
    // At the start of a server, by reads over MCP, by a person's command, and by the server for all.
    let sees: [(&str, Look); 4] = [
        ("the start of a server", |world| drop(server_with(world, &[]))),
        ("a read", |world| {
            // Its server was started in another room.
            let room = world.data_of(&["radar"])["room_id"].clone();
            let mut command = world.baton(&["mcp"]);
            command.env("BATON_RUNNER_AUTOSTART", "1").current_dir(world.home());
            let (mut agent, _) = Agent::join(command, "manager");
            assert!(!was_started(world));
            agent.ok("jobs", json!({ "op": "radar", "args": { "room_id": room } }));
        }),
        ("a command", |world| {
            let mut command = world.baton(&["job", "list"]);
            command.env("BATON_RUNNER_AUTOSTART", "1");
            assert_eq!(Ran::of(command).status, 0);
        }),
        ("a server for all", |world| {
            let mut command = world.baton(&["up", "--listen", "127.0.0.1:0", "--runner-autostart"]);
            let mut up = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            world.run(&["job", "tail", "JOB-001", "--follow"]);
            kill_process(Pid::from_child(&up), Signal::TERM).unwrap();
            up.wait().unwrap();
        }),
    ];
    for (what, see) in sees {
        let world = World::new();
        let _sweeper = Sweeper(&world);
        world.join_as("ana");
        world.evidence();
        world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
        // Nobody who creates it starts a runner.
        let job = world.delegate(&[]);
        assert!(!was_started(&world), "{what}");
        see(&world);
        let ran = world.run(&["job", "tail", &job, "--follow"]);
        assert_eq!((ran.status, world.job(&job).0["status"].as_str()), (0, Some("DONE")), "{what}: {ran:?}");
        assert!(was_started(&world), "{what}");
    }
}

#[test]
fn a_job_that_a_killed_runner_left_gets_another_runner() {
    World::on_every_backend(|world| {
        let _sweeper = Sweeper(&world);
        world.join_as("ana");
        world.evidence();
        let started = world.pipe("started");
        world.plays(&["echo $$ > \"$here/started\"; exec sleep 1000", r#"answer DONE "It is dry" "\"$(prove)\"""#]);
        let job = world.delegate(&[]);
        let mut runner = world.runner(&["--claim-ttl", "300", "--runner-ttl", "300"]);
        started.processes(1);
        runner.kill();
        let mut agent = server_with(&world, &[]);
        agent.ok("jobs", json!({ "op": "radar", "args": {} }));
        let ran = world.run(&["job", "tail", &job, "--follow"]);
        assert_eq!((ran.status, world.job(&job).0["status"].as_str()), (0, Some("DONE")), "{ran:?}");
        drop(agent);
        world.assert_sound();
    });
}

#[test]
fn a_runner_that_is_killed_as_soon_as_it_works_is_replaced_by_the_server_that_started_it() {
    let world = World::new();
    let _sweeper = Sweeper(&world);
    let started = world.pipe("started");
    world.plays(&["echo $$ > \"$here/started\"; exec sleep 1000", r#"answer DONE "It is dry" "\"$(prove)\"""#]);
    let mut agent = server_with(&world, &[]);
    let job = delegate(&mut agent);
    started.processes(1);
    let runners = world.processes().into_iter().filter(|(line, _)| line.contains("--autostarted"));
    runners.for_each(|(_, runner)| runner.signal(Signal::KILL).unwrap());
    // Nobody asks the server anything; the commands here start no runner.
    let ran = world.run(&["job", "tail", &job, "--follow"]);
    assert_eq!((ran.status, world.job(&job).0["status"].as_str()), (0, Some("DONE")), "{ran:?}");
}

#[test]
fn a_runner_that_cannot_be_started_is_noted_and_not_tried_again_at_once() {
    let world = World::new();
    let _sweeper = Sweeper(&world);
    let mut agent = server(&world, &[], &[]);
    let job = delegate(&mut agent);
    let noted = || {
        let files = World::files(&world.data().join("runner"));
        let file = files.into_iter().find(|(path, _)| path.to_string_lossy().ends_with(".failed.json"))?;
        Some(serde_json::from_slice::<Value>(&file.1).unwrap())
    };
    // It is noted by the runner before it ends, and whoever started it has collected it when none is left.
    while noted().is_none() {
        agent.ok("jobs", json!({ "op": "radar", "args": {} }));
    }
    for _ in 0..20 {
        agent.ok("jobs", json!({ "op": "radar", "args": {} }));
    }
    let failure = noted().unwrap();
    assert_eq!(failure["times"], 1, "{failure}");
    assert!(failure["message"].as_str().unwrap().contains("There is nothing to execute jobs with."), "{failure}");
    let log = fs::read_to_string(log_of(&world).unwrap()).unwrap();
    assert_eq!(log.matches("There is nothing to execute jobs with.").count(), 1, "{log}");
    // Whoever looks at the job is told.
    let words = "No runner is here, and none could be started: There is nothing to execute jobs with.";
    for page in [vec!["radar"], vec!["status"], vec!["needs"], vec!["job", "open", &job]] {
        let shown = world.run_as("ana", &page).stdout;
        assert!(shown.contains(words) && shown.contains("baton run --room "), "{page:?}: {shown}");
    }
    let radar = world.run_as("ana", &["radar"]).stdout;
    assert!(radar.contains(&format!(" ! {job} (QUEUED)")), "{radar}");
    // A runner that comes up is all that is needed.
    world.evidence();
    world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
    world.run_once();
    assert_eq!((world.job(&job).0["status"].as_str(), noted()), (Some("DONE"), None));
}

#[test]
fn what_works_for_a_job_never_starts_a_runner() {
    let world = World::new();
    let _sweeper = Sweeper(&world);
    world.join_as("ana");
    world.drives(r#"answer DONE "It is dry" "\"$(prove)\"""#);
    world.delegate(&[]);
    world.delegate(&[]);
    let (mut worker, _) = world.server("worker");
    let claimed = worker.ok("jobs", json!({ "op": "claim", "args": { "job": "JOB-001", "runner_id": "r1" } }));
    let word = |value: &Value| value.as_str().unwrap().to_owned();
    let assignment = format!("{}/JOB-001/1/r1/{}", word(&claimed["room_id"]), word(&claimed["capability"]));
    // JOB-002 waits, and no runner is there.
    for arguments in [&["job", "list"][..], &["mcp", "--runner-autostart"], &["status"]] {
        let mut command = world.baton(arguments);
        command.env("BATON_RUNNER_AUTOSTART", "1").env("BATON_JOB", &assignment);
        let ran = Ran::of(command);
        assert_eq!((ran.status, was_started(&world)), (0, false), "{arguments:?}: {ran:?}");
    }
    assert_eq!(world.job("JOB-002").0["status"], "QUEUED");
}

#[test]
fn a_switch_that_is_neither_on_nor_off_is_refused() {
    let world = World::new();
    for name in ["BATON_RUNNER_AUTOSTART", "BRANCHMIND_RUNNER_AUTOSTART"] {
        let mut command = world.baton(&["mcp"]);
        command.env_remove("BATON_RUNNER_AUTOSTART").env(name, "yes");
        let ran = Ran::of(command);
        assert_eq!(ran.status, 2, "{ran:?}");
        assert!(ran.stderr.contains(&format!("{name} must be 1 or 0.")), "{ran:?}");
    }
}

/// An agent whose server finds no program to execute, and has these flags and variables only.
fn server(world: &World, flags: &[&str], variables: &[(&str, &str)]) -> Agent {
    let mut command = world.baton(&[&["mcp"], flags].concat());
    command.env("PATH", world.home()).env_remove("BATON_RUNNER_AUTOSTART").envs(variables.iter().copied());
    Agent::join(command, "delegator").0
}

/// An agent whose server starts runners, and finds what the world has.
fn server_with(world: &World, flags: &[&str]) -> Agent {
    let mut command = world.baton(&[&["mcp"], flags].concat());
    command.env("BATON_RUNNER_AUTOSTART", "1");
    Agent::join(command, "delegator").0
}

fn delegate(agent: &mut Agent) -> String {
    let args = json!({ "title": "Mend the roof", "prompt": "It rains in.", "executor": "command" });
    agent.ok("jobs", json!({ "op": "create", "args": args }))["job"].as_str().unwrap().to_owned()
}

fn was_started(world: &World) -> bool {
    log_of(world).is_some()
}

/// What a runner that was started so has written.
fn log_of(world: &World) -> Option<std::path::PathBuf> {
    let files = World::files(&world.data().join("runner"));
    files.into_iter().map(|(path, _)| path).find(|path| path.extension().is_some_and(|ending| ending == "log"))
}
