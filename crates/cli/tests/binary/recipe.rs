//! The operator's recipe, step by step: two jobs, two runners in terminals of their own, and a manager
//! who sees on the radar what goes on and settles it with what a row offers.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::support::{Agent, Runner, Tidy, World};

/// The first job asks, the second stays at work until it is told to go on.
const PROGRAM: &str = r#"prompt=$(cat)
case $prompt in
*'Straw.'*) answer DONE "It is dry" "\"$(prove)\"" ;;
*'It rains in.'*) cat "$here/ask" > /dev/null; baton job report --kind question 'Tiles or | straw?' > /dev/null; answer CONTINUE 'I asked' ;;
*) baton job report --percent 40 'Two of five windows' > /dev/null
   echo "$$" > "$here/started"; cat "$here/go-on" > /dev/null
   answer DONE "It is light" "\"$(prove)\"" ;;
esac"#;

fn radar(manager: &mut Agent, more: Value) -> String {
    let mut args = json!({ "fmt": "lines" });
    args.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    let answer = manager.ok("jobs", json!({ "op": "radar", "args": args }));
    answer["lines"].as_str().unwrap().to_owned()
}

/// What follows `word` in a line, up to the next part of it.
fn part<'a>(line: &'a str, word: &str) -> &'a str {
    let (_, rest) = line.split_once(word).unwrap_or_else(|| panic!("no {word:?} in {line:?}"));
    rest.split_once(" | ").map_or(rest, |(part, _)| part)
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
    writeln!(story, "# before there is a runner\n{}", tidy.tidy(&before)).unwrap();

    // In terminals of two runners, which stand somewhere else: what the radar says, with a name for each.
    let bootstrap = before.lines().find_map(|line| line.strip_prefix("CMD: ")).unwrap();
    let mut runners = [("r1", "JOB-001"), ("r2", "JOB-002")].map(|(id, job)| {
        let mut terminal = world.command("sh");
        let command = format!("exec {bootstrap} --runner-id {id} --max-parallel 1 --idle-exit 0");
        terminal.args(["-c", &command]).current_dir("/");
        let mut runner = Runner::start(terminal);
        runner.says(&format!("{job} claimed"));
        runner
    });

    // Back in the manager's terminal, once one job asks and the other is under way.
    started.read();
    ask.write("");
    runners[0].says("JOB-001 waits for a manager's answer");
    let rows = radar(&mut manager, json!({}));
    writeln!(story, "# two runners at work\n{}", tidy.tidy(&rows)).unwrap();

    // Exactly what the row offers, and nothing else.
    let row = rows.lines().find(|line| line.contains(" ? ")).unwrap();
    let reply = part(row, "reply reply_job=");
    let (job, message) = reply.split_once(" reply_message=").unwrap();
    assert_eq!((job, message), ("JOB-001", r#""...""#), "{row}");
    let opened = manager.ok("open", json!({ "id": part(row, "open id=") }));
    assert_eq!(opened["message"], "Tiles or | straw?", "{opened}");
    let answered = radar(&mut manager, json!({ "reply_job": job, "reply_message": "Straw." }));
    assert!(answered.contains("JOB-001"), "{answered}");
    go_on.write("");
    for runner in &mut runners {
        runner.says(" DONE");
    }
    let after = radar(&mut manager, json!({ "status": "DONE" }));
    writeln!(story, "# after the answer\n{}", tidy.tidy(&after)).unwrap();
    runners.into_iter().for_each(|runner| drop(runner.ends()));
    insta::assert_snapshot!(story, @"");
}
