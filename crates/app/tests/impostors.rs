//! Attacks on who an agent is: by an id given by hand, by a second process of one conversation, by whoever comes back.

use std::collections::HashSet;

use baton_app::doctor;
use baton_core::{process::SessionKind, room::Actor};
use baton_testkit::{Agent, Backend, TestApp, handoff, on_every_backend};
use serde_json::{Value, json};

fn sound(app: &TestApp) {
    let report = doctor::examine(app.app()).expect("the store can be read");
    assert!(report.is_clean(), "{:?}", report.checks);
}

fn member_ids(agent: &Agent<'_>) -> Vec<String> {
    let room = agent.state();
    let members = room["members"].as_array().expect("a list").iter();
    members.map(|member| member["agent_id"].as_str().expect("an id").to_owned()).collect()
}

#[test]
fn an_id_that_a_live_process_has_is_refused_to_another_on_every_command_and_nothing_is_logged() {
    on_every_backend(|app| {
        let [holder, other] = app.joined_living(["codex:1", "claude:1"]);
        let turn = holder.claim();
        holder.does("scope.reserve", json!({"scopes": ["src"]}));
        let message = json!({"to": "codex:1", "category": "INFO", "subject": "s", "body": "b"});
        let sent = other.does("inbox.send", message)["message"].clone();
        let impostor = holder.impostor();
        let before = app.everything();
        let context_path = app.workspace().at("");
        let fence = |rest: Value| turn.showing(rest);
        let commands = [
            ("room.join", json!({"context_path": context_path})),
            ("stick.wait", json!({"max_wait_ms": 0})),
            ("stick.heartbeat", fence(json!({}))),
            ("stick.release", fence(json!({"handoff": handoff("mine")}))),
            ("stick.pass", fence(json!({"to_agent_id": "claude:1", "handoff": handoff("mine")}))),
            ("stick.takeover", json!({"expected_turn_id": turn.turn_id, "reason": "why not"})),
            ("room.close", fence(json!({}))),
            ("room.leave", json!({})),
            ("room.note", json!({"text": "it was me"})),
            ("room.state", json!({})),
            ("inbox.list", json!({})),
            ("inbox.read", json!({"message": sent})),
            ("inbox.ack", json!({"message": sent})),
            ("inbox.send", json!({"to": "claude:1", "category": "INFO", "subject": "s", "body": "b"})),
            ("scope.release", json!({})),
            ("scope.reserve", json!({"scopes": ["docs"]})),
            ("agent.register", json!({"name": "keen-crane"})),
            ("tasks.create", json!({"title": "x"})),
        ];
        for (command, input) in commands {
            let refusal = impostor.refused(command, input);
            assert_eq!(refusal["error"], "id_in_use", "{command}: {refusal}");
            assert_eq!(refusal["pid"], holder.process().pid, "{command}: the true holder is named");
            assert!(refusal["next"].as_str().is_some_and(|next| !next.is_empty()), "{command}: {refusal}");
        }
        assert_eq!(app.everything(), before, "nothing of it is on record");
        assert_eq!(holder.release(&turn)["reserved_for"], "claude:1", "the holder goes on as if nothing had been");
        sound(&app);
    });
}

#[test]
fn join_path_with_the_holders_id_by_hand_answers_nothing_of_the_holders() {
    on_every_backend(|app| {
        let [holder, eve] = app.joined_living(["codex:1", "claude:1"]);
        holder.claim();
        let before = app.everything();
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "codex:1"});
        let refusal = eve.refused("room.join", input);
        assert_eq!((&refusal["error"], &refusal["pid"]), (&json!("id_in_use"), &json!(holder.process().pid)));
        assert_eq!(eve.id().as_str(), "claude:1", "the connection keeps its own id");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn an_id_that_looks_like_a_harness_names_its_process_and_is_never_given_by_hand() {
    on_every_backend(|app| {
        let [holder, eve] = app.joined_living(["codex:0badcafe", "claude-code:12345678"]);
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "codex:0badcafe"});
        let refusal = eve.refused("room.join", input);
        assert_eq!((&refusal["error"], &refusal["pid"]), (&json!("id_in_use"), &json!(holder.process().pid)));
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "codex:0badc0de"});
        assert_eq!(eve.refused("room.join", input)["error"], "INVALID_AGENT_ID", "nobody has it, and it says too much");
    });
}

