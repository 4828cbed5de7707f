//! Calls of the app that the stories make, in a word each.

use baton_app::{
    doctor,
    hook::{Beginning, Confinement, GuardAnswer, ToolUse},
};
use baton_testkit::{Agent, TestApp};

/// The guard's answer to an edit of a file in the workspace.
pub(crate) fn edit(app: &TestApp, agent: &Agent<'_>, path: &str) -> GuardAnswer {
    let tool = ToolUse::Edit(vec![app.workspace().text(path)]);
    app.app().guard(agent.caller(), None, &tool, Confinement::Unwanted).unwrap()
}

pub(crate) fn shell(app: &TestApp, agent: &Agent<'_>, command: &str, confinement: Confinement) -> GuardAnswer {
    app.app().guard(agent.caller(), None, &ToolUse::Shell(command.to_owned()), confinement).unwrap()
}

pub(crate) fn refusal(answer: GuardAnswer) -> String {
    match answer {
        GuardAnswer::Refuse(reason) => reason,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn begins(app: &TestApp, agent: &Agent<'_>) -> String {
    app.app().begin_session(agent.caller(), Beginning::Usual, None).unwrap().unwrap()
}

pub(crate) fn assert_sound(app: &TestApp) {
    let found = doctor::examine(app.app()).unwrap();
    assert!(found.is_clean(), "{found:?}");
}
