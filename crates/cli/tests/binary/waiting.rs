//! Jobs that wait for a person: a question is answered before its job ends, and holds up nobody else.

use serde_json::{Value, json};

use crate::support::{Live, World};

const PROVEN: &str = r#"answer DONE "It is dry" "\"$(prove)\"""#;
const ASKS: &str = "baton job report --kind question 'Tiles or straw?' > /dev/null; answer CONTINUE 'I asked'";

fn radar(world: &World) -> Value {
    world.data_of(&["radar"])
}

/// What an agent answers that asks and ends at once.
fn asking_with(status: &str) -> String {
    let event = r#"{"kind":"question","message":"Tiles or straw?","percent":null,"refs":[]}"#;
    format!(r#"echo '{{"status":"{status}","summary":"It is mended","refs":[],"events":[{event}]}}'"#)
}

#[test]
fn a_question_beside_done_is_answered_before_the_job_ends() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[&asking_with("DONE"), PROVEN]);
        let job = world.delegate(&[]);
        let mut runner = world.runner(&["--once"]);
        runner.says("waits for a manager's answer");
        let (shown, _) = world.job(&job);
        assert_eq!((&shown["status"], &shown["needs_manager"]), (&json!("RUNNING"), &json!(true)), "{shown}");
        assert_eq!(world.run_as("ana", &["radar", "--reply", &job, "Straw."]).status, 0);
        runner.says("JOB-001 DONE");
        runner.ends();
        assert_eq!(world.job(&job).0["summary"], "It is dry");
        let told = world.prompt(2);
        for part in ["You said DONE while your question had no answer yet: It is mended", "manager (test:ana): Straw."]
        {
            assert!(told.contains(part), "{part:?} is missing:\n{told}");
        }
        world.assert_sound();
    });
}

#[test]
fn a_question_that_the_agent_reported_itself_is_answered_before_its_done_or_failed_ends_the_job() {
    for status in ["DONE", "FAILED"] {
        let world = World::new();
        world.join_as("ana");
        let asks = "baton job report --kind question 'Tiles or straw?' > /dev/null";
        world.plays(&[&format!("{asks}; answer {status} 'I think so' \"\\\"$(prove)\\\"\""), PROVEN]);
        let job = world.delegate(&[]);
        let mut runner = world.runner(&["--once"]);
        runner.says("waits for a manager's answer");
        assert_eq!(world.job(&job).0["status"], "RUNNING");
        assert_eq!(world.run_as("ana", &["job", "message", &job, "Straw."]).status, 0);
        runner.ends();
        assert_eq!((&world.job(&job).0["status"], world.slices()), (&json!("DONE"), 2));
        assert!(world.prompt(2).contains(&format!("You said {status} while")), "{}", world.prompt(2));
    }
}

#[test]
fn a_job_that_waits_for_an_answer_gives_its_place_to_the_next_one_and_its_runner_is_not_idle() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[ASKS, PROVEN]);
        let (first, second) = (world.delegate(&[]), world.delegate(&[]));
        // A runner that counted as idle while a job waits would end at once, and give it back.
        let mut runner = world.runner(&["--max-parallel", "1", "--idle-exit", "0", "--runner-id", "r1"]);
        runner.says("JOB-002 DONE");
        let shown = radar(&world);
        assert_eq!((&shown["runner"], &shown["diagnostics"]), (&json!("live"), &json!([])), "{shown:#}");
        assert_eq!((&shown["jobs"][0]["job"], &shown["jobs"][0]["status"]), (&json!(first), &json!("RUNNING")));
        assert_eq!(shown["runner_list"][0]["job"], json!(first), "{shown:#}");
        assert_eq!(world.run_as("ana", &["radar", "--reply", &first, "Straw."]).status, 0);
        runner.says("JOB-001 DONE");
        let said = runner.ends();
        assert!(!said.contains("back in the queue"), "{said}");
        assert_eq!([&first, &second].map(|job| world.job(job).0["status"].clone()), ["DONE", "DONE"]);
        assert_eq!(world.kinds(&first).iter().filter(|kind| *kind == "claimed").count(), 1, "it kept its claim");
        world.assert_sound();
    });
}

#[test]
fn an_answered_job_waits_for_a_place_and_has_it_before_a_job_that_nobody_has_begun() {
    let world = World::new();
    world.join_as("ana");
    let (started, go_on) = (world.pipe("started"), world.pipe("go-on"));
    let holds = format!("echo $$ > \"$here/started\"; cat \"$here/go-on\" > /dev/null; {PROVEN}");
    world.plays(&[ASKS, &holds, PROVEN]);
    let first = world.delegate(&[]);
    world.delegate(&[]);
    world.delegate(&[]);
    let mut runner = world.runner(&["--max-parallel", "1", "--idle-exit", "0", "--runner-id", "r1"]);
    started.read();
    Live::start(world.baton(&["radar", "--watch"])).shows("runner live r1 | open id=runner:r1 job=JOB-002");
    assert_eq!(world.run_as("ana", &["radar", "--reply", &first, "Straw."]).status, 0);
    runner.says("JOB-001 has its answer, and waits for a place");
    assert_eq!(world.slices(), 2, "two programs never run at once");
    go_on.write("");
    let said = runner.ends();
    let place = |words: &str| said.find(words).unwrap_or_else(|| panic!("{words}: {said}"));
    assert!(place("JOB-001 DONE") < place("JOB-003 claimed"), "{said}");
    assert!(place("JOB-002 DONE") < place("JOB-001 DONE"), "{said}");
}

#[test]
fn a_job_that_is_canceled_while_it_waits_leaves_nothing_behind() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[ASKS, PROVEN]);
    let job = world.delegate(&[]);
    let mut runner = world.runner(&["--max-parallel", "1", "--idle-exit", "0"]);
    runner.says("waits for a manager's answer");
    assert_eq!(world.run_as("ana", &["job", "cancel", &job, "--reason", "It stopped raining."]).status, 0);
    runner.says("JOB-001 is not ours any more");
    runner.ends();
    assert_eq!(world.job(&job).0["status"], "CANCELED");
    assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new());
}

#[test]
fn an_answer_that_came_during_the_slice_is_heard_before_the_job_ends() {
    let asks = "baton job report --kind question 'Tiles or straw?' > /dev/null; echo > \"$here/asked\"; cat \"$here/answered\" > /dev/null";
    // One goes on without having looked; the other reads the thread of its job first.
    for (looks, slices) in [("true", 2), ("baton job tail > /dev/null", 1)] {
        let world = World::new();
        world.join_as("ana");
        let [asked, answered] = ["asked", "answered"].map(|name| world.pipe(name));
        world.plays(&[&format!("{asks}; {looks}; {PROVEN}"), PROVEN]);
        let job = world.delegate(&[]);
        let runner = world.runner(&["--once"]);
        asked.read();
        assert_eq!(world.run_as("ana", &["job", "message", &job, "Straw."]).status, 0);
        answered.write("");
        let said = runner.ends();
        assert_eq!((&world.job(&job).0["status"], world.slices()), (&json!("DONE"), slices), "{looks}: {said}");
        if slices == 2 {
            let told = world.prompt(2);
            assert!(told.contains("Straw.") && told.contains("Meanwhile the manager answered"), "{told}");
        }
    }
}
