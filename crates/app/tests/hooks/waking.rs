//! Wakes of idle sessions, and what limits them.

use baton_app::hook::{Beginning, Stopped};
use baton_core::{limits, time::Ttl};
use baton_testkit::on_every_backend;
use serde_json::json;

use crate::scene::{assert_sound, begins};

#[test]
fn an_idle_session_is_woken_once_for_the_stick_and_once_per_message() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        let turn = ana.claim();
        assert_eq!(app.app().stop(bo.caller()).unwrap(), Some(Stopped::Idle));
        let woken = || app.app().take_wake(bo.caller(), &bo.room()).unwrap();
        assert_eq!(woken(), None);
        ana.release(&turn);
        assert!(woken().unwrap().contains("The stick is kept for you"));
        assert_eq!(woken(), None, "it was told");
        for n in 1..=2 {
            ana.does(
                "inbox.send",
                json!({"to": "bo", "category": "INFO", "subject": "s", "body": format!("hello {n}")}),
            );
            assert!(woken().unwrap().contains("unread message"), "message {n}");
            assert_eq!(woken(), None);
        }
        bo.claim();
        assert_eq!(woken(), None, "nobody is woken because it holds");
        assert_sound(&app);
    });
}

#[test]
fn news_that_came_while_an_agent_worked_keeps_it_from_stopping() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "hello"}));
        assert!(matches!(app.app().stop(bo.caller()).unwrap(), Some(Stopped::GoesOn(_))));
        assert_eq!(app.app().stop(bo.caller()).unwrap(), Some(Stopped::Idle), "it was told once");
    });
}

#[test]
fn a_policy_and_a_bound_limit_waking() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        app.app().stop(bo.caller()).unwrap();
        let woken = || app.app().take_wake(bo.caller(), &bo.room()).unwrap().is_some();
        let message =
            || ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "hello"}));
        app.set_policy(&ana.room(), json!({"wake": "off"}));
        message();
        assert!(!woken());
        app.set_policy(&ana.room(), json!({"wake": "messages"}));
        assert!(woken());
        let turn = ana.claim();
        ana.pass(&turn, &bo);
        assert!(!woken(), "the stick is no message");
        let wakes = (0..limits::WAKES_PER_HOUR * 2).filter(|_| {
            message();
            woken()
        });
        assert_eq!(wakes.count() as u32, limits::WAKES_PER_HOUR - 1);
        app.later(limits::WAKE_HOUR.max(Ttl::from_minutes(60)));
        message();
        assert!(woken(), "another hour");
    });
}

#[test]
fn an_agent_chooses_what_wakes_it_and_nobody_but_an_operator_chooses_for_it() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        app.app().stop(bo.caller()).unwrap();
        let woken = || app.app().take_wake(bo.caller(), &bo.room()).unwrap().is_some();
        let message =
            || ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "hello"}));
        let refused = ana.refused("agent.wake", json!({"agent": "bo", "wake": "off"}));
        assert_eq!([&refused["error"], &refused["needs"]], ["FORBIDDEN", "operator"], "{refused}");
        assert!(refused["next"].as_str().unwrap().contains("baton agent wake"), "{refused}");
        let chosen = bo.does("agent.wake", json!({"wake": "off"}));
        assert_eq!((&chosen["wake"], &chosen["chosen"]), (&json!("off"), &json!(true)));
        message();
        assert!(!woken());
        let shown = ana.does("agent.show", json!({"agent": "bo"}));
        assert_eq!((&shown["wake"], &shown["wake_chosen"]), (&json!("off"), &json!(true)), "{shown}");
        let person = app.person("human:pat:pts1");
        person.enter(&bo.room());
        person.does("agent.wake", json!({"agent": "bo", "wake": "messages"}));
        assert!(woken(), "the message is still unread");
        let turn = ana.claim();
        ana.pass(&turn, &bo);
        assert!(!woken(), "the stick is no message");
        let back = bo.does("agent.wake", json!({"wake": "room"}));
        assert_eq!((&back["wake"], &back["chosen"]), (&json!("all"), &json!(false)));
        assert!(woken(), "the stick is kept for it");
        assert_sound(&app);
    });
}

#[test]
fn a_woken_session_that_does_nothing_needs_a_person() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        app.app().stop(bo.caller()).unwrap();
        ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "hello"}));
        app.app().take_wake(bo.caller(), &bo.room()).unwrap().unwrap();
        let unprocessed = || ana.does("agent.needs", json!({}))["counts"]["unprocessed"].clone();
        assert_eq!(unprocessed(), json!(null), "it was just woken");
        app.later(limits::WAKE_UNANSWERED);
        assert_eq!(unprocessed(), json!(1));
        app.app().news(bo.caller(), None).unwrap();
        assert_eq!(unprocessed(), json!(null), "it went on");
        app.app().stop(bo.caller()).unwrap();
        assert_eq!(unprocessed(), json!(1), "it ended its turn and read nothing");
        bo.does("inbox.list", json!({}));
        bo.does("inbox.read", json!({"message": bo.does("inbox.list", json!({}))["items"][0]["message"]}));
        assert_eq!(unprocessed(), json!(null), "it has read the message");
    });
}

#[test]
fn a_session_that_was_summarised_while_it_was_idle_still_is() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        let compacts = || app.app().begin_session(bo.caller(), Beginning::Compacted, None).unwrap().unwrap();
        let hears = |word: &str| {
            ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": word}));
            app.app().take_wake(bo.caller(), &bo.room()).unwrap()
        };
        compacts();
        assert_eq!(hears("one"), None, "it is at work");
        app.app().news(bo.caller(), None).unwrap();
        app.app().stop(bo.caller()).unwrap();
        compacts();
        assert!(hears("two").is_some());
    });
}

#[test]
fn a_session_whose_program_waits_for_a_prompt_is_woken_though_no_hook_told_of_it() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &bo);
        ana.does("inbox.send", json!({"to": "bo", "category": "INFO", "subject": "s", "body": "hello"}));
        let mut told = Vec::new();
        app.app()
            .keep_waking(
                || bo.caller().clone(),
                || true,
                |text| {
                    told.push(text.to_owned());
                    false
                },
            )
            .unwrap();
        assert!(matches!(told.as_slice(), [one] if one.contains("1 unread message")), "{told:?}");
    });
}
