//! `baton run` with a command of the user's: what it is told, what becomes of its answers, and how it ends.

use std::{fs, os::unix::fs::PermissionsExt};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Ran, World, is_gone};

/// Says that it is there, in a way that the test can wait for, and stays until it is ended.
const STAYS: &str = r#"trap 'echo asked > "$here/stopped"; exit 0' TERM
echo $$ > "$here/started"
while :; do sleep 1000 & wait $! || :; done"#;

const PROVEN: &str = r#"answer DONE "It is dry" "\"$(prove)\"""#;

#[test]
fn a_runner_that_is_to_run_once_does_the_oldest_job_and_leaves_the_next_one() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[PROVEN]);
        assert!(!world.run_once().contains("claimed"));
        let (first, second) = (world.delegate(&[]), world.delegate(&[]));
        let said = world.run_once();
        assert!(said.contains("JOB-001 claimed: Mend the roof") && said.contains("JOB-001 DONE"), "{said}");
        let (job, _) = world.job(&first);
        assert_eq!((&job["status"], &job["summary"]), (&json!("DONE"), &json!("It is dry")), "{job}");
        assert_eq!(job["refs"], json!(["CARD-1"]));
        assert_eq!(world.kinds(&first), ["created", "claimed", "progress", "completed"]);
        assert_eq!(world.job(&second).0["status"], "QUEUED");
        let told = world.prompt(1);
        for part in ["You work on one delegated job.", "## Skill", "JOB-001: Mend the roof", "It rains in."] {
            assert!(told.contains(part), "{part:?} is missing:\n{told}");
        }
        assert_eq!(radar(&world)["runners"], json!({ "live": 0, "idle": 0, "offline": 0 }), "it signed off");
        assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new());
        world.assert_sound();
    });
}

#[test]
fn what_a_slice_was_told_printed_changed_and_answered_can_be_opened() {
    let world = World::new().with_repository();
    world.join_as("ana");
    world.plays(&[&format!("echo 'looking around'; echo 'a warning' >&2; echo dry > roof.txt; {PROVEN}")]);
    let job = world.delegate(&[]);
    world.run_once();
    let (_, events) = world.job(&job);
    let kept = events.iter().find(|event| event["kind"] == "progress").unwrap()["refs"].clone();
    let (mut agent, _) = world.server("reader");
    let opened: Vec<(String, String)> = kept
        .as_array()
        .unwrap()
        .iter()
        .map(|reference| {
            let (mut whole, mut offset) = (String::new(), json!(0));
            loop {
                let opened = agent.ok("open", json!({ "id": reference, "offset": offset }));
                whole += opened["content"]["text"].as_str().unwrap();
                offset = opened["content"]["next_offset"].clone();
                if offset.is_null() {
                    break (opened["artifact"]["kind"].as_str().unwrap().to_owned(), whole);
                }
            }
        })
        .collect();
    let of = |kind: &str| &opened.iter().find(|(of, _)| of == kind).unwrap_or_else(|| panic!("{kind}: {kept}")).1;
    assert_eq!(*of("prompt"), world.prompt(1));
    let blocks: Value = serde_json::from_str(&opened[1].1).unwrap();
    assert_eq!((&blocks["mode"], &blocks["blocks"][0]["name"]), (&json!("full"), &json!("system")), "{blocks:#}");
    assert!(of("log").contains("looking around") && of("log").contains("a warning"), "{}", of("log"));
    assert!(of("transcript").contains("looking around"), "{}", of("transcript"));
    assert!(of("diff").contains("+++ b/roof.txt\n@@ -0,0 +1 @@\n+dry"), "{}", of("diff"));
    assert!(of("report").contains("\"It is dry\""), "{}", of("report"));
    assert_eq!(opened.len(), 6, "{kept}");
}

#[test]
fn done_without_proof_is_not_done_and_the_next_slice_is_told_what_is_missing() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[r#"answer DONE "It is mended" '"CARD-7"'"#, PROVEN]);
        let job = world.delegate(&[]);
        world.run_once();
        assert_eq!(world.kinds(&job), ["created", "claimed", "progress", "proof_gate", "progress", "completed"]);
        assert_eq!(world.job(&job).0["status"], "DONE");
        let told = world.prompt(2);
        for part in [
            "You said DONE: It is mended",
            "Reported DONE without proof: CARD-7 does not exist.",
            "Make something that shows it",
        ] {
            assert!(told.contains(part), "{part:?} is missing:\n{told}");
        }
        world.assert_sound();
    });
}

