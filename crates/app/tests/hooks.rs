//! The answers to hooks: which edits are stopped, what a session is told, and when it is woken.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::{os::unix::fs::symlink, thread};

use baton_app::{
    doctor,
    hook::{Confinement, Displaced, GuardAnswer, SessionEnding, Stopped, ToolUse},
};
use baton_core::{
    limits,
    process::{ProcessIdentity, SessionKind},
    room::Actor,
    time::Ttl,
};
use baton_testkit::{Agent, Sleeper, TestApp, on_every_backend};
use serde_json::json;

/// The guard's answer to an edit of a file in the workspace.
fn edit(app: &TestApp, agent: &Agent<'_>, path: &str) -> GuardAnswer {
    let tool = ToolUse::Edit(vec![app.workspace().text(path)]);
    app.app().guard(agent.caller(), None, &tool, Confinement::Unwanted).unwrap()
}

fn shell(app: &TestApp, agent: &Agent<'_>, command: &str, confinement: Confinement) -> GuardAnswer {
    app.app().guard(agent.caller(), None, &ToolUse::Shell(command.to_owned()), confinement).unwrap()
}

fn refusal(answer: GuardAnswer) -> String {
    match answer {
        GuardAnswer::Refuse(reason) => reason,
        other => panic!("{other:?}"),
    }
}

fn begins(app: &TestApp, agent: &Agent<'_>) -> String {
    app.app().begin_session(agent.caller(), None).unwrap().unwrap()
}

fn assert_sound(app: &TestApp) {
    let found = doctor::examine(app.app()).unwrap();
    assert!(found.is_clean(), "{found:?}");
}

#[test]
fn an_edit_without_the_stick_is_refused_with_who_until_when_and_the_next_step() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        let turn = ana.claim();
        let reason = refusal(edit(&app, &bo, "src/a.rs"));
        assert!(reason.contains("ana") && reason.contains("holds the stick until"), "{reason}");
        assert!(reason.contains("src/a.rs was not changed. Next: call wait_for_turn"), "{reason}");
        assert!(!reason.ends_with('.'), "{reason}");
        assert_eq!(edit(&app, &ana, "src/a.rs"), GuardAnswer::Pass);
        assert_eq!(shell(&app, &bo, "git status && ls", Confinement::Unwanted), GuardAnswer::Pass, "reading is free");
        refusal(shell(&app, &bo, "echo x > a.txt", Confinement::Unwanted));
        refusal(shell(&app, &bo, "git checkout .", Confinement::Unwanted));
        assert_eq!(shell(&app, &bo, "echo x > /tmp/a.txt; ls", Confinement::Unwanted), GuardAnswer::Pass);
        let mixed = shell(&app, &bo, "echo x > /tmp/a.txt; make", Confinement::Unwanted);
        assert_eq!(mixed, GuardAnswer::Compare(bo.room()));
        ana.release(&turn);
        bo.claim();
        assert_eq!(edit(&app, &bo, "src/a.rs"), GuardAnswer::Pass);
        refusal(edit(&app, &ana, "src/a.rs"));
        assert_sound(&app);
    });
}

#[test]
fn a_link_counts_where_it_leads_and_its_removal_where_it_lies() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        let elsewhere = tempfile::tempdir().unwrap();
        let way_in = elsewhere.path().join("in");
        symlink(app.workspace().text("new.txt"), &way_in).unwrap();
        symlink(elsewhere.path().join("out.txt"), app.workspace().text("out")).unwrap();
        let way_in = way_in.to_str().unwrap();
        let through = |path: &str| {
            app.app().guard(bo.caller(), None, &ToolUse::Edit(vec![path.to_owned()]), Confinement::Unwanted).unwrap()
        };
        assert!(refusal(through(way_in)).contains("new.txt was not changed"));
        refusal(shell(&app, &bo, &format!("echo x > {way_in}"), Confinement::Unwanted));
        assert_eq!(edit(&app, &bo, "out"), GuardAnswer::Pass, "it lies elsewhere");
        assert!(refusal(shell(&app, &bo, "rm out", Confinement::Unwanted)).contains("out was not changed"));
    });
}

#[test]
fn a_room_is_touched_by_whatever_sweeps_the_directories_around_it() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        let root = app.workspace().text("");
        let root = root.trim_end_matches('/');
        let parent = std::path::Path::new(root).parent().unwrap().to_str().unwrap().to_owned();
        for command in
            [format!("rm -rf {parent}"), "rm -rf ..".to_owned(), format!("mv {parent} /x"), format!("rm -r {parent}/*")]
        {
            refusal(shell(&app, &bo, &command, Confinement::Allowed));
            assert_eq!(shell(&app, &ana, &command, Confinement::Allowed), GuardAnswer::Pass, "{command}");
        }
    });
}

#[test]
fn a_room_inside_another_one_is_guarded_from_whoever_holds_the_outer_stick() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        let nest = app.workspace().text("nest");
        std::fs::create_dir(&nest).unwrap();
        let joined = bo.does("room.join", json!({"context_path": nest, "force_new": true}));
        let inner = joined["room_id"].as_str().unwrap().to_owned();
        bo.does("stick.wait", json!({"room_id": inner, "max_wait_ms": 0}));
        refusal(edit(&app, &ana, "nest/a"));
        refusal(shell(&app, &ana, "git checkout .", Confinement::Allowed));
        assert_eq!(
            shell(&app, &ana, "make", Confinement::Allowed),
            GuardAnswer::Confine(inner.parse().unwrap()),
            "the inner room alone is closed"
        );
        let bounds = app.app().write_bounds(ana.caller(), &ana.room()).unwrap();
        assert!(bounds.denied.iter().any(|path| path.ends_with("nest")), "{bounds:?}");
    });
}

