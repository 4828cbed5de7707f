//! Per target exactly the submitted order, and one end for every action: whoever sends, and whatever becomes of a target.

use std::{
    collections::{BTreeMap, HashMap},
    process::{Child, Command, Stdio},
    thread,
};

use baton_app::{
    bus::Record,
    commands::bus::{Delivery, ResultInput},
};
use baton_bus::client::{Client, Transport};
use baton_core::{
    bus::{Control, Data, Status, What},
    ids::{RoomId, Seq},
};
use serde_json::{Value, json};

use crate::world::{Face, World, adding};

const SENDERS: usize = 8;
const ACTIONS_OF_EACH: usize = 1_000;
/// In one submission.
const TOGETHER: usize = 8;
/// Every so many submissions the first action is a `new`.
const NEW_EVERY: usize = 5;
const TARGETS: [&str; 4] = ["steady", "remote", "comes-back", "killed"];
/// How many actions the one that comes back does before it goes, and the one that is killed before it is.
const BEFORE_THE_BREAK: usize = 300;

/// Where the other process finds what it needs.
const SOCKET: &str = "BATON_TEST_SOCKET";
const SESSION: &str = "BATON_TEST_SESSION";

/// The target of a sender's action. Each sender has them in an order of its own.
fn target(sender: usize, number: usize) -> &'static str {
    TARGETS[(sender + number * 3) % TARGETS.len()]
}

fn action(sender: usize, number: usize) -> Value {
    let (dst, id) = (target(sender, number), format!("{sender}.{number}"));
    let index = number % TOGETHER;
    if index == 0 && (number / TOGETHER).is_multiple_of(NEW_EVERY) {
        return json!({"type": "control", "command": "new", "dst": dst, "action_id": id, "action_index": index});
    }
    let text = format!("the {number}th of sender {sender}");
    json!({"type": "message", "kind": "user", "text": text, "dst": dst, "action_id": id, "action_index": index})
}

fn send_all(client: &Client, session: &RoomId, sender: usize) {
    for submission in 0..ACTIONS_OF_EACH / TOGETHER {
        let numbers = submission * TOGETHER..(submission + 1) * TOGETHER;
        let actions: Vec<Value> = numbers.map(|number| action(sender, number)).collect();
        let group = format!("g{sender}.{submission}");
        let input = json!({"session": session, "group_id": group, "actions": actions,
            "context": {"context_id": format!("of-{sender}")}});
        client.call("action.submit", &input, None).unwrap();
    }
}

fn expected(name: &str) -> usize {
    let of = |sender: usize| (0..ACTIONS_OF_EACH).filter(|number| target(sender, *number) == name).count();
    (0..SENDERS).map(of).sum()
}

/// Does what was delivered.
fn work(client: &Client, session: &RoomId, name: &str, delivery: &Delivery) {
    let data = match &delivery.what {
        What::Control { command: Control::New, .. } => {
            Some(Data { new_context_id: Some(format!("{name}-{}", delivery.seq).parse().unwrap()), new_task_id: None })
        }
        What::Control { .. } | What::Message { .. } => None,
    };
    let result = ResultInput {
        room_id: session.clone(),
        action_id: delivery.action_id.clone().unwrap(),
        group_id: delivery.group_id.clone(),
        action_index: delivery.action_index,
        status: Status::Completed,
        detail: None,
        data,
        idempotency_key: None,
    };
    client.result(&result).unwrap();
}

/// Takes and does all that comes, and tells the order in which it came. After `break_after` its connection breaks once, with
/// something taken and not done.
fn serve(client: &Client, session: &RoomId, name: &str, break_after: Option<usize>) -> Vec<Seq> {
    let mut came = Vec::new();
    let mut actions = client.actions(session).unwrap();
    let mut broke = break_after.is_none();
    while came.len() < expected(name) {
        let delivery = actions.next().unwrap().unwrap();
        if !broke && break_after == Some(came.len()) {
            broke = true;
            drop(actions);
            actions = client.another().unwrap().actions_when_free(session);
            continue;
        }
        came.push(delivery.seq);
        work(client, session, name, &delivery);
    }
    came
}

/// Connects as soon as the server has noticed that the last connection is gone.
trait WhenFree {
    fn actions_when_free(&self, session: &RoomId) -> baton_bus::client::Actions;
}

impl WhenFree for Client {
    fn actions_when_free(&self, session: &RoomId) -> baton_bus::client::Actions {
        loop {
            match self.actions(session) {
                Ok(actions) => return actions,
                Err(error) => assert_eq!(error.code, "duplicate_listener", "{error:?}"),
            }
        }
    }
}

/// A target in a process of its own.
fn start_the_other(world: &World, session: &RoomId) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "order::the_process_that_is_killed", "--ignored", "--nocapture"])
        .env(SOCKET, world.socket())
        .env(SESSION, session.as_str())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

#[test]
#[ignore = "the second process of the test below"]
#[expect(clippy::disallowed_methods, reason = "it is told its part by whoever starts it")]
fn the_process_that_is_killed() {
    let (Ok(socket), Ok(session)) = (std::env::var(SOCKET), std::env::var(SESSION)) else { return };
    let session: RoomId = session.parse().unwrap();
    let client = Client::connect(Transport::Socket(socket.into())).unwrap();
    client.agent_add(&adding(&session, "killed")).unwrap();
    serve(&client, &session, "killed", None);
}

