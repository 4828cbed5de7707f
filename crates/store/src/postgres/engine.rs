//! The engine itself: transactions that are run again when the server asks for it, and only then.
#![expect(clippy::disallowed_methods, reason = "this module is a wait: it measures its own deadline")]

use std::{
    sync::{Arc, Mutex, OnceLock, PoisonError},
    time::{Duration, Instant},
};

use baton_core::{
    ids::{AgentId, RoomId},
    time::Timestamp,
};

use super::{
    address::Address,
    connect::Connector,
    failure::Remedy,
    keeper::Keeper,
    link::Link,
    migrate,
    outcome::{self, Writer},
    pipeline::{self, Failed, Step},
    pool::{self, Pool},
    ring::{self, Rings},
    silence::{AWAY_DEADLINE, Silence},
    statement::{Sql, Value},
    tx::{Ending, Kind, PostgresTx, Told},
};
use crate::{
    Check, ServerInfo, StoreError, StoreInfo,
    clock::{Clock, SystemClock, Time},
    engine::{Bell, Engine, Patience, Seat, Tx, Verdict},
    schema::SCHEMA_VERSION,
};

/// How often a transaction that met another one is run again.
const ATTEMPTS_MAX: u32 = 12;

/// How long a call that is refused already asks for the name of whom it waited for.
const HOLDER_DEADLINE: Duration = Duration::from_secs(2);

/// How long a reading of the server's clock is gone by. Until then our own clock has not drifted enough to matter.
const TOLD_FOR: Duration = Duration::from_secs(60);

/// A database on a server.
pub(crate) struct Postgres {
    pool: Arc<Pool>,
    time: Time,
    told: Mutex<Option<Told>>,
    keeper: OnceLock<Keeper>,
}

impl Postgres {
    /// Makes ready to use the server at `address`. Nobody is asked yet.
    pub(crate) fn new(address: &Address, time: Time) -> Result<Self, StoreError> {
        let pool = Arc::new(Pool::new(Connector::new(address)?));
        Ok(Self { pool, time, told: Mutex::default(), keeper: OnceLock::new() })
    }

    /// The schema of the database at `address`, if it has ours.
    pub(crate) fn schema_at(address: &Address) -> Result<Option<i64>, StoreError> {
        let connector = Connector::new(address)?;
        let connected = connector.connect(&mut Silence::begun());
        let mut link = connected.map_err(|refused| refused.at(connector.place()))?;
        migrate::version(&mut link, connector.place())
    }

    fn place(&self) -> &str {
        self.pool.place()
    }

    fn keeper(&self) -> &Keeper {
        self.keeper.get_or_init(|| Keeper::new(self.pool.clone()))
    }

    /// Runs `work` as a transaction until it is certain what became of it.
    fn transact(&self, kind: Kind, work: &mut dyn FnMut(&mut dyn Tx) -> Verdict) -> Result<(), StoreError> {
        let mut silence = Silence::begun();
        let (mut conflicts, mut breaks) = (0, 0);
        loop {
            let mut link = self.pool.take(&mut silence)?;
            let mut tx = PostgresTx::new(&mut link, self.place(), &self.time, kind);
            let verdict = work(&mut tx);
            let ending = tx.end(verdict);
            let (told, rings) = (tx.told, std::mem::take(&mut tx.rings));
            silence = link.silence;
            drop(link);
            self.remember(told);
            match ending {
                Ending::Committed | Ending::RolledBack => return Ok(()),
                // Whoever does not wait does not ask whom for.
                Ending::Failed(StoreError::Busy { holder, .. }) if kind == Kind::WriteIfFree => {
                    return Err(StoreError::Busy { holder, waited_ms: 0 });
                }
                Ending::Failed(error) => return Err(self.name_holder(error)),
                Ending::Again { remedy: Remedy::Reconnect, error } => {
                    self.breaks(&mut silence);
                    if silence.is_over() {
                        return Err(error);
                    }
                    breaks += 1;
                    pool::back_off(breaks);
                }
                Ending::Again { error, .. } => {
                    conflicts += 1;
                    if conflicts > ATTEMPTS_MAX {
                        return Err(error);
                    }
                    pool::back_off(conflicts);
                }
                Ending::Unknown(writer) => {
                    self.breaks(&mut silence);
                    if self.was_committed(&writer, &rings, &mut silence)? {
                        return Ok(());
                    }
                    if silence.is_over() {
                        let detail = "the connection broke again and again; nothing was changed".to_owned();
                        return Err(StoreError::Unreachable { place: self.place().to_owned(), detail });
                    }
                    breaks += 1;
                    pool::back_off(breaks);
                }
            }
        }
    }

