//! Sessions whose process ended, and the runners that resume them.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{path::Path, sync::Barrier, thread};

use baton_app::{
    doctor,
    hook::{
        Beginning, Confinement, Displaced, DueSession, GuardAnswer, ResumableConversation, ResumeAbility,
        SessionEnding, ToolUse,
    },
};
use baton_core::{
    limits,
    room::{Member, Stick},
    time::Ttl,
};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::{Value, json};

const HOME: &str = "/home/ana";

fn ability() -> ResumeAbility<'static> {
    ResumeAbility { home: Path::new(HOME), harnesses: &["codex"] }
}

fn begins(app: &TestApp, agent: &Agent<'_>) {
    let id = format!("thread-{}", agent.id());
    let conversation = ResumableConversation { harness: "codex", id: &id, home: Path::new(HOME) };
    app.app().begin_session(agent.caller(), Beginning::Usual, Some(conversation)).unwrap().unwrap();
}

fn ends(app: &TestApp, agent: &Agent<'_>, ending: SessionEnding) {
    app.app().end_session(agent.caller(), ending).unwrap();
    agent.dies();
    app.later(limits::SWEEP_GRAIN);
}

fn taken(app: &TestApp, runner: &Agent<'_>, ability: ResumeAbility<'_>) -> Option<DueSession> {
    app.app().take_due_session(runner.caller(), &runner.room(), ability).unwrap()
}

fn message(from: &Agent<'_>, to: &Agent<'_>) {
    from.does("inbox.send", json!({"to": to.id(), "category": "INFO", "subject": "s", "body": "hello"}));
}

fn member(app: &TestApp, agent: &Agent<'_>) -> Option<Member> {
    app.stored(&agent.room()).member(&agent.id()).cloned()
}

fn is_resting(app: &TestApp, agent: &Agent<'_>) -> bool {
    let room = app.stored(&agent.room());
    room.member(&agent.id()).is_some_and(|member| room.is_resting(app.now(), member))
}

fn unprocessed(viewer: &Agent<'_>) -> Vec<Value> {
    let needs = viewer.does("agent.needs", json!({}))["needs"].as_array().unwrap().clone();
    needs.into_iter().filter(|need| need["kind"] == "unprocessed").collect()
}

/// A runner that looks at `agent`'s room, and is no member of it.
fn runner<'a>(app: &'a TestApp, name: &str, agent: &Agent<'_>) -> Agent<'a> {
    let runner = app.living_agent(name);
    runner.enter(&agent.room());
    runner
}

/// Two members, one of which can be resumed, in a room that allows it.
fn scene(app: &TestApp) -> [Agent<'_>; 3] {
    let [ana, bo] = app.joined_living(["ana", "bo"]);
    app.set_policy(&ana.room(), json!({"resume": "on"}));
    begins(app, &bo);
    let runner = runner(app, "runner-1", &ana);
    [ana, bo, runner]
}

fn assert_sound(app: &TestApp) {
    let found = doctor::examine(app.app()).unwrap();
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn unless_the_policy_says_so_a_session_that_ends_leaves() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        let runner = runner(&app, "runner-1", &ana);
        ends(&app, &bo, SessionEnding::Exit);
        assert_eq!(member(&app, &bo), None);
        let again = bo.second_process("codex:other");
        begins(&app, &again);
        message(&ana, &again);
        again.dies();
        assert_eq!(taken(&app, &runner, ability()), None);
    });
}

#[test]
fn a_session_that_ended_is_resumed_once_for_each_event() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        bo.claim();
        bo.does("scope.reserve", json!({"scopes": ["docs"]}));
        ends(&app, &bo, SessionEnding::Exit);
        let room = app.stored(&ana.room());
        assert!(is_resting(&app, &bo));
        assert_eq!(room.reservation().map(|kept| kept.recipient.clone()), Some(ana.id()), "the stick is handed on");
        assert_eq!(ana.does("scope.status", json!({}))["scopes"], json!([]));
        assert_eq!(taken(&app, &runner, ability()), None, "nothing is to be told");
        message(&ana, &bo);
        let due = taken(&app, &runner, ability()).unwrap();
        assert_eq!((&due.agent_id, due.conversation.as_str()), (&bo.id(), "thread-bo"));
        assert!(due.text.contains("1 unread message.") && due.text.contains("a runner resumed this session"));
        message(&ana, &bo);
        assert_eq!(taken(&app, &runner, ability()), None, "it is being resumed");
        let resumed = bo.second_process("codex:parallel");
        begins(&app, &resumed);
        assert_eq!(resumed.id(), bo.id());
        assert!(!is_resting(&app, &resumed));
        ends(&app, &resumed, SessionEnding::Exit);
        app.app().end_resumption(runner.caller(), &ana.room(), &bo.id(), None, None).unwrap();
        assert_eq!(taken(&app, &runner, ability()), None, "it was told of both when it began");
        message(&ana, &bo);
        assert!(taken(&app, &runner, ability()).is_some());
        assert_sound(&app);
    });
}

