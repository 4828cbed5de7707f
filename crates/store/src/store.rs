//! The store as the app sees it: transactions, bells, and care.

use baton_core::{
    ids::{AgentId, RoomId},
    time::Timestamp,
};

use crate::{
    Location, StoreError,
    clock::Time,
    engine::{Bell, Engine, Patience, Seat, Tx, Verdict},
    postgres::Postgres,
    sqlite::Sqlite,
};

/// An open store.
pub struct Store {
    engine: Box<dyn Engine>,
}

/// What can be told about a store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoreInfo {
    /// The database file, or the server's address without a password.
    pub place: String,
    /// The schema it has.
    pub schema: i64,
    /// Whether a newer Baton wrote it, so that this one only reads.
    pub read_only: bool,
    /// The engine's version.
    pub engine: String,
    /// Bytes in the database.
    pub database_bytes: u64,
    /// Bytes in the write-ahead log, where it is ours to keep short.
    pub wal_bytes: Option<u64>,
    /// The process that is writing right now, if any.
    pub writer: Option<String>,
    /// How far this machine's wall clock is ahead of the store's time, where the store is on this machine and they are
    /// more than a minute apart.
    pub clock_ahead_ms: Option<i64>,
    /// About the server, where there is one.
    pub server: Option<ServerInfo>,
}

/// What can be told about a database server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ServerInfo {
    /// How long one question takes, there and back.
    pub round_trip_us: u64,
    /// How far this machine's clock is ahead of the server's.
    pub clock_ahead_ms: i64,
    /// Connections that Batons have to it.
    pub connections: u64,
    /// Connections that it allows.
    pub connections_max: u64,
    /// Whether this connection is encrypted.
    pub encrypted: bool,
}

/// One finding of [`Store::check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// What was looked at.
    pub what: String,
    /// What is wrong with it, if anything.
    pub problem: Option<String>,
}

impl Store {
    /// Opens the store at `location`, making it if it is not there. A server is asked for the first time when
    /// something is wanted of it, so that a process can start while the server is away.
    pub fn open(location: &Location, time: Time) -> Result<Self, StoreError> {
        let engine: Box<dyn Engine> = match location {
            Location::Directory(directory) => Box::new(Sqlite::open(directory, time)?),
            Location::Postgres(address) => Box::new(Postgres::new(address, time)?),
        };
        Ok(Self { engine })
    }

    /// The schema of the store at `location`, or nothing where there is no store yet. It makes and changes nothing.
    ///
    /// Not for a directory whose store this process has open: looking would drop its locks.
    pub fn schema_at(location: &Location) -> Result<Option<i64>, StoreError> {
        match location {
            Location::Directory(directory) => Sqlite::schema_in(directory),
            Location::Postgres(address) => Postgres::schema_at(address),
        }
    }

    /// The store's time, never ahead of it. Decisions take theirs from [`Tx::now`].
    pub fn now(&self) -> Result<Timestamp, StoreError> {
        self.engine.now()
    }

    /// Whether a look at it goes over a network, and may take as long as that takes.
    pub fn is_remote(&self) -> bool {
        self.engine.is_remote()
    }

    /// Runs `work` on one consistent view. Never waits for a writer.
    pub fn read<T, E: From<StoreError>>(&self, mut work: impl FnMut(&mut dyn Tx) -> Result<T, E>) -> Result<T, E> {
        let mut outcome = None;
        self.engine.read(&mut |tx| outcome = Some(work(tx)))?;
        outcome.expect("an engine that succeeds has run the work")
    }

    /// Runs `work` in a write transaction: commits what it did if it succeeds, and undoes it all if not. What it
    /// rings for is heard after the commit.
    pub fn write<T, E: From<StoreError>>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, E>) -> Result<T, E> {
        self.write_with(Patience::Deadline, work)
    }

    /// Like [`Store::write`], but busy at once while somebody else is writing: for what can be left out.
    pub fn write_if_free<T, E: From<StoreError>>(&self, work: impl FnMut(&mut dyn Tx) -> Result<T, E>) -> Result<T, E> {
        self.write_with(Patience::None, work)
    }

    fn write_with<T, E: From<StoreError>>(
        &self,
        patience: Patience,
        mut work: impl FnMut(&mut dyn Tx) -> Result<T, E>,
    ) -> Result<T, E> {
        let mut outcome = None;
        self.engine.write(patience, &mut |tx| {
            let done = work(tx);
            let verdict = if done.is_ok() { Verdict::Commit } else { Verdict::Rollback };
            outcome = Some(done);
            verdict
        })?;
        outcome.expect("an engine that succeeds has run the work")
    }

    /// Starts to listen to `room`. Listen first, then read: what is committed in between will be heard.
    pub fn listen(&self, room: &RoomId) -> Result<Box<dyn Bell>, StoreError> {
        self.engine.listen(room)
    }

    /// Starts to listen to every room, also to those that are opened later.
    pub fn listen_everywhere(&self) -> Result<Box<dyn Bell>, StoreError> {
        self.engine.listen_everywhere()
    }

    /// Becomes the one listener of `agent` in `room`, or nothing while another one lives.
    pub fn listener_seat(&self, room: &RoomId, agent: &AgentId) -> Result<Option<Box<dyn Seat>>, StoreError> {
        self.engine.listener_seat(room, agent)
    }

    /// What can be told about the store without opening a transaction on it.
    pub fn info(&self) -> Result<StoreInfo, StoreError> {
        self.engine.info()
    }

    /// Looks for damage: the engine's own check, and the modes of files and directories.
    pub fn check(&self) -> Result<Vec<Check>, StoreError> {
        self.engine.check()
    }
}