#[test]
fn what_is_left_of_an_agent_whose_process_is_gone_writes_nothing() {
    on_every_backend(|app| {
        let [codex, bo] = app.joined_living(["codex:1", "bo:1"]);
        codex.dies();
        bo.state();
        let before = app.everything();
        let commands = [
            ("room.note", json!({"text": "still here"})),
            ("tasks.create", json!({"title": "x"})),
            ("scope.reserve", json!({"scopes": ["src"]})),
            ("room.join", json!({"context_path": app.workspace().at("")})),
        ];
        for (command, input) in commands {
            let refusal = codex.refused(command, input);
            assert_eq!(refusal["error"], "FORBIDDEN", "{command}: {refusal}");
            assert_eq!(refusal["pid"], codex.process().pid, "{command}");
        }
        assert_eq!(app.everything(), before);
        let back = codex.second_process("codex:2");
        back.does("room.note", json!({"text": "Here I am."}));
        assert_eq!(back.id().as_str(), "codex:1", "its conversation goes on in another process");
        sound(&app);
    });
}

#[test]
fn a_restarted_holder_who_leaves_is_told_what_it_can_do() {
    on_every_backend(|app| {
        let [codex, _bo] = app.joined_living(["codex:1", "bo:1"]);
        codex.claim();
        codex.dies();
        let back = codex.second_process("codex:2");
        let refusal = back.refused("room.leave", json!({}));
        assert_eq!(refusal["error"], "stale_lease", "{refusal}");
        assert!(refusal["message"].as_str().is_some_and(|message| message.contains("take the stick over")));
        let turn = back.take();
        back.release(&turn);
        back.does("room.leave", json!({}));
        sound(&app);
    });
}

#[test]
fn one_process_behind_two_agents_does_not_let_one_pose_as_the_other() {
    on_every_backend(|app| {
        let [holder] = app.joined_living(["codex:1"]);
        let turn = holder.claim();
        // Another client of the same process, as two servers that one program started.
        let eve = holder.sibling("evil:1");
        eve.join();
        let before = app.everything();
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "codex:1"});
        let refusal = eve.refused("room.join", input);
        assert_eq!((&refusal["error"], &refusal["pid"]), (&json!("id_in_use"), &json!(holder.process().pid)));
        let refusal = eve.refused("stick.release", turn.showing(json!({"handoff": handoff("mine")})));
        assert_eq!([&refusal["error"], &refusal["current_owner"]], ["stale_lease", "codex:1"]);
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn nobody_is_given_an_id_by_hand_that_would_say_what_was_not_proven() {
    on_every_backend(|app| {
        let [eve] = app.joined_living(["claude:1"]);
        let before = app.everything();
        let proven = [
            "human:root:pts0",
            "Human:root:pts0",
            "job:JOB-001@x",
            "runner:r1",
            "bus",
            "BUS",
            "broadcast",
            "Broadcast",
            "token:ci",
            "browser:viewer",
            "role:reviewer",
            "shell:eve:0badcafe",
            "codex:0badcafe",
            "claude-code:0badcafe",
        ];
        for id in proven {
            let input = json!({"context_path": app.workspace().at(""), "agent_id_override": id});
            let refusal = eve.refused("room.join", input);
            assert_eq!(refusal["error"], "INVALID_AGENT_ID", "{id}: {refusal}");
        }
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "job-001"});
        assert_eq!(eve.refused("room.join", input)["error"], "DUPLICATE_AGENT_ID", "a job's own agent is called so");
        assert_eq!(app.everything(), before);
    });
}

#[test]
fn an_id_given_by_hand_is_not_one_that_another_conversation_has_on_record_dead_or_alive() {
    on_every_backend(|app| {
        let [dead, eve] = app.joined_living(["acme:1", "claude:1"]);
        dead.does("scope.reserve", json!({"scopes": ["src"]}));
        dead.dies();
        let before = app.everything();
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "acme:1"});
        let refusal = eve.refused("room.join", input);
        assert_eq!((&refusal["error"], &refusal["ended"]), (&json!("id_in_use"), &json!(true)), "{refusal}");
        assert_eq!(app.everything(), before);
        let again = dead.second_process("acme:other");
        again.join();
        assert_eq!(again.id().as_str(), "acme:1", "its conversation goes on");
        sound(&app);
    });
}

#[test]
fn a_command_in_a_sandbox_that_hides_its_harness_is_its_conversation() {
    on_every_backend(|app| {
        let [codex, other] = app.joined_living(["codex:conv", "claude:1"]);
        let turn = codex.claim();
        let sandboxed = codex.in_a_sandbox();
        let renewed = sandboxed.does("stick.heartbeat", turn.showing(json!({})));
        assert_eq!(renewed["turn_id"], json!(turn.turn_id), "{renewed}");
        sandboxed.does("room.note", json!({"text": "from the sandbox"}));
        assert_eq!(sandboxed.release(&turn)["reserved_for"], "claude:1");
        assert_eq!(other.state()["members"][0]["process"], "alive", "the harness stays behind it");
        sound(&app);
    });
}

