//! An app on a real store, with a clock that only the test moves.

use std::{fs, sync::Arc};

use baton_app::{
    App, Caller, Failure,
    clock::{Clock, Time},
    environment::Environment,
    table,
};
use baton_core::{
    event::Recorded,
    ids::{AgentId, RoomId, Seq},
    room::{Actor, Room, Stick},
    time::{Timestamp, Ttl},
};
use baton_store::{Store, StoreError, log, rooms};
use serde_json::{Value, json};

use crate::{Agent, Backend, ManualClock, Place, SequentialIds, Sleeper, Workspace};

/// Baton as a test sees it.
pub struct TestApp {
    app: App,
    /// A second look at the same store, for what no command tells.
    store: Store,
    clock: ManualClock,
    ids: SequentialIds,
    workspace: Workspace,
    place: Arc<Place>,
    vars: Vec<(String, String)>,
}

impl TestApp {
    /// A fresh store, and a workspace of its own.
    pub fn open(backend: Backend) -> Self {
        Self::open_with(backend, &[])
    }

    /// The same with variables in its environment.
    pub fn open_with(backend: Backend, vars: &[(&str, &str)]) -> Self {
        let place = Arc::new(Place::new(backend));
        let workspace = Workspace::in_directory(place.directory());
        Self::on(place, workspace, ManualClock::new(), SequentialIds::default(), owned(vars))
    }

    /// Another app on the same store, as another process would have: same time, same workspace, nothing shared.
    pub fn beside(&self) -> Self {
        self.with(self.vars.clone())
    }

    /// The same, in a process that was started with these variables.
    pub fn beside_with(&self, vars: &[(&str, &str)]) -> Self {
        self.with(owned(vars))
    }

    fn with(&self, vars: Vec<(String, String)>) -> Self {
        let (clock, ids) = (self.clock.clone(), self.ids.clone());
        Self::on(Arc::clone(&self.place), self.workspace.clone(), clock, ids, vars)
    }

    fn on(
        place: Arc<Place>,
        workspace: Workspace,
        clock: ManualClock,
        ids: SequentialIds,
        vars: Vec<(String, String)>,
    ) -> Self {
        let home = ("HOME".to_owned(), workspace.text("home"));
        let environment = Environment::of(vars.iter().cloned().chain([home]), workspace.at(""));
        let time = Time::Told(Arc::new(clock.clone()));
        let app = App::open(&place.location(), environment, time, Box::new(ids.clone())).unwrap();
        Self { app, store: place.open(), clock, ids, workspace, place, vars }
    }

    /// The app itself, for what is not in the table.
    pub fn app(&self) -> &App {
        &self.app
    }

    /// Runs a command of the table.
    pub fn call(&self, caller: &Caller, command: &str, input: Value) -> Result<Value, Failure> {
        let command = table::find(command).unwrap_or_else(|| panic!("there is no command {command}"));
        command.run(&self.app, caller, input)
    }

