//! Which rooms there are: at a path, of a process, by when they changed, and how many.

use baton_core::{
    ids::{RoomId, Seq},
    time::Timestamp,
};

use crate::{
    StoreError,
    engine::{Param, Tx},
    fields::{Fields, bad},
};

/// Finds the open rooms at any of some paths.
const AT_PATHS: &str = "
    SELECT room_id, canonical_path
      FROM rooms
     WHERE closed_at_ms IS NULL AND canonical_path IN (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
";

/// Paths that one look-up takes.
const PATHS_AT_ONCE: usize = 8;

/// The open rooms at these paths, in the order of the paths.
pub fn at_paths(tx: &mut dyn Tx, paths: &[String]) -> Result<Vec<RoomId>, StoreError> {
    let mut found = Vec::new();
    for some in paths.chunks(PATHS_AT_ONCE) {
        let mut params = [Param::Null; PATHS_AT_ONCE];
        for (param, path) in params.iter_mut().zip(some) {
            *param = path.as_str().into();
        }
        let mut here = Vec::new();
        tx.query(AT_PATHS, &params, &mut |row| {
            let id = row.text(0)?.unwrap_or_default();
            let place = some.iter().position(|path| Some(path.as_str()) == row.text(1).ok().flatten());
            here.push((place, id.parse().map_err(|error| bad("rooms", id, error))?));
            Ok(())
        })?;
        here.sort_by_key(|(place, _)| *place);
        found.extend(here.into_iter().map(|(_, id)| id));
    }
    Ok(found)
}

/// Finds the open rooms below a directory. `substr` compares without an order of characters, which engines have each their own.
const BELOW: &str = "
    SELECT room_id, canonical_path
      FROM rooms
     WHERE closed_at_ms IS NULL AND substr(canonical_path, 1, length(CAST(?1 AS TEXT))) = CAST(?1 AS TEXT)
     ORDER BY room_id
     LIMIT ?2
";

/// The open rooms below a directory with their paths, at most `limit` of them.
pub fn below(tx: &mut dyn Tx, directory: &str, limit: u32) -> Result<Vec<(RoomId, String)>, StoreError> {
    let prefix = format!("{}/", directory.trim_end_matches('/'));
    let mut found = Vec::new();
    tx.query(BELOW, &[prefix.as_str().into(), i64::from(limit).into()], &mut |row| {
        let id = row.text(0)?.unwrap_or_default();
        let path = row.text(1)?.unwrap_or_default().to_owned();
        found.push((id.parse().map_err(|error| bad("rooms", id, error))?, path));
        Ok(())
    })?;
    Ok(found)
}

/// Counts the events of all rooms that were ever at a path.
const EVENTS_AT: &str = "
    SELECT MAX(earlier_events + last_seq)
      FROM rooms
     WHERE canonical_path = ?1
";

/// How many events the rooms at a path had, closed ones too.
pub fn events_at(tx: &mut dyn Tx, path: &str) -> Result<u64, StoreError> {
    let mut count = 0;
    tx.query(EVENTS_AT, &[path.into()], &mut |row| {
        count = row.int(0)?.unwrap_or(0).unsigned_abs();
        Ok(())
    })?;
    Ok(count)
}

/// Lists rooms, the most recently changed first.
const RECENT: &str = "
    SELECT room_id
      FROM rooms
     ORDER BY updated_at_ms DESC, room_id
     LIMIT ?1
";

/// The rooms that changed last.
pub fn recent(tx: &mut dyn Tx, limit: u32) -> Result<Vec<RoomId>, StoreError> {
    ids(tx, RECENT, &[i64::from(limit).into()])
}

/// Lists rooms that are open, closed or either, the most recently changed first.
const SESSIONS: &str = "
    SELECT room_id, name, canonical_path, closed_at_ms, created_at_ms, updated_at_ms, last_seq
      FROM rooms
     WHERE ?2 = 'all' OR (?2 = 'open' AND closed_at_ms IS NULL) OR (?2 = 'closed' AND closed_at_ms IS NOT NULL)
     ORDER BY updated_at_ms DESC, room_id
     LIMIT ?1
";

/// Which rooms are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Those that are open.
    Open,
    /// Those that ended.
    Closed,
    /// All.
    All,
}

/// A room at its barest: less its members, its stick and its timings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// Its id.
    pub id: RoomId,
    /// What it is called.
    pub name: Option<String>,
    /// The workspace it belongs to.
    pub canonical_path: Option<String>,
    /// Whether it ended.
    pub closed: bool,
    /// When it was opened.
    pub created_at: Timestamp,
    /// When something last happened there.
    pub updated_at: Timestamp,
    /// The newest event.
    pub last_seq: Seq,
}

/// The rooms of that standing that changed last.
pub fn standing(tx: &mut dyn Tx, standing: Standing, limit: u32) -> Result<Vec<Outline>, StoreError> {
    let word = match standing {
        Standing::Open => "open",
        Standing::Closed => "closed",
        Standing::All => "all",
    };
    let mut found = Vec::new();
    tx.query(SESSIONS, &[i64::from(limit).into(), word.into()], &mut |row| {
        let fields = Fields { table: "rooms", key: "", row };
        found.push(Outline {
            id: fields.id(0)?,
            name: row.text(1)?.map(str::to_owned),
            canonical_path: row.text(2)?.map(str::to_owned),
            closed: row.int(3)?.is_some(),
            created_at: fields.time(4)?,
            updated_at: fields.time(5)?,
            last_seq: Seq(fields.number(6)?),
        });
        Ok(())
    })?;
    Ok(found)
}

/// Lists every room.
const ALL: &str = "
    SELECT room_id
      FROM rooms
     ORDER BY room_id
";

/// Every room there is, for a check of them all.
pub fn all(tx: &mut dyn Tx) -> Result<Vec<RoomId>, StoreError> {
    ids(tx, ALL, &[])
}

/// Counts rooms, and events by the place of each room's last.
const TALLY: &str = "
    SELECT count(*), CAST(coalesce(sum(last_seq), 0) AS BIGINT)
      FROM rooms
";

/// How much there is in a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Rooms, closed ones too.
    pub rooms: u64,
    /// Events in the logs of all of them.
    pub events: u64,
}

/// Counts what is there without reading it all.
pub fn tally(tx: &mut dyn Tx) -> Result<Tally, StoreError> {
    let mut tally = Tally::default();
    tx.query(TALLY, &[], &mut |row| {
        let count = |column| row.int(column).map(|count| count.unwrap_or_default().unsigned_abs());
        tally = Tally { rooms: count(0)?, events: count(1)? };
        Ok(())
    })?;
    Ok(tally)
}

fn ids(tx: &mut dyn Tx, sql: &'static str, params: &[Param<'_>]) -> Result<Vec<RoomId>, StoreError> {
    let mut found = Vec::new();
    tx.query(sql, params, &mut |row| {
        let id = row.text(0)?.unwrap_or_default();
        found.push(id.parse().map_err(|error| bad("rooms", id, error))?);
        Ok(())
    })?;
    Ok(found)
}
