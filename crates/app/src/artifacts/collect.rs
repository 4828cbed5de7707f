//! Giving up what nothing leads to: files that no record names, and records that no reference reaches.
//!
//! What must stay true: a file that a record names is never removed. So records are given up first, in the transaction that
//! knows of every reference; then a file goes only while nobody is about to put it on record (see `files.rs`), and only if
//! no room of the store names it then. It does not matter who else collects, or keeps the same content, at the same time.

use std::{collections::BTreeSet, fs, io, time::Duration};

use baton_core::{
    code::ErrorCode,
    ids::RoomId,
    job::JobId,
    library::{Artifact, Keepers, Reach},
    reference::Reference,
    time::{Timestamp, Ttl},
};
use baton_store::{engine::Tx, jobs, library, log, rooms, turns};

use super::files::{Entry, Files};
use crate::{App, Caller, Failure, app::Request, app::internal};

/// How old a file that nothing names must be: whoever wrote it may be about to record it, and be too old to hold its lock.
const LITTER_AGE: Duration = Duration::from_secs(60 * 60);
/// Events that are read at a time.
const PAGE: u32 = 500;
/// What this is called in the log of requests.
const NAME: &str = "artifact.collect";

/// What to give up.
#[derive(Clone, Copy, Debug)]
pub struct Collecting {
    /// Records too, if they are older than this.
    pub older_than: Option<Ttl>,
    /// Whether to tell only what would go.
    pub dry_run: bool,
}

/// What was given up.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Collected {
    /// Records.
    pub dropped: Vec<Dropped>,
    /// Files with content, and how large they were.
    pub files: u64,
    /// Drafts of processes that were killed.
    pub drafts: u64,
    /// How large all these files were.
    pub bytes: u64,
    /// Directories that were left for the next time, because somebody was keeping a file there.
    pub busy: u64,
}

/// A record that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dropped {
    /// In which room.
    pub room_id: RoomId,
    /// Which.
    pub artifact: Artifact,
}

impl Dropped {
    /// How it was pointed to, while it was.
    pub fn reference(&self) -> Reference {
        Reference::Artifact(self.artifact.kind, self.artifact.id.0)
    }
}

impl App {
    /// Removes files that nothing names, and gives up records that no reference reaches.
    pub fn collect_artifacts(&self, caller: &Caller, collecting: Collecting) -> Result<Collected, Failure> {
        let mut collected = Collected::default();
        if let Some(age) = collecting.older_than {
            let since = self.now()?.minus(age);
            for room in self.store.read::<_, Failure>(|tx| Ok(rooms::all(tx)?))? {
                self.collect_records(caller, &room, since, collecting.dry_run, &mut collected)?;
            }
        }
        let files = self.artifact_files()?;
        self.sweep(&files, collecting.dry_run, &mut collected)?;
        Ok(collected)
    }

    fn collect_records(
        &self,
        caller: &Caller,
        room: &RoomId,
        since: Timestamp,
        dry_run: bool,
        collected: &mut Collected,
    ) -> Result<(), Failure> {
        if !self.store.read::<_, Failure>(|tx| Ok(library::any_artifact_before(tx, room, since)?))? {
            return Ok(());
        }
        // Most of the log is read before anybody is kept out.
        let mut reach = Reach::default();
        while self.store.read(|tx| read_on(tx, room, &mut reach))? {}
        let artifacts = if dry_run {
            self.store.read(|tx| loose(tx, room, &mut reach, since))?
        } else {
            let request = Request { command: NAME, input: &(room, since), key: None };
            let mut found = Vec::new();
            self.change(caller, &request, room, |change| {
                // This may run again, and then the end of the log is another one.
                found = loose(change.store.tx()?, &change.room.id, &mut reach.clone(), since)?;
                change.store.note(found.clone());
                change.record(found.iter().map(Artifact::give_up).collect::<Vec<_>>())?;
                Ok(())
            })?;
            found
        };
        collected.dropped.extend(artifacts.into_iter().map(|artifact| Dropped { room_id: room.clone(), artifact }));
        Ok(())
    }

