//! What the programs' real streams mean.

use baton_core::runner::TroubleKind;

use crate::{
    executor::{Agent, Answer, Cause, CommandLine, Conversation, Executor, Failed, Form, Profile, Profiles, Slice},
    process::{Exit, Line, Status, Tail},
};

fn codex() -> Executor {
    Executor::Codex("/bin/codex".into(), Agent::default())
}

fn claude() -> Executor {
    Executor::ClaudeCode("/bin/claude".into(), Agent::default())
}

fn command() -> Executor {
    Executor::Command(
        "/bin/x".into(),
        CommandLine { argv: vec!["x".to_owned()], profiles: Profiles::default(), env: Vec::new() },
    )
}

fn exit(code: i32, complaint: &str) -> Exit {
    let mut stderr = Tail::default();
    stderr.push(complaint.as_bytes());
    Exit { status: Status::Code(code), leaked: Vec::new(), stuck: Vec::new(), claim_ran_out: false, stderr }
}

/// What was seen, a line each, and the answer.
fn read(executor: &Executor, stream: &str, exit: &Exit) -> (String, Result<Answer, Failed>) {
    read_as(Form::Answer, executor, stream, exit)
}

fn read_as(form: Form, executor: &Executor, stream: &str, exit: &Exit) -> (String, Result<Answer, Failed>) {
    let scratch = tempfile::tempdir().unwrap();
    let slice = Slice {
        prompt: String::new(),
        form,
        cwd: "/repo".into(),
        profile: Some(Profile::Fast),
        model: None,
        resume: None,
        scratch: scratch.path().to_owned(),
        server: None,
        read_only: false,
    };
    let (mut reading, mut seen) = (executor.reading(&slice), Vec::new());
    for text in stream.lines() {
        let line = Line { text: text.to_owned(), cut_bytes: 0 };
        reading.line(&line, &mut |what| seen.push(serde_json::to_string(&what).unwrap()));
    }
    seen.push(format!("{} ignored", reading.ignored_lines()));
    (seen.join("\n"), reading.answer(exit))
}

#[test]
fn codex_at_work() {
    let (seen, answer) = read(&codex(), include_str!("codex.jsonl"), &exit(0, ""));
    insta::assert_snapshot!(seen, @r#"
    {"seen":"session","id":"01a1e3f1-ecd6-7502-9eaa-5b98e23e494c"}
    {"seen":"problem","message":"Model metadata for `scripted` not found. Defaulting to fallback metadata; this can degrade performance and cause issues."}
    {"seen":"message","text":"I look first."}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"hello\"}","state":"started"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"hello\"}","state":"done"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"bad\",\"is_error\":true}","state":"started"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"bad\",\"is_error\":true}","state":"failed"}
    {"seen":"tool","name":"shell","detail":"/bin/bash -lc 'echo hi > made.txt; cat made.txt; exit 3'","state":"started"}
    {"seen":"tool","name":"shell","detail":"/bin/bash -lc 'echo hi > made.txt; cat made.txt; exit 3'","state":"failed"}
    {"seen":"retrying","message":"Reconnecting... 1/5 (We’re currently experiencing high demand, which may cause temporary errors.)"}
    {"seen":"usage","input_tokens":300,"cached_tokens":0,"output_tokens":30,"cost_usd":null}
    0 ignored
    "#);
    assert_eq!(answer.unwrap().summary, "Looked.");
}

