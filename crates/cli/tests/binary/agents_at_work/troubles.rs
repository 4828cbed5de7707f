//! Programs that cannot work: not there, not logged in, or with a model that is away. Their jobs wait, and say why.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::collections::BTreeSet;

use baton_testkit::{clients::left_out, model::Step};
use serde_json::{Value, json};

use super::scene::{JOB, Program, Scene};

/// Variables with the credentials of the programs.
const CREDENTIALS: [&str; 2] = ["SCRIPTED_MODEL_KEY", "ANTHROPIC_API_KEY"];
/// Looks at the radar until it shows something. Each is a program of its own, which takes its time.
const LOOKS: usize = 2_000;

impl Scene {
    /// Waits until something of this kind happened to the job.
    fn job_meets(&self, kind: &str) {
        let mut after = 0;
        loop {
            let tailed =
                self.ask("jobs", json!({"op": "tail", "args": {"job": JOB, "after": after, "max_wait_ms": 50_000}}));
            let events = tailed["events"].as_array().unwrap();
            if events.iter().any(|event| event["kind"] == kind) {
                return;
            }
            after = tailed["cursor"].as_u64().unwrap();
        }
    }

    /// Waits until the radar has a line with these words.
    fn radar_shows(&self, words: &str) -> String {
        for _ in 0..LOOKS {
            let radar = self.manager(&["radar"]).stdout;
            if radar.contains(words) {
                return radar;
            }
        }
        panic!("the radar never showed {words:?}: {}", self.manager(&["radar"]).stdout);
    }
}

#[test]
fn codex_without_credentials_leaves_its_job_in_the_queue_and_everybody_sees_why() {
    waits_for_a_login(Program::Codex, &CREDENTIALS, None);
}

#[test]
fn claude_without_credentials_leaves_its_job_in_the_queue_and_everybody_sees_why() {
    waits_for_a_login(Program::Claude, &CREDENTIALS, None);
}

#[test]
fn codex_that_is_refused_by_its_model_leaves_its_job_in_the_queue() {
    waits_for_a_login(Program::Codex, &[], Some(401));
}

#[test]
fn claude_that_is_refused_by_its_model_leaves_its_job_in_the_queue() {
    waits_for_a_login(Program::Claude, &[], Some(401));
}

fn waits_for_a_login(program: Program, without: &[&str], refused_with: Option<u16>) {
    if left_out() {
        return;
    }
    let scene = Scene::impatient(program);
    scene.delegate(&[]);
    if let Some(status) = refused_with {
        scene.always(vec![Step::fail(status)]);
    }
    let _runner = scene.run_without("runner:one", &[], without, []);
    scene.job_meets("requeued");
    let radar = scene.radar_shows("! diag executor_trouble runner=runner:one");
    assert!(radar.contains("is not logged in: "), "{radar}");
    let job = scene.job();
    assert_eq!((&job["status"], &job["has_error"]), (&json!("QUEUED"), &json!(false)), "{job}");
    assert_eq!(scene.events("failed").len() + scene.events("error").len(), 0);
    // The job says it itself, with what to do, wherever it is seen.
    let row = scene.radar_line();
    assert!(row.contains(&format!("~ {JOB} (QUEUED)")) && row.contains("is not logged in"), "{row}");
    for seen in [job["blocked"].clone(), scene.data(&["job", "list"])["jobs"][0]["blocked"].clone()] {
        assert!(seen["reason"].as_str().unwrap().contains("is not logged in"), "{seen}");
        assert!(seen["next"].as_str().unwrap().contains("baton job runner reset runner:one"), "{seen}");
    }
    let status = scene.manager(&["status"]).stdout;
    assert!(status.contains(&format!("~ {JOB} ")) && status.contains("job runner reset"), "{status}");
    let needs = scene.manager(&["needs"]).stdout;
    assert!(needs.contains("blocked   JOB-001") && needs.contains("is not logged in"), "{needs}");
}

#[test]
fn an_outage_of_its_model_does_not_end_a_job_of_codex() {
    outlives_an_outage(Program::Codex);
}

#[test]
fn an_outage_of_its_model_does_not_end_a_job_of_claude() {
    outlives_an_outage(Program::Claude);
}

/// A job has failed after three failures; those of its model do not count.
fn outlives_an_outage(program: Program) {
    if left_out() {
        return;
    }
    let scene = Scene::impatient(program);
    scene.delegate(&[]);
    let end = json!({"status": "FAILED", "summary": "It cannot be done.", "refs": [], "events": []});
    let script = scene.script(vec![Step::fail_times(500, 3), Step::answer(end)]);
    let runner = scene.run_once();
    let radar = scene.radar_shows("! diag executor_trouble runner=runner:one");
    assert!(radar.contains("gets no answer from its model"), "{radar}");
    assert_eq!(scene.job()["status"], "RUNNING", "it keeps its claim");
    let told = scene.events("progress");
    let waits =
        |event: &&Value| event["message"].as_str().unwrap().starts_with("the model does not answer; next try at ");
    assert_eq!(told.iter().filter(waits).count(), 3, "{told:#?}");
    // Somebody knows that it is back, and need not wait.
    scene.manager(&["job", "runner", "reset", "runner:one"]);
    runner.finishes();
    let job = scene.job();
    assert_eq!(
        (&job["status"], &job["summary"]),
        (&json!("FAILED"), &json!("It cannot be done.")),
        "it is its own word"
    );
    assert_eq!(scene.events("error").len(), 0);
    let sessions: BTreeSet<_> = script.turns().into_iter().map(|turn| turn.session).collect();
    assert_eq!(sessions.len(), 1, "it is one conversation: {sessions:?}");
}

#[test]
fn a_job_for_a_program_that_is_not_there_says_so_while_another_program_works() {
    if left_out() {
        return;
    }
    let scene = Scene::new(Program::Claude);
    scene.manager(&["job", "create", "Investigate the cache", "--prompt", "Why?", "--executor", "codex"]);
    // Nobody is there yet.
    let row = scene.radar_line();
    assert!(!row.contains('~') && row.contains("| blocked: No runner is here. |"), "{row}");
    let _runner = scene.run_with("runner:one", &[], [("BATON_CODEX_BIN", "/no/codex".into())]);
    let radar = scene.radar_shows("runner idle runner:one");
    assert!(!radar.contains("diag"), "{radar}");
    let why =
        "codex is not there: BATON_CODEX_BIN says that codex is /no/codex, which is no program (runner runner:one).";
    let row = scene.radar_line();
    assert!(row.contains(&format!("! {JOB} (QUEUED)")) && row.contains(why), "{row}");
    let job = scene.job();
    assert_eq!((&job["blocked"]["reason"], &job["blocked"]["lasts"]), (&json!(why), &json!("until_mended")));
    for page in ["status", "needs"] {
        let seen = scene.manager(&[page]).stdout;
        assert!(seen.contains("codex is not there") && seen.contains("Install codex"), "{page}: {seen}");
    }
}
