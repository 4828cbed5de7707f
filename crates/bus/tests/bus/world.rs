//! An app on a throw-away store, a hub on it, and a room with somebody in it.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use baton_app::{
    App, Caller, Location, Rights,
    clock::{RandomIds, Time},
    environment::Environment,
    table,
};
use baton_bus::{Credential, Hub, Next, Rate, Subscription};
use baton_core::{
    ids::{RoomId, Seq},
    process::SessionKind,
    room::Actor,
};
use serde_json::{Map, Value, json};
use tempfile::TempDir;

pub(crate) struct World {
    pub(crate) app: Arc<App>,
    pub(crate) hub: Arc<Hub>,
    /// Holds the store and the workspace.
    pub(crate) directory: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        // Tests that are not about rates send as fast as they can.
        Self::with_rate(Rate { per_second: 1_000_000, burst: 1_000_000 })
    }

    pub(crate) fn with_rate(rate: Rate) -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("workspace")).unwrap();
        let app = Arc::new(open(&directory));
        Self { hub: Hub::with_rate(Arc::clone(&app), rate), app, directory }
    }

    /// Another app on the same store, as another process would have.
    pub(crate) fn beside(&self) -> Arc<App> {
        Arc::new(open(&self.directory))
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.directory.path().join("data")
    }

    pub(crate) fn socket(&self) -> PathBuf {
        self.data().join(baton_bus::socket::FILE_NAME)
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    /// The room of the workspace, which `ana` is in.
    pub(crate) fn room(&self) -> RoomId {
        let joined = run(&self.app, &self.caller("ana"), "room.join", json!({"context_path": self.workspace()}));
        joined["room_id"].as_str().unwrap().parse().unwrap()
    }

    /// The same with `bo` in it, too.
    pub(crate) fn room_of_two(&self) -> RoomId {
        let room = self.room();
        run(&self.app, &self.caller("bo"), "agent.add", json!({"room_id": room}));
        room
    }

    pub(crate) fn caller(&self, name: &str) -> Caller {
        let actor = Actor::found(name.parse().unwrap(), None, SessionKind::McpHarness);
        Caller::new(actor, self.workspace())
    }

    /// A credential that stays.
    pub(crate) fn credential(&self) -> Credential {
        Credential::lasting("ci")
    }

    pub(crate) fn viewer(&self) -> Caller {
        self.caller("viewer").with_rights(Rights::Viewer)
    }

    /// Writes an event and tells its place.
    pub(crate) fn note(&self, room: &RoomId, text: &str) -> Seq {
        note(&self.app, &self.caller("ana"), room, text)
    }
}

/// Has `ana` submit actions to `bo`, many at once: the quickest way to a long log. Tells how many events that made.
pub(crate) fn flood(app: &App, ana: &Caller, room: &RoomId, submissions: u64) -> u64 {
    const ACTIONS: u64 = 256;
    for group in 0..submissions {
        let action = |index: u64| {
            json!({"type": "message", "kind": "user", "dst": "bo", "text": "0123456789",
            "action_id": format!("{group}.{index}"), "action_index": index})
        };
        let actions: Vec<Value> = (0..ACTIONS).map(action).collect();
        run(app, ana, "action.submit", json!({"room_id": room, "group_id": format!("g{group}"), "actions": actions}));
    }
    submissions * ACTIONS
}

fn open(directory: &TempDir) -> App {
    open_at(directory.path())
}

/// The app on the store in a directory, as each process opens it.
pub(crate) fn open_at(directory: &Path) -> App {
    let environment = Environment::of([("HOME", directory)], directory);
    let location = Location::Directory(directory.join("data"));
    App::open(&location, environment, Time::Own, Box::new(RandomIds)).unwrap()
}

/// Runs a command past the hub.
pub(crate) fn run(app: &App, caller: &Caller, command: &str, input: Value) -> Value {
    table::find_on_wire(command).unwrap().run(app, caller, input).unwrap()
}

pub(crate) fn note(app: &App, caller: &Caller, room: &RoomId, text: &str) -> Seq {
    let noted = run(app, caller, "room.note", json!({"room_id": room, "text": text}));
    Seq(noted["event_seq"].as_u64().unwrap())
}

pub(crate) fn fields(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(fields) => fields,
        other => panic!("{other} is no object"),
    }
}

/// The next event's place.
pub(crate) async fn place(subscription: &mut Subscription) -> u64 {
    match subscription.next().await {
        Next::Record(record) => record.seq.0,
        other => panic!("{other:?}"),
    }
}
