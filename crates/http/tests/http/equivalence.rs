//! One protocol: what a program says and hears is the same over the socket, over HTTP and without a server.
//!
//! Ids and times are foretold, so that answers and events can be compared to the letter. Only who opens a session, before
//! any agent was added, is somebody else on each: a process, a token's holder, a caller; and only on the socket can the
//! process behind an agent be seen.

use std::{path::PathBuf, sync::Arc};

use baton_app::{
    Caller,
    commands::bus::{AddInput, Delivery},
};
use baton_bus::{
    client::{Client, ClientError, Transport},
    socket,
};
use baton_core::{
    ids::{RoomId, Seq},
    process::SessionKind,
    room::Actor,
};
use serde_json::{Value, json};
use tokio::task::JoinHandle;

use crate::support::World;

/// A server with both faces.
struct Both {
    world: World,
    path: PathBuf,
    socket: JoinHandle<()>,
}

impl Both {
    async fn start() -> Self {
        let world = World::foretold().await;
        let path = world.data().join(socket::FILE_NAME);
        let server = socket::Server::bind(&world.hub, &path, world.hub.app().environment()).unwrap();
        Self { world, path, socket: tokio::spawn(server.serve()) }
    }

    fn socket(&self) -> Transport {
        Transport::Socket(self.path.clone())
    }

    fn http(&self) -> Transport {
        Transport::Http { base: format!("http://{}", self.world.host()), token: self.world.operator() }
    }

    fn direct(&self) -> Transport {
        let agent_id = "human:ana:pts1".parse().unwrap();
        let actor = Actor::found(agent_id, None, SessionKind::Human);
        Transport::Direct(Arc::clone(self.world.hub.app()), Box::new(Caller::new(actor, self.world.data())))
    }

    async fn end(self) {
        self.world.hub.shut_down();
        self.socket.await.unwrap();
        self.world.running.await.unwrap();
        self.world.hub.drained().await;
    }
}

/// What was answered, or why not.
fn told(answer: Result<Value, ClientError>) -> Value {
    answer.unwrap_or_else(|error| json!({"code": error.code, "message": error.message, "detail": error.detail}))
}

fn add(client: &Client, session: &RoomId, id: &str, name: Option<&str>) -> Value {
    let (id, name) = (Some(id.parse().unwrap()), name.map(str::to_owned));
    let input = AddInput { room_id: session.clone(), id, name, role: None, idempotency_key: None };
    json!(client.agent_add(&input).unwrap())
}

/// Everything that the contract has, and the ways in which it says no. All that was answered, pushed and told.
fn script(transport: &Transport) -> Vec<Value> {
    let (boss, worker) = (Client::connect(transport.clone()).unwrap(), Client::connect(transport.clone()).unwrap());
    let mut heard = vec![boss.call("session.create", &json!({"name": "Script"}), None).unwrap()];
    let opener = boss.events(&"room_1".parse().unwrap(), Seq(0)).unwrap().next().unwrap().unwrap().src;
    let session: RoomId = heard[0]["session"]["id"].as_str().unwrap().parse().unwrap();
    heard.push(add(&boss, &session, "boss", None));
    heard.push(add(&worker, &session, "worker", Some("The Worker")));
    let mut say = |client: &Client, command: &str, input: Value, key: Option<&str>| {
        let mut input = input;
        input["session"] = json!(session);
        heard.push(told(client.call(command, &input, key)));
    };
    let message = |id: &str, index: u32, text: &str| json!({"type": "message", "kind": "user", "dst": "worker", "action_id": id, "action_index": index, "text": text});
    let control = |id: &str, index: u32, command: &str| json!({"type": "control", "dst": "The Worker", "action_id": id, "action_index": index, "command": command});
    say(&worker, "agent.update", json!({"id": "worker", "name": "Better Worker"}), None);
    say(&worker, "agent.update", json!({"id": "boss", "name": "Me"}), None);
    say(&boss, "agent.add", json!({"id": "codex:1234"}), None);
    say(&worker, "agent.update", json!({"id": "worker", "name": "The Worker"}), None);

    let group = json!({"group_id": "g1", "task_id": "t1", "context": {"context_id": "c1"},
        "actions": [message("a1", 0, "First."), control("a2", 1, "new"), message("a3", 2, "Second.")]});
    say(&boss, "action.submit", group.clone(), Some("key-1"));
    say(&boss, "action.submit", group.clone(), Some("key-1"));
    say(&boss, "action.submit", json!({"group_id": "other", "actions": [message("b1", 0, "x")]}), Some("key-1"));
    say(&boss, "action.submit", group, None);
    say(&boss, "action.submit", json!({"group_id": "g2", "actions": [message("b1", 0, "")]}), None);
    say(&boss, "action.submit", json!({"group_id": "g2", "actions": []}), None);
    say(&boss, "action.submit", json!({"group_id": "g2", "actions": [control("b1", 0, "dance")]}), None);
    say(&boss, "action.submit", json!({"group_id": "g2", "colour": "red", "actions": [message("b1", 0, "x")]}), None);
    let itself =
        json!({"type": "control", "dst": "boss", "action_id": "b1", "action_index": 0, "command": "interrupt"});
    say(&boss, "action.submit", json!({"group_id": "g2", "actions": [itself]}), None);

    let mut actions = worker.actions(&session).unwrap();
    let pushed: Vec<Delivery> = actions.by_ref().take(3).map(Result::unwrap).collect();
    say(&worker, "action.result", json!({"action_id": "a1", "status": "accepted"}), None);
    say(&worker, "action.result", json!({"action_id": "a1", "status": "completed", "detail": "Done."}), Some("key-2"));
    say(&worker, "action.result", json!({"action_id": "a1", "status": "completed", "detail": "Done."}), Some("key-2"));
    say(&worker, "action.result", json!({"action_id": "a1", "status": "error"}), None);
    say(&boss, "action.result", json!({"action_id": "a2", "status": "completed"}), None);
    let begun =
        json!({"action_id": "a2", "status": "completed", "data": {"new_context_id": "c2", "new_task_id": "t2"}});
    say(&worker, "action.result", begun, None);
    say(&worker, "action.result", json!({"action_id": "a3", "status": "rejected", "detail": "No."}), None);
    say(&boss, "action.wait", json!({"group_id": "g1", "max_wait_ms": 50_000}), None);
    say(&boss, "action.wait", json!({"group_id": "none"}), None);
    say(&boss, "action.list", json!({"group_id": "g1"}), None);
    say(&boss, "message.send", json!({"dst": "worker", "text": "By the way."}), None);
    let word = actions.next().unwrap().unwrap();
    let output = r#"{"type":"relay_actions","actions":[{"type":"message","dst":"worker","text":"Go on."}]}"#;
    say(&boss, "relay.submit", json!({"task_id": "t3", "output": output, "group_id": "r1"}), None);
    let relayed = actions.next().unwrap().unwrap();
    say(&boss, "relay.submit", json!({"task_id": "t3", "output": "Plain words."}), None);
    say(&worker, "relay.submit", json!({"task_id": "t4", "output": output, "context": {"context_id": "c1"}}), None);
    say(&boss, "task.update", json!({"task_id": "t2", "status": "running"}), None);
    say(&boss, "task.done", json!({"task_id": "t2", "summary": "It is done."}), None);
    say(&boss, "task.done", json!({"task_id": "t2"}), None);
    say(&boss, "message.list", json!({}), None);
    say(&boss, "agent.list", json!({}), None);
    drop(actions);

    // The end of the runtime is on record before the end of the session.
    let mut events = boss.events(&session, Seq(0)).unwrap();
    let mut records = Vec::new();
    while records.last().is_none_or(|last: &Value| last["payload"]["status"] != "disconnected") {
        records.push(json!(events.next().unwrap().unwrap()));
    }
    say(&boss, "session.close", json!({"reason": "Enough."}), None);
    while records.last().is_none_or(|last| last["type"] != "session.closed") {
        records.push(json!(events.next().unwrap().unwrap()));
    }
    say(&boss, "message.send", json!({"text": "Too late."}), None);
    say(&boss, "events.history", json!({"limit": 200}), None);
    heard.push(told(boss.call("no.such", &json!({}), None)));
    heard.extend(pushed.iter().chain([&word, &relayed]).map(|delivery| json!(delivery)));
    heard.extend(records);
    let opener = json!(opener).to_string();
    let alike = |said: &Value| {
        let said = said.to_string().replace(&opener, "\"OPENER\"");
        said.replace("\"process\":\"alive\"", "\"process\":\"unknown\"").parse().unwrap()
    };
    heard.iter().map(alike).collect()
}

