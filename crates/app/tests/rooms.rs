//! Finding, joining and looking at rooms, in real directories and repositories.

use std::{os::unix::fs::symlink, thread};

use baton_core::room::{Closed, Event};
use baton_store::{StoreError, rooms};
use baton_testkit::{Backend, Scribe, TestApp, on_every_backend};
use serde_json::{Value, json};

/// What is in a field of each entry.
fn each(list: &Value, field: &str) -> Vec<Value> {
    list.as_array().expect("a list").iter().map(|entry| entry[field].clone()).collect()
}

#[test]
fn workspace_root_room_creation_and_ancestor_lookup() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().dir("repo/packages/foo/src");
        app.workspace().dir("repo/packages/bar");
        let [codex, claude, gemini] = ["codex", "claude", "gemini"].map(|name| app.agent(name));
        let first = codex.join_at("repo/packages/foo/src");
        assert_eq!(first["canonical_path"], app.workspace().text("repo"), "redirected to the top of the repository");
        assert_eq!((&first["created"], first.get("warning")), (&json!(true), None));
        let second = claude.join_at("repo/packages/bar");
        assert_eq!((&second["room_id"], &second["created"]), (&first["room_id"], &json!(false)));
        let file = app.workspace().file("repo/packages/bar/main.rs", "");
        symlink(app.workspace().at("repo/packages"), app.workspace().at("link")).unwrap();
        for path in [file, app.workspace().at("link/bar/../foo")] {
            let joined = gemini.does("room.join", json!({"context_path": path}));
            assert_eq!(joined["room_id"], first["room_id"]);
        }
        assert_eq!(codex.state()["room"]["members"], json!(["codex", "claude", "gemini"]));
    });
}

#[test]
fn ancestor_lookup_including_nested_rooms_and_force_new() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().dir("repo/packages/foo/src");
        let [outer, inner, below, beside] = ["outer", "inner", "below", "beside"].map(|name| app.agent(name));
        let root = outer.join_at("repo");
        let foo = app.workspace().text("repo/packages/foo");
        let nested = inner.does("room.join", json!({"context_path": foo, "force_new": true}));
        assert_eq!((&nested["created"], &nested["canonical_path"]), (&json!(true), &json!(foo)));
        assert_ne!(nested["room_id"], root["room_id"]);
        let warning = nested["warning"].as_str().unwrap();
        assert!(warning.contains(root["room_id"].as_str().unwrap()), "{warning}");

        assert_eq!(below.join_at("repo/packages/foo/src")["room_id"], nested["room_id"], "the deepest one wins");
        assert_eq!(beside.join_at("repo/packages")["room_id"], root["room_id"]);
        let again = beside.does("room.join", json!({"context_path": foo, "force_new": true}));
        assert_eq!((&again["room_id"], &again["created"]), (&nested["room_id"], &json!(false)), "it is there already");
        assert_eq!(again.get("warning"), None);
    });
}

#[test]
fn a_room_above_a_nested_repository_wins_and_force_new_nests() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().repository("repo/vendor/library");
        let [codex, claude] = ["codex", "claude"].map(|name| app.agent(name));
        let outer = codex.join_at("repo");
        assert_eq!(claude.join_at("repo/vendor/library")["room_id"], outer["room_id"]);
        let library = app.workspace().text("repo/vendor/library");
        let nested = claude.does("room.join", json!({"context_path": library, "force_new": true}));
        assert_eq!(nested["canonical_path"], library);
    });
}

#[test]
fn linked_worktrees_of_one_repository_share_the_room() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().git("repo", &["worktree", "add", "--quiet", "../feature"]);
        let [codex, claude] = ["codex", "claude"].map(|name| app.agent(name));
        let main = codex.join_at("repo");
        assert_eq!(claude.join_at("feature")["room_id"], main["room_id"]);
    });
}

