//! The operator's recipe, step by step: two jobs, two runners in terminals of their own, and a manager who sees on the radar
//! what goes on and settles it with what a row offers.
#![expect(clippy::unwrap_used, reason = "a story that is not as it should be ends there")]

use std::{fmt::Write, path::Path};

use serde_json::{Value, json};

use crate::support::{Agent, BATON, Runner, Tidy, World};

/// The first job asks, the second stays at work until it is told to go on.
const PROGRAM: &str = r#"prompt=$(cat)
case $prompt in
*'Straw.'*) answer DONE "It is dry" "\"$(prove)\"" ;;
*'It rains in.'*) cat "$here/ask" > /dev/null; baton job report --kind question 'Tiles or | straw?' > /dev/null; answer CONTINUE 'I asked' ;;
*) baton job report --kind progress --percent 40 'Two of five windows' > /dev/null
   echo "$$" > "$here/started"; cat "$here/go-on" > /dev/null
   answer DONE "It is light" "\"$(prove)\"" ;;
esac"#;

fn radar(manager: &mut Agent, more: Value) -> String {
    let mut args = json!({ "fmt": "lines" });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = manager.ok("jobs", json!({ "op": "radar", "args": args }));
    answer["lines"].as_str().unwrap().to_owned()
}

/// The part of a line after `word`, up to the next separator.
fn part<'a>(line: &'a str, word: &str) -> &'a str {
    let (_, rest) = line.split_once(word).unwrap_or_else(|| panic!("no {word:?} in {line:?}"));
    rest.split_once(" | ").map_or(rest, |(part, _)| part)
}

/// A radar without the numbers of events: what two runners do at once has no order.
fn without_numbers(radar: &str) -> String {
    let mut parts = radar.split('@');
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + "@N" + part.trim_start_matches(|c: char| c.is_ascii_digit()))
}

#[test]
fn the_operators_recipe_is_understood_from_the_rows_and_settled_by_pasting_from_them() {
    let world = World::new();
    world.drives(PROGRAM);
    let [started, ask, go_on] = ["started", "ask", "go-on"].map(|name| world.pipe(name));
    let (mut manager, _) = world.server("manager");
    let mut tidy = Tidy::default().naming(&world.data(), "DATA").naming(&world.workspace(), "WORK");
    let mut story = String::new();

    // In the manager's terminal: a task, and two jobs for it.
    manager.ok("tasks", json!({ "op": "macro.start", "args": { "title": "Mend the house" } }));
    for (title, prompt) in [("The roof", "It rains in."), ("The windows", "It is dark.")] {
        let job = json!({ "title": title, "prompt": prompt, "task": "TASK-001", "executor": "command" });
        manager.ok("tasks", json!({ "op": "macro.delegate", "args": job }));
    }
    let before = radar(&mut manager, json!({}));
    writeln!(story, "# before there is a runner\n{}", tidy.tidy(&without_numbers(&before))).unwrap();

    // In terminals of two runners, which stand somewhere else: what the radar says, with a name for each.
    let bootstrap = before.lines().find_map(|line| line.strip_prefix("CMD: ")).unwrap();
    let programs = Path::new(BATON).parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", programs.display());
    let mut runners = [("r1", "JOB-001"), ("r2", "JOB-002")].map(|(id, job)| {
        let mut terminal = world.command("sh");
        let command = format!("exec {bootstrap} --runner-id {id} --max-parallel 1 --idle-exit 0");
        terminal.args(["-c", &command]).current_dir("/").env_remove("BATON_DATA_DIR").env("PATH", &path);
        let mut runner = Runner::start(terminal);
        runner.says(&format!("{job} claimed"));
        runner
    });

    // Back in the manager's terminal, once one job asks and the other is under way.
    started.read();
    ask.write("");
    runners[0].says("JOB-001 waits for a manager's answer");
    let rows = radar(&mut manager, json!({}));
    writeln!(story, "# two runners at work\n{}", tidy.tidy(&without_numbers(&rows))).unwrap();

    // Exactly what the row offers, and nothing else.
    let row = rows.lines().find(|line| line.contains(" ? ")).unwrap();
    let reply = part(row, "reply reply_job=");
    let (job, message) = reply.split_once(" reply_message=").unwrap();
    assert_eq!((job, message), ("JOB-001", r#""...""#), "{row}");
    let opened = manager.ok("open", json!({ "id": part(row, "open id=") }));
    assert_eq!(opened["text"], "Tiles or | straw?", "{opened}");
    let answered = radar(&mut manager, json!({ "reply_job": job, "reply_message": "Straw." }));
    assert!(answered.contains("JOB-001"), "{answered}");
    go_on.write("");
    runners.into_iter().for_each(|runner| drop(runner.ends()));
    let after = radar(&mut manager, json!({ "status": "DONE" }));
    writeln!(story, "# after the answer\n{}", tidy.tidy(&without_numbers(&after))).unwrap();
    insta::assert_snapshot!(story, @r#"
    # before there is a runner
    room_1 jobs_radar count=2 runner=offline runners=none
    CMD: baton run --room room_1 --store DATA
    JOB-002@N JOB-002 (QUEUED) The windows | open id=JOB-002@N | blocked: No runner is here. | age <1m
    JOB-001@N JOB-001 (QUEUED) The roof | open id=JOB-001@N | blocked: No runner is here. | age <1m
    # two runners at work
    room_1 jobs_radar count=2 runner=live runners=live:2 idle:0 offline:0
    runner live r1 | open id=runner:r1 job=JOB-001 | open id=JOB-001
    runner live r2 | open id=runner:r2 job=JOB-002 | open id=JOB-002
    JOB-001@N ? JOB-001 (RUNNING) The roof | open id=JOB-001@N | reply reply_job=JOB-001 reply_message="..." | last question: Tiles or ¦ straw? | age <1m, slice 1
    JOB-002@N JOB-002 (RUNNING) The windows | open id=JOB-002@N | last progress: Two of five windows | age <1m, slice 1, 40 %
    # after the answer
    room_1 jobs_radar count=2 runner=offline runners=none status=DONE
    JOB-001@N JOB-001 (DONE) The roof | open id=JOB-001@N | last completed: It is dry
    JOB-002@N JOB-002 (DONE) The windows | open id=JOB-002@N | last completed: It is light
    "#);
}
