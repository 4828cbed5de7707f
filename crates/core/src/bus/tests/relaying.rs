//! What a model says while it relays. The contract's examples are tests by name.

use crate::{
    bus::{
        Control, Kind, Plan, What,
        relay::{Output, Relayed},
    },
    code::ErrorCode,
    limits,
};

fn message(dst: &str, plan: Option<Plan>) -> Relayed {
    let (dst, text) = (dst.to_owned(), "...".to_owned());
    Relayed { dst, what: What::Message { kind: Kind::User, text, reply_to_action_id: None, plan } }
}

fn control(command: Control, args: Option<&str>) -> Relayed {
    Relayed { dst: "worker".to_owned(), what: What::Control { command, args: args.map(str::to_owned) } }
}

fn read(text: &str) -> Output {
    Output::read(text).unwrap()
}

/// Of a local answer: why it was none of a relay's.
fn problem(text: &str) -> Option<String> {
    match read(text) {
        Output::Local { text: kept, problem } => {
            assert_eq!(kept, text.trim(), "as it was said");
            problem
        }
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn the_contracts_message_with_a_plan() {
    let text = r#"{"type":"relay_actions","actions":[{"type":"message","dst":"worker","text":"...","plan":{"steps":["..."]}}]}"#;
    let plan = Plan { steps: vec!["...".to_owned()], note: None };
    assert_eq!(read(text), Output::Actions(vec![message("worker", Some(plan))]));
}

#[test]
fn the_contracts_control() {
    let text = r#"{"type":"relay_actions","actions":[{"type":"control","dst":"worker","command":"new"}]}"#;
    assert_eq!(read(text), Output::Actions(vec![control(Control::New, None)]));
}

#[test]
fn the_contracts_messages_for_two_workers() {
    let text = r#"{"type":"relay_actions","actions":[{"type":"message","dst":"worker-a","text":"..."},{"type":"message","dst":"worker-b","text":"..."}]}"#;
    assert_eq!(read(text), Output::Actions(vec![message("worker-a", None), message("worker-b", None)]));
}

#[test]
fn the_contracts_task_done() {
    let done = |summary: Option<&str>| Output::Done { summary: summary.map(str::to_owned) };
    assert_eq!(read(r#"{"type":"task_done","summary":"..."}"#), done(Some("...")));
    assert_eq!(read(r#"{"type":"task_done"}"#), done(None));
    assert_eq!(read(r#"{"type":"task_done","summary":null}"#), done(None));
    assert_eq!(read(r#"{"type":"task_done","summary":" "}"#), done(None));
}

#[test]
fn controls_come_before_the_messages_that_they_are_ordered_before() {
    let text = r#"
        {"type": "relay_actions", "actions": [
            {"type": "control", "dst": "worker", "command": "interrupt"},
            {"type": "control", "dst": "worker", "command": "review", "args": "the parser"},
            {"type": "message", "dst": "worker", "text": "...", "plan": {"steps": ["a", "b"], "note": "c"}}
        ]}
    "#;
    let plan = Plan { steps: vec!["a".to_owned(), "b".to_owned()], note: Some("c".to_owned()) };
    let expected = vec![
        control(Control::Interrupt, None),
        control(Control::Review, Some("the parser")),
        message("worker", Some(plan)),
    ];
    assert_eq!(read(text), Output::Actions(expected));
}

#[test]
fn what_is_not_json_alone_is_a_local_answer() {
    let fenced = "```json\n{\"type\":\"task_done\"}\n```";
    let deep = "[".repeat(100_000);
    for text in ["All done.", "", fenced, "{\"type\":\"task_done\"} and more", "{", "{'type':'task_done'}", &deep] {
        assert_eq!(problem(text), None, "{text:.40}");
    }
}

#[test]
fn json_that_is_no_relay_is_a_local_answer() {
    for text in [
        "null",
        "17",
        "\"task_done\"",
        "[]",
        "{}",
        r#"{"type":7}"#,
        r#"{"type":"message","text":"x"}"#,
        r#"[{"type":"task_done"}]"#,
    ] {
        assert_eq!(problem(text), None, "{text}");
    }
}

#[test]
fn a_relay_that_went_wrong_is_a_local_answer_that_says_why() {
    let actions = |actions: &str| format!(r#"{{"type":"relay_actions","actions":[{actions}]}}"#);
    let many = vec![r#"{"type":"message","dst":"w","text":"x"}"#; limits::BUS_ACTIONS + 1].join(",");
    let cases = [
        r#"{"type":"relay_actions"}"#.to_owned(),
        actions(""),
        actions(&many),
        r#"{"type":"relay_actions","actions":{}}"#.to_owned(),
        r#"{"type":"relay_actions","actions":[],"note":"x"}"#.to_owned(),
        r#"{"type":"task_done","result":"x"}"#.to_owned(),
        r#"{"type":"task_done","summary":7}"#.to_owned(),
        actions(r#"{"type":"message","dst":"w"}"#),
        actions(r#"{"type":"message","text":"x"}"#),
        actions(r#"{"type":"message","dst":" ","text":"x"}"#),
        actions(r#"{"type":"message","dst":"w","text":""}"#),
        actions(r#"{"type":"message","dst":"w","text":"x","kind":"reply"}"#),
        actions(r#"{"type":"message","dst":["a","b"],"text":"x"}"#),
        actions(r#"{"type":"message","dst":"w","text":"x","plan":["a"]}"#),
        actions(r#"{"type":"message","dst":"w","text":"x","plan":{"steps":[]}}"#),
        actions(r#"{"type":"message","dst":"w","text":"x","plan":{"steps":["a"],"why":"b"}}"#),
        actions(r#"{"type":"control","dst":"w"}"#),
        actions(r#"{"type":"control","dst":"w","command":"stop"}"#),
        actions(r#"{"type":"control","dst":"w","command":"new","args":"x"}"#),
        actions(r#"{"type":"control","dst":"w","command":"review","args":["x"]}"#),
        actions(r#"{"type":"task_done"}"#),
        actions(r#"{"dst":"w","text":"x"}"#),
    ];
    let told: Vec<String> = cases
        .iter()
        .map(|text| format!("{text:.90}\n    {}", problem(text).unwrap_or_else(|| panic!("{text}"))))
        .collect();
    insta::assert_snapshot!(told.join("\n"), @r#"
    {"type":"relay_actions"}
        missing field `actions`
    {"type":"relay_actions","actions":[]}
        actions: must have 1 to 256 actions, not 0.
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":"x"},{"type":"messag
        actions: must have 1 to 256 actions, not 257.
    {"type":"relay_actions","actions":{}}
        invalid type: map, expected a sequence
    {"type":"relay_actions","actions":[],"note":"x"}
        unknown field `note`, expected `actions`
    {"type":"task_done","result":"x"}
        unknown field `result`, expected `summary`
    {"type":"task_done","summary":7}
        invalid type: integer `7`, expected a string
    {"type":"relay_actions","actions":[{"type":"message","dst":"w"}]}
        missing field `text`
    {"type":"relay_actions","actions":[{"type":"message","text":"x"}]}
        missing field `dst`
    {"type":"relay_actions","actions":[{"type":"message","dst":" ","text":"x"}]}
        actions[0].dst: must name an agent of the session.
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":""}]}
        actions[0].text: must say something.
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":"x","kind":"reply"}]
        unknown field `kind`, expected one of `dst`, `text`, `plan`
    {"type":"relay_actions","actions":[{"type":"message","dst":["a","b"],"text":"x"}]}
        invalid type: sequence, expected a string
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":"x","plan":["a"]}]}
        invalid type: string "a", expected a sequence
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":"x","plan":{"steps":
        actions[0].plan.steps: must have 1 to 64 steps.
    {"type":"relay_actions","actions":[{"type":"message","dst":"w","text":"x","plan":{"steps":
        unknown field `why`, expected `steps` or `note`
    {"type":"relay_actions","actions":[{"type":"control","dst":"w"}]}
        missing field `command`
    {"type":"relay_actions","actions":[{"type":"control","dst":"w","command":"stop"}]}
        actions[0].command: must be new, compact, interrupt or review.
    {"type":"relay_actions","actions":[{"type":"control","dst":"w","command":"new","args":"x"}
        actions[0].args: goes with the command review only.
    {"type":"relay_actions","actions":[{"type":"control","dst":"w","command":"review","args":[
        invalid type: sequence, expected a string
    {"type":"relay_actions","actions":[{"type":"task_done"}]}
        unknown variant `task_done`, expected `message` or `control`
    {"type":"relay_actions","actions":[{"dst":"w","text":"x"}]}
        missing field `type`
    "#);
}

#[test]
fn an_output_that_is_longer_than_any_is_refused_and_nothing_of_it_is_read() {
    let long = |bytes: usize| {
        let around = r#"{"type":"task_done","summary":""}"#.len();
        format!(r#"{{"type":"task_done","summary":"{}"}}"#, "x".repeat(bytes - around))
    };
    assert!(matches!(read(&long(limits::RELAY_OUTPUT_BYTES)), Output::Done { .. }));
    for said in [long(limits::RELAY_OUTPUT_BYTES + 1), "x".repeat(limits::RELAY_OUTPUT_BYTES + 1)] {
        let refusal = Output::read(&said).unwrap_err();
        assert_eq!(refusal.code(), ErrorCode::TooLarge);
        assert_eq!(refusal.to_string(), "output: must have at most 262144 bytes, not 262145.");
    }
}