    /// Finds out what became of a commit, and rings for it if it was made.
    fn was_committed(&self, writer: &Writer, rings: &Rings, silence: &mut Silence) -> Result<bool, StoreError> {
        loop {
            let asked = self.pool.take(silence).ok().and_then(|mut link| {
                let committed = outcome::was_committed(&mut link, writer).ok();
                if committed == Some(true) {
                    let steps: Vec<Step> = rings.steps().collect();
                    // Those who do not hear it look by themselves before long.
                    let _ = pipeline::run(&mut link, &steps);
                }
                committed
            });
            match asked {
                Some(committed) => return Ok(committed),
                None if silence.is_over() => {
                    return Err(StoreError::OutcomeUnknown { place: self.place().to_owned() });
                }
                None => pool::back_off(6),
            }
        }
    }

    /// Notes a break. Where nothing was heard in time, nothing will be heard on the connections that idle either.
    fn breaks(&self, silence: &mut Silence) {
        silence.breaks();
        self.pool.distrust_idle();
    }

    fn remember(&self, told: Option<Told>) {
        if told.is_some() {
            *self.told.lock().unwrap_or_else(PoisonError::into_inner) = told;
        }
    }

    /// Says who it is that a write waited for, as far as the server knows.
    fn name_holder(&self, error: StoreError) -> StoreError {
        let StoreError::Busy { waited_ms, .. } = error else { return error };
        let holder = self.ask_within(HOLDER_DEADLINE, HOLDER, Vec::new()).ok().flatten();
        let holder = holder.unwrap_or_else(|| "a process that is done by now".to_owned());
        StoreError::Busy { holder, waited_ms }
    }

    /// The text that a statement answers.
    fn ask(&self, sql: &'static str, values: Vec<Value>) -> Result<Option<String>, StoreError> {
        self.ask_within(AWAY_DEADLINE, sql, values)
    }

    fn ask_within(&self, most: Duration, sql: &'static str, values: Vec<Value>) -> Result<Option<String>, StoreError> {
        let mut link = self.pool.take(&mut Silence::within(most))?;
        let asked = pipeline::run(&mut link, &[Step::Run { sql: Sql::plain(sql), values }]);
        let rows = asked.map_err(|failed| failed.trouble.at(self.place()))?;
        Ok(rows.iter().flatten().next().and_then(|row| row.try_get(0).ok()).flatten())
    }

    /// The number that a statement answers.
    fn count(&self, sql: &'static str) -> Result<i64, StoreError> {
        let rows =
            self.with_link(|link| pipeline::run(link, &[Step::Run { sql: Sql::plain(sql), values: Vec::new() }]))?;
        Ok(rows.iter().flatten().next().and_then(|row| row.try_get(0).ok()).unwrap_or_default())
    }

    fn with_link<T>(&self, mut use_it: impl FnMut(&mut Link) -> Result<T, Failed>) -> Result<T, StoreError> {
        let mut link = self.pool.take(&mut Silence::begun())?;
        use_it(&mut link).map_err(|failed| failed.trouble.at(self.place()))
    }
}

/// The writer that has been at it longest, and what it is doing; one that waits itself only if there is no other.
/// Of other roles' sessions the server tells everybody the name and the transaction, but not since when.
const HOLDER: &str = "
    SELECT application_name
           || CASE state WHEN 'idle in transaction' THEN ', which stands still in a transaction' ELSE '' END
      FROM pg_stat_activity AS session
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND (backend_xid IS NOT NULL
            OR xact_start IS NOT NULL
               AND EXISTS (SELECT FROM pg_locks WHERE pid = session.pid AND locktype = 'advisory' AND granted))
     ORDER BY wait_event_type IS NOT DISTINCT FROM 'Lock', xact_start
     LIMIT 1
";

const SIZE: &str = "
    SELECT coalesce(sum(pg_total_relation_size(oid)), 0)::bigint
      FROM pg_class
     WHERE relnamespace = to_regnamespace('baton') AND relkind = 'r'
";

const CONNECTIONS: &str = "
    SELECT count(*)
      FROM pg_stat_activity
     WHERE datname = current_database() AND application_name LIKE 'baton %'
";

/// Whether the session that asks is encrypted, which only the two ends of it know.
const ENCRYPTED: &str = "SELECT count(*) FROM pg_stat_ssl WHERE pid = pg_backend_pid() AND ssl";

const CONNECTIONS_MAX: &str = "SELECT current_setting('max_connections')::bigint";