#[test]
fn without_a_repository_the_nearest_marker_is_the_workspace_and_without_one_the_directory() {
    on_every_backend(|app| {
        app.workspace().file("project/AGENTS.md", "");
        app.workspace().dir("project/src/deep");
        app.workspace().dir("plain/dir");
        app.workspace().file("home/CLAUDE.md", "");
        app.workspace().dir("home/scratch");
        let codex = app.agent("codex");
        for (path, room) in
            [("project/src/deep", "project"), ("plain/dir", "plain/dir"), ("home/scratch", "home/scratch")]
        {
            assert_eq!(codex.join_at(path)["canonical_path"], app.workspace().text(room), "{path}");
        }
    });
}

#[test]
fn join_returns_policy_template_state_and_names() {
    on_every_backend(|app| {
        let [codex, claude] = ["codex", "claude"].map(|name| app.agent(name));
        let joined = codex.join();
        assert_eq!([&joined["agent_id"], &joined["state"]], ["codex", "idle"]);
        assert_eq!(
            joined["policy"],
            json!({
                "owner_lease_ttl_ms": 2_700_000, "heartbeat_interval_ms": 300_000, "claim_ttl_ms": 1_200_000,
                "wait_for_turn_max_wait_ms": 30_000, "wait_for_turn_poll_ms": 5_000, "presence_ttl_ms": 14_400_000,
                "edges": "mesh", "spawn": "ask", "guard": "on", "wake": "all", "resume": "off",
            })
        );
        let template = joined["handoff_template"].as_object().unwrap();
        for field in ["status", "next_action", "artifacts", "open_questions", "do_not"] {
            assert!(template[field].is_string(), "{field}");
        }
        assert_eq!(joined["room"]["members"], json!(["codex"]));
        assert_ne!(claude.join()["display_name"], joined["display_name"], "a name is unique in its room");
        let again = codex.join();
        assert_eq!((&again["display_name"], &again["created"]), (&joined["display_name"], &json!(false)));
        assert_eq!(codex.story(), "create join join", "joining again is no event");
    });
}

#[test]
fn relative_paths_start_where_the_caller_is() {
    on_every_backend(|app| {
        app.workspace().dir("repo/src");
        app.workspace().repository("repo");
        let codex = app.agent("codex");
        let joined = codex.does("room.join", json!({"context_path": "repo/src"}));
        assert_eq!(joined["canonical_path"], app.workspace().text("repo"));
        codex.does("room.join", json!({"context_path": "."}));
        assert_eq!(codex.state()["room"]["canonical_path"], app.workspace().text(""));
    });
}

#[test]
fn list_rooms_gives_the_chain_from_the_path_up_deepest_first() {
    on_every_backend(|app| {
        app.workspace().repository("repo");
        app.workspace().dir("repo/packages/foo/src");
        app.workspace().dir("elsewhere");
        let [codex, other] = ["codex", "other"].map(|name| app.agent(name));
        let root = codex.join_at("repo");
        let foo = app.workspace().text("repo/packages/foo");
        let nested = codex.does("room.join", json!({"context_path": foo, "force_new": true}));
        other.join_at("elsewhere");
        other.claim();

        let list = |input: Value| codex.does("room.list", input)["rooms"].clone();
        let below = app.workspace().text("repo/packages/foo/src");
        let chain = list(json!({"context_path": below}));
        assert_eq!(each(&chain, "room_id"), [nested["room_id"].clone(), root["room_id"].clone()]);
        assert_eq!(each(&chain, "canonical_path"), [json!(foo), json!(app.workspace().text("repo"))]);
        assert_eq!(each(&chain, "state"), ["idle", "idle"]);
        assert_eq!(
            each(&list(json!({"context_path": app.workspace().text("repo/packages")})), "room_id"),
            [root["room_id"].clone()]
        );
        assert_eq!(list(json!({})), json!([]), "where the caller is, there is none");
        assert_eq!(list(json!({"all": true})).as_array().unwrap().len(), 3);
        let elsewhere = list(json!({"context_path": app.workspace().text("elsewhere")}));
        assert_eq!([&elsewhere[0]["state"], &elsewhere[0]["owner"]], ["owned", "other"]);
    });
}

