//! Where a caller's commands may write: by the stick, by scopes, and in all places of a repository.
#![expect(clippy::unwrap_used, reason = "a test whose helper fails should stop there")]

use std::path::PathBuf;

use baton_app::WriteBounds;
use baton_core::{code::ErrorCode, time::Ttl};
use baton_testkit::{Agent, TestApp, on_every_backend};
use serde_json::json;

fn bounds(app: &TestApp, agent: &Agent<'_>) -> WriteBounds {
    app.app().write_bounds(agent.caller(), &agent.room()).unwrap()
}

/// Paths of the workspace.
fn at(app: &TestApp, paths: &[&str]) -> Vec<PathBuf> {
    paths.iter().map(|path| app.workspace().at(path)).collect()
}

/// What is allowed, less Baton's own directory, which always is.
fn allowed(app: &TestApp, agent: &Agent<'_>) -> Vec<PathBuf> {
    let allowed = bounds(app, agent).allowed;
    let (own, rest): (Vec<_>, Vec<_>) =
        allowed.into_iter().partition(|path| path.ends_with("data") || path.ends_with("baton"));
    assert_eq!(own.len(), 1);
    rest
}

#[test]
fn the_holder_is_kept_out_of_foreign_scopes_and_others_of_all_but_their_own() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        let turn = ana.claim();
        assert_eq!((bounds(&app, &ana).denied, allowed(&app, &ana)), (vec![], vec![]));
        assert_eq!((bounds(&app, &bo).denied, allowed(&app, &bo)), (at(&app, &[""]), vec![]));
        bo.does("scope.reserve", json!({"scopes": ["src/*", "docs/a.md"]}));
        assert_eq!(bounds(&app, &ana).denied, at(&app, &["docs/a.md", "src"]));
        assert_eq!(allowed(&app, &bo), at(&app, &["src", "docs/a.md"]));
        assert_eq!(bounds(&app, &bo).root, app.workspace().at(""));
        ana.release(&turn);
        assert_eq!(bounds(&app, &ana).denied, at(&app, &["", "docs/a.md", "src"]));
    });
}

#[test]
fn an_expired_stick_and_a_scope_that_ran_out_open_nothing() {
    on_every_backend(|app| {
        let [ana, bo] = app.joined(["ana", "bo"]);
        ana.claim();
        bo.does("scope.reserve", json!({"scopes": ["src"], "ttl_minutes": 5}));
        app.later(Ttl::from_minutes(24 * 60));
        assert_eq!((bounds(&app, &ana).denied, allowed(&app, &ana)), (at(&app, &[""]), vec![]));
        assert_eq!((bounds(&app, &bo).denied, allowed(&app, &bo)), (at(&app, &[""]), vec![]));
    });
}

#[test]
fn the_stick_belongs_to_a_process_and_another_under_the_same_id_is_refused() {
    on_every_backend(|app| {
        let [ana] = app.joined_living(["ana"]);
        ana.claim();
        assert_eq!(bounds(&app, &ana).denied, Vec::<PathBuf>::new());
        let impostor = ana.impostor();
        let refused = app.app().write_bounds(impostor.caller(), &ana.room()).unwrap_err();
        assert_eq!(refused.code, ErrorCode::IdInUse);
    });
}

#[test]
fn a_scope_over_the_whole_room_opens_all_of_it() {
    on_every_backend(|app| {
        let [ana] = app.joined(["ana"]);
        ana.does("scope.reserve", json!({"scopes": ["."]}));
        assert_eq!(bounds(&app, &ana).denied, Vec::<PathBuf>::new());
    });
}

#[test]
fn all_working_trees_and_gits_directory_are_the_rooms() {
    on_every_backend(|app| {
        let workspace = app.workspace();
        workspace.repository("repo");
        workspace.git("repo", &["worktree", "add", "--quiet", "../tree"]);
        // A part of the repository that names a directory which knows nothing of it.
        workspace.dir("innocent");
        workspace.file("repo/.git/worktrees/odd/gitdir", &format!("{}\n", workspace.text("innocent/.git")));
        let [ana, bo] = ["ana", "bo"].map(|name| app.agent(name));
        ana.join_at("repo");
        bo.join_at("tree");
        assert_eq!(bounds(&app, &bo).denied, at(&app, &["repo", "repo/.git", "tree"]));
        bo.does("scope.reserve", json!({"scopes": ["src"]}));
        assert_eq!(allowed(&app, &bo), at(&app, &["repo/src", "tree/src"]));
        ana.claim();
        assert_eq!(bounds(&app, &ana).denied, at(&app, &["repo/src", "tree/src"]));
    });
}

#[test]
fn a_closed_room_an_unknown_one_and_one_whose_root_is_gone_have_no_bounds() {
    on_every_backend(|app| {
        let workspace = app.workspace();
        workspace.file("gone/AGENTS.md", "");
        let bo = app.agent("bo");
        bo.join_at("gone");
        std::fs::remove_dir_all(workspace.at("gone")).unwrap();
        let code = |agent: &Agent<'_>| app.app().write_bounds(agent.caller(), &agent.room()).unwrap_err().code;
        assert_eq!(code(&bo), ErrorCode::PathNotFound);
        let [ana] = app.joined(["ana"]);
        ana.does("room.close", json!({"expected_turn_id": 0, "reason": "done"}));
        assert_eq!(code(&ana), ErrorCode::RoomClosed);
        bo.enter(&"room_0000000000000000000000".parse().unwrap());
        assert_eq!(code(&bo), ErrorCode::UnknownRoom);
    });
}
