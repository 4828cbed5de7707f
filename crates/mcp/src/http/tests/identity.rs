//! Who a client is, and what it may do.

use baton_app::{Rights, identity::resolve_remote};
use serde_json::json;

use super::{
    client::{Client, STATELESS},
    web::Web,
};

#[tokio::test]
async fn two_clients_of_one_server_are_two_agents() {
    let web = Web::open();
    let mut one = Client::new(&web, "2025-11-25").greeted().await;
    let mut two = Client::new(&web, "2025-11-25").greeted().await;
    let ((room, first), (same_room, second)) = (one.join().await, two.join().await);
    assert_eq!(room, same_room);
    assert_ne!(first, second);
    assert_eq!(one.join().await.1, first, "it stays who it is");
    assert!(first.starts_with("test-client:"), "{first}");
}

#[tokio::test]
async fn codex_is_its_conversation_on_every_revision_whatever_its_session() {
    let web = Web::open();
    let path = web.world.workspace();
    let expected = resolve_remote(Some("codex-mcp-client"), Some("t-42"), "any").agent_id;
    for revision in ["2025-06-18", STATELESS] {
        let mut codex = Client::new(&web, revision).named("codex-mcp-client").greeted().await;
        let joined = codex.call_with("join_path", json!({"context_path": path}), json!({"threadId": "t-42"})).await;
        assert_eq!(joined["agent_id"], expected.as_str(), "{joined}");
    }
}

#[tokio::test]
async fn two_tokens_that_name_one_codex_thread_are_not_one_agent() {
    let web = Web::open();
    let path = web.world.workspace();
    for (number, revision) in ["2025-11-25", STATELESS].into_iter().enumerate() {
        let thread = json!({ "threadId": format!("t-{number}") });
        let codex = |principal| Client::new(&web, revision).named("codex-mcp-client").with(principal, Rights::Agent);
        let (mut ana, mut eve) = (codex("ana").greeted().await, codex("eve").greeted().await);
        let joined = ana.call_with("join_path", json!({"context_path": path}), thread.clone()).await;
        let room = joined["room_id"].clone();
        for (tool, arguments) in [
            ("join_path", json!({"context_path": path})),
            ("get_room_state", json!({"room_id": room})),
            ("wait_for_turn", json!({"room_id": room})),
            ("inbox", json!({"workspace": room, "op": "list"})),
            ("scope", json!({"workspace": room, "op": "reserve", "args": {"scopes": ["src/**"]}})),
        ] {
            let refused = eve.call_with(tool, arguments, thread.clone()).await;
            let told = refused["error"].get("code").unwrap_or(&refused["error"]);
            assert_eq!(told, "id_in_use", "{tool}: {refused}");
            assert!(refused.to_string().contains("\"added_by\":\"ana\""), "{refused}");
        }
        let again = ana.call_with("get_room_state", json!({"room_id": room}), thread.clone()).await;
        assert!(again["error"].is_null(), "{again}");
    }
}

#[tokio::test]
async fn without_a_session_an_agent_is_its_principal_and_its_room_is_remembered() {
    let web = Web::open();
    let mut ana = Client::new(&web, STATELESS).with("ana", Rights::Agent);
    let mut bo = Client::new(&web, STATELESS).with("bo", Rights::Agent);
    let (room, first) = ana.join().await;
    assert_eq!(ana.join().await.1, first);
    let listed = ana.call("tasks", json!({"op": "list"})).await;
    assert_eq!(listed["ok"], true, "{listed}");
    let lost = bo.call("tasks", json!({"op": "list"})).await;
    assert_eq!(lost["error"]["code"], "unknown_room", "{lost}");
    assert!(lost["error"]["next"].as_str().unwrap().contains("join_path"));
    assert_ne!(bo.join().await.1, first);
    let named = bo.call("tasks", json!({"op": "list", "workspace": room})).await;
    assert_eq!(named["ok"], true, "{named}");
}

#[tokio::test]
async fn credentials_that_speak_for_an_agent_make_the_caller_that_agent() {
    let web = Web::open();
    for revision in ["2025-11-25", STATELESS] {
        let mut bound = Client::new(&web, revision).speaking_for("worker-a").greeted().await;
        assert_eq!(bound.join().await.1, "worker-a");
    }
}

#[tokio::test]
async fn a_viewer_looks_and_does_not_touch() {
    let web = Web::open();
    let mut viewer = Client::new(&web, "2025-11-25").with("eve", Rights::Viewer).greeted().await;
    assert!(viewer.call("list_rooms", json!({})).await["rooms"].is_array());
    let path = web.world.workspace();
    let refused = viewer.call("join_path", json!({"context_path": path})).await;
    assert_eq!((&refused["error"], &refused["needs"]), (&json!("FORBIDDEN"), &json!("agent")), "{refused}");
}

#[tokio::test]
async fn only_who_may_steer_others_speaks_under_another_identity() {
    let web = Web::open();
    let override_id = json!({"context_path": web.world.workspace(), "agent_id_override": "claude-code:1"});
    let mut agent = Client::new(&web, "2025-11-25").with("ana", Rights::Agent).greeted().await;
    let refused = agent.call("join_path", override_id.clone()).await;
    assert_eq!(refused["error"], "FORBIDDEN", "{refused}");
    let mut operator = Client::new(&web, "2025-11-25").with("owner", Rights::Operator).greeted().await;
    assert_eq!(operator.call("join_path", override_id).await["agent_id"], "claude-code:1");
}

#[tokio::test]
async fn a_relative_path_is_refused_because_nobody_knows_from_where() {
    let web = Web::open();
    let mut client = Client::new(&web, "2025-11-25").greeted().await;
    let refused = client.call("join_path", json!({"context_path": "."})).await;
    assert_eq!(refused["error"], "invalid_path", "{refused}");
    assert!(refused["next"].as_str().unwrap().contains("absolute"), "{refused}");
}