    /// Someone without a process of their own: only timeouts tell that they are away.
    pub fn agent(&self, name: &str) -> Agent<'_> {
        Agent::new(self, name, None)
    }

    /// Someone with a real process, which can be stopped and killed.
    pub fn living_agent(&self, name: &str) -> Agent<'_> {
        Agent::new(self, name, Some(Sleeper::start()))
    }

    /// Someone of whom a server has found out who they are.
    pub fn agent_as(&self, actor: Actor) -> Agent<'_> {
        Agent::acting(self, actor)
    }

    /// A person, whose shell is not known.
    pub fn person(&self, name: &str) -> Agent<'_> {
        Agent::person(self, name)
    }

    /// Someone whose rights or job the test says itself.
    pub fn calling(&self, caller: Caller) -> Agent<'_> {
        Agent::calling(self, caller)
    }

    /// Has an operator set a room's policy, and gives the answer.
    pub fn set_policy(&self, room: &RoomId, policy: Value) -> Value {
        let operator = self.person("human:operator:pts9");
        operator.enter(room);
        operator.does("room.policy", json!({"policy": policy}))
    }

    /// Someone on another machine, whose process can be looked at only there.
    pub fn agent_elsewhere(&self, name: &str, host_id: &str) -> Agent<'_> {
        let mut process = Sleeper::start().identity();
        process.host_id = host_id.to_owned();
        Agent::identified(self, name, Some(process))
    }

    /// Agents without processes who have joined the workspace's root, in this order.
    pub fn joined<const N: usize>(&self, names: [&str; N]) -> [Agent<'_>; N] {
        names.map(|name| {
            let agent = self.agent(name);
            agent.join();
            agent
        })
    }

    /// The same with processes.
    pub fn joined_living<const N: usize>(&self, names: [&str; N]) -> [Agent<'_>; N] {
        names.map(|name| {
            let agent = self.living_agent(name);
            agent.join();
            agent
        })
    }

    /// Lets time pass.
    pub fn later(&self, by: Ttl) {
        self.clock.advance(by);
    }

    /// Lets minutes pass.
    pub fn later_minutes(&self, minutes: u64) {
        self.later(Ttl::from_minutes(minutes));
    }

    /// The time.
    pub fn now(&self) -> Timestamp {
        self.clock.now()
    }

    /// The directories of this test.
    pub fn workspace(&self) -> &Workspace {
        &self.workspace
    }

    /// Where the store lives.
    pub fn place(&self) -> &Place {
        &self.place
    }

    /// Every room's id.
    pub fn rooms(&self) -> Vec<RoomId> {
        self.store.read::<_, StoreError>(|tx| rooms::all(tx)).unwrap()
    }

    /// A room as it is stored.
    pub fn stored(&self, room: &RoomId) -> Room {
        self.store.read::<_, StoreError>(|tx| rooms::load(tx, room)).unwrap().unwrap()
    }

    /// A room's log, oldest first.
    pub fn log(&self, room: &RoomId) -> Vec<Recorded> {
        self.store.read::<_, StoreError>(|tx| log::after(tx, room, Seq(0), u32::MAX)).unwrap()
    }

    /// All that is stored, less presence: what a refused request must leave as it was.
    pub fn everything(&self) -> Vec<(Room, Vec<Recorded>)> {
        let unseen = |mut room: Room| {
            room.members.iter_mut().for_each(|member| member.last_seen_at = member.joined_at);
            room
        };
        self.rooms().iter().map(|id| (unseen(self.stored(id)), self.log(id))).collect()
    }

    /// Every text in every column of every table, with the name of its table and column, and every file of the data
    /// directory with its path.
    pub fn every_text(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        for (table, column) in self.columns() {
            // The engine takes only statements that live as long as the program, and a test is short.
            let sql: &'static str = format!("SELECT CAST({column} AS TEXT) FROM {table}").leak();
            self.each_row(sql, &mut |row| found.push((format!("{table}.{column}"), row)));
        }
        let mut directories = vec![self.place.data_directory()];
        while let Some(directory) = directories.pop() {
            for entry in fs::read_dir(directory).into_iter().flatten().map(Result::unwrap) {
                let path = entry.path();
                if path.is_dir() {
                    directories.push(path);
                } else {
                    let text = String::from_utf8_lossy(&fs::read(&path).unwrap_or_default()).into_owned();
                    found.push((path.display().to_string(), text));
                }
            }
        }
        found
    }

    fn columns(&self) -> Vec<(String, String)> {
        let sql = match self.place.backend() {
            // The parts of the full-text index are no text; they are in the file, which is looked at too.
            Backend::Sqlite => {
                "SELECT t.name || ' ' || c.name FROM sqlite_master t, pragma_table_info(t.name) c
                  WHERE t.type = 'table' AND t.name NOT LIKE 'search_index_%'"
            }
            Backend::Postgres => {
                "SELECT 'baton.' || table_name || ' ' || column_name FROM information_schema.columns
                  WHERE table_schema = 'baton'"
            }
        };
        let mut columns = Vec::new();
        self.each_row(sql, &mut |row| {
            columns.extend(row.split_once(' ').map(|(table, column)| (table.to_owned(), column.to_owned())));
        });
        columns
    }

    fn each_row(&self, sql: &'static str, take: &mut dyn FnMut(String)) {
        let read = self.store.read::<_, StoreError>(|tx| {
            tx.query(sql, &[], &mut |row| {
                row.text(0)?.map(str::to_owned).map(&mut *take);
                Ok(())
            })
        });
        read.unwrap_or_else(|error| panic!("{sql}: {error}"));
    }

    /// The room that the log alone gives. Presence and lease expiry move without events, so they are as stored.
    pub fn folded(&self, room: &RoomId) -> Room {
        let stored = self.stored(room);
        let log = self.log(room);
        let mut folded = Room::open(&log[0]).expect("a log begins with the creation of its room");
        log[1..].iter().for_each(|recorded| folded.apply(recorded));
        for (folded, stored) in folded.members.iter_mut().zip(&stored.members) {
            folded.last_seen_at = stored.last_seen_at;
        }
        if let (Stick::Owned(folded), Stick::Owned(stored)) = (&mut folded.stick, &stored.stick) {
            folded.lease.expires_at = stored.lease.expires_at;
        }
        folded.updated_at = stored.updated_at;
        folded
    }

    /// Whether a wait of `agent` in `room` has begun to listen.
    pub fn is_listening(&self, room: &RoomId, agent: &AgentId) -> bool {
        self.place.is_listening(&self.store, room, agent)
    }
}

fn owned(vars: &[(&str, &str)]) -> Vec<(String, String)> {
    vars.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}
