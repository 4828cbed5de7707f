//! Which script a conversation plays, and where it goes on.

use baton_testkit::{
    clients::left_out,
    model::{Gate, Model, Step},
};
use rustix::process::Signal;

use crate::program::{Program, Run};

#[test]
fn a_resumed_session_goes_on_and_a_new_one_plays_the_next_script() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let first = model.script("ann", vec![Step::say("one"), Step::say("two")]);
        let second = model.script("ann", vec![Step::say("three")]);
        let runs = program.at(&model);
        let began = runs.ask("First.", &[]);
        assert_eq!(began.said(), "one", "{program:?}");
        assert_eq!(runs.ask("Something else.", &[]).said(), "three", "{program:?}");
        let resumed = runs.resume(&began.session(), "Second.");
        assert_eq!(resumed.said(), "two", "{program:?}: {}", resumed.text);
        first.finished();
        second.finished();
        let prompt = first.reached(1).prompt();
        assert!(prompt.contains("First.") && prompt.contains("Second."), "{prompt}");
        assert_eq!(first.reached(1).session, first.reached(0).session);
    }
}

#[test]
fn a_program_that_is_killed_while_the_model_holds_is_started_anew_with_the_next_script() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let gate = Gate::closed();
        let first = model.script("ann", vec![Step::hold(&gate), Step::say("never heard")]);
        let second = model.script("ann", vec![Step::say("again")]);
        let runs = program.at(&model);
        let child = runs.start("Wait.", &[]);
        first.reached(0);
        runs.end(child, Signal::KILL);
        assert_eq!(runs.ask("Once more.", &[]).said(), "again", "{program:?}");
        second.finished();
        assert_eq!(first.steps(), [0], "{program:?}");
    }
}

#[test]
fn what_is_held_goes_on_when_the_test_lets_go() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let gate = Gate::closed();
        let runs = program.at(&model);
        let (tool, arguments) = runs.own_echo("before");
        let steps = vec![Step::call_own(tool, arguments), Step::hold(&gate), Step::say("after")];
        let script = model.script("ann", steps);
        let child = runs.start("Go.", &[]);
        assert!(script.reached(1).result_text(0).contains("before"));
        gate.open();
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.said(), "after", "{program:?}");
        assert_eq!(script.steps(), [0, 1, 2], "{program:?}");
    }
}

#[test]
fn two_agents_play_their_own_scripts_at_once() {
    if left_out() {
        return;
    }
    let model = Model::start();
    let gate = Gate::closed();
    let script = model.always("ann", vec![Step::hold(&gate), Step::say("both")]);
    let (codex, claude) = (Program::Codex.at(&model), Program::Claude.at(&model));
    let children = [codex.start("Go.", &[]), claude.start("Go.", &[])];
    script.conversations(2);
    gate.open();
    for child in children {
        let run = Run::of(child.wait_with_output().unwrap());
        assert_eq!(run.said(), "both");
    }
    script.finished();
}

#[test]
fn a_session_that_was_stopped_in_the_middle_is_resumed_where_it_was() {
    if left_out() {
        return;
    }
    for program in Program::ALL {
        let model = Model::start();
        let gate = Gate::closed();
        let runs = program.at(&model);
        let (tool, arguments) = runs.own_echo("before");
        let steps = vec![Step::call_own(tool, arguments), Step::hold(&gate), Step::say("after")];
        let script = model.script("ann", steps);
        let child = runs.start("Go.", &[]);
        let session = script.reached(1).session;
        // Not killed: claude writes its session down a moment after it went on, and would have lost the call.
        runs.end(child, Signal::TERM);
        gate.open();
        let resumed = runs.resume(&session, "Go on.");
        assert_eq!(resumed.said(), "after", "{program:?}: {}", resumed.text);
        let turn = script.reached(2);
        assert!(turn.prompt().contains("Go on.") && turn.result_text(0).contains("before"), "{program:?}: {turn:?}");
        assert_eq!(script.steps(), [0, 1, 2], "{program:?}");
    }
}