#[test]
fn three_answers_without_proof_fail_the_job_and_say_of_each_reference_why_it_does_not_count() {
    let world = World::new();
    world.join_as("ana");
    assert_eq!(world.evidence(), "CARD-1");
    assert_eq!(world.run_as("ana", &["task", "create", "The roof"]).status, 0);
    world.plays(&[
        r#"answer DONE "Believe me""#,
        r#"answer DONE "Believe me" '"CMD: make", "nonsense"'"#,
        r#"answer DONE "Believe me" '"TASK-001", "CARD-1", "JOB-002", "JOB-001", "CMD: make"'"#,
    ]);
    let (job, waiting) = (world.delegate(&["--task", "1"]), world.delegate(&[]));
    world.run_once();
    let (job, events) = world.job(&job);
    assert_eq!((&job["status"], world.slices()), (&json!("FAILED"), 3));
    assert_eq!(world.job(&waiting).0["status"], "QUEUED");
    let gates: Vec<_> =
        events.iter().filter(|event| event["kind"] == "proof_gate").map(|gate| &gate["message"]).collect();
    let nonsense = "Reported DONE without proof: \"nonsense\" is no reference.";
    assert_eq!(gates, ["Reported DONE without proof; no reference was given.", nonsense]);
    let why = "Reported DONE without proof: TASK-001 is this job's own task; CARD-1 is older than the work on this job; \
               JOB-002 is QUEUED; JOB-001 is this job itself. This was so 3 times in a row. It said: Believe me";
    assert_eq!(job["summary"], why);
}

#[test]
fn a_managers_reference_after_the_gate_is_the_proof_of_the_next_answer() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        assert_eq!(world.evidence(), "CARD-1");
        let (started, go_on) = (world.pipe("started"), world.pipe("go-on"));
        world.plays(&[
            r#"answer DONE "It is dry""#,
            r#"echo $$ > "$here/started"; cat "$here/go-on" > /dev/null; answer DONE "It is dry""#,
        ]);
        let job = world.delegate(&[]);
        let runner = world.runner(&["--once"]);
        started.read();
        assert_eq!(world.job(&job).0["needs_proof"], true);
        assert_eq!(world.run_as("ana", &["job", "message", &job, "I saw it: CARD-1."]).status, 0);
        assert_eq!(world.job(&job).0["needs_proof"], false);
        go_on.write("go");
        runner.ends();
        let (job, _) = world.job(&job);
        assert_eq!((&job["status"], &job["refs"]), (&json!("DONE"), &json!(["CARD-1"])));
        assert_eq!(job["proof"], json!([{"ref": "CARD-1", "standing": "manager"}]));
    });
}

#[test]
fn a_receipt_of_a_command_executor_is_claimed_and_says_so_wherever_the_job_is_shown() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[r#"answer DONE "It is dry" "\"$(prove)\", \"CMD: make\"""#]);
    let job = world.delegate(&[]);
    world.run_once();
    let proof = json!([{"ref": "CARD-1", "standing": "made"}, {"ref": "CMD: make", "standing": "claimed"}]);
    assert_eq!(world.job(&job).0["proof"], proof);
    let shown = world.run_as("ana", &["job", "open", &job]).stdout;
    assert!(shown.contains("  proof     CARD-1 (made in this job), CMD: make (claimed, not seen)\n"), "{shown}");
}

#[test]
fn three_failures_in_a_row_fail_the_job_with_the_end_of_what_the_program_complained_about() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&["echo 'no ladder' >&2; exit 3", "answer CONTINUE 'found one'", "echo 'no ladder' >&2; exit 3"]);
    let job = world.delegate(&[]);
    world.run_once();
    // An answer in between counts as a success.
    assert_eq!(world.slices(), 5);
    let (job, events) = world.job(&job);
    let summary = "Failed 3 times in a row. the command exited with 3: no ladder";
    assert_eq!((&job["status"], &job["summary"]), (&json!("FAILED"), &json!(summary)));
    let errors: Vec<_> = events.iter().filter(|event| event["kind"] == "error").collect();
    assert_eq!((errors.len(), &errors[0]["message"]), (3, &json!("the command exited with 3: no ladder")));
    assert!(world.prompt(2).contains("The last slice failed: the command exited with 3"), "{}", world.prompt(2));
    assert!(world.prompt(3).contains("So far: found one"), "{}", world.prompt(3));
}