#[test]
fn one_conversation_of_a_connection_is_given_an_id_by_hand_and_the_others_keep_theirs() {
    let app = TestApp::open(Backend::Sqlite);
    let [first] = app.joined_living(["codex:1"]);
    let second = first.on_the_same_connection("codex:2");
    second.does("room.join", json!({"context_path": app.workspace().at(""), "agent_id_override": "dbg"}));
    assert_eq!(second.id().as_str(), "dbg");
    assert_eq!(first.id().as_str(), "codex:1");
    first.claim();
    assert_eq!(first.state()["room"]["owner"], "codex:1");
}

#[test]
fn a_conversation_that_a_credential_added_is_another_agents_in_a_process() {
    on_every_backend(|app| {
        let [boss] = app.joined_living(["claude:1"]);
        let found = Actor::found("codex:conv".parse().unwrap(), None, SessionKind::McpHarness);
        let remote = app.agent_as(found.by_way_of("ci"));
        remote.enter(&boss.room());
        remote.does("bus.add", json!({}));
        let local = app.living_agent("codex:conv").second_process("codex:local");
        local.join();
        assert_eq!(local.id().as_str(), "codex:local");
        sound(&app);
    });
}

#[test]
fn a_look_at_the_room_ends_what_the_gone_owed() {
    for command in ["bus.actions", "room.state", "agent.list"] {
        on_every_backend(|app| {
            let [ana, bo] = app.joined_living(["claude:1", "codex:1"]);
            let action = json!({"type": "message", "kind": "user", "text": "Go.", "dst": "codex:1", "action_id": "a1", "action_index": 0});
            ana.does("bus.submit", json!({"group_id": "g", "actions": [action]}));
            bo.dies();
            app.later_minutes(1);
            ana.does(command, json!({}));
            let actions = ana.does("bus.actions", json!({}))["actions"].clone();
            assert_eq!(actions[0]["status"], "error", "{command}: {actions}");
            sound(&app);
        });
    }
}

#[test]
fn every_event_that_an_id_given_by_hand_causes_is_marked_and_no_other() {
    on_every_backend(|app| {
        let [other] = app.joined_living(["claude:1"]);
        let tester = app.living_agent("codex:9");
        let input = json!({"context_path": app.workspace().at(""), "agent_id_override": "test:ana"});
        tester.does("room.join", input);
        let turn = tester.claim();
        tester.does("room.note", json!({"text": "hm"}));
        tester.does("scope.reserve", json!({"scopes": ["src"]}));
        tester.does("tasks.create", json!({"title": "x"}));
        tester.does("inbox.send", json!({"to": "claude:1", "category": "INFO", "subject": "s", "body": "b"}));
        tester.release(&turn);
        other.does("room.note", json!({"text": "mine"}));
        let log = app.log(&other.room());
        assert!(log.len() > 8);
        for recorded in &log {
            assert_eq!(recorded.overridden, recorded.actor.as_str() == "test:ana", "{recorded:?}");
        }
        let page = other.does("room.events", json!({"after": 0, "limit": 200}));
        for event in page["events"].as_array().unwrap() {
            let by_hand = log.iter().any(|known| event["event_seq"] == known.seq.0 && known.overridden);
            assert_eq!(event["agent_id_override"] == true, by_hand, "{event}");
        }
        sound(&app);
    });
}

#[test]
fn two_live_processes_of_one_conversation_never_share_a_turn() {
    on_every_backend(|app| {
        let [first] = app.joined_living(["codex:conv"]);
        let turn = first.claim();
        let second = first.second_process("codex:conv2");
        let joined = second.join();
        assert_eq!(joined["agent_id"], "codex:conv2", "an agent of its own");
        assert_eq!(second.wait()["status"], "not_yet");
        let entry = second.entry();
        assert_eq!(entry["parallel_to"], "codex:conv");
        let refusal = second.refused("stick.release", turn.showing(json!({"handoff": handoff("mine")})));
        assert_eq!([&refusal["error"], &refusal["current_owner"]], ["stale_lease", "codex:conv"]);

        first.dies();
        assert_eq!(second.id().as_str(), "codex:conv2", "it stays who it is");
        assert_eq!(second.wait()["status"], "takeover_available");
        // The conversation's next process goes on under the old id.
        let third = first.second_process("codex:conv3");
        assert_eq!(third.join()["agent_id"], "codex:conv");
        assert_eq!(third.wait()["status"], "takeover_available");
        third.take();
        assert_eq!(second.wait()["status"], "not_yet");
        assert_eq!(second.entry()["process"], "alive", "the first one's end was not the second's");
        sound(&app);
    });
}

