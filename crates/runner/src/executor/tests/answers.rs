//! What is an answer, and what is not.

use serde_json::{Value, json};

use crate::executor::{Answer, AnswerStatus, NoteKind, SCHEMA};

fn misfit(answer: Value) -> String {
    Answer::of_json(answer).unwrap_err().to_string()
}

#[test]
fn an_answer_is_read_as_the_schema_has_it() {
    let text = r#" {"status": "CONTINUE", "summary": "Half.", "refs": ["TASK-001"],
        "events": [{"kind": "question", "message": "Which?", "percent": null, "refs": []}]} "#;
    let answer = Answer::parse(text).unwrap();
    assert_eq!((answer.status, answer.refs.len()), (AnswerStatus::Continue, 1));
    assert_eq!((answer.notes[0].kind, answer.notes[0].percent), (NoteKind::Question, None));
    assert_eq!(Answer::parse(&serde_json::to_string(&answer).unwrap()), Ok(answer));
}

#[test]
fn what_does_not_fit_is_told_why() {
    let good = json!({"status": "DONE", "summary": "s", "refs": [], "events": []});
    let with = |key: &str, value: Value| {
        let mut answer = good.clone();
        answer[key] = value;
        misfit(answer)
    };
    assert!(Answer::of_json(good.clone()).is_ok());
    insta::assert_snapshot!(
        [
            Answer::parse("SCRIPT ENDED").unwrap_err().to_string(),
            with("status", json!("PERHAPS")),
            with("mood", json!("good")),
            with("summary", json!(" ")),
            with("summary", json!("x".repeat(20_001))),
            with("refs", json!(vec!["TASK-001"; 33])),
            with("refs", json!(["x".repeat(257)])),
            with("refs", json!(["TASK-001", ""])),
            with("events", json!([{"kind": "party", "message": "m"}])),
            with("events", json!([{"kind": "progress", "message": "m", "percent": 101}])),
            with("events", json!([{"kind": "progress", "message": ""}])),
            with("events", json!(vec![json!({"kind": "progress", "message": "m"}); 51])),
        ]
        .join("\n"),
        @"
    the answer is not the JSON object that was asked for: expected value at line 1 column 1
    the answer is not the JSON object that was asked for: unknown variant `PERHAPS`, expected one of `DONE`, `FAILED`, `CONTINUE`
    the answer is not the JSON object that was asked for: unknown field `mood`, expected one of `status`, `summary`, `refs`, `events`
    the answer's summary is empty
    the answer's summary in characters has 20001; at most 20000 are taken
    the answer's refs has 33; at most 32 are taken
    the answer's refs[0] in bytes has 257; at most 256 are taken
    the answer's refs[1] is empty
    the answer is not the JSON object that was asked for: unknown variant `party`, expected one of `progress`, `checkpoint`, `question`, `error`
    the answer's events[0].percent is 101; it is 0 to 100, or null
    the answer's events[0].message is empty
    the answer's events has 51; at most 50 are taken
    "
    );
}

#[test]
fn every_object_of_the_schema_requires_all_it_has_and_nothing_else() {
    fn check(schema: &Value, objects: &mut usize) {
        if let Some(properties) = schema["properties"].as_object() {
            let names: Vec<_> = properties.keys().map(String::as_str).collect();
            let required: Vec<_> = schema["required"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            assert_eq!((names, &schema["additionalProperties"]), (required, &json!(false)));
            *objects += 1;
            properties.values().for_each(|property| check(property, objects));
        }
        if !schema["items"].is_null() {
            check(&schema["items"], objects);
        }
    }
    let mut objects = 0;
    check(&serde_json::from_str(SCHEMA).unwrap(), &mut objects);
    assert_eq!(objects, 2);
}
