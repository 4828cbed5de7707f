//! A token speaks for the agents that it added or is bound to, and for no other. What is refused leaves the log as it was.

use baton_app::{Caller, liveness, table};
use baton_core::{process::SessionKind, room::Actor};
use baton_http::Role;
use baton_testkit::Sleeper;
use serde_json::{Value, json};

use crate::support::{Answer, Ask, Peer, World};

/// A session with `worker-a`, which the token `ci` added, and another token.
struct Scene {
    world: World,
    session: String,
    ci: String,
    eve: String,
}

impl Scene {
    async fn start() -> Self {
        let world = World::start().await;
        let session = world.session().await;
        let (ci, eve) = (world.token("ci", Role::Agent, None), world.token("eve", Role::Agent, None));
        let scene = Self { world, session, ci, eve };
        let added = scene.asks(&scene.ci, "worker-a", "agent.add", json!({})).await;
        assert_eq!(added.status, 200, "{}", added.text());
        scene
    }

    /// Calls a command in the session with a token, for an agent.
    async fn asks(&self, token: &str, agent: &str, command: &str, mut input: Value) -> Answer {
        input["room_id"] = json!(self.session);
        self.world.send(Ask::call(command, input).token(token).agent(agent)).await
    }

    async fn newest(&self) -> u64 {
        let session = self.world.data_of(Ask::get(&format!("/v1/sessions/{}", self.session))).await;
        session["session"]["last_seq"].as_u64().unwrap()
    }

    /// Everything that an agent does for itself, and what shows its own things.
    fn attempts() -> Vec<(&'static str, Value)> {
        vec![
            ("agent.add", json!({})),
            ("agent.update", json!({ "id": "worker-a", "name": "mine" })),
            ("agent.remove", json!({})),
            ("message.send", json!({ "text": "I am worker-a." })),
            ("action.take", json!({})),
            ("inbox.list", json!({})),
            ("room.state", json!({})),
            ("stick.wait", json!({})),
            ("room.note", json!({ "text": "mine" })),
            ("scope.reserve", json!({ "scopes": ["src/**"] })),
            ("room.leave", json!({})),
        ]
    }
}

fn is_in_use(answer: &Answer, command: &str) -> Value {
    assert_eq!(answer.refusal(), (409, "id_in_use".to_owned()), "{command}: {}", answer.text());
    let error = answer.json()["error"].clone();
    assert!(error["next"].as_str().unwrap().contains("Baton-Agent"), "{error}");
    error
}

#[tokio::test]
async fn a_token_does_not_speak_for_an_agent_that_another_token_added() {
    let scene = Scene::start().await;
    let before = scene.newest().await;
    // An operator's token, too: it steers, and poses as nobody.
    for token in [scene.eve.clone(), scene.world.operator()] {
        for (command, input) in Scene::attempts() {
            let answer = scene.asks(&token, "worker-a", command, input).await;
            assert_eq!(is_in_use(&answer, command)["added_by"], "ci", "{command}");
        }
        let chosen = json!({ "room_id": scene.session, "id": "worker-a" });
        let answer = scene.world.send(Ask::call("agent.add", chosen).token(&token)).await;
        is_in_use(&answer, "agent.add with an id");
        let runtime = Ask::get(&format!("/v1/sessions/{}/actions", scene.session)).token(&token).agent("worker-a");
        is_in_use(&scene.world.send(runtime.stream()).await, "actions.stream");
    }
    assert_eq!(scene.newest().await, before, "the log is as it was");
    let own = scene.asks(&scene.ci, "worker-a", "message.send", json!({ "text": "It is me." })).await;
    assert_eq!(own.status, 200, "{}", own.text());
}

#[tokio::test]
async fn an_agent_that_left_is_still_its_tokens_and_what_was_sent_to_it_nobody_elses() {
    let scene = Scene::start().await;
    let secret = json!({ "to": "worker-a", "category": "INFO", "subject": "s", "body": "for worker-a" });
    scene.asks(&scene.eve, "worker-e", "agent.add", json!({})).await;
    assert_eq!(scene.asks(&scene.eve, "worker-e", "inbox.send", secret).await.status, 200);
    assert_eq!(scene.asks(&scene.ci, "worker-a", "agent.remove", json!({})).await.status, 200);
    let before = scene.newest().await;
    for token in [scene.eve.clone(), scene.world.operator()] {
        let answer = scene.asks(&token, "worker-a", "agent.add", json!({})).await;
        assert_eq!(is_in_use(&answer, "agent.add")["added_by"], "ci");
        let answer = scene.asks(&token, "worker-a", "inbox.list", json!({})).await;
        assert_ne!(answer.status, 200, "{}", answer.text());
    }
    assert_eq!(scene.newest().await, before, "the log is as it was");
    assert_eq!(scene.asks(&scene.ci, "worker-a", "agent.add", json!({})).await.status, 200, "its own token goes on");
}