#[test]
fn eight_senders_with_1000_actions_each_for_4_targets_come_in_order_and_each_ends_once() {
    let world = World::live();
    let session = world.session();
    let faces = [Face::Socket, Face::Http];
    let senders: Vec<Client> =
        (0..SENDERS).map(|sender| world.agent(faces[sender % 2], &session, &format!("sender-{sender}"))).collect();
    let steady = world.agent(Face::Socket, &session, "steady");
    let remote = world.agent(Face::Http, &session, "remote");
    let back = world.agent(Face::Socket, &session, "comes-back");
    let mut other = start_the_other(&world, &session);
    let mut stream = world.client(Face::Http).events(&session, Seq::default()).unwrap();
    wait_for(&mut stream, |record| record.kind == "agent.updated" && record.payload["id"] == "killed");

    let came = thread::scope(|scope| {
        let session = &session;
        let targets = [
            scope.spawn(move || serve(&steady, session, "steady", None)),
            scope.spawn(move || serve(&remote, session, "remote", None)),
            scope.spawn(move || serve(&back, session, "comes-back", Some(BEFORE_THE_BREAK))),
        ];
        for (number, sender) in senders.iter().enumerate() {
            scope.spawn(move || send_all(sender, session, number));
        }
        let mut done = 0;
        wait_for(&mut stream, |record| {
            done += usize::from(record.kind == "action.result" && record.src.as_str() == "killed");
            done == BEFORE_THE_BREAK
        });
        other.kill().unwrap();
        other.wait().unwrap();
        targets.map(|target| target.join().unwrap())
    });
    // Whoever still sends to the one that is gone is told so at once; the server tells the others.
    wait_until_all_have_ended(&world, &session);
    let log = whole_log(&world, &session);
    for (name, came) in TARGETS.iter().zip(&came) {
        assert_eq!(*came, submitted_to(&log, name), "{name}");
    }
    senders_kept_their_order(&log);
    each_ended_once(&log);
}

fn wait_for(stream: &mut baton_bus::client::Events, mut is_it: impl FnMut(&Record) -> bool) {
    while !is_it(&stream.next().unwrap().unwrap()) {}
}

fn wait_until_all_have_ended(world: &World, session: &RoomId) {
    let mut open = SENDERS * ACTIONS_OF_EACH;
    let mut stream = world.client(Face::Socket).events(session, Seq::default()).unwrap();
    wait_for(&mut stream, |record| {
        open -= usize::from(record.kind == "action.result" && is_terminal(record));
        open == 0
    });
}

fn is_terminal(record: &Record) -> bool {
    ["completed", "rejected", "error"].iter().any(|status| record.payload["status"] == *status)
}

fn whole_log(world: &World, session: &RoomId) -> Vec<Record> {
    let mut log: Vec<Record> = Vec::new();
    loop {
        let after = log.last().map_or(Seq::default(), |record| record.seq);
        let page = world.app.records(session, after, 200).unwrap();
        if page.is_empty() {
            return log;
        }
        log.extend(page);
    }
}

fn submissions(log: &[Record]) -> impl Iterator<Item = &Record> {
    log.iter().filter(|record| {
        record.payload.get("action_id").is_some()
            && ["message.created", "action.submitted"].contains(&record.kind.as_str())
    })
}

fn submitted_to(log: &[Record], name: &str) -> Vec<Seq> {
    submissions(log)
        .filter(|record| record.dst.as_ref().is_some_and(|dst| dst.as_str() == name))
        .map(|record| record.seq)
        .collect()
}

fn senders_kept_their_order(log: &[Record]) {
    let mut next: BTreeMap<&str, usize> = BTreeMap::new();
    for record in submissions(log) {
        let id = record.payload["action_id"].as_str().unwrap();
        let number: usize = id.split_once('.').unwrap().1.parse().unwrap();
        let expected = next.entry(record.src.as_str()).or_default();
        assert_eq!(number, *expected, "{id}");
        *expected += 1;
    }
    assert!(next.len() == SENDERS && next.values().all(|count| *count == ACTIONS_OF_EACH), "{next:?}");
}

fn each_ended_once(log: &[Record]) {
    let mut ends: HashMap<&str, Vec<(&str, &str)>> = HashMap::new();
    for record in log.iter().filter(|record| record.kind == "action.result" && is_terminal(record)) {
        let field = |name: &str| record.payload[name].as_str().unwrap_or_default();
        ends.entry(field("action_id")).or_default().push((field("status"), field("detail")));
    }
    let mut lost = 0;
    for record in submissions(log) {
        let id = record.payload["action_id"].as_str().unwrap();
        let dst = record.dst.as_ref().unwrap().as_str();
        match ends.get(id).map(Vec::as_slice) {
            Some([("completed", _)]) => {}
            Some([("error", why)]) if dst == "killed" => {
                assert_eq!(*why, "its target's process is gone");
                lost += 1;
            }
            other => panic!("{id} for {dst} ended as {other:?}"),
        }
    }
    assert!(lost > 0 && lost <= expected("killed") - BEFORE_THE_BREAK, "{lost}");
}
