//! Every command in every role.

use baton_app::{
    Failure,
    table::{Command, Effect, Permission, Role, TABLE, UseCase},
};
use baton_core::code::ErrorCode;
use baton_testkit::{Backend, TestApp, on_every_backend};
use serde_json::{Value, json};

use super::{
    input::{Extent, made},
    scene::Scene,
    stories,
};

#[test]
fn every_command_is_refused_in_every_role_exactly_where_its_row_says_so() {
    let (app, mut wrong) = (TestApp::open(Backend::Sqlite), Vec::new());
    for command in TABLE {
        for role in Role::ALL {
            let permission = command.access.permission(role);
            if let Permission::Limited(limit) = permission {
                stories::play(&app, command.name, role, limit);
                continue;
            }
            let mut judged = false;
            for extent in [Extent::Least, Extent::All] {
                let scene = Scene::of(&app, role);
                let answer = app.call(scene.impatient().caller(), command.name, made(command, &scene, extent));
                let code = answer.as_ref().err().map(|failure| failure.code);
                let place = format!("{} as {}, {extent:?}: {answer:?}", command.name, role.as_str());
                judged |= code != Some(ErrorCode::InvalidInput);
                if (code == Some(ErrorCode::Forbidden)) != (permission == Permission::No) {
                    wrong.push(format!("its row says {}: {place}", permission.as_str()));
                } else if let (Permission::No, Err(failure)) = (permission, &answer) {
                    assert_explained(failure, role, &place);
                }
            }
            if !judged {
                wrong.push(format!("{} as {}: no input could be read", command.name, role.as_str()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A refusal by role has who called, who may, and a way on that is not the code's general one.
fn assert_explained(failure: &Failure, role: Role, place: &str) {
    let refusal = failure.to_json();
    assert_eq!(refusal["role"], if role == Role::Owner { "agent" } else { role.as_str() }, "{place}");
    assert!(["agent", "owner", "operator"].iter().any(|needed| refusal["needs"] == *needed), "{place}");
    assert!(failure.next != ErrorCode::Forbidden.remedy(), "{place}");
}

#[test]
fn roles_are_judged_before_the_input_and_before_the_room() {
    on_every_backend(|app| {
        let scene = Scene::of(&app, Role::Agent);
        for input in [json!({}), json!({"nonsense": 1}), json!({"room_id": "room_nowhere"}), json!([])] {
            for command in TABLE.iter().filter(|command| command.access.owner == Permission::No) {
                let code = |answer: Result<Value, Failure>| answer.unwrap_err().code;
                assert_eq!(code(app.call(scene.caller.caller(), command.name, input.clone())), ErrorCode::Forbidden);
            }
        }
    });
}

#[test]
fn usual_access_follows_from_the_effect_and_nobody_may_do_more_than_an_operator_but_the_owner() {
    for command in TABLE {
        let access = &command.access;
        if matches!(command.effect, Effect::Read | Effect::Follow) {
            assert_eq!(access.viewer, Permission::Yes, "{}: looking is for everybody", command.name);
        }
        if access.operator == Permission::No {
            panic!("{}: there is nothing that an operator may never do", command.name);
        }
        if access.agent == Permission::No {
            assert!(access.by_hand.is_some(), "{}: agents are told how a person does it", command.name);
        }
    }
}

/// A command that is left out of here by mistake would be everybody's.
#[test]
fn these_commands_are_operators_only() {
    let names: Vec<_> =
        TABLE.iter().filter(|command| command.access.owner == Permission::No).map(|command| command.name).collect();
    assert_eq!(
        names,
        [
            "inbox.tell",
            "tasks.artifact.gc",
            "agent.approval.resolve",
            "agent.grant",
            "agent.edge.add",
            "agent.edge.remove",
        ]
    );
}

/// A command that is left out of here by mistake would be a job's agent's, with whatever it does to others.
#[test]
fn a_jobs_agent_may_call_these_commands_that_write_and_no_other() {
    let writes = TABLE.iter().filter(|command| matches!(command.effect, Effect::Write | Effect::Wait));
    let (allowed, refused): (Vec<_>, Vec<_>) = writes.partition(|command| command.access.job_agent != Permission::No);
    // By portal, a line each.
    let names = |commands: &[&Command]| {
        let mut lines: Vec<(&str, Vec<&str>)> = Vec::new();
        for command in commands {
            let portal = command.name.split('.').next().unwrap();
            match lines.last_mut().filter(|(last, _)| *last == portal) {
                Some((_, line)) => line.push(command.name),
                None => lines.push((portal, vec![command.name])),
            }
        }
        lines.iter().map(|(_, line)| line.join(" ")).collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!(names(&allowed), @r"
    room.join
    stick.wait stick.heartbeat stick.release stick.pass stick.takeover
    room.note room.leave
    scope.reserve scope.release scope.check
    envelope.send
    inbox.list inbox.read inbox.ack inbox.send
    jobs.create jobs.radar jobs.message jobs.cancel jobs.requeue jobs.report jobs.complete jobs.send_back
    tasks.create tasks.start tasks.done tasks.assign tasks.focus tasks.search tasks.card.create tasks.card.pin tasks.anchor.set tasks.plan.create tasks.artifact.keep tasks.macro.start tasks.macro.delegate tasks.macro.fanout_jobs tasks.macro.merge_report
    context.turn.begin context.turn.prompt context.turn.tools context.turn.end
    spawn.request
    bus.open bus.add bus.update bus.remove bus.submit bus.take bus.result bus.await bus.send bus.task bus.task_done bus.relay
    context.build context.merge context.append
    agent.init agent.register agent.heartbeat
    ");
    insta::assert_snapshot!(names(&refused), @r"
    room.close room.reorder room.policy
    inbox.tell
    jobs.claim jobs.runner.heartbeat jobs.runner.retire jobs.runner.reset jobs.apply jobs.branch
    tasks.artifact.gc
    bus.rename bus.close
    context.brief.edit
    agent.adopt agent.approval.resolve agent.grant agent.wake agent.edge.add agent.edge.remove
    ");
}

/// The typed way, by which the command line and the runner call, passes the same gate as the JSON one.
#[test]
fn a_use_case_that_is_called_by_its_type_is_refused_too() {
    use baton_app::commands::inbox::{Tell, TellInput};
    let app = TestApp::open(Backend::Sqlite);
    let scene = Scene::of(&app, Role::Agent);
    let input = || TellInput {
        room_id: scene.room.clone(),
        to: "founder".to_owned(),
        text: "stop".to_owned(),
        mode: None,
        idempotency_key: None,
    };
    let refused = Tell::run(app.app(), scene.caller.caller(), input()).unwrap_err();
    assert_eq!(
        (refused.code, refused.next.as_str()),
        (ErrorCode::Forbidden, "Ask a person: `baton tell` at a terminal, or the page of `baton up`.")
    );
    Tell::run(app.app(), scene.operator().caller(), input()).unwrap();
}