#[test]
fn reading_a_room_changes_nothing_and_needs_no_membership() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let reader = app.agent("reader");
        reader.enter(&codex.room());
        let before = (app.everything(), app.stored(&codex.room()));
        app.later_minutes(1);
        reader.state();
        reader.does("room.events", json!({}));
        reader.does("room.list", json!({}));
        assert_eq!((app.everything(), app.stored(&codex.room())), before);
        assert_eq!(reader.state()["room"]["members"], json!(["codex"]));
    });
}

#[test]
fn reads_write_presence_at_most_every_five_seconds_and_never_renew_the_lease() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        let joined_at = app.now();
        let turn = codex.claim();
        let seen = || app.stored(&codex.room()).member(&codex.id()).unwrap().last_seen_at;
        let second = baton_core::time::Ttl::from_secs(1);
        for _ in 0..4 {
            app.later(second);
            codex.state();
            codex.does("room.events", json!({}));
            assert_eq!(seen(), joined_at);
        }
        app.later(second);
        codex.state();
        assert_eq!(seen(), app.now(), "five seconds later");
        let written = seen();
        app.later(second);
        codex.wait();
        assert_eq!(seen(), written);
        assert_eq!(codex.state()["room"]["lease_expires_at"], turn.answer["lease_expires_at"]);
    });
}

#[test]
fn looking_at_a_room_refreshes_nobody_elses_presence() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        app.later_minutes(4 * 60);
        let members = claude.state()["members"].clone();
        let status: Vec<_> =
            [0, 1].iter().map(|place| (&members[place]["agent_id"], &members[place]["status"])).collect();
        let expected = [(json!(codex.id()), json!("inactive")), (json!(claude.id()), json!("active"))];
        assert_eq!(status, expected.iter().map(|(agent, status)| (agent, status)).collect::<Vec<_>>());
    });
}

#[test]
fn every_call_of_a_member_keeps_it_present() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        for read in ["room.state", "room.events", "stick.wait"] {
            app.later_minutes(3 * 60);
            codex.claim();
            claude.does(read, if read == "stick.wait" { json!({"max_wait_ms": 0}) } else { json!({}) });
            app.later_minutes(3 * 60);
            assert_eq!(claude.entry()["status"], "active", "{read}");
        }
    });
}

#[test]
fn events_page_both_ways_without_gap_or_repeat() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for number in 0..23 {
            codex.does("room.note", json!({"text": format!("note {number}")}));
        }
        let pages = |order: &str, start: Option<u64>| {
            let (mut seen, mut next) = (Vec::new(), start);
            loop {
                let mut input = json!({"limit": 7});
                if let Some(next) = next {
                    input[order] = next.into();
                }
                let page = codex.does("room.events", input);
                seen.extend(each(&page["events"], "event_seq").iter().map(|seq| seq.as_u64().unwrap()));
                assert_eq!(page["has_more"], page.get("cursor").is_some());
                match page.get("cursor") {
                    Some(more) => next = more.as_u64(),
                    None => return seen,
                }
            }
        };
        assert_eq!(pages("after", Some(0)), (1..=25).collect::<Vec<_>>());
        assert_eq!(pages("before", None), (1..=25).rev().collect::<Vec<_>>());
        let default = codex.does("room.events", json!({}));
        assert_eq!((default["events"].as_array().unwrap().len(), &default["has_more"]), (20, &json!(true)));
        let end = codex.does("room.events", json!({"after": 25}));
        assert_eq!((&end["events"], &end["has_more"]), (&json!([]), &json!(false)));
    });
}