#[tokio::test]
async fn a_token_does_not_speak_for_an_agent_that_another_token_is_bound_to_wherever_it_was_never_added() {
    let scene = Scene::start().await;
    let bound = scene.world.token("bound", Role::Agent, Some("bound-x"));
    let before = scene.newest().await;
    for token in [scene.eve.clone(), scene.world.operator()] {
        let mut answers = Vec::new();
        for (command, input) in Scene::attempts() {
            answers.push(scene.asks(&token, "bound-x", command, input).await);
        }
        let chosen = json!({ "room_id": scene.session, "id": "bound-x" });
        answers.push(scene.world.send(Ask::call("agent.add", chosen).token(&token)).await);
        let runtime = Ask::get(&format!("/v1/sessions/{}/actions", scene.session)).token(&token).agent("bound-x");
        answers.push(scene.world.send(runtime.stream()).await);
        for answer in answers {
            assert_eq!(answer.refusal(), (403, "SOURCE_MISMATCH".to_owned()), "{}", answer.text());
            let error = answer.json()["error"].clone();
            assert_eq!((&error["agent"], &error["token"]), (&json!("bound-x"), &json!("bound")));
            assert!(error["next"].as_str().unwrap().contains("that token"), "{error}");
        }
    }
    assert_eq!(scene.newest().await, before, "the log is as it was");
    let added = scene.asks(&bound, "bound-x", "agent.add", json!({})).await;
    assert_eq!(added.status, 200, "{}", added.text());
}