#[test]
fn of_two_runners_that_look_at_once_one_resumes_it() {
    on_every_backend(|app| {
        let [ana, bo, one] = scene(&app);
        let other = runner(&app, "runner-2", &ana);
        ends(&app, &bo, SessionEnding::Exit);
        for _ in 0..5 {
            message(&ana, &bo);
            let both = Barrier::new(2);
            let looks = thread::scope(|scope| {
                let look = |runner| {
                    let (app, both) = (&app, &both);
                    scope.spawn(move || {
                        both.wait();
                        taken(app, runner, ability())
                    })
                };
                [look(&one), look(&other)].map(|look| look.join().unwrap())
            });
            assert_eq!(looks.iter().flatten().count(), 1, "{looks:?}");
            app.app().end_resumption(one.caller(), &ana.room(), &bo.id(), None, None).unwrap();
        }
    });
}

#[test]
fn a_runner_that_dies_gives_the_session_free_for_the_next_event() {
    on_every_backend(|app| {
        let [ana, bo, first] = scene(&app);
        ends(&app, &bo, SessionEnding::Exit);
        message(&ana, &bo);
        assert!(taken(&app, &first, ability()).is_some());
        first.dies();
        let next = runner(&app, "runner-2", &ana);
        assert_eq!(taken(&app, &next, ability()), None, "that message was delivered");
        app.later(limits::WAKE_UNANSWERED);
        assert!(unprocessed(&ana)[0]["title"].as_str().unwrap().ends_with("was resumed and did nothing"));
        message(&ana, &bo);
        assert!(taken(&app, &next, ability()).is_some());
    });
}

#[test]
fn a_conversation_that_a_person_cleared_is_over_in_any_case() {
    on_every_backend(|app| {
        let [ana, bo, _] = scene(&app);
        ends(&app, &bo, SessionEnding::Replaced);
        assert_eq!(member(&app, &bo), None);
        // A program that does not say which conversation was cleared says it of the next one.
        let cy = app.living_agent("cy");
        begins(&app, &cy);
        cy.enter(&ana.room());
        let next = cy.sibling("cy-next");
        app.app().end_displaced(next.caller(), None, Displaced::All).unwrap();
        begins(&app, &next);
        assert_eq!(member(&app, &cy), None);
        app.app().end_session(next.caller(), SessionEnding::Exit).unwrap();
        next.enter(&ana.room());
        assert!(is_resting(&app, &next));
        assert_sound(&app);
    });
}

#[test]
fn a_process_that_dies_without_a_word_leaves_a_session_that_can_be_resumed() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        message(&ana, &bo);
        assert_eq!(taken(&app, &runner, ability()), None, "its process lives");
        assert_eq!(app.app().resumable_processes(&ana.room(), ability()).unwrap(), [bo.process()]);
        bo.dies();
        let due = taken(&app, &runner, ability()).unwrap();
        assert_eq!(due.agent_id, bo.id());
        assert!(is_resting(&app, &bo));
        assert_sound(&app);
    });
}

#[test]
fn the_stick_can_be_passed_to_a_session_at_rest_which_is_nobodys_second_member() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        ends(&app, &bo, SessionEnding::Exit);
        let edit = ToolUse::Edit(vec![app.workspace().text("a.rs")]);
        let answer = app.app().guard(ana.caller(), None, &edit, Confinement::Unwanted).unwrap();
        assert!(matches!(answer, GuardAnswer::Tell(_)), "alone it is never stopped: {answer:?}");
        app.app().stop(ana.caller()).unwrap();
        let turn = ana.claim();
        ana.pass(&turn, &bo);
        assert!(taken(&app, &runner, ability()).unwrap().text.contains("The stick is kept for you"));
        let resumed = bo.second_process("codex:parallel");
        begins(&app, &resumed);
        resumed.claim();
        assert!(matches!(app.stored(&ana.room()).stick, Stick::Owned(_)));
        assert_sound(&app);
    });
}