#[test]
fn a_page_of_large_events_stays_small_enough_for_every_client_and_says_how_to_go_on() {
    on_every_backend(|app| {
        let [codex] = app.joined(["codex"]);
        for _ in 0..10 {
            codex.does("room.note", json!({"text": "x".repeat(16 * 1024)}));
        }
        let (mut seqs, mut next) = (Vec::new(), 0);
        loop {
            let page = codex.does("room.events", json!({"after": next, "limit": 200}));
            assert!(page.to_string().len() < 34_000, "{}", page.to_string().len());
            seqs.extend(each(&page["events"], "event_seq"));
            match page.get("cursor") {
                Some(more) => next = more.as_u64().unwrap(),
                None => break,
            }
        }
        assert_eq!(seqs, (1..=12).map(Value::from).collect::<Vec<_>>());
    });
}

#[test]
fn agent_id_override_sticks_to_the_connection_and_is_flagged_in_the_log() {
    on_every_backend(|app| {
        let codex = app.agent("codex");
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "tester:1"});
        assert_eq!(codex.does("room.join", input)["agent_id"], "tester:1");
        codex.claim();
        assert_eq!(codex.state()["room"]["owner"], "tester:1");
        assert_eq!(codex.join()["agent_id"], "tester:1", "until the connection ends");
        let log = codex.does("room.events", json!({"after": 0}));
        let join = &log["events"][1];
        assert_eq!((&join["to_agent_id"], &join["agent_id_override"]), (&json!("tester:1"), &json!(true)));

        let [fresh] = app.joined(["codex"]);
        assert_eq!(fresh.id().as_str(), "codex", "another connection is another caller");
        let log = fresh.does("room.events", json!({"limit": 1}));
        assert_eq!(log["events"][0].get("agent_id_override"), None);
    });
}

#[test]
fn get_room_state_derives_all_eight_states() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        let reader = app.agent("reader");
        reader.enter(&codex.room());
        let mut seen = vec![reader.room_state()];
        let turn = codex.claim();
        seen.push(reader.room_state());
        app.later_minutes(45);
        seen.push(reader.room_state());
        codex.release(&turn);
        seen.push(reader.room_state());
        claude.dies();
        seen.push(reader.room_state());
        let turn = codex.take();
        codex.dies();
        seen.push(reader.room_state());
        assert_eq!(turn.turn_id, 2);
        let gemini = app.living_agent("gemini");
        gemini.join();
        gemini.release(&gemini.take());
        gemini.dies();
        app.later_minutes(4 * 60);
        seen.push(reader.room_state());
        let last = app.living_agent("last");
        last.join();
        last.does("room.close", json!({"expected_turn_id": 3}));
        seen.push(reader.room_state());
        assert_eq!(
            seen,
            ["idle", "owned", "stale_owner", "reserved", "recipient_gone", "owner_gone", "dormant", "closed"]
        );
    });
}

#[test]
fn a_join_that_waited_on_a_server_for_a_room_to_be_closed_opens_a_fresh_one() {
    let app = TestApp::open(Backend::Postgres);
    let [ana] = app.joined(["ana"]);
    let (store, scribe, old) = (app.place().open(), Scribe::new("ana"), ana.room());
    thread::scope(|scope| {
        let joined = store.write::<_, StoreError>(|tx| {
            let room = rooms::load(tx, &old)?.unwrap();
            let joining = scope.spawn(|| app.agent("bo").join());
            let waits = "SELECT count(*) FROM pg_stat_activity
                          WHERE datname = current_database() AND wait_event_type = 'Lock'";
            while app.place().sql(waits).trim() != "1" {}
            scribe.writes_in(tx, &room, Event::Closed(Closed { reason: None }))?;
            Ok(joining)
        });
        let answer = joined.unwrap().join().unwrap();
        assert_eq!(answer["created"], true);
        assert_ne!(answer["room_id"], old.as_str());
    });
}

