//! The scripted model by itself, asked as a program would ask.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{
    io::{Read, Write},
    net::TcpStream,
    panic::{AssertUnwindSafe, catch_unwind},
    thread,
};

use baton_testkit::model::{Gate, Model, Step};
use serde_json::{Value, json};

/// Posts to an address, and gives the status with what came back. A connection that ends in silence gives 0.
fn post(url: &str, body: &Value) -> (u16, Value) {
    let (authority, path) = url.strip_prefix("http://").unwrap().split_once('/').unwrap();
    let mut stream = TcpStream::connect(authority).unwrap();
    let body = body.to_string();
    write!(stream, "POST /{path} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{body}", body.len()).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    let Some((head, body)) = answer.split_once("\r\n\r\n") else { return (0, Value::Null) };
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_str(body).unwrap())
}

/// What `claude` would send in a session that has come so far.
fn request(session: &str, messages: &Value) -> Value {
    let user = json!({"session_id": session}).to_string();
    json!({"model": "m", "metadata": {"user_id": user}, "tools": [{"name": "Bash"}], "messages": messages})
}

fn asked(session: &str) -> Value {
    request(session, &json!([{"role": "user", "content": "Go."}]))
}

fn messages(model: &Model) -> String {
    format!("{}/v1/messages", model.url("ann"))
}

#[test]
fn a_side_request_is_answered_and_takes_no_step() {
    let model = Model::start();
    let script = model.script("ann", vec![Step::say("the step")]);
    let schema = json!({"type": "object", "properties": {"title": {"type": "string"}}, "required": ["title"]});
    let mut title = asked("s");
    title["tools"] = json!([]);
    title["output_config"] = json!({"format": {"type": "json_schema", "schema": schema}});
    let (status, answer) = post(&messages(&model), &title);
    assert_eq!((status, &answer["content"][0]["text"]), (200, &json!("{\"title\":\"ok\"}")));
    let (status, count) = post(&format!("{}/count_tokens", messages(&model)), &asked("s"));
    assert_eq!((status, count), (200, json!({"input_tokens": 100})));
    assert_eq!(script.steps(), [0; 0]);
    assert_eq!(post(&messages(&model), &asked("s")).1["content"][0]["text"], "the step");
}

#[test]
fn a_request_that_is_repeated_is_answered_alike_and_the_test_is_asked_once() {
    let model = Model::start();
    let times = std::sync::atomic::AtomicUsize::new(0);
    let decide = move |_: &_| Step::say(&format!("time {}", times.fetch_add(1, std::sync::atomic::Ordering::SeqCst)));
    let script = model.script("ann", vec![Step::decide(decide), Step::say("next")]);
    for _ in 0..2 {
        assert_eq!(post(&messages(&model), &asked("s")).1["content"][0]["text"], "time 0");
    }
    let further = json!([
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": [{"type": "text", "text": "time 0"}]},
        {"role": "user", "content": "Go on."},
    ]);
    assert_eq!(post(&messages(&model), &request("s", &further)).1["content"][0]["text"], "next");
    script.finished();
    assert_eq!(script.steps(), [0, 0, 1]);
}

#[test]
fn what_is_held_is_let_go_without_an_answer_when_the_model_is_dropped() {
    let model = Model::start();
    let script = model.script("ann", vec![Step::decide(|_| Step::hold(&Gate::closed())), Step::say("never")]);
    let url = messages(&model);
    let waiting = thread::spawn(move || post(&url, &asked("s")));
    script.reached(0);
    drop(model);
    assert_eq!(waiting.join().unwrap().0, 0);
}

#[test]
fn going_on_after_the_end_fails_the_script_and_a_failure_nobody_took_fails_the_test() {
    let model = Model::start();
    let script = model.script("ann", vec![Step::say("all")]);
    post(&messages(&model), &asked("s"));
    let further = json!([{"role": "assistant", "content": "all"}, {"role": "user", "content": "And?"}]);
    assert_eq!(post(&messages(&model), &request("s", &further)).0, 400);
    // A test that waits hears of it at once.
    assert!(catch_unwind(AssertUnwindSafe(|| script.reached(1))).is_err());
    assert!(catch_unwind(AssertUnwindSafe(|| drop(model))).is_err());
}