#[test]
fn of_two_processes_that_both_come_before_either_joined_the_first_to_join_has_the_id() {
    on_every_backend(|app| {
        let (room, _) = (app.joined_living(["claude:0"])[0].room(), ());
        let original = app.living_agent("codex:conv");
        original.enter(&room);
        let late = original.second_process("codex:conv2");
        late.enter(&room);
        assert_eq!(late.state()["room"]["state"], "idle", "it has only looked");
        original.join();
        assert_eq!(late.join()["agent_id"], "codex:conv2");
    });
}

#[test]
fn a_restarted_agent_finds_what_its_dead_process_had_taken_whatever_it_calls_first() {
    for first_call in ["room.join", "turn.begin", "stick.wait", "room.note"] {
        on_every_backend(|app| {
            let [codex, claude] = app.joined_living(["codex:conv", "claude:1"]);
            let message = json!({"to": "codex:conv", "category": "HANDOFF", "subject": "do it", "summary": "s", "next_action": "n"});
            claude.does("inbox.send", message);
            let began = codex.does("context.turn.begin", json!({}));
            assert_eq!(began["items"].as_array().map(Vec::len), Some(1), "{began}");
            codex.dies();
            let again = codex.second_process("codex:other");
            match first_call {
                "room.join" => drop(again.join()),
                "turn.begin" => {}
                "stick.wait" => drop(again.wait()),
                other => drop(again.does(other, json!({"text": "back"}))),
            }
            let began = again.does("context.turn.begin", json!({}));
            assert_eq!(began["items"].as_array().map(Vec::len), Some(1), "{first_call}: {began}");
            assert_eq!(again.id(), codex.id());
            sound(&app);
        });
    }
}

#[test]
fn the_dead_are_retired_unless_they_hold_reserve_own_or_owe() {
    on_every_backend(|app| {
        let names = ["codex:idle", "codex:holder", "codex:scope", "codex:task", "claude:1"];
        let [idle, holder, scope, task, watcher] = app.joined_living(names);
        holder.claim();
        scope.does("scope.reserve", json!({"scopes": ["src"]}));
        let number = task.does("tasks.create", json!({"title": "x"}))["task"].clone();
        task.does("tasks.start", json!({"task": number}));
        for dead in [&idle, &holder, &scope, &task] {
            dead.dies();
        }
        let newcomer = app.living_agent("gemini:1");
        newcomer.join();
        let room = app.stored(&watcher.room());
        let left: HashSet<&str> = room.members.iter().map(|member| member.agent_id.as_str()).collect();
        let expected = ["codex:holder", "codex:scope", "codex:task", "claude:1", "gemini:1"];
        assert_eq!(left, HashSet::from(expected), "only who has nothing left goes");
        assert_eq!(member_ids(&watcher), ["codex:holder", "claude:1", "gemini:1"], "answers list who is here");
        assert_eq!(watcher.state()["members_not_shown"], 2);
        assert_eq!(watcher.state()["room"]["members"], json!(["codex:holder", "claude:1", "gemini:1"]));
        let log = app.log(&watcher.room());
        let retired: Vec<_> = log.iter().filter(|recorded| recorded.event.kind() == "member.leave").collect();
        assert_eq!(retired.len(), 1, "with an event");
        // Its conversation is welcome back under its name.
        let again = idle.second_process("codex:other");
        let name = again.join()["display_name"].clone();
        assert!(name.as_str().is_some());
        assert_eq!(again.id().as_str(), "codex:idle");
        sound(&app);
    });
}

#[test]
fn six_hundred_sessions_one_after_the_other_are_all_let_in_and_the_room_stays_small() {
    on_every_backend(|app| {
        let watcher = app.living_agent("claude:watcher");
        watcher.join();
        for number in 0..600 {
            let session = app.living_agent(&format!("codex:{number}"));
            session.join();
            session.dies();
        }
        let last = app.living_agent("codex:last");
        last.join();
        let state = watcher.state();
        let bytes = state.to_string().len();
        assert!(bytes < 4_000, "{bytes} bytes: {state}");
        assert!(app.stored(&watcher.room()).members.len() <= 3);
        sound(&app);
    });
}
