//! Edits of an agent that is alone, after turns of others that it was not told of.

use baton_app::hook::{Confinement, GuardAnswer, SessionEnding, ToolUse};
use baton_core::{
    process::{ProcessIdentity, SessionKind},
    room::Actor,
    time::Ttl,
};
use baton_testkit::{Sleeper, on_every_backend};
use serde_json::json;

use crate::scene::{assert_sound, begins, edit, refusal, shell};

#[test]
fn an_agent_that_is_alone_is_stopped_once_after_a_turn_that_it_was_not_told_of() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        let turn = bo.claim();
        bo.does("inbox.send", json!({"to": "ana", "category": "INFO", "subject": "s", "body": "hello"}));
        bo.release(&turn);
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        assert_eq!(shell(&app, &ana, "git status && ls", Confinement::Unwanted), GuardAnswer::Pass, "reading is free");
        let reason = refusal(edit(&app, &ana, "a"));
        assert!(reason.starts_with("Baton: lunar-willow (bo) had the stick after you last looked"), "{reason}");
        assert!(
            reason.ends_with("a was not changed. Next: read it again, then try again with what you find"),
            "{reason}"
        );
        assert!(matches!(edit(&app, &ana, "a"), GuardAnswer::Tell(_)), "it was told");
        assert_eq!(edit(&app, &ana, "b"), GuardAnswer::Pass, "it holds the stick");
        let news = app.app().news(ana.caller(), None).unwrap().unwrap();
        assert!(news.contains("you have 1 unread message"), "a refusal tells of no messages: {news}");
        assert_sound(&app);
    });
}

#[test]
fn all_calls_of_a_message_are_stopped_after_a_missed_turn() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        bo.release(&bo.claim());
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        for path in ["a", "b", "c"] {
            refusal(edit(&app, &ana, path));
        }
        refusal(shell(&app, &ana, "python3 d.py", Confinement::Allowed));
        refusal(shell(&app, &ana, "python3 e.py", Confinement::Allowed));
        assert_eq!(shell(&app, &ana, "python3 d.py", Confinement::Allowed), GuardAnswer::Pass, "the next message");
        app.later(Ttl::from_secs(2));
        assert!(matches!(edit(&app, &ana, "f"), GuardAnswer::Tell(_)), "the model has answered since");
    });
}

#[test]
fn a_subagent_and_its_agent_are_each_told_of_a_missed_turn() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        bo.release(&bo.claim());
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        let sub = ana.sibling("ana-sub");
        let tool = ToolUse::Edit(vec![app.workspace().text("a")]);
        let by_sub = || app.app().guard(sub.caller(), Some(ana.caller()), &tool, Confinement::Unwanted).unwrap();
        refusal(by_sub());
        refusal(edit(&app, &ana, "a"));
        assert!(matches!(by_sub(), GuardAnswer::Tell(_)), "it was told");
        assert_eq!(edit(&app, &ana, "a"), GuardAnswer::Pass, "its agent holds the stick");
        assert!(app.stored(&ana.room()).member(&sub.id()).is_none());
    });
}

#[test]
fn no_command_of_an_agent_that_is_alone_undoes_a_turn_that_it_was_not_told_of() {
    on_every_backend(|app| {
        let [ana] = app.joined_living(["ana"]);
        begins(&app, &ana);
        for command in ["python3 write.py", "git commit -m x", "echo x > a; make"] {
            let bo = app.living_agent("bo");
            bo.join();
            bo.claim();
            app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
            refusal(shell(&app, &ana, command, Confinement::Allowed));
            let again = shell(&app, &ana, command, Confinement::Allowed);
            assert!(!matches!(again, GuardAnswer::Refuse(_)), "{command}: {again:?}");
            app.app().stop(ana.caller()).unwrap();
            ana.release(&ana.claim());
        }
    });
}

#[test]
fn a_turn_of_ones_own_and_a_prompt_tell_of_the_turns_before() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        let bo_works = || bo.release(&bo.claim());
        bo_works();
        ana.release(&ana.claim());
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        assert!(matches!(edit(&app, &ana, "a"), GuardAnswer::Tell(_)), "its own claim told it");
        app.app().stop(ana.caller()).unwrap();
        let cy = app.living_agent("cy");
        cy.join();
        cy.claim();
        app.app().end_session(cy.caller(), SessionEnding::Exit).unwrap();
        app.app().news(ana.caller(), None).unwrap().unwrap();
        assert!(matches!(edit(&app, &ana, "a"), GuardAnswer::Tell(_)), "its prompt told it");
    });
}

#[test]
fn an_agent_that_is_alone_is_stopped_once_after_a_holder_died_beside_it() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        bo.claim();
        app.app().news(ana.caller(), None).unwrap().unwrap();
        refusal(edit(&app, &ana, "a"));
        bo.dies();
        let reason = refusal(edit(&app, &ana, "a"));
        assert!(reason.contains("had the stick after you last looked"), "{reason}");
        let GuardAnswer::Tell(text) = edit(&app, &ana, "a") else { panic!("it was told") };
        assert!(text.contains("the stick was taken"), "{text}");
        let cy = app.living_agent("cy");
        cy.join();
        app.app().end_session(ana.caller(), SessionEnding::Exit).unwrap();
        cy.claim();
        cy.dies();
        let dan = app.living_agent("dan");
        let text = begins(&app, &dan);
        assert!(text.contains("had the stick and is gone: it can be taken over"), "{text}");
        assert!(matches!(edit(&app, &dan, "a"), GuardAnswer::Tell(_)), "it began after the holder was gone");
        assert_sound(&app);
    });
}

#[test]
fn a_session_from_before_the_room_is_stopped_once_after_the_first_turn_there() {
    on_every_backend(|app| {
        let sleeper = Sleeper::start();
        let session = |name: &str| {
            let process = ProcessIdentity { process_started_at: app.now(), ..sleeper.identity() };
            app.agent_as(Actor::found(name.parse().unwrap(), Some(process), SessionKind::McpHarness))
        };
        let early = session("early");
        app.later_minutes(1);
        let [bo] = app.joined_living(["bo"]);
        bo.claim();
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        app.later_minutes(1);
        let late = session("late");
        refusal(edit(&app, &early, "a"));
        assert!(matches!(edit(&app, &early, "a"), GuardAnswer::Tell(_)), "it was told");
        app.app().end_session(early.caller(), SessionEnding::Exit).unwrap();
        app.later_minutes(1);
        let after = session("after");
        refusal(edit(&app, &late, "a"));
        app.app().end_session(late.caller(), SessionEnding::Exit).unwrap();
        assert!(matches!(edit(&app, &after, "a"), GuardAnswer::Tell(_)), "it began after every turn");
        assert_sound(&app);
    });
}

#[test]
fn a_room_that_only_warns_stops_nobody_after_a_missed_turn() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        app.set_policy(&ana.room(), json!({"guard": "warn"}));
        bo.claim();
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        assert!(matches!(edit(&app, &ana, "a"), GuardAnswer::Tell(_)));
    });
}
