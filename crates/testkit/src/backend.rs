//! The engines a story is played on. A new engine is a new variant here; no story changes.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicU64, Ordering},
    thread,
};

use baton_app::environment::Environment;
use baton_cluster::SharedCluster;
use baton_core::ids::{AgentId, RoomId};
use baton_store::{Hints, Location, Store, StoreError, clock::Time};
use rustix::process::{Pid, Signal, WaitOptions, kill_process, waitpid};
use tempfile::TempDir;

use crate::TestApp;

/// Names the server on which tests make databases of their own: `cargo xtask test` starts one.
const SERVER: &str = "BATON_TEST_POSTGRES";

/// The byte of SQLite's shared memory that whoever writes has locked.
const WAL_WRITE_LOCK: &str = "120";

/// An engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// One file in a directory of its own.
    Sqlite,
    /// A database of its own on the tests' server.
    Postgres,
}

impl Backend {
    /// Every engine there is.
    pub const ALL: &[Self] = &[Self::Sqlite, Self::Postgres];
}

/// Where a store lives. It can be opened more than once, as by several processes, and ends with the test.
#[derive(Debug)]
pub struct Place {
    backend: Backend,
    directory: TempDir,
    database: Option<Database>,
}

/// A database on the tests' server.
#[derive(Debug)]
struct Database {
    server: SharedCluster,
    name: String,
}

impl Drop for Database {
    fn drop(&mut self) {
        // The whole server goes with the test run; a database that stays behind until then hurts nobody.
        let _ = self.server.drop_database(&self.name);
    }
}

impl Place {
    /// A place where nothing is yet.
    pub fn new(backend: Backend) -> Self {
        let database = match backend {
            Backend::Sqlite => None,
            Backend::Postgres => Some(Database::create()),
        };
        Self { backend, directory: tempfile::tempdir().unwrap(), database }
    }

    /// Which engine.
    pub fn backend(&self) -> Backend {
        self.backend
    }

    /// The data directory, which the embedded store itself makes.
    pub fn data_directory(&self) -> PathBuf {
        self.directory().join("data")
    }

    /// The directory that everything of this test is in.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Where the store is, as a person would write it.
    pub fn address(&self) -> String {
        match &self.database {
            None => self.data_directory().to_str().unwrap().to_owned(),
            Some(database) => database.server.url(&database.name),
        }
    }

    /// Where the store is.
    pub fn location(&self) -> Location {
        location(&self.address())
    }

    /// Opens the store.
    pub fn open(&self) -> Store {
        Store::open(&self.location(), Time::Own).unwrap()
    }

    /// Has the server do something that Baton would not, and gives what it answers.
    pub fn sql(&self, text: &str) -> String {
        let database = self.database.as_ref().expect("only a server takes SQL from outside");
        database.server.sql(&database.name, text).unwrap()
    }

    /// Stops a child (SIGSTOP) while it changes nothing in the store. Stopped in a transaction, it would hold up
    /// everybody until the server ends that transaction, and on a file for good.
    pub fn stop_between_transactions(&self, child: Pid) {
        loop {
            kill_process(child, Signal::STOP).unwrap();
            waitpid(Some(child), WaitOptions::UNTRACED).unwrap();
            if !self.is_in_transaction(child) {
                return;
            }
            kill_process(child, Signal::CONT).unwrap();
            thread::yield_now();
        }
    }

    fn is_in_transaction(&self, process: Pid) -> bool {
        let pid = process.as_raw_nonzero();
        match self.backend {
            Backend::Sqlite => {
                // Like "1: POSIX  ADVISORY  WRITE 4711 00:2a:815 120 120".
                let locks = fs::read_to_string("/proc/locks").unwrap();
                locks.lines().map(str::split_whitespace).map(Iterator::collect::<Vec<_>>).any(|lock| {
                    lock.get(3..5) == Some(&["WRITE", &pid.to_string()]) && lock.get(6) == Some(&WAL_WRITE_LOCK)
                })
            }
            Backend::Postgres => {
                let sessions = format!("datname = current_database() AND application_name LIKE 'baton {pid}@%'");
                let busy = format!("SELECT count(*) FROM pg_stat_activity WHERE {sessions} AND xact_start IS NOT NULL");
                self.sql(&busy).trim() != "0"
            }
        }
    }

    /// Whether a wait of `agent` in `room` has begun to listen. Looking disturbs nobody; trying the seat might.
    pub fn is_listening(&self, store: &Store, room: &RoomId, agent: &AgentId) -> bool {
        match self.backend {
            Backend::Sqlite => self.data_directory().join(format!("listeners/{room}.{agent}")).exists(),
            Backend::Postgres => {
                let mut seats = 0;
                let name = format!("listener {room} {agent}");
                let looked = store.read::<_, StoreError>(|tx| {
                    tx.query(SEATS, &[name.as_str().into()], &mut |row| {
                        seats = row.int(0)?.unwrap_or_default();
                        Ok(())
                    })
                });
                looked.unwrap();
                seats > 0
            }
        }
    }
}

const SEATS: &str = "
    SELECT count(*)
      FROM pg_locks
     WHERE locktype = 'advisory' AND granted AND objsubid = 1
       AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
       AND ((classid::bigint << 32) | objid::bigint) = hashtextextended(?1, 2)
";

/// Opens the embedded store in a directory.
pub fn open_in(directory: &Path) -> Result<Store, StoreError> {
    Store::open(&Location::Directory(directory.to_owned()), Time::Own)
}

/// A location from the text that [`Place::address`] gives.
pub(crate) fn location(address: &str) -> Location {
    Location::parse(address, Path::new("/"), &Hints::default()).unwrap()
}

impl Database {
    fn create() -> Self {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let environment = Environment::read();
        let url = environment.var(SERVER).unwrap_or_else(|| {
            panic!("{SERVER} is not set: run the tests with `cargo xtask test`, which starts a Postgres of their own")
        });
        let server = SharedCluster::from_url(url).unwrap();
        let name = format!("test_{}_{}", std::process::id(), COUNT.fetch_add(1, Ordering::SeqCst));
        server.create_database(&name).unwrap();
        Self { server, name }
    }
}

/// Plays a story about the service on every engine.
pub fn on_every_backend(story: impl Fn(TestApp)) {
    for backend in Backend::ALL {
        story(TestApp::open(*backend));
    }
}

/// Plays a story about the store on every engine.
pub fn on_every_place(story: impl Fn(Place)) {
    for backend in Backend::ALL {
        story(Place::new(*backend));
    }
}