/// Settings under which an acknowledged commit can be lost.
const SETTINGS: &[(&str, &str)] = &[
    ("fsync", "a crash of the machine can damage the database"),
    ("full_page_writes", "a crash of the machine can damage the database"),
    ("synchronous_commit", "a crash of the server can lose what was acknowledged last"),
];

const SETTING: &str = "SELECT current_setting(?1)";

/// References that the server does not vouch for.
const UNCHECKED: &str = "
    SELECT count(*)
      FROM pg_constraint
     WHERE connamespace = to_regnamespace('baton') AND NOT convalidated
";

impl Engine for Postgres {
    fn read(&self, work: &mut dyn FnMut(&mut dyn Tx)) -> Result<(), StoreError> {
        self.transact(Kind::Read, &mut |tx| {
            work(tx);
            Verdict::Commit
        })
    }

    fn write(&self, patience: Patience, work: &mut dyn FnMut(&mut dyn Tx) -> Verdict) -> Result<(), StoreError> {
        let kind = match patience {
            Patience::Deadline => Kind::Write,
            Patience::None => Kind::WriteIfFree,
        };
        self.transact(kind, work)
    }

    fn listen(&self, room: &RoomId) -> Result<Box<dyn Bell>, StoreError> {
        Ok(Box::new(self.keeper().listen(ring::channel(room))?))
    }

    fn listen_everywhere(&self) -> Result<Box<dyn Bell>, StoreError> {
        Ok(Box::new(self.keeper().listen(ring::EVERYWHERE.to_owned())?))
    }

    fn listener_seat(&self, room: &RoomId, agent: &AgentId) -> Result<Option<Box<dyn Seat>>, StoreError> {
        let seat = self.keeper().seat(&format!("listener {room} {agent}"))?;
        Ok(seat.map(|seat| Box::new(seat) as Box<dyn Seat>))
    }

    fn now(&self) -> Result<Timestamp, StoreError> {
        if let Time::Told(clock) = &self.time {
            return Ok(clock.now());
        }
        let known = *self.told.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(told) = known
            && told.received.elapsed() < TOLD_FOR
        {
            let since = i64::try_from(told.received.elapsed().as_millis()).unwrap_or(i64::MAX);
            return Ok(Timestamp::from_millis(told.time.as_millis().saturating_add(since)));
        }
        let mut now = None;
        self.read(&mut |tx| now = Some(tx.now()))?;
        now.unwrap_or_else(|| {
            Err(StoreError::Unavailable { place: self.place().to_owned(), detail: "it has no time".to_owned() })
        })
    }

    fn is_remote(&self) -> bool {
        true
    }

    fn info(&self) -> Result<StoreInfo, StoreError> {
        let version = self.ask("SELECT current_setting('server_version')", Vec::new())?.unwrap_or_default();
        let started = Instant::now();
        let before = SystemClock.now();
        let theirs = self.count("SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint")?;
        let round_trip = started.elapsed();
        let halfway = before.as_millis() + i64::try_from(round_trip.as_millis() / 2).unwrap_or_default();
        let schema = self.with_link(|link| Ok(migrate::version(link, self.place())))??.unwrap_or_default();
        Ok(StoreInfo {
            place: self.place().to_owned(),
            schema,
            read_only: schema > SCHEMA_VERSION,
            engine: format!("PostgreSQL {version}"),
            database_bytes: self.count(SIZE)?.unsigned_abs(),
            wal_bytes: None,
            writer: self.ask(HOLDER, Vec::new())?,
            clock_ahead_ms: None,
            server: Some(ServerInfo {
                round_trip_us: u64::try_from(round_trip.as_micros()).unwrap_or(u64::MAX),
                clock_ahead_ms: halfway - theirs,
                connections: self.count(CONNECTIONS)?.unsigned_abs(),
                connections_max: self.count(CONNECTIONS_MAX)?.unsigned_abs(),
                encrypted: self.count(ENCRYPTED)? > 0,
            }),
        })
    }

    fn check(&self) -> Result<Vec<Check>, StoreError> {
        let mut found = Vec::new();
        for (setting, risk) in SETTINGS {
            let value = self.ask(SETTING, vec![Value::Text((*setting).to_owned())])?.unwrap_or_default();
            let problem = (value == "off").then(|| format!("it is off: {risk}"));
            found.push(Check { what: format!("the server's {setting}"), problem });
        }
        let unchecked = self.count(UNCHECKED)?;
        let problem = (unchecked > 0).then(|| format!("{unchecked} are not enforced"));
        found.push(Check { what: "references between tables".to_owned(), problem });
        Ok(found)
    }
}