#[test]
fn a_program_that_ends_without_a_word_or_with_a_wrong_one_has_failed() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&["exit 0", "echo 'All done!'", "echo '{\"status\":\"FINE\",\"summary\":\"x\"}'"]);
    let job = world.delegate(&[]);
    world.run_once();
    let (job, events) = world.job(&job);
    assert_eq!(job["status"], "FAILED");
    let told: Vec<_> = events.iter().filter(|event| event["kind"] == "error").map(|event| &event["message"]).collect();
    assert!(told.iter().all(|told| told.as_str().unwrap().contains("gave no answer")), "{told:?}");
    assert!(told[1].as_str().unwrap().contains("All done!"), "{told:?}");
    assert!(job["summary"].as_str().unwrap().contains("unknown variant `FINE`"), "{job}");
}

#[test]
fn an_answer_of_failed_is_the_end_and_what_it_reports_is_passed_on() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[concat!(
        r#"echo '{"status":"FAILED","summary":"There is no roof","refs":[],"events":"#,
        r#"[{"kind":"checkpoint","message":"looked up","percent":50,"refs":["CARD-99"]}]}'"#
    )]);
    let job = world.delegate(&[]);
    world.run_once();
    assert_eq!(world.kinds(&job), ["created", "claimed", "progress", "checkpoint", "failed"]);
    let (job, events) = world.job(&job);
    assert_eq!((&job["summary"], &events[3]["message"]), (&json!("There is no roof"), &json!("looked up")));
    assert_eq!(events[3]["refs"], Value::Null, "what leads nowhere is left out, what was said is not");
}

#[test]
fn a_question_waits_for_its_answer_which_the_next_slice_is_told() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        let asks = "baton job report --kind question 'Tiles or straw?' > /dev/null; answer CONTINUE 'I asked'";
        world.plays(&[asks, PROVEN]);
        let job = world.delegate(&[]);
        let mut runner = world.runner(&["--once"]);
        runner.says("waits for a manager's answer");
        let shown = radar(&world);
        assert_eq!((&shown["jobs"][0]["job"], &shown["jobs"][0]["needs_manager"]), (&json!(job), &json!(true)));
        assert_eq!(shown["runners"]["live"], 1, "{shown}");
        // What happens to others is no answer, however much of it there is.
        for number in 0..20 {
            world.delegate(&["--kind", &format!("other-{number}")]);
        }
        assert_eq!(world.slices(), 1);
        let replied = world.run_as("ana", &["radar", "--reply", &job, "Straw."]);
        assert_eq!(replied.status, 0, "{replied:?}");
        runner.says("JOB-001 DONE");
        runner.ends();
        assert_eq!(world.slices(), 2);
        let (told, kinds) = (world.prompt(2), world.kinds(&job));
        assert!(told.contains("Tiles or straw?") && told.contains("manager (test:ana): Straw."), "{told}");
        assert_eq!(kinds, ["created", "claimed", "question", "progress", "manager", "progress", "completed"]);
        world.assert_sound();
    });
}

#[test]
fn a_job_that_is_canceled_while_it_runs_stops_and_nothing_more_is_written() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[STAYS]);
        let started = world.pipe("started");
        let job = world.delegate(&[]);
        let mut runner = world.runner(&[]);
        let (_, program) = started.processes(1).remove(0);
        let canceled = world.run_as("ana", &["job", "cancel", &job, "--reason", "It stopped raining."]);
        assert_eq!(canceled.status, 0, "{canceled:?}");
        runner.says("JOB-001 is not ours any more");
        assert!(is_gone(&program));
        assert_eq!(fs::read_to_string(world.root().join("stopped")).unwrap(), "asked\n", "it was asked to stop");
        runner.signal(Signal::TERM);
        runner.ends();
        let room = world.data_of(&["job", "open", &job])["room_id"].as_str().unwrap().to_owned();
        let log = world.log(&room);
        let end = log.iter().position(|event| event["event_type"] == "job.canceled").unwrap();
        let later: Vec<_> = log[end + 1..].iter().map(|event| event["event_type"].as_str().unwrap()).collect();
        assert!(later.iter().all(|kind| kind.starts_with("runner.")), "{later:?}");
        assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new());
        world.assert_sound();
    });
}