async fn played(transport: impl FnOnce(&Both) -> Transport) -> Vec<Value> {
    let both = Both::start().await;
    let transport = transport(&both);
    let heard = tokio::task::spawn_blocking(move || script(&transport)).await.unwrap();
    both.end().await;
    heard
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_same_script_has_the_same_answers_and_the_same_events_on_every_transport() {
    let direct = played(Both::direct).await;
    for other in [played(Both::socket).await, played(Both::http).await] {
        assert_eq!(other.len(), direct.len());
        for (place, (other, direct)) in other.iter().zip(&direct).enumerate() {
            assert_eq!(other.to_string(), direct.to_string(), "{place}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_is_good_once_per_transport_and_an_agent_of_one_is_not_spoken_for_on_another() {
    let both = Both::start().await;
    let transports = [both.socket(), both.http(), both.direct()];
    let heard = tokio::task::spawn_blocking(move || {
        let clients = transports.map(|transport| Client::connect(transport).unwrap());
        let session = clients[0].session_create(None).unwrap().id;
        add(&clients[0], &session, "worker", None);
        let bosses = ["socket", "http", "direct"];
        for (client, boss) in clients.iter().zip(bosses) {
            add(client, &session, boss, None);
            let action = json!({"type": "message", "kind": "user", "dst": "worker", "text": "Once.", "action_id": boss,
                "action_index": 0});
            let group = json!({"room_id": session, "group_id": boss, "actions": [action]});
            let first = client.call("action.submit", &group, Some("once")).unwrap();
            assert_eq!(client.call("action.submit", &group, Some("once")).unwrap(), first);
        }
        let newest = clients[0].session_list().unwrap()[0].last_seq;
        // The one without a process and without a token is nobody's in particular.
        for (client, others) in [(&clients[0], ["http"]), (&clients[1], ["socket"])] {
            for other in others {
                let id = Some(other.parse().unwrap());
                let input = AddInput { room_id: session.clone(), id, name: None, role: None, idempotency_key: None };
                assert_eq!(client.agent_add(&input).unwrap_err().code, "id_in_use", "{other}");
            }
        }
        assert_eq!(clients[0].session_list().unwrap()[0].last_seq, newest, "the log is as it was");
        clients.each_ref().map(|client| {
            let events = client.events(&session, Seq(0)).unwrap();
            events.take(newest.0 as usize).map(|event| json!(event.unwrap()).to_string()).collect::<Vec<_>>()
        })
    });
    let streams = heard.await.unwrap();
    assert_eq!((&streams[0], &streams[0]), (&streams[1], &streams[2]));
    assert_eq!(streams[0].iter().filter(|event| event.contains("Once.")).count(), 3);
    both.end().await;
}
