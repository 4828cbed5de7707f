//! A job that leads a conversation.

use std::{fs, thread};

use serde_json::{Value, json};

use crate::stage::{JOB, Stage, control, message};

/// Has a worker join, and do what it is asked until it did it this often.
fn work(stage: &Stage, name: &str, times: usize, mut answer: impl FnMut(&Value) -> (&'static str, Option<String>)) {
    let mut done = 0;
    while done < times {
        let taken = stage.call(name, "bus.take", json!({ "max_wait_ms": 50_000 }));
        for delivery in taken["deliveries"].as_array().unwrap() {
            let (status, text) = answer(delivery);
            let action = &delivery["action_id"];
            if let Some(text) = text {
                let reply = json!({ "type": "message", "kind": "reply", "dst": delivery["src"], "text": text,
                    "action_id": format!("{name}.{done}"), "action_index": 0, "reply_to_action_id": action });
                stage.call(name, "bus.submit", json!({ "group_id": format!("{name}.{done}"), "actions": [reply] }));
            }
            stage.call(name, "bus.result", json!({ "action_id": action, "status": status }));
            done += 1;
        }
    }
}

fn joins(stage: &Stage, name: &str) {
    stage.call(name, "bus.add", json!({ "name": name }));
}

#[test]
fn a_relay_sends_its_workers_on_until_the_task_is_done() {
    let stage = Stage::new(
        r#"case $n in
1) echo '{"type":"relay_actions","actions":[{"type":"message","dst":"bob","text":"Tiles?","plan":{"steps":["count","tell"]}},{"type":"message","dst":"cleo","text":"Nails?"}]}' ;;
2) echo '{"type":"relay_actions","actions":[{"type":"message","dst":"bob","text":"Nail them."}]}' ;;
*) echo '{"type":"task_done","summary":"It is mended."}' ;;
esac"#,
    );
    joins(&stage, "bob");
    joins(&stage, "cleo");
    stage.job("relay");
    let _runner = stage.run("one");
    thread::scope(|scope| {
        scope.spawn(|| {
            work(&stage, "bob", 2, |asked| match asked["text"].as_str() {
                Some("Tiles?") => {
                    assert_eq!(asked["plan"]["steps"], json!(["count", "tell"]));
                    ("completed", Some("Forty.".to_owned()))
                }
                text => ("completed", Some(format!("Done: {}", text.unwrap()))),
            });
        });
        scope.spawn(|| work(&stage, "cleo", 1, |_| ("rejected", None)));
    });
    assert_eq!(stage.end(), ("DONE".to_owned(), "It is mended.".to_owned()));
    let (first, second, third) = (stage.prompt(1), stage.prompt(2), stage.prompt(3));
    for part in
        ["You lead a conversation", r#"{"type":"task_done","summary":"..."}"#, "- bob (id test:bob)", "It rains in."]
    {
        assert!(first.contains(part), "{part:?} is missing:\n{first}");
    }
    for part in ["bob: your message: completed", "cleo: your message: rejected", "## Answer of bob (test:bob)\nForty."]
    {
        assert!(second.contains(part), "{part:?} is missing:\n{second}");
    }
    assert!(third.contains("bob to you: Forty.") && third.contains("Done: Nail them."), "{third}");
    let replies = stage.call("bob", "bus.actions", json!({ "src": "test:bob" }));
    assert!(replies["actions"].as_array().unwrap().iter().all(|reply| reply["status"] == "completed"), "{replies:#}");
}

#[test]
fn what_a_relay_says_without_an_object_is_its_last_word() {
    let stage = Stage::new("echo 'There is no roof.'");
    stage.job("relay");
    let _runner = stage.start("one");
    assert_eq!(stage.end(), ("DONE".to_owned(), "There is no roof.".to_owned()));
}

#[test]
fn a_relay_that_is_refused_is_told_why_and_tries_again_but_not_for_ever() {
    let stage = Stage::new(
        r#"case $n in
2) grep -q 'no agent of this session' "$here/prompt-$n" && echo '{"type":"task_done","summary":"Nobody is here."}' ;;
*) echo '{"type":"relay_actions","actions":[{"type":"message","dst":"nobody","text":"Hello?"}]}' ;;
esac"#,
    );
    stage.job("relay");
    let _runner = stage.start("one");
    assert_eq!(stage.end(), ("DONE".to_owned(), "Nobody is here.".to_owned()));

    let stubborn =
        Stage::new(r#"echo '{"type":"relay_actions","actions":[{"type":"control","dst":"nobody","command":"new"}]}'"#);
    stubborn.job("relay");
    let _runner = stubborn.start("one");
    let (status, summary) = stubborn.end();
    assert_eq!((status.as_str(), summary.contains("3 turns in a row")), ("FAILED", true), "{summary}");
}

#[test]
fn a_relay_that_waits_can_be_interrupted_and_told_something_else() {
    let stage = Stage::new(
        r#"case $n in
1) echo '{"type":"relay_actions","actions":[{"type":"message","dst":"bob","text":"Wait for rain."}]}' ;;
*) echo '{"type":"task_done","summary":"We took the tarp."}' ;;
esac"#,
    );
    joins(&stage, "bob");
    stage.job("relay");
    let _runner = stage.run("one");
    let waiting = stage.call("bob", "bus.take", json!({ "max_wait_ms": 50_000 }));
    assert_eq!(waiting["deliveries"][0]["text"], "Wait for rain.");
    stage.ask("i", &[("stop", control("interrupt"))]);
    assert_eq!(stage.ended("i"), ["stop completed"]);
    assert!(fs::metadata(stage.here().join("prompt-2")).is_err(), "it waits to be told something");
    stage.ask("g", &[("a", message("Take the tarp."))]);
    assert_eq!(stage.end(), ("DONE".to_owned(), "We took the tarp.".to_owned()));
    assert_eq!(stage.ended("g"), ["a completed"]);
    assert_eq!(stage.answers("ana", 1), ["a: We took the tarp."]);
    let second = stage.prompt(2);
    assert!(second.contains("bob: your message: no result yet") && second.contains("Take the tarp."), "{second}");
}

#[test]
fn a_relay_that_asks_and_ends_at_once_waits_for_the_answer_and_hears_it() {
    let stage = Stage::new(
        r#"if [ $n = 1 ]; then echo "$BATON_JOB" > "$here/asks"; cat "$here/asked" > /dev/null; fi
echo '{"type":"task_done","summary":"Turn '$n' ended it."}'"#,
    );
    let (asks, asked) = (stage.pipe("asks"), stage.pipe("asked"));
    stage.job("relay");
    let runner = stage.start("one");
    let assignment = fs::read_to_string(asks).unwrap();
    stage.report_as(&assignment, json!({ "kind": "question", "message": "Tiles or straw?" }));
    fs::write(asked, "").unwrap();
    runner.says("waits for a manager's answer before it ends");
    assert_eq!(stage.shown()["status"], "RUNNING");
    stage.call("ana", "jobs.message", json!({ "job": JOB, "message": "Straw." }));
    assert_eq!(stage.end().0, "DONE");
    assert!(stage.prompt(2).contains("Straw."), "{}", stage.prompt(2));
}