#[test]
fn a_runner_that_is_asked_to_end_gives_its_job_back_and_signs_off() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        world.plays(&[STAYS, PROVEN]);
        let started = world.pipe("started");
        let job = world.delegate(&[]);
        let mut runner = world.runner(&[]);
        let (_, program) = started.processes(1).remove(0);
        runner.signal(Signal::TERM);
        runner.says("JOB-001 is back in the queue");
        runner.ends();
        assert!(is_gone(&program));
        assert_eq!(world.job(&job).0["status"], "QUEUED");
        let shown = radar(&world);
        assert_eq!((&shown["runner"], &shown["runners"]["offline"]), (&json!("offline"), &json!(0)), "{shown}");
        world.run_once();
        assert_eq!(world.kinds(&job), ["created", "claimed", "requeued", "claimed", "progress", "completed"]);
        world.assert_sound();
    });
}

#[test]
fn a_killed_runner_takes_its_program_with_it_and_the_next_one_finishes_the_job_and_tidies_up() {
    World::on_every_backend(|world| {
        let world = world.with_repository();
        world.join_as("ana");
        world.plays(&[
            &format!("setsid sh -c 'echo $$ > \"$0/started\"; exec sleep 1000' \"$here\" &\n{STAYS}"),
            PROVEN,
        ]);
        let started = world.pipe("started");
        let job = world.delegate(&["--isolation", "worktree"]);
        let mut runner = world.runner(&["--claim-ttl", "1", "--runner-ttl", "1"]);
        let family = started.processes(2);
        assert!(!world.leftovers().is_empty());
        runner.kill();
        assert!(family.iter().all(|(_, process)| is_gone(process)));
        let mut next = world.runner(&[]);
        next.says("JOB-001 DONE");
        assert_eq!(world.kinds(&job), ["created", "claimed", "reclaimed", "progress", "completed"]);
        assert_eq!(world.job(&job).1[2]["meta"]["reason"], "runner_gone");
        next.signal(Signal::TERM);
        next.ends();
        assert_eq!(world.leftovers(), Vec::<std::path::PathBuf>::new());
        assert_eq!(worktrees(&world), 1);
        world.assert_sound();
    });
}

#[test]
fn a_claim_is_kept_however_much_happens_in_the_room() {
    World::on_every_backend(|world| {
        world.join_as("ana");
        let go_on = world.pipe("go-on");
        let started = world.pipe("started");
        world.plays(&[&format!("echo $$ > \"$here/started\"; cat \"$here/go-on\" > /dev/null; {PROVEN}")]);
        let job = world.delegate(&[]);
        let mut runner = world.runner(&["--once", "--claim-ttl", "2"]);
        started.read();
        // Something rings all the time, for longer than the claim would last.
        let (mut ana, _) = world.server("ana");
        let held_until = |job: &Value| job["claim_expires_at_ms"].as_i64().unwrap();
        let (mut last, mut renewals) = (held_until(&world.job(&job).0), 0);
        while renewals < 4 {
            for _ in 0..10 {
                ana.ok("jobs", json!({ "op": "create", "args": { "title": "Another", "prompt": "Later." } }));
            }
            let (now, _) = world.job(&job);
            assert_eq!((&now["status"], &now["stale"]), (&json!("RUNNING"), &json!(false)), "{now}");
            renewals += usize::from(held_until(&now) > last);
            last = held_until(&now);
        }
        go_on.write("");
        runner.says("JOB-001 DONE");
        runner.ends();
    });
}