#[test]
fn links_that_a_command_makes_and_other_programs_called_baton_are_not_trusted() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        for command in [
            "ln a.txt /tmp/hl",
            "ln -s . /tmp/q; echo x > /tmp/q/a.txt",
            "cp -l a.txt /tmp/hl",
            "/tmp/other/baton status",
            "baton confine --room /tmp/other -- bash -c 'echo x > a.txt'",
            "baton install --project claude-code",
            "ls > ~/x",
        ] {
            assert_eq!(shell(&app, &bo, command, Confinement::Allowed), GuardAnswer::Confine(bo.room()), "{command}");
        }
        assert_eq!(shell(&app, &bo, "baton status", Confinement::Allowed), GuardAnswer::Pass);
    });
}

#[test]
fn a_holder_works_beside_foreign_scopes_and_what_it_changes_in_them_is_compared() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        bo.does("scope.reserve", json!({"scopes": ["src"]}));
        for command in ["git add a", "git commit -m x", "git checkout -b new"] {
            assert_eq!(shell(&app, &ana, command, Confinement::Allowed), GuardAnswer::Pass, "{command}");
            refusal(shell(&app, &bo, command, Confinement::Allowed));
        }
        refusal(shell(&app, &ana, "git stash", Confinement::Allowed));
        assert_eq!(shell(&app, &ana, "make", Confinement::Allowed), GuardAnswer::Compare(ana.room()));
        assert_eq!(shell(&app, &bo, "make", Confinement::Allowed), GuardAnswer::Confine(bo.room()));
    });
}

#[test]
fn outside_of_a_room_nothing_is_answered_and_nothing_written() {
    on_every_backend(|app| {
        let eve = app.living_agent("eve");
        assert_eq!(app.app().begin_session(eve.caller(), None).unwrap(), None);
        assert_eq!(app.app().news(eve.caller(), None).unwrap(), None);
        assert_eq!(app.app().stop(eve.caller()).unwrap(), None);
        assert_eq!(edit(&app, &eve, "a"), GuardAnswer::Pass);
        app.app().end_session(eve.caller(), SessionEnding::Exit).unwrap();
        assert!(app.rooms().is_empty());
    });
}

#[test]
fn a_foreign_scope_is_refused_and_on_record_and_the_own_one_is_free() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        bo.does("scope.reserve", json!({"scopes": ["docs"]}));
        assert_eq!(edit(&app, &bo, "docs/a.md"), GuardAnswer::Pass);
        let reason = refusal(edit(&app, &ana, "docs/a.md"));
        assert!(reason.contains("has reserved docs until"), "{reason}");
        let incursions = app.log(&ana.room()).iter().filter(|event| event.event.kind() == "scope.incursion").count();
        assert_eq!(incursions, 1);
        assert_sound(&app);
    });
}

#[test]
fn alone_the_first_edit_takes_the_stick_and_the_end_of_the_turn_gives_it_back() {
    on_every_backend(|app| {
        let [ana] = app.joined_living(["ana"]);
        begins(&app, &ana);
        let GuardAnswer::Tell(text) = edit(&app, &ana, "a") else { panic!("it is told") };
        assert!(text.contains("the stick was taken for your edit"), "{text}");
        assert_eq!(app.stored(&ana.room()).owner(), Some(&ana.id()));
        assert_eq!(edit(&app, &ana, "b"), GuardAnswer::Pass);
        let bo = app.living_agent("bo");
        begins(&app, &bo);
        refusal(edit(&app, &bo, "a"));
        assert_eq!(app.app().stop(ana.caller()).unwrap(), Some(Stopped::Idle));
        assert_eq!(app.stored(&ana.room()).owner(), None);
        assert_sound(&app);
    });
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

#[test]
fn a_turn_that_an_agent_claimed_itself_outlasts_its_stop() {
    on_every_backend(|app| {
        let [ana] = app.joined_living(["ana"]);
        begins(&app, &ana);
        ana.claim();
        assert_eq!(edit(&app, &ana, "a"), GuardAnswer::Pass);
        app.app().stop(ana.caller()).unwrap();
        assert_eq!(app.stored(&ana.room()).owner(), Some(&ana.id()));
    });
}

#[test]
fn the_policy_says_how_an_edit_without_the_stick_is_met() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined_living(["ana", "bo"]);
        ana.claim();
        let room = ana.room();
        let python = |confinement| shell(&app, &bo, "python3 build.py", confinement);
        assert_eq!(python(Confinement::Allowed), GuardAnswer::Confine(room.clone()));
        assert_eq!(python(Confinement::Unwanted), GuardAnswer::Compare(room.clone()));
        app.set_policy(&room, json!({"guard": "strict"}));
        assert_eq!(python(Confinement::Unwanted), GuardAnswer::Confine(room.clone()));
        refusal(python(Confinement::Unavailable));
        app.set_policy(&room, json!({"guard": "warn"}));
        assert!(matches!(edit(&app, &bo, "a"), GuardAnswer::Tell(_)));
        assert_eq!(python(Confinement::Allowed), GuardAnswer::Compare(room.clone()));
        app.set_policy(&room, json!({"guard": "off"}));
        assert_eq!((edit(&app, &bo, "a"), python(Confinement::Allowed)), (GuardAnswer::Pass, GuardAnswer::Pass));
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
        assert_eq!((&refused["error"], &refused["needs"]), (&json!("FORBIDDEN"), &json!("operator")), "{refused}");
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
    });
}