#[test]
fn a_session_is_resumed_only_where_its_conversation_is() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        ends(&app, &bo, SessionEnding::Exit);
        let far = app.agent_elsewhere("far", "host_b");
        begins(&app, &far);
        far.enter(&ana.room());
        app.app().end_session(far.caller(), SessionEnding::Exit).unwrap();
        message(&ana, &far);
        message(&ana, &bo);
        let elsewhere = ResumeAbility { home: Path::new("/home/eve"), ..ability() };
        assert_eq!(taken(&app, &runner, elsewhere), None, "another home");
        let without = ResumeAbility { harnesses: &["claude-code"], ..ability() };
        assert_eq!(taken(&app, &runner, without), None, "another program");
        assert_eq!(taken(&app, &runner, ability()).unwrap().agent_id, bo.id());
        assert_eq!(taken(&app, &runner, ability()), None, "the other one is on another machine");
    });
}

#[test]
fn a_resumption_that_fails_needs_a_person_until_the_session_goes_on() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        ends(&app, &bo, SessionEnding::Exit);
        message(&ana, &bo);
        taken(&app, &runner, ability()).unwrap();
        let secret = format!("ghp_{}", "a1B2".repeat(9));
        let why = format!("codex exited with 1: no rollout found for {secret}");
        app.app().end_resumption(runner.caller(), &ana.room(), &bo.id(), Some(&why), None).unwrap();
        let needs = unprocessed(&ana);
        assert!(needs[0]["title"].as_str().unwrap().ends_with("could not be resumed"), "{needs:?}");
        let words = needs[0]["words"].as_str().unwrap();
        assert!(words.contains("no rollout found") && !words.contains(&secret), "{words}");
        begins(&app, &bo.second_process("codex:parallel"));
        assert_eq!(unprocessed(&ana), [json!(null); 0]);
    });
}

#[test]
fn a_session_whose_directory_is_gone_is_told_of_and_not_resumed() {
    on_every_backend(|app| {
        let [ana, _, runner] = scene(&app);
        let cy = app.living_agent("cy");
        cy.join();
        app.workspace().repository("");
        app.workspace().dir("below");
        let below = cy.at("below");
        begins(&app, &below);
        app.app().end_session(below.caller(), SessionEnding::Exit).unwrap();
        cy.dies();
        std::fs::remove_dir_all(app.workspace().at("below")).unwrap();
        message(&ana, &cy);
        assert_eq!(taken(&app, &runner, ability()), None);
        let words = unprocessed(&ana)[0]["words"].as_str().unwrap().to_owned();
        assert!(words.contains("its directory") && words.contains("below is gone"), "{words}");
    });
}

#[test]
fn what_wakes_an_agent_and_how_often_bounds_resuming_it_too() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        bo.does("agent.wake", json!({"wake": "off"}));
        ends(&app, &bo, SessionEnding::Exit);
        message(&ana, &bo);
        assert_eq!(taken(&app, &runner, ability()), None);
        let person = app.person("human:pat:pts1");
        person.enter(&ana.room());
        person.does("agent.wake", json!({"agent": bo.id(), "wake": "messages"}));
        let resumed = (0..limits::WAKES_PER_HOUR * 2).filter(|_| {
            message(&ana, &bo);
            let due = taken(&app, &runner, ability()).is_some();
            app.app().end_resumption(runner.caller(), &ana.room(), &bo.id(), None, None).unwrap();
            due
        });
        assert_eq!(resumed.count() as u32, limits::WAKES_PER_HOUR);
    });
}

#[test]
fn sessions_rest_only_for_a_while_and_only_so_many() {
    on_every_backend(|app| {
        let [ana, bo, runner] = scene(&app);
        ends(&app, &bo, SessionEnding::Exit);
        for number in 0..limits::RESTING_SESSIONS {
            let next = app.living_agent(&format!("codex:{number:08}"));
            begins(&app, &next);
            next.enter(&ana.room());
            ends(&app, &next, SessionEnding::Exit);
        }
        let resting = |app: &TestApp| app.stored(&ana.room()).resting(app.now()).len();
        assert_eq!((member(&app, &bo), resting(&app)), (None, limits::RESTING_SESSIONS), "it rested the longest");
        app.later(limits::REST_TTL.max(Ttl::from_minutes(1)));
        ana.does("room.note", json!({"text": "a week later"}));
        assert_eq!(app.stored(&ana.room()).members.len(), 1, "only ana is left");
        assert_eq!(taken(&app, &runner, ability()), None);
        assert_sound(&app);
    });
}