#[test]
fn a_worktree_comes_back_as_a_diff_and_the_workspace_stays_as_it_was() {
    let world = World::new().with_repository();
    world.join_as("ana");
    let works =
        format!("pwd > \"$here/where\"; echo more >> AGENTS.md; echo dry > roof.txt; git add roof.txt; {PROVEN}");
    world.plays(&[&works]);
    // What the user has not committed is neither touched nor taken along.
    world.write("draft.txt", "mine\n");
    let job = world.delegate(&["--isolation", "worktree"]);
    world.run_once();
    let (_, events) = world.job(&job);
    let refs = events.iter().find(|event| event["kind"] == "progress").unwrap()["refs"].clone();
    let diff = refs.as_array().unwrap().iter().find(|kept| kept.as_str().unwrap().contains("diff")).unwrap();
    let (mut agent, _) = world.server("reader");
    let opened = agent.ok("open", json!({ "id": diff }));
    let text = opened["content"]["text"].as_str().unwrap();
    assert!(text.contains("+more") && text.contains("+dry") && !text.contains("mine"), "{text}");
    let place = fs::read_to_string(world.root().join("where")).unwrap();
    assert!(place.starts_with(world.data().join("worktrees").to_str().unwrap()), "{place}");
    assert_eq!(World::files(&world.workspace()).iter().filter(|(path, _)| path.ends_with("roof.txt")).count(), 0);
    assert_eq!(fs::read_to_string(world.workspace().join("AGENTS.md")).unwrap(), "# A workspace\n");
    assert_eq!((worktrees(&world), world.leftovers().len()), (1, 0));
}

#[test]
fn changes_that_a_patch_cannot_have_are_told_in_the_thread() {
    let nested = "git init --quiet inner; echo new > inner/file; echo dry > roof.txt";
    let linked = "git init --quiet inner; git -C inner -c user.name=x -c user.email=x commit --quiet --allow-empty -m x; \
                  echo new > inner/file; git add inner 2>/dev/null; echo dry > roof.txt";
    let removed = "rm .git; echo dry > roof.txt";
    let replaced = "rm .git; git init --quiet .; echo dry > roof.txt";
    for (works, words, patch) in [
        (nested, "inner/", true),
        (linked, "inner", true),
        (removed, "removed or replaced", false),
        (replaced, "removed or replaced", false),
    ] {
        let world = World::new().with_repository();
        world.join_as("ana");
        world.plays(&[&format!("{works}; {PROVEN}")]);
        let job = world.delegate(&["--isolation", "worktree"]);
        world.run_once();
        let (_, events) = world.job(&job);
        let told =
            events.iter().find(|event| event["kind"] == "error").unwrap_or_else(|| panic!("{works}: {events:#?}"));
        let message = told["message"].as_str().unwrap();
        assert!(message.contains(words) && message.contains("job send-back"), "{message}");
        let diff = world.run(&["job", "diff", &job]);
        assert_eq!((diff.status == 0, diff.stdout.contains("+dry")), (patch, patch), "{diff:?}");
        assert_eq!((worktrees(&world), world.leftovers().len()), (1, 0), "{works}");
    }
}

#[test]
fn a_worktree_where_there_is_no_repository_fails_the_job_and_says_why() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[PROVEN]);
    let job = world.delegate(&["--isolation", "worktree"]);
    world.run_once();
    let (job, _) = world.job(&job);
    assert_eq!((&job["status"], world.slices()), (&json!("FAILED"), 0));
    assert!(job["summary"].as_str().unwrap().contains("is not in a git working tree"), "{job}");
}

#[test]
fn with_max_parallel_two_jobs_run_at_once_and_a_third_waits() {
    let world = World::new();
    world.join_as("ana");
    let started = world.pipe("started");
    world.drives(&format!(
        r#"mkfifo "$here/go-$$"; echo $$ > "$here/started"; cat "$here/go-$$" > /dev/null; {PROVEN}"#
    ));
    let jobs = [world.delegate(&[]), world.delegate(&[]), world.delegate(&[])];
    let mut runner = world.runner(&["--max-parallel", "2"]);
    let both = started.processes(2);
    let status = |job: &String| world.job(job).0["status"].as_str().unwrap().to_owned();
    assert_eq!(jobs.each_ref().map(status), ["RUNNING", "RUNNING", "QUEUED"]);
    let go = |pid: &str| fs::write(world.root().join(format!("go-{pid}")), "").unwrap();
    go(&both[0].0);
    let third = started.processes(1);
    go(&both[1].0);
    go(&third[0].0);
    for job in &jobs {
        runner.says(&format!("{job} DONE"));
    }
    runner.signal(Signal::TERM);
    runner.ends();
    assert_eq!(jobs.each_ref().map(status), ["DONE", "DONE", "DONE"]);
}

