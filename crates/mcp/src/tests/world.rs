//! An app on a throw-away store, and a workspace with a rival in it.

use std::{path::PathBuf, sync::Arc};

use baton_app::{
    App, Caller, Location, Rights,
    clock::{RandomIds, Time},
    environment::Environment,
    table,
};
use baton_core::{process::SessionKind, room::Actor};
use serde_json::{Value, json};
use tempfile::TempDir;

pub(crate) struct World {
    app: Arc<App>,
    /// Holds the store and the workspace.
    directory: TempDir,
}

impl World {
    pub(crate) fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::create_dir(directory.path().join("workspace")).unwrap();
        let environment = Environment::of([("HOME", directory.path())], directory.path());
        let app =
            App::open(&Location::Directory(directory.path().join("data")), environment, Time::Own, Box::new(RandomIds));
        Self { app: Arc::new(app.unwrap()), directory }
    }

    pub(crate) fn app(&self) -> Arc<App> {
        Arc::clone(&self.app)
    }

    pub(crate) fn workspace(&self) -> PathBuf {
        self.directory.path().join("workspace")
    }

    /// Has somebody else take the stick, so that a wait waits.
    pub(crate) fn take_the_stick(&self, room: &Value) {
        self.rival("room.join", json!({"context_path": self.workspace()}));
        let turn = self.rival("stick.wait", json!({"room_id": room, "max_wait_ms": 0}));
        assert_eq!(turn["status"], "your_turn", "{turn}");
    }

    /// Has a person say something to an agent.
    pub(crate) fn tell(&self, room: &Value, to: &str, text: &str, mode: &str) {
        let actor = Actor::found("human:x".parse().unwrap(), None, SessionKind::Human);
        let input = json!({"room_id": room, "to": to, "text": text, "mode": mode});
        let person = Caller::new(actor, self.workspace()).granted(Rights::Operator);
        table::find("inbox.tell").unwrap().run(&self.app, &person, input).unwrap();
    }

    fn rival(&self, command: &str, input: Value) -> Value {
        let actor = Actor::found("rival:1".parse().unwrap(), None, SessionKind::McpHarness);
        table::find(command).unwrap().run(&self.app, &Caller::new(actor, self.workspace()), input).unwrap()
    }
}