    /// Removes files that no record names: old ones, drafts, and what has just been given up.
    fn sweep(&self, files: &Files, dry_run: bool, collected: &mut Collected) -> Result<(), Failure> {
        let given_up: BTreeSet<String> =
            collected.dropped.iter().map(|dropped| dropped.artifact.sha256.clone()).collect();
        let directories = files.directories().map_err(unreadable)?;
        if directories.is_empty() {
            return Ok(());
        }
        let now = files.now().map_err(unreadable)?;
        let is_old = |entry: &Entry| now.duration_since(entry.modified).is_ok_and(|age| age >= LITTER_AGE);
        let may_go = |entry: &Entry| {
            let is_ours = entry.is_content() || entry.is_draft();
            is_ours && (is_old(entry) || given_up.contains(&entry.name))
        };
        for directory in directories {
            if !files.entries(&directory).map_err(unreadable)?.iter().any(may_go) {
                continue;
            }
            let Some(_alone) = files.alone(&directory).map_err(unreadable)? else {
                collected.busy += 1;
                continue;
            };
            let mut entries = files.entries(&directory).map_err(unreadable)?;
            entries.retain(may_go);
            let (content, drafts): (Vec<_>, Vec<_>) = entries.into_iter().partition(Entry::is_content);
            let hashes: Vec<String> = content.iter().map(|entry| entry.name.clone()).collect();
            let named = self.store.read(|tx| self.named(tx, &hashes, collected, dry_run))?;
            let unnamed = content.into_iter().zip(named).filter(|(_, named)| !named).map(|(entry, _)| entry);
            for entry in unnamed.chain(drafts) {
                if !dry_run {
                    fs::remove_file(&entry.path).map_err(unreadable)?;
                }
                collected.bytes += entry.bytes;
                *(if entry.is_draft() { &mut collected.drafts } else { &mut collected.files }) += 1;
            }
        }
        Ok(())
    }

    /// Which hashes are named; when nothing is really given up, by what would not be.
    fn named(
        &self,
        tx: &mut dyn Tx,
        hashes: &[String],
        collected: &Collected,
        dry_run: bool,
    ) -> Result<Vec<bool>, Failure> {
        if !dry_run || collected.dropped.is_empty() {
            return Ok(library::named(tx, hashes)?);
        }
        let mut named = Vec::new();
        for hash in hashes {
            let going = collected.dropped.iter().filter(|dropped| dropped.artifact.sha256 == *hash).count();
            named.push(library::naming(tx, hash)? > going as u64);
        }
        Ok(named)
    }
}

/// Reads a page of the log, and tells whether there was one.
fn read_on(tx: &mut dyn Tx, room: &RoomId, reach: &mut Reach) -> Result<bool, Failure> {
    let page = log::after(tx, room, reach.last(), PAGE)?;
    for recorded in &page {
        reach.apply(recorded).map_err(internal)?;
    }
    Ok(!page.is_empty())
}

/// What nothing leads to, by all that the log has now.
fn loose(tx: &mut dyn Tx, room: &RoomId, reach: &mut Reach, since: Timestamp) -> Result<Vec<Artifact>, Failure> {
    while read_on(tx, room, reach)? {}
    let artifacts = library::artifacts_kept(tx, room)?;
    let ids: BTreeSet<JobId> = artifacts.iter().filter_map(|artifact| artifact.job).collect();
    let found = jobs::find_all(tx, room, &ids.into_iter().collect::<Vec<_>>())?;
    let jobs = found.iter().filter(|job| job.status.is_active()).map(|job| job.id).collect();
    let turns = turns::open(tx, room)?.iter().map(|turn| turn.id).collect();
    let keepers = Keepers { since, jobs, turns };
    Ok(reach.unreached(&artifacts, &keepers).into_iter().cloned().collect())
}

fn unreadable(error: io::Error) -> Failure {
    Failure::new(ErrorCode::StoreUnavailable, format!("The files that are kept could not be looked through: {error}."))
}