#[test]
fn a_job_for_a_program_that_no_runner_has_waits() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[PROVEN]);
    let create = |executor: &str| {
        let words = ["job", "create", "a", "--prompt", "b", "--priority", "high", "--executor", executor];
        assert_eq!(world.run_as("ana", &words).status, 0);
    };
    create("codex");
    create("claude_code");
    world.delegate(&["--priority", "low"]);
    // Only what the configuration names: nothing is on this PATH.
    let mut runner = world.baton(&["run", "--once"]);
    runner.env("PATH", "/usr/bin:/bin").env_remove("BATON_CODEX_BIN");
    let status = |job: &str| world.job(job).0["status"].as_str().unwrap().to_owned();
    assert_eq!(Ran::of(runner).status, 0);
    assert_eq!(["1", "2", "3"].map(status), ["QUEUED", "QUEUED", "DONE"]);
}

#[test]
fn a_runner_that_could_run_nothing_or_is_told_nonsense_does_not_start() {
    let world = World::new();
    world.join_as("ana");
    let refused = |arguments: &[&str]| {
        let mut command = world.baton(&[&["run", "--once", "--json"], arguments].concat());
        command.env("PATH", world.home());
        let ran = Ran::of(command);
        let error = ran.json()["error"].clone();
        (ran.status, ran.code(), error["message"].as_str().unwrap_or_default().to_owned() + &error["next"].to_string())
    };
    let check = |arguments: &[&str], status: i32, code: &str, words: &str| {
        let (found, refusal, text) = refused(arguments);
        assert_eq!((found, refusal.as_str()), (status, code), "{arguments:?}: {text}");
        assert!(text.contains(words), "{arguments:?}: {text}");
    };
    check(&[], 3, "PRECONDITION_FAILED", "There is nothing to execute jobs with.");
    check(&["--codex-bin", "/no/codex"], 2, "INVALID_INPUT", "/no/codex");
    check(&["--max-parallel", "0"], 2, "INVALID_INPUT", "max-parallel");
    check(&["--claim-ttl", "0"], 2, "INVALID_INPUT", "claim-ttl");
    for (config, words) in [
        ("[executors.command]\nargv = []\n", "argv"),
        ("[executors.command]\nargv = [\"/no/such/program\"]\n", "/no/such/program"),
        ("[executors.command]\nargv = [\"/bin/sh\"]\nshell = true\n", "shell"),
        ("[runner]\nmax_paralel = 2\n", "max_paralel"),
        ("[runner\n", "config.toml"),
    ] {
        world.configure(config);
        check(&[], 2, "INVALID_INPUT", words);
    }
    world.plays(&[PROVEN]);
    check(&["--room", "room_unknown"], 4, "unknown_room", "room_unknown");
    let file = world.home().join(".config/baton/config.toml");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
    check(&[], 2, "INVALID_INPUT", "others may write it");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    assert_eq!(refused(&[]).0, 0, "and all is well once it is the user's own");
}

#[test]
fn what_is_in_a_workspace_or_a_job_never_says_what_is_executed() {
    let world = World::new();
    world.join_as("ana");
    world.plays(&[PROVEN]);
    world.write(".config/baton/config.toml", "[executors.command]\nargv = [\"/bin/false\"]\n");
    world.write("config.toml", "[executors.command]\nargv = [\"/bin/false\"]\n");
    let job = world.delegate(&["--meta", "argv=[\"/bin/false\"]", "--meta", "command=/bin/false"]);
    world.run_once();
    assert_eq!(world.job(&job).0["status"], "DONE");
}

fn radar(world: &World) -> Value {
    world.data_of(&["radar"])
}

/// How many working trees git knows of.
fn worktrees(world: &World) -> usize {
    let mut command = world.command("git");
    command.args(["worktree", "list", "--porcelain"]);
    Ran::of(command).stdout.lines().filter(|line| line.starts_with("worktree ")).count()
}
