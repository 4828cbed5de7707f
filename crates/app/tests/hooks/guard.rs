//! Edits and commands that are stopped, watched or confined.

use std::os::unix::fs::symlink;

use baton_app::hook::{Confinement, GuardAnswer, Stopped, ToolUse};
use baton_testkit::on_every_backend;
use serde_json::json;

use crate::scene::{assert_sound, begins, edit, refusal, shell};

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
