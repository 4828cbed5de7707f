//! Edits of an agent that is alone, after turns of others that it was not told of.

use baton_app::hook::{Confinement, GuardAnswer, SessionEnding, ToolUse};
use baton_core::{
    process::{ProcessIdentity, SessionKind},
    room::Actor,
    time::Ttl,
};
use baton_testkit::{Agent, Sleeper, TestApp, on_every_backend};
use serde_json::json;

use crate::scene::{assert_sound, begins, edit, refusal, shell};

/// Time in which a model reads the answers to its calls.
fn answers(app: &TestApp) {
    app.later(Ttl::from_secs(1));
}

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
        answers(&app);
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
        for path in ["a", "b", "a"] {
            refusal(edit(&app, &ana, path));
        }
        refusal(shell(&app, &ana, "python3 d.py", Confinement::Allowed));
        app.later_minutes(1);
        refusal(edit(&app, &ana, "c"));
        refusal(shell(&app, &ana, "python3 e.py", Confinement::Allowed));
        assert_eq!(shell(&app, &ana, "python3 d.py", Confinement::Allowed), GuardAnswer::Pass, "a second attempt");
        assert!(matches!(edit(&app, &ana, "f"), GuardAnswer::Tell(_)), "it has read the refusal");
        assert_sound(&app);
    });
}

#[test]
fn a_subagent_and_its_agent_are_each_told_of_a_missed_turn() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        bo.release(&bo.claim());
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        let (one, two) = (ana.sibling("one"), ana.sibling("two"));
        let tool = ToolUse::Edit(vec![app.workspace().text("a")]);
        let by =
            |sub: &Agent<'_>| app.app().guard(sub.caller(), Some(ana.caller()), &tool, Confinement::Unwanted).unwrap();
        refusal(by(&one));
        refusal(edit(&app, &ana, "a"));
        answers(&app);
        assert!(matches!(by(&one), GuardAnswer::Tell(_)), "it was told");
        assert_eq!(by(&one), GuardAnswer::Pass, "its agent holds the stick");
        assert_eq!(edit(&app, &ana, "a"), GuardAnswer::Pass, "it was told, too");
        refusal(by(&two));
        answers(&app);
        assert_eq!(by(&two), GuardAnswer::Pass, "it was told");
        assert!(app.stored(&ana.room()).member(&one.id()).is_none());
    });
}

#[test]
fn an_edit_is_stopped_once_after_somebody_elses_reservation_of_its_file() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        ana.claim();
        bo.does("scope.reserve", json!({"scopes": ["src"]}));
        bo.does("scope.release", json!({"all": true}));
        assert_eq!(edit(&app, &ana, "docs"), GuardAnswer::Pass, "that was not reserved");
        let reason = refusal(edit(&app, &ana, "src/a.rs"));
        assert!(reason.starts_with("Baton: lunar-willow (bo) had reserved src after you last looked"), "{reason}");
        answers(&app);
        assert_eq!(edit(&app, &ana, "src/a.rs"), GuardAnswer::Pass);
        assert_eq!(edit(&app, &ana, "src/b.rs"), GuardAnswer::Pass, "it has read the refusal");
        bo.does("scope.reserve", json!({"scopes": ["docs"]}));
        let news = app.app().news(ana.caller(), None).unwrap().unwrap();
        assert!(news.contains("(bo) had reserved src meanwhile") && !news.contains("docs"), "{news}");
        assert_eq!(edit(&app, &bo, "docs/x.md"), GuardAnswer::Pass, "one's own");
    });
}

#[test]
fn a_stick_that_is_taken_for_an_edit_comes_with_its_handoff_and_the_drift() {
    on_every_backend(|app| {
        app.workspace().repository(".");
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        let artifacts = json!([{"path": "gone.rs", "role": "edit"}]);
        let handoff = json!({"status": "half done", "next_action": "finish it", "artifacts": artifacts});
        bo.does("stick.release", bo.claim().showing(json!({"handoff": handoff})));
        app.app().end_session(bo.caller(), SessionEnding::Exit).unwrap();
        app.workspace().file("b.txt", "of nobody\n");
        let news = app.app().news(ana.caller(), None).unwrap().unwrap();
        assert!(news.contains("lunar-willow (bo) had the stick meanwhile: read files again"), "{news}");
        let GuardAnswer::Tell(text) = edit(&app, &ana, "a") else { panic!("it takes the stick") };
        for part in ["the stick was taken", "\"finish it\"", "added b.txt", "Artifact gone.rs does not exist"] {
            assert!(text.contains(part), "{text}");
        }
        assert!(app.log(&ana.room()).iter().any(|event| event.event.kind() == "scope.edit"));
        assert_sound(&app);
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
            answers(&app);
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
        answers(&app);
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
        answers(&app);
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
