//! Reports of machines about themselves: which boot they are in, and which of their processes ended.
//!
//! A process can be looked at only on its own machine. What was seen there is told here, for those who are elsewhere.
//! Like presence it is not part of the log; a decision that goes by it keeps the proof in its own event.

use baton_core::{
    limits,
    process::{ProcessIdentity, Proof},
    time::Timestamp,
};
use serde_json::Value;

use crate::{
    StoreError,
    engine::{Changes, Param, Query, Row, Tx},
};

/// Reports of the machines that some processes are on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Testimony {
    boots: Vec<(String, String)>,
    departures: Vec<Departure>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Departure {
    host_id: String,
    boot_id: String,
    pid_namespace: u64,
    pid: u32,
    start_ticks: u64,
    proof: Proof,
}

impl Testimony {
    /// The proof that `process` is gone, if its machine gave one.
    pub fn of(&self, process: &ProcessIdentity) -> Option<Proof> {
        let boot = self.boots.iter().find(|(host_id, _)| *host_id == process.host_id);
        if boot.is_some_and(|(_, boot_id)| *boot_id != process.boot_id) {
            return Some(Proof::Rebooted);
        }
        let told = |departure: &&Departure| {
            departure.pid == process.pid
                && departure.start_ticks == process.start_ticks
                && departure.pid_namespace == process.pid_namespace
                && departure.boot_id == process.boot_id
                && departure.host_id == process.host_id
        };
        self.departures.iter().find(told).map(|departure| departure.proof)
    }
}

const DEPARTURE: &str = "
    SELECT host_id, boot_id, pid_namespace, pid, start_ticks, proof
      FROM departures
     WHERE host_id = ?1 AND boot_id = ?2 AND pid_namespace = ?3 AND pid = ?4 AND start_ticks = ?5
";