#[tokio::test]
async fn a_token_that_is_bound_to_an_agent_has_it_before_the_token_that_added_it() {
    let scene = Scene::start().await;
    let bound = scene.world.token("bound", Role::Agent, Some("worker-a"));
    for (command, input) in [("message.send", json!({ "text": "Mine." })), ("agent.add", json!({}))] {
        let answer = scene.asks(&bound, "worker-a", command, input).await;
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    let former = scene.asks(&scene.ci, "worker-a", "message.send", json!({ "text": "Mine?" })).await;
    assert_eq!(former.refusal(), (403, "SOURCE_MISMATCH".to_owned()));
    // It is the bound one's from now on, also for who knows nothing of tokens.
    scene.world.keyring().revoke(&"bound".parse().unwrap()).unwrap();
    let orphan = scene.asks(&scene.ci, "worker-a", "message.send", json!({ "text": "Mine!" })).await;
    assert_eq!(is_in_use(&orphan, "message.send")["added_by"], "bound");
}

#[tokio::test]
async fn a_new_token_of_the_same_name_goes_on_with_the_agents_of_the_old_one() {
    let scene = Scene::start().await;
    scene.world.keyring().revoke(&"ci".parse().unwrap()).unwrap();
    let renewed = scene.world.token("ci", Role::Agent, None);
    let answer = scene.asks(&renewed, "worker-a", "message.send", json!({ "text": "Rotated." })).await;
    assert_eq!(answer.status, 200, "{}", answer.text());
}

#[tokio::test]
async fn a_token_does_not_speak_for_an_agent_that_a_process_has_nor_had() {
    let scene = Scene::start().await;
    let mut process = Sleeper::start();
    let actor = Actor::found("local".parse().unwrap(), Some(process.identity()), SessionKind::McpHarness);
    assert!(liveness::identify(process.identity().pid).is_some());
    let caller = Caller::new(actor.choosing("local".parse().unwrap()), scene.world.data());
    let add = json!({ "room_id": scene.session });
    table::find_on_wire("agent.add").unwrap().run(scene.world.hub.app(), &caller, add).unwrap();
    let before = scene.newest().await;
    for (command, mut input) in Scene::attempts() {
        if command == "agent.update" {
            input["id"] = json!("local");
        }
        let answer = scene.asks(&scene.eve, "local", command, input).await;
        assert_eq!(is_in_use(&answer, command)["pid"], process.identity().pid);
    }
    assert_eq!(scene.newest().await, before);
    process.kill();
    let answer = scene.asks(&scene.eve, "local", "action.take", json!({})).await;
    assert_ne!(answer.status, 200, "its inbox is not for whoever comes next: {}", answer.text());
}

#[tokio::test]
async fn a_key_of_another_tokens_agent_replays_nothing() {
    let scene = Scene::start().await;
    let input = json!({ "text": "Once." });
    let ask = |token: &str| {
        let mut input = input.clone();
        input["room_id"] = json!(scene.session);
        Ask::call("message.send", input).token(token).agent("worker-a").header("Idempotency-Key", "k")
    };
    assert_eq!(scene.world.send(ask(&scene.ci)).await.status, 200);
    is_in_use(&scene.world.send(ask(&scene.eve)).await, "message.send");
}

#[tokio::test]
async fn two_tokens_have_agents_of_one_name_in_sessions_of_their_own() {
    let scene = Scene::start().await;
    let other = scene.world.session().await;
    let add = Ask::call("agent.add", json!({ "room_id": other })).token(&scene.eve).agent("worker-a");
    assert_eq!(scene.world.send(add).await.status, 200, "it is nobody's there");
}

#[tokio::test]
async fn a_refused_runtime_leaves_the_one_that_is_connected_alone() {
    let scene = Scene::start().await;
    let path = format!("/v1/sessions/{}/actions", scene.session);
    let mut runtime: Peer = scene.world.connect().await;
    let ask = Ask::get(&path).token(&scene.ci).agent("worker-a").stream();
    runtime.send(&ask.text(&scene.world.host())).await;
    assert_eq!(runtime.head().await.status, 200);
    for _ in 0..3 {
        let rival = Ask::get(&path).token(&scene.eve).agent("worker-a").stream();
        is_in_use(&scene.world.send(rival).await, "actions.stream");
        is_in_use(&scene.asks(&scene.eve, "worker-a", "agent.add", json!({})).await, "agent.add");
    }
    scene.asks(&scene.eve, "boss", "agent.add", json!({})).await;
    let action = json!({ "type": "message", "kind": "user", "dst": "worker-a", "text": "Go.", "action_id": "a1",
        "action_index": 0 });
    let submitted =
        scene.asks(&scene.eve, "boss", "action.submit", json!({ "group_id": "g", "actions": [action] })).await;
    assert_eq!(submitted.status, 200, "{}", submitted.text());
    assert_eq!(runtime.event().await.unwrap().kind, "action.submit");
    let done = json!({ "action_id": "a1", "status": "completed" });
    assert_eq!(scene.asks(&scene.eve, "worker-a", "action.result", done.clone()).await.status, 409);
    assert_eq!(scene.asks(&scene.ci, "worker-a", "action.result", done).await.status, 200);
}

#[tokio::test]
async fn a_token_writes_nothing_under_an_id_that_it_never_added() {
    let scene = Scene::start().await;
    let before = scene.newest().await;
    for (command, input) in [
        ("jobs.create", json!({ "title": "t", "prompt": "p" })),
        ("tasks.card.create", json!({ "title": "t", "text": "x" })),
        ("context.brief.edit", json!({ "goal": "mine" })),
    ] {
        let refused = scene.asks(&scene.eve, "ghost", command, input).await;
        assert_eq!(refused.refusal(), (404, "AGENT_NOT_FOUND".to_owned()), "{command}: {}", refused.text());
    }
    assert_eq!(scene.newest().await, before, "the log is as it was");
}

#[tokio::test]
async fn nobody_is_called_like_an_agent_that_another_token_is_bound_to() {
    let scene = Scene::start().await;
    scene.world.token("bx", Role::Agent, Some("bound-x"));
    let refused = scene.asks(&scene.eve, "evil", "agent.add", json!({ "name": "bound-x" })).await;
    assert_eq!(refused.refusal().1, "SOURCE_MISMATCH", "{}", refused.text());
    let added = scene.asks(&scene.eve, "evil", "agent.add", json!({})).await;
    assert_eq!(added.status, 200, "{}", added.text());
    for command in ["agent.update", "agent.register"] {
        let refused = scene.asks(&scene.eve, "evil", command, json!({ "id": "evil", "name": "bound-x" })).await;
        assert_ne!(refused.status, 200, "{command}: {}", refused.text());
    }
}