#[test]
fn the_overview_tells_of_every_room_and_who_is_in_it() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        codex.claim();
        app.later_minutes(20);
        app.workspace().dir("other");
        let other = claude.does("room.join", json!({"context_path": app.workspace().text("other"), "force_new": true}));
        let seen = claude.does("room.overview", json!({}));
        assert_eq!(each(&seen["rooms"], "room_id"), [other["room_id"].clone(), json!(codex.room())], "newest first");
        let first = &seen["rooms"][1];
        assert_eq!([&first["owner"], &first["state"]], ["codex", "owned"]);
        assert_eq!(each(&first["agents"], "agent_id"), ["codex", "claude"]);
        assert_eq!(each(&first["agents"], "liveness"), ["stale", "stale"]);
        assert_eq!(each(&seen["rooms"][0]["agents"], "liveness"), ["active"]);
        let page = claude.does("room.overview", json!({"offset": 0, "limit": 1}));
        assert_eq!((each(&page["rooms"], "room_id").len(), &page["has_more"]), (1, &json!(true)));
        let rest = claude.does("room.overview", json!({"offset": 1}));
        assert_eq!((each(&rest["rooms"], "room_id"), &rest["has_more"]), (vec![json!(codex.room())], &json!(false)));
        assert_eq!(claude.does("room.overview", json!({"offset": 9}))["rooms"], json!([]));
        assert_eq!(claude.refused("room.overview", json!({"limit": 0}))["error"], "INVALID_LIMIT");
    });
}

#[test]
fn a_listing_says_what_the_state_says_and_an_empty_one_what_to_do() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined_living(["codex", "claude"]);
        let turn = codex.claim();
        let listed = || claude.does("room.list", json!({}))["rooms"][0].clone();
        codex.dies();
        assert_eq!((&listed()["state"], claude.room_state()), (&json!("owner_gone"), "owner_gone".to_owned()));
        let taken = claude.take();
        let shown = listed();
        assert_eq!([&shown["state"], &shown["owner"]], ["owned", "claude"]);
        assert_eq!(shown["owner_agent"], claude.entry()["display_name"]);
        assert!(taken.turn_id > turn.turn_id);
    });
    on_every_backend(|app| {
        let listed = app.agent("codex").does("room.list", json!({}));
        assert_eq!(listed["rooms"], json!([]));
        assert!(listed["next"].as_str().unwrap().contains("join_path"), "{listed}");
    });
}

#[test]
fn a_handoff_that_is_still_the_template_is_refused() {
    on_every_backend(|app| {
        let [codex, claude] = app.joined(["codex", "claude"]);
        let template = codex.join()["handoff_template"].clone();
        let turn = codex.claim();
        for (status, next_action, field) in [
            (&template["status"], &json!("review"), "status"),
            (&json!("done"), &template["next_action"], "next_action"),
        ] {
            let handoff = json!({"status": status, "next_action": next_action});
            for (command, rest) in [("stick.release", json!({})), ("stick.pass", json!({"to_agent_id": claude.id()}))] {
                let mut input = turn.showing(rest);
                input["handoff"] = handoff.clone();
                let refused = codex.refused(command, input);
                assert_eq!(
                    (&refused["error"], &refused["field"]),
                    (&json!("invalid_handoff"), &json!(field)),
                    "{refused}"
                );
            }
        }
    });
}

#[test]
fn a_whole_turn_costs_little_beside_its_handoff() {
    on_every_backend(|app| {
        let cast = app.joined_living(["claude-code:a3f1", "codex:9b22", "gemini:1c4e"]);
        let [first, second, _] = &cast;
        first.release(&first.claim());
        let joined = second.join();
        let mut turn = second.claim();
        let heard = second.does("stick.heartbeat", turn.showing(json!({})));
        let released = second.release(&turn);
        turn.answer["handoff"] = json!(null);
        let answers = [&joined, &turn.answer, &heard, &released];
        let bytes: usize = answers.iter().map(|answer| answer.to_string().len()).sum();
        assert!(bytes <= 3 * 1024, "{bytes} bytes: {answers:#?}");
    });
}
