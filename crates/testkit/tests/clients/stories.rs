//! What a script can have a program do.

use baton_testkit::{
    clients::left_out,
    model::{Model, Step},
};
use serde_json::json;

use crate::program::Program;

#[test]
fn a_program_says_what_the_model_says_and_the_model_sees_its_prompt() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let script = model.script("ann", vec![Step::say("It is a cache.")]);
        let run = program.at(&model).ask("Investigate the cache.", &[]);
        assert!(run.ended_well, "{program:?}: {}", run.text);
        assert_eq!(run.said(), "It is a cache.", "{program:?}");
        script.finished();
        let turn = script.reached(0);
        assert!(turn.prompts.iter().any(|prompt| prompt.trim() == "Investigate the cache."), "{:?}", turn.prompts);
        assert!(!turn.instructions.is_empty() && !turn.tools.is_empty(), "{program:?}");
        assert_eq!(script.steps(), [0], "{program:?}");
    }
}

#[test]
fn an_answer_fits_the_schema_that_was_asked_for() {
    if left_out() {
        return;
    }
    let schema = json!({
        "type": "object",
        "properties": {"status": {"type": "string"}, "summary": {"type": "string"}},
        "required": ["status", "summary"],
        "additionalProperties": false,
    });
    for program in Program::ALL {
        let model = Model::start();
        let answer = json!({"status": "DONE", "summary": "nothing to do"});
        let script = model.script("ann", vec![Step::answer(answer.clone())]);
        assert_eq!(program.at(&model).ask_for(&schema, "Do it."), answer, "{program:?}");
        script.finished();
    }
}

#[test]
fn a_step_is_made_of_what_came_back_before() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let runs = program.at(&model);
        let (tool, arguments) = runs.own_echo("forty-two");
        let script = model.script(
            "ann",
            vec![
                Step::call_own(tool, arguments),
                Step::decide(|turn| {
                    assert!(!turn.last_result().is_error);
                    Step::say(turn.result_text(0).split_whitespace().last().unwrap())
                }),
            ],
        );
        let run = runs.ask("What is it?", &[]);
        assert_eq!(run.said(), "forty-two", "{program:?}");
        script.finished();
        assert_eq!(script.steps(), [0, 1], "{program:?}");
    }
}

#[test]
fn a_tool_that_claude_hides_is_searched_for_first() {
    if left_out() {
        return;
    }
    let model = Model::start();
    let script = model.script("ann", vec![Step::call_own("CronList", json!({})), Step::say("done")]);
    assert_eq!(Program::Claude.at(&model).ask("What is planned?", &[]).said(), "done");
    assert_eq!(script.steps(), [0, 0, 1]);
    let turn = |n: usize| script.turns()[n].clone();
    assert!(!turn(0).tools.contains(&"CronList".to_owned()) && turn(1).tools.contains(&"CronList".to_owned()));
    assert!(!turn(2).last_result().is_error, "{:?}", turn(2).results);
}

#[test]
fn codex_has_newer_models_write_code_that_calls_tools() {
    if left_out() {
        return;
    }
    let model = Model::start();
    let runs = Program::codex_as("gpt-6.1-sol", &model);
    let (tool, arguments) = runs.own_echo("forty-two");
    let script = model.script("ann", vec![Step::call_own(tool, arguments), Step::say("done")]);
    assert_eq!(runs.ask("What is it?", &[]).said(), "done");
    let turn = script.reached(1);
    assert!(!turn.tools.contains(&tool.to_owned()), "{:?}", turn.tools);
    assert_eq!(turn.result(0)["output"], "forty-two\n");

    model.script("ann", vec![Step::call("no_such_tool", json!({})), Step::say("never")]);
    assert!(!runs.ask("What is it?", &[]).ended_well);
    let failures = model.failures();
    assert!(failures.len() == 1 && failures[0].contains("mcp__baton__no_such_tool"), "{failures:?}");
}