#[test]
fn codex_whose_model_does_not_answer() {
    let (seen, answer) = read(&codex(), include_str!("codex-gives-up.jsonl"), &exit(1, "WARNING: x"));
    insta::assert_snapshot!(seen, @r#"
    {"seen":"session","id":"01a1e3fb-cc16-7660-95ce-538b51d8676c"}
    {"seen":"retrying","message":"Reconnecting... 1/5 (We’re currently experiencing high demand, which may cause temporary errors.)"}
    {"seen":"retrying","message":"Reconnecting... 5/5 (We’re currently experiencing high demand, which may cause temporary errors.)"}
    {"seen":"problem","message":"We’re currently experiencing high demand, which may cause temporary errors."}
    0 ignored
    "#);
    insta::assert_debug_snapshot!(answer.unwrap_err(), @r#"
    Failed {
        why: "codex gave up: We’re currently experiencing high demand, which may cause temporary errors.",
        tail: "WARNING: x",
        conversation: Doubtful,
        cause: Program(
            ModelDown,
        ),
    }
    "#);
}

#[test]
fn codex_that_says_something_else_than_an_answer() {
    let stream = r#"{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"not json at all"}}"#;
    let (_, answer) = read(&codex(), stream, &exit(0, ""));
    insta::assert_debug_snapshot!(answer.unwrap_err(), @r#"
    Failed {
        why: "the answer is not the JSON object that was asked for: expected ident at line 1 column 2",
        tail: "not json at all",
        conversation: Sound,
        cause: Job,
    }
    "#);
    let (_, silent) = read(&codex(), "", &exit(0, ""));
    assert_eq!(silent.unwrap_err().why, "codex gave no answer");
    let (_, refused) = read(&codex(), "", &exit(1, "Error: no rollout found"));
    let expected = Failed {
        why: "codex exited with 1".to_owned(),
        tail: "Error: no rollout found".to_owned(),
        conversation: Conversation::Doubtful,
        cause: Cause::Program(TroubleKind::Crash),
    };
    assert_eq!(refused, Err(expected));
}

#[test]
fn claude_at_work() {
    let (seen, answer) = read(&claude(), include_str!("claude.jsonl"), &exit(0, ""));
    insta::assert_snapshot!(seen, @r#"
    {"seen":"session","id":"655299a2-4b3f-4c5c-9f1a-2390a9680eb8"}
    {"seen":"retrying","message":"overloaded (status 500); trying again, 1 of 10"}
    {"seen":"message","text":"I look first."}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"hello\"}","state":"started"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"hello\"}","state":"done"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"bad\",\"is_error\":true}","state":"started"}
    {"seen":"tool","name":"baton.echo","detail":"{\"text\":\"bad\",\"is_error\":true}","state":"failed"}
    {"seen":"tool","name":"Write","detail":"/repo/a.txt","state":"started"}
    {"seen":"tool","name":"Write","detail":"/repo/a.txt","state":"done"}
    {"seen":"usage","input_tokens":400,"cached_tokens":0,"output_tokens":40,"cost_usd":0.003}
    0 ignored
    "#);
    assert_eq!(answer.unwrap().summary, "Looked.");
}

#[test]
fn claude_that_gives_up() {
    let (_, answer) = read(&claude(), include_str!("claude-gives-up.jsonl"), &exit(1, "No conversation found"));
    let expected = Failed {
        why: "claude gave up: error during execution".to_owned(),
        tail: "No conversation found".to_owned(),
        conversation: Conversation::Doubtful,
        cause: Cause::Job,
    };
    assert_eq!(answer, Err(expected));
    let (_, silent) = read(&claude(), "", &exit(0, ""));
    assert_eq!(silent.unwrap_err().why, "claude gave no answer and exited with 0");
    let (_, other) = read(&claude(), r#"{"type":"result","is_error":false,"result":"SCRIPT ENDED"}"#, &exit(0, ""));
    assert!(other.unwrap_err().why.starts_with("the answer is not the JSON object"));
}

#[test]
fn lines_of_a_kind_we_do_not_know_are_ignored_and_counted() {
    let strange = "not json\n{}\n[]\n{\"type\":7}\n{\"type\":\"news\"}\n{\"type\":\"item.completed\",\"item\":{\"type\":\"song\"}}\n\
                   {\"type\":\"system\",\"subtype\":\"weather\"}";
    for executor in [codex(), claude()] {
        assert_eq!(read(&executor, strange, &exit(0, "")).0, "7 ignored");
    }
}

#[test]
fn the_last_line_of_a_command_is_its_answer() {
    let stream = "looking\n\n{\"status\":\"DONE\",\"summary\":\"Looked.\",\"refs\":[\"TASK-001\"]}\n\n";
    let (seen, answer) = read(&command(), stream, &exit(0, ""));
    assert_eq!(seen, "{\"seen\":\"message\",\"text\":\"looking\"}\n0 ignored");
    assert_eq!(answer.unwrap().summary, "Looked.");
}

#[test]
fn a_command_without_an_answer_has_failed_however_it_ended() {
    let (_, answer) = read(&command(), "looking\nfound nothing\n", &exit(0, "and complained"));
    let failed = answer.unwrap_err();
    assert!(failed.why.starts_with("the command gave no answer: "), "{}", failed.why);
    assert_eq!(failed.tail, "looking\nfound nothing\nand complained");
    let done = "{\"status\":\"DONE\",\"summary\":\"s\"}\n";
    let (_, answer) = read(&command(), done, &exit(2, "no disk"));
    assert_eq!(
        answer,
        Err(Failed {
            why: "the command exited with 2".to_owned(),
            tail: "no disk".to_owned(),
            conversation: Conversation::Doubtful,
            cause: Cause::Program(TroubleKind::Crash),
        })
    );
}

#[test]
fn words_are_taken_as_they_are() {
    let said = |executor: &Executor, stream: &str| {
        read_as(Form::Words, executor, stream, &exit(0, "")).1.map(|answer| answer.summary).map_err(|failed| failed.why)
    };
    let codex_said = r#"{"type":"item.completed","item":{"type":"agent_message","text":" Two.\nOr three. "}}"#;
    assert_eq!(said(&codex(), codex_said), Ok("Two.\nOr three.".to_owned()));
    let claude_said = r#"{"type":"result","is_error":false,"result":"Two.\nOr three."}"#;
    assert_eq!(said(&claude(), claude_said), Ok("Two.\nOr three.".to_owned()));
    assert_eq!(said(&command(), "Two.\n\nOr three.\n"), Ok("Two.\n\nOr three.".to_owned()));
    assert_eq!(said(&command(), " \n"), Err("the command gave no answer: the answer's text is empty".to_owned()));
    let much = said(&command(), &format!("{}\n", "x".repeat(1024)).repeat(300)).unwrap_err();
    assert!(much.contains("at most 262144 are taken"), "{much}");
}

#[test]
fn claude_answers_with_what_is_left_of_a_conversation_that_it_shortened() {
    let told = |text: &str| format!(r#"{{"type":"user","message":{{"role":"user","content":"{text}"}}}}"#);
    let stream = [
        r#"{"type":"system","subtype":"compact_boundary","session_id":"s"}"#.to_owned(),
        told("The summary: it is wet."),
        told("Compacted"),
        r#"{"type":"result","is_error":false,"result":""}"#.to_owned(),
    ];
    let (_, answer) = read_as(Form::Notes, &claude(), &stream.join("\n"), &exit(0, ""));
    assert_eq!(answer.unwrap().summary, "The summary: it is wet.");
    let refused = r#"{"type":"result","is_error":false,"result":"Not enough messages to compact."}"#;
    let (_, answer) = read_as(Form::Notes, &claude(), refused, &exit(0, ""));
    let failed = answer.unwrap_err();
    assert_eq!(
        (failed.why.as_str(), failed.tail.as_str()),
        ("claude did not shorten it", "Not enough messages to compact.")
    );
}
