//! The beginning and the end of sessions.

use std::thread;

use baton_app::hook::{Beginning, Displaced, GuardAnswer, SessionEnding};
use baton_core::limits;
use baton_testkit::{Sleeper, on_every_backend};
use serde_json::json;

use crate::scene::{assert_sound, begins, edit};

#[test]
fn outside_of_a_room_nothing_is_answered_and_nothing_written() {
    on_every_backend(|app| {
        let eve = app.living_agent("eve");
        assert_eq!(app.app().begin_session(eve.caller(), Beginning::Usual, None).unwrap(), None);
        assert_eq!(app.app().news(eve.caller(), None).unwrap(), None);
        assert_eq!(app.app().stop(eve.caller()).unwrap(), None);
        assert_eq!(edit(&app, &eve, "a"), GuardAnswer::Pass);
        app.app().end_session(eve.caller(), SessionEnding::Exit).unwrap();
        assert!(app.rooms().is_empty());
    });
}

#[test]
fn a_session_begins_as_a_member_and_is_told_where_it_is_in_under_a_kilobyte() {
    on_every_backend(|app| {
        let [ana] = app.joined_living(["ana"]);
        ana.does("context.brief.edit", json!({"goal": "Ship\u{202e} it\nsoon. ".repeat(100)}));
        let turn = ana.claim();
        let bo = app.living_agent("bo");
        let text = begins(&app, &bo);
        assert!(text.len() <= limits::HOOK_CONTEXT_BYTES, "{} bytes", text.len());
        assert!(text.contains("holds the stick until") && text.contains("wait_for_turn"), "{text}");
        assert!(text.contains("Goal of the room: \"Ship it soon."), "{text}");
        assert!(app.stored(&ana.room()).member(&bo.id()).is_some());
        ana.release(&turn);
        assert_eq!(app.app().news(bo.caller(), None).unwrap().unwrap().lines().count(), 1, "only that the stick moved");
        assert_eq!(app.app().news(bo.caller(), None).unwrap(), None, "it was told");
    });
}

#[test]
fn the_end_of_a_session_hands_the_stick_on_and_retires_exactly_that_session() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        ana.claim();
        ana.does("scope.reserve", json!({"scopes": ["docs"]}));
        app.app().end_session(ana.caller(), SessionEnding::Exit).unwrap();
        let room = app.stored(&bo.room());
        assert!(room.member(&ana.id()).is_none() && room.member(&bo.id()).is_some());
        assert_eq!(room.reservation().map(|kept| &kept.recipient), Some(&bo.id()));
        assert_eq!(bo.does("scope.status", json!({}))["scopes"], json!([]));
        let turn = bo.wait();
        assert!(turn["handoff"]["status"].as_str().unwrap().contains("session of this agent ended"), "{turn}");
        app.app().end_session(ana.caller(), SessionEnding::Exit).unwrap();
        assert_sound(&app);
    });
}

#[test]
fn a_conversation_that_begins_ends_the_idle_ones_of_its_process_and_no_others() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        begins(&app, &bo);
        ana.claim();
        app.app().stop(bo.caller()).unwrap();
        let next = ana.sibling("ana-next");
        app.app().end_displaced(next.caller(), None, Displaced::Idle).unwrap();
        assert_eq!(app.stored(&ana.room()).owner(), Some(&ana.id()), "it is at work");
        app.app().stop(ana.caller()).unwrap();
        app.app().end_displaced(next.caller(), None, Displaced::Idle).unwrap();
        begins(&app, &next);
        let room = app.stored(&bo.room());
        let members: Vec<&str> = room.members.iter().map(|member| member.agent_id.as_str()).collect();
        assert_eq!((room.owner(), members.as_slice()), (None, ["bo", "ana-next"].as_slice()));
        assert!(
            app.app().news(ana.caller(), None).unwrap().unwrap().contains("you are"),
            "it comes back with a prompt"
        );
        assert_sound(&app);
    });
}

#[test]
fn at_a_server_only_the_conversation_of_the_same_screen_ends() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        let cy = ana.sibling("cy");
        let next = ana.sibling("next");
        let (one, other) = (Sleeper::start(), Sleeper::start());
        let [one, other] = [&one, &other].map(|screen| vec![screen.identity()]);
        for (agent, screens) in [(&ana, &one), (&cy, &other), (&bo, &one)] {
            begins(&app, agent);
            app.app().note_screens(agent.caller(), screens).unwrap();
            app.app().stop(agent.caller()).unwrap();
        }
        let members = || app.stored(&bo.room()).members.len();
        let both = [one.clone(), other].concat();
        app.app().end_displaced(next.caller(), Some(&both), Displaced::All).unwrap();
        assert_eq!(members(), 3, "it is not known at which one it is");
        app.app().end_displaced(next.caller(), Some(&one), Displaced::All).unwrap();
        assert_eq!(members(), 2, "another server's is another screen");
        assert!(app.stored(&bo.room()).member(&ana.id()).is_none());
    });
}

#[test]
fn the_session_of_a_screen_that_is_closed_ends_though_its_server_lives() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        begins(&app, &ana);
        let (mut first, mut second) = (Sleeper::start(), Sleeper::start());
        let both = [first.identity(), second.identity()];
        app.app().note_screens(ana.caller(), &both).unwrap();
        ana.claim();
        app.app().stop(ana.caller()).unwrap();
        thread::scope(|scope| {
            let listener = scope.spawn(|| app.app().await_wake(ana.caller()).unwrap());
            first.kill();
            bo.does("room.note", json!({"text": "One is closed."}));
            assert!(app.stored(&bo.room()).member(&ana.id()).is_some(), "it may be at the other one");
            second.kill();
            assert_eq!(listener.join().unwrap(), None);
        });
        let room = app.stored(&bo.room());
        assert!(room.member(&ana.id()).is_none());
        assert_eq!(room.reservation().map(|kept| &kept.recipient), Some(&bo.id()));
        assert_sound(&app);
    });
}