/// Reports of the machines of these processes.
pub fn testimony(tx: &mut dyn Tx, processes: &[&ProcessIdentity]) -> Result<Testimony, StoreError> {
    let keys: Vec<[Param<'_>; 5]> = processes.iter().map(|process| key(process)).collect();
    // A machine's boot is asked for once, by the first part of a process's key.
    let mut hosts: Vec<&[Param<'_>]> = Vec::new();
    for (index, process) in processes.iter().enumerate() {
        if !processes[..index].iter().any(|earlier| earlier.host_id == process.host_id) {
            hosts.push(&keys[index][..1]);
        }
    }
    let queries: Vec<Query<'_>> = hosts
        .iter()
        .map(|host| Query::new(BOOT, host))
        .chain(keys.iter().map(|key| Query::new(DEPARTURE, key)))
        .collect();
    let mut found = Testimony::default();
    tx.query_all(&queries, &mut |which, row| {
        if which < hosts.len() {
            found.boots.push((text(row, 0)?, text(row, 1)?));
        } else {
            found.departures.push(departure(row)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The key of a process, in the order of the table's.
pub(crate) fn key(process: &ProcessIdentity) -> [Param<'_>; 5] {
    [
        process.host_id.as_str().into(),
        process.boot_id.as_str().into(),
        (process.pid_namespace as i64).into(),
        i64::from(process.pid).into(),
        (process.start_ticks as i64).into(),
    ]
}

fn departure(row: &dyn Row) -> Result<Departure, StoreError> {
    let number = |column| row.int(column).map(|int| int.unwrap_or_default() as u64);
    let host_id = text(row, 0)?;
    let proof = serde_json::from_value(Value::String(text(row, 5)?)).map_err(|error| StoreError::BadRow {
        table: "departures",
        key: host_id.clone(),
        detail: error.to_string(),
    })?;
    Ok(Departure {
        host_id,
        boot_id: text(row, 1)?,
        pid_namespace: number(2)?,
        pid: number(3)? as u32,
        start_ticks: number(4)?,
        proof,
    })
}

fn text(row: &dyn Row, column: usize) -> Result<String, StoreError> {
    Ok(row.text(column)?.unwrap_or_default().to_owned())
}

const BOOT: &str = "
    SELECT host_id, boot_id
      FROM hosts
     WHERE host_id = ?1
";

/// The boot that a machine said it was in.
pub fn boot(tx: &mut dyn Tx, host_id: &str) -> Result<Option<String>, StoreError> {
    let mut found = None;
    tx.query(BOOT, &[host_id.into()], &mut |row| {
        found = row.text(1)?.map(str::to_owned);
        Ok(())
    })?;
    Ok(found)
}

const BOOTED: &str = "
    INSERT INTO hosts (host_id, boot_id, told_at_ms)
    VALUES (?1, ?2, ?3)
        ON CONFLICT (host_id) DO UPDATE
       SET boot_id = excluded.boot_id, told_at_ms = excluded.told_at_ms
     WHERE hosts.boot_id <> excluded.boot_id
";

/// Has a machine say which boot it is in. All its processes of other boots are gone.
pub fn booted(tx: &mut dyn Tx, host_id: &str, boot_id: &str, now: Timestamp) -> Result<(), StoreError> {
    tx.execute(BOOTED, &[host_id.into(), boot_id.into(), now.as_millis().into()], Changes::Any)
}

const DEPARTED: &str = "
    INSERT INTO departures (host_id, boot_id, pid_namespace, pid, start_ticks, proof, told_at_ms)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
        ON CONFLICT (host_id, boot_id, pid_namespace, pid, start_ticks) DO NOTHING
";

/// Forgets departures of which every timeout has long taken notice.
const FORGET: &str = "
    DELETE FROM departures
     WHERE told_at_ms < ?1
";

/// Forgets machines of which nothing was heard for as long, and that nobody is on.
const FORGET_HOSTS: &str = "
    DELETE FROM hosts
     WHERE told_at_ms < ?1 AND NOT EXISTS (SELECT 1 FROM members WHERE members.host_id = hosts.host_id)
";

/// Has a machine say that one of its processes is gone.
pub fn departed(tx: &mut dyn Tx, process: &ProcessIdentity, proof: Proof, now: Timestamp) -> Result<(), StoreError> {
    let oldest = now.as_millis() - limits::DEPARTURE_TTL.as_millis() as i64;
    tx.execute(FORGET, &[oldest.into()], Changes::Any)?;
    tx.execute(FORGET_HOSTS, &[oldest.into()], Changes::Any)?;
    let departure = Departure {
        host_id: process.host_id.clone(),
        boot_id: process.boot_id.clone(),
        pid_namespace: process.pid_namespace,
        pid: process.pid,
        start_ticks: process.start_ticks,
        proof,
    };
    depart(tx, &departure, now)
}

fn depart(tx: &mut dyn Tx, departure: &Departure, told_at: Timestamp) -> Result<(), StoreError> {
    let proof = serde_json::to_value(departure.proof).ok().and_then(|value| value.as_str().map(str::to_owned));
    tx.execute(
        DEPARTED,
        &[
            departure.host_id.as_str().into(),
            departure.boot_id.as_str().into(),
            (departure.pid_namespace as i64).into(),
            i64::from(departure.pid).into(),
            (departure.start_ticks as i64).into(),
            proof.as_deref().unwrap_or("exited").into(),
            told_at.as_millis().into(),
        ],
        Changes::Any,
    )
}

/// All that machines have said, to be kept elsewhere. There is one row per machine, and one per process that ended
/// within [`limits::DEPARTURE_TTL`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Everything {
    boots: Vec<(String, String, Timestamp)>,
    departures: Vec<(Departure, Timestamp)>,
}

impl Everything {
    /// How many machines said something.
    pub fn machines(&self) -> usize {
        self.boots.len()
    }
}

const ALL_BOOTS: &str = "
    SELECT host_id, boot_id, told_at_ms
      FROM hosts
     ORDER BY host_id
";

const ALL_DEPARTURES: &str = "
    SELECT host_id, boot_id, pid_namespace, pid, start_ticks, proof, told_at_ms
      FROM departures
     ORDER BY host_id, boot_id, pid_namespace, pid, start_ticks
";

/// All that machines have said.
pub fn everything(tx: &mut dyn Tx) -> Result<Everything, StoreError> {
    let mut found = Everything::default();
    tx.query_all(&[Query::new(ALL_BOOTS, &[]), Query::new(ALL_DEPARTURES, &[])], &mut |which, row| {
        let time = |column| row.int(column).map(|millis| Timestamp::from_millis(millis.unwrap_or_default()));
        if which == 0 {
            found.boots.push((text(row, 0)?, text(row, 1)?, time(2)?));
        } else {
            found.departures.push((departure(row)?, time(6)?));
        }
        Ok(())
    })?;
    Ok(found)
}

/// Keeps what machines have said elsewhere, as old as it is.
pub fn restore(tx: &mut dyn Tx, everything: &Everything) -> Result<(), StoreError> {
    for (host_id, boot_id, told_at) in &everything.boots {
        booted(tx, host_id, boot_id, *told_at)?;
    }
    for (departure, told_at) in &everything.departures {
        depart(tx, departure, *told_at)?;
    }
    Ok(())
}
