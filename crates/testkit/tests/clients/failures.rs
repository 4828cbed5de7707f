//! A model that fails, and a script that does.

use baton_testkit::{
    clients::left_out,
    model::{Model, Step},
};
use serde_json::json;

use crate::program::Program;

#[test]
fn a_program_gives_up_on_a_model_that_refuses() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let script = model.script("ann", vec![Step::fail(400)]);
        let run = program.at(&model).ask("Go.", &[]);
        assert!(!run.ended_well, "{program:?}: {}", run.text);
        assert!(run.text.contains("the script says to fail"), "{program:?}: {}", run.text);
        script.finished();
    }
}

#[test]
fn an_impatient_program_gives_up_on_a_model_that_fails_once() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let script = model.always("ann", vec![Step::fail(500)]);
        let run = program.impatient_at(&model).ask("Go.", &[]);
        assert!(!run.ended_well, "{program:?}: {}", run.text);
        assert_eq!(script.steps(), [0], "{program:?}: {}", run.text);
    }
}

#[test]
fn a_program_tries_again_when_the_model_fails_for_a_moment() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let script = model.script("ann", vec![Step::fail_times(500, 2), Step::say("at last")]);
        let run = program.at(&model).ask("Go.", &[]);
        assert_eq!(run.said(), "at last", "{program:?}");
        assert_eq!(script.steps(), [0, 0, 1], "{program:?}");
    }
}

#[test]
fn a_script_that_cannot_be_played_is_a_failure_of_the_test() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        model.script("ann", vec![Step::call("no_such_tool", json!({}))]);
        model.script("ann", vec![Step::decide(|_| panic!("not what was expected"))]);
        let runs = program.at(&model);
        assert!(!runs.ask("Go.", &[]).ended_well, "{program:?}");
        assert!(!runs.ask("Go.", &[]).ended_well, "{program:?}");
        assert!(!runs.ask("Go.", &[]).ended_well, "{program:?}");
        let failures = model.failures();
        let told = |n: usize, words: &str| assert!(failures[n].contains(words), "{program:?}: {failures:?}");
        told(0, "no_such_tool");
        told(1, "not what was expected");
        told(2, "there is no script");
        assert_eq!(failures.len(), 3, "{program:?}: {failures:?}");
    }
}
